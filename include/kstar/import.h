#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kstar/export.h"
#include "kstar/regime.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// Other people's numbers, as a Study. An importer records what it skipped or guessed as notes in
/// the Study, and never invents a sample.
namespace kstar {

struct ImportOptions {
  std::string format;         ///< by name; "" to sniff
  std::string worker_column;  ///< of tables; "" to recognise
  std::string time_column;    ///< likewise; a column whose name says nothing holds seconds
  std::string rate_column;    ///< likewise, of work a second
  std::string select;         ///< the part of a file that has several studies: "" for the only one
  std::optional<Regime> regime;
  /// Rows that each bring the base of their own speedup may be of several series: they are claims
  /// to check, and no curve. The Study has a note `several-series` then.
  bool claims = false;
};

/// An importer describes itself.
struct ImportFormat {
  std::string_view name;
  std::string_view help;
};
KSTAR_EXPORT std::span<const ImportFormat> import_formats();

/// Reads a file of any known format, a Study included, plain or gzipped.
KSTAR_EXPORT Result<Study> import_file(const std::string& path, const ImportOptions& options = {});

/// The same from memory; `name` stands for the file in messages.
KSTAR_EXPORT Result<Study> import_text(std::string_view text, std::string_view name,
                                       const ImportOptions& options = {});

/// "1:100,2:52,4:29": worker counts and seconds; a K may come more than once.
KSTAR_EXPORT Result<Study> import_pairs(std::string_view pairs, std::string_view where);

}  // namespace kstar
