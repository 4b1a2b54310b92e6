// Any bytes: the reader gives a study or an error. What it takes can be written, is JSON for a
// second parser, and comes back the same.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/text.h"
#include "fuzz/require.h"
#include "kstar/study_file.h"

using kstar::require;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto study = kstar::parse_study(text, "fuzz");
  if (!study) {
    kstar::require_clear(study.error());
    return 0;
  }
  const auto lines = kstar::to_lines(*study);
  require(lines.has_value());
  for (const std::string_view line : kstar::split(*lines, '\n')) {
    require(line.empty() || nlohmann::json::accept(line));
  }
  const auto again = kstar::parse_study(*lines, "fuzz");
  require(again.has_value());
  require(again->header == study->header && again->runs == study->runs);
  require(again->notes == study->notes && again->unknown == study->unknown);
  return 0;
}
