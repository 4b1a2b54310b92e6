#include "kstar/import.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "base/duration.h"
#include "base/file.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "import/csv/clock_time.h"
#include "import/csv/runs.h"
#include "import/join.h"
#include "import/mlperf/folder.h"
#include "import/offers.h"
#include "import/registry.h"
#include "kstar/limits.h"

namespace kstar {

namespace {

/// A failed run is data, but a study of nothing else answers no question.
Result<Study> with_times(Result<Study> study, std::string_view name) {
  if (!study || std::any_of(study->runs.begin(), study->runs.end(), counts)) return study;
  std::string reason = "it has no runs";
  if (!study->runs.empty()) reason = study->runs[0].failure;
  return fail({.where = printable(name), .message = "no run in it has a time: " + reason});
}

/// What it was read as, and what the user says of it.
void describe_source(const Importer& importer, std::string_view name, const ImportOptions& options,
                     Study& study) {
  if (options.regime && options.declare) study.header.regime = options.regime;
  if (importer.own) return;
  study.header.source.format = importer.format.name;
  Note note{
      .what = "imported", .where = printable(name), .values = {{"format", importer.format.name}}};
  if (!options.format.empty()) note.values["asked"] = 1;
  study.notes.insert(study.notes.begin(), std::move(note));
}

Result<Study> read_as(const Importer& importer, Reader& reader, const ImportOptions& options) {
  Result<Study> study = importer.read(reader, options);
  if (!study) {
    // What is wrong with the text may come from a damaged file, and that is said first.
    KSTAR_CHECK(reader.check_rest());
    return fail(with_tried_offers(std::move(study.error()), reader, options));
  }
  describe_source(importer, reader.name(), options, *study);
  return study;
}

Result<Study> only_series(const std::string& path, Result<std::vector<Study>> studies) {
  if (!studies) return fail(studies.error());
  if (studies->size() == 1) return std::move(studies->front());
  constexpr std::size_t kShown = 4;
  std::string names;
  for (std::size_t i = 0; i < std::min(kShown, studies->size()); ++i) {
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", printable((*studies)[i].name));
  }
  if (studies->size() > kShown) names += fmt::format(" and {} more", studies->size() - kShown);
  return fail({.where = printable(path),
               .message = fmt::format("the folder contains {} series", studies->size()),
               .hint = fmt::format(
                   "pick one with --select, for example --select benchmark=gpt3,submitter=Google, "
                   "or give -o a folder for all; available: {}",
                   names)});
}

/// What a file is that nobody knows by its beginning.
Error unknown(Reader& reader, const ImportOptions& options, Error error) {
  if (!reader.head().empty() && !begins_json(reader.head())) return error;
  const auto input = reader.whole();
  if (!input) return input.error();
  const auto importer = choose_importer(input->text, reader.name(), options);
  return importer ? error : importer.error();
}

/// The runs of a file, which may all have failed.
Result<Study> read_path(const std::string& path, const ImportOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return only_series(path, import_folder(path, options));
  }
  KSTAR_TRY(auto file, open_file(path, O_RDONLY, "read"));
  Reader reader(std::move(file), path);
  const auto importer = choose_importer(reader.head(), path, options);
  if (!importer) return fail(unknown(reader, options, importer.error()));
  return read_as(**importer, reader, options);
}

bool is_own(const Study& study) {
  return study.header.source.kind != SourceKind::kImported;
}

Result<Run> read_pair(std::string_view pair, std::string_view where) {
  constexpr std::string_view kHint =
      "write K:SECONDS separated by commas, such as 1:100,2:52,4:29, or with units: "
      "1:100s,2:52s";
  const std::size_t colon = pair.find(':');
  if (colon == std::string_view::npos) {
    return fail(expected(where, "pairs of workers and seconds", pair, kHint));
  }
  const std::string_view workers = trim(pair.substr(0, colon));
  const std::string_view seconds = trim(pair.substr(colon + 1));
  const auto k = parse_integer(workers);
  if (!k || *k < 1 || *k > kMostWorkers) {
    return fail(expected(where, "a number of workers from 1 to 1e9", workers, kHint));
  }
  const auto time = read_clock(seconds) ? read_clock(seconds) : parse_duration(seconds);
  if (!time || *time <= 0) return fail(expected(where, "seconds above 0", seconds, kHint));
  Run run;
  run.workers = static_cast<int>(*k);
  run.wall = *time;
  return run;
}

}  // namespace

