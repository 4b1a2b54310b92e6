#pragma once

#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "kstar/import.h"
#include "kstar/study_file.h"

namespace kstar {

/// Any bytes as a file of one format: a Study that can be written, or an error with a place and a
/// reason. Every time that counts is above 0.
inline void fuzz_import(const unsigned char* data, std::size_t size, ImportOptions options) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto study = import_text(text, "fuzz", options);
  if (!study) {
    require_clear(study.error());
    return;
  }
  for (const Run& run : study->runs) {
    require(run.workers >= 1 && (!counts(run) || *steady_time(run) > 0));
  }
  require(to_lines(*study).has_value());
}

}  // namespace kstar
