#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  std::vector<std::string> ignored_columns;  ///< of tables: as if they were not there
  std::optional<Regime> regime;
  bool declare = true;  ///< `regime` becomes the study's own; else it only says how rates are read
  std::optional<int> workers;  ///< K of a file that does not say it
  std::string worker_regex;    ///< of logs: finds K in the file's path, else in its text
  std::string time_regex;  ///< finds the times in a log: one is the run's, several are its steps
  std::string rate_regex;  ///< likewise, of work a second
  std::string time_unit;   ///< of these; "" for seconds
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

/// Whether the patterns of the options can be read at all, whatever the files hold.
KSTAR_EXPORT Result<void> check_patterns(const ImportOptions& options);

/// Reads a file of any known format, a Study included, plain or gzipped, or a folder that holds one
/// series. A note of the Study says which format it was read as.
KSTAR_EXPORT Result<Study> import_file(const std::string& path, const ImportOptions& options = {});

/// The studies under a folder of MLPerf results, one per series (round, division, submitter,
/// benchmark, accelerator), by name. Logs are read in parallel.
KSTAR_EXPORT Result<std::vector<Study>> import_folder(const std::string& path,
                                                      const ImportOptions& options = {});

/// One study of the runs of several files. What they say of the regime and of the problem at each K
/// must agree.
KSTAR_EXPORT Result<Study> import_files(std::span<const std::string> paths,
                                        const ImportOptions& options = {});

/// As import_file(), from memory; `name` stands for the file in messages.
KSTAR_EXPORT Result<Study> import_text(std::string_view text, std::string_view name,
                                       const ImportOptions& options = {});

/// "1:100,2:52,4:29": worker counts and seconds; a K may come more than once.
KSTAR_EXPORT Result<Study> import_pairs(std::string_view pairs, std::string_view where);

}  // namespace kstar
