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
  std::string rate_column;    ///< likewise, of work per second
  std::string select;         ///< the part of a file that has several studies: "" for the only one
  std::vector<std::string> ignored_columns;  ///< of tables: as if they were not there
  std::string columns;       ///< of tables: names for the columns, instead of those of a header
  bool across = false;       ///< of tables: the numbers in the header are K
  std::string decimal;       ///< of tables: "comma" or "point", "" where the numbers tell
  std::optional<int> table;  ///< of a text with several tables: which one, from 1
  std::vector<std::string> series;  ///< of import_series(): the labels that tell studies apart
  std::string preset;               ///< patterns of a program's logs, by name: see import_presets()
  std::optional<Regime> regime;
  bool declare = true;  ///< `regime` becomes the study's own; else it only says how rates are read
  std::optional<int> workers;  ///< K of a file that does not say it
  std::string worker_regex;    ///< of logs: finds K in the file's path, else in its text
  std::string time_regex;  ///< finds the times in a log: one is the run's, several are its steps
  std::string rate_regex;  ///< likewise, of work per second
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

/// A study for each value (or combination of values) of the labels in `options.series`, by name.
/// Those that cannot be read are left out, and their errors are in `refused`.
struct ImportedSeries {
  std::vector<Study> studies;
  std::vector<Error> refused;
};
KSTAR_EXPORT Result<ImportedSeries> import_series(const std::string& path,
                                                  const ImportOptions& options);

/// Patterns for the logs of a program.
struct ImportPreset {
  std::string_view name;
  std::string_view help;
  std::string_view worker_regex;
  std::string_view time_regex;
  std::string_view rate_regex;
  std::string_view time_unit;
};
KSTAR_EXPORT std::span<const ImportPreset> import_presets();

/// One study of the runs of several files. What they say of the regime and of the problem at each K
/// must agree.
KSTAR_EXPORT Result<Study> import_files(std::span<const std::string> paths,
                                        const ImportOptions& options = {});

/// As import_file(), from memory; `name` stands for the file in messages.
KSTAR_EXPORT Result<Study> import_text(std::string_view text, std::string_view name,
                                       const ImportOptions& options = {});

/// "1:100,2:52s,4:29000ms": worker counts and times, in seconds where no unit stands; a K may come
/// more than once.
KSTAR_EXPORT Result<Study> import_pairs(std::string_view pairs, std::string_view where);

}  // namespace kstar