Result<void> check_patterns(const ImportOptions& options) {
  const std::array<std::pair<const std::string*, const char*>, 3> patterns = {
      {{&options.worker_regex, "--k-regex"},
       {&options.time_regex, "--time-regex"},
       {&options.rate_regex, "--rate-regex"}}};
  for (const auto& [text, flag] : patterns) {
    if (text->empty()) continue;
    KSTAR_CHECK(Pattern::compile(*text, flag));
  }
  return {};
}

Result<Study> import_text(std::string_view text, std::string_view name,
                          const ImportOptions& options) {
  KSTAR_TRY(const auto importer, choose_importer(text, name, options));
  Reader reader(text, name);
  Result<Study> study = read_as(*importer, reader, options);
  if (importer->own) return study;  // a choice between the two would copy a million runs
  return with_times(std::move(study), name);
}

Result<std::vector<Study>> import_folder(const std::string& path, const ImportOptions& options) {
  return read_mlperf_folder(path, options);
}

Result<Study> import_file(const std::string& path, const ImportOptions& options) {
  Result<Study> study = read_path(path, options);
  if (study && is_own(*study)) return study;
  return with_times(std::move(study), path);
}

Result<ImportedSeries> import_series(const std::string& path, const ImportOptions& options) {
  KSTAR_TRY(auto file, open_file(path, O_RDONLY, "read"));
  Reader reader(std::move(file), path);
  const auto importer = choose_importer(reader.head(), path, options);
  if (!importer) return fail(unknown(reader, options, importer.error()));
  if ((*importer)->table == nullptr) {
    return fail({.where = "--series",
                 .message = fmt::format("{} is read as {}, which is no table", printable(path),
                                        (*importer)->format.name),
                 .hint = "pick one series after the other with --select"});
  }
  Result<ImportedSeries> found = read_series(**importer, reader, options);
  if (!found) return fail(with_tried_offers(std::move(found.error()), reader, options));
  for (Study& study : found->studies) describe_source(**importer, path, options, study);
  return found;
}

Result<Study> import_files(std::span<const std::string> paths, const ImportOptions& options) {
  std::vector<Study> studies;
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& path : paths) {
    struct stat file {};
    if (::stat(path.c_str(), &file) == 0 && !seen.emplace(file.st_dev, file.st_ino).second) {
      return fail({.where = printable(path),
                   .message = "is the same file as an earlier one: its runs would count twice"});
    }
    Result<Study> study = read_path(path, options);
    if (!study) return study;
    studies.push_back(std::move(*study));
  }
  if (studies.empty()) return fail({.where = "import", .message = "expected a file"});
  const bool own = std::all_of(studies.begin(), studies.end(), is_own);
  Result<Study> joined = join(std::move(studies));
  if (own) return joined;
  return with_times(std::move(joined), paths[0]);
}

Result<Study> import_pairs(std::string_view pairs, std::string_view where) {
  Study study;
  study.name = where;
  study.header.writer = "kstar " KSTAR_VERSION;
  study.header.title = "times from the command line";
  std::string_view plain, with_unit;
  for (const std::string_view each : split(pairs, ',')) {
    const std::string_view pair = trim(each);
    KSTAR_TRY(Run run, read_pair(pair, where));
    study.runs.push_back(std::move(run));
    if (std::count(pair.begin(), pair.end(), ':') > 1) continue;  // as clocks write it
    (is_digit(pair.back()) || pair.back() == '.' ? plain : with_unit) = pair;
  }
  // Nobody knows whether the others were meant in that unit, or in seconds.
  if (!plain.empty() && !with_unit.empty()) {
    return fail({.where = std::string(where),
                 .message = fmt::format("'{}' has a unit, and '{}' has none", printable(with_unit),
                                        printable(plain)),
                 .hint = "write the unit behind every time, or behind none (seconds)"});
  }
  return study;
}

}  // namespace kstar
