#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/gzip.h"
#include "base/pattern.h"
#include "base/text.h"
#include "import/importer.h"
#include "import/join.h"
#include "import/json_fault.h"
#include "import/mlperf_folder.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

/// More than this, packed or unpacked, is not read of a file that is no study.
constexpr std::size_t kMostBytes = std::size_t{256} << 20U;
/// JSON that somebody put into one line is long; nothing honest is longer than this.
constexpr std::size_t kLongestLine = std::size_t{64} << 20U;
constexpr std::size_t kSniffedBytes = std::size_t{64} << 10U;

/// Asked in this order: what knows itself by a mark comes first, what takes any table last.
const auto& importers() {
  static const std::array kAll = {&study_importer(),  &report_importer(),    &steps_importer(),
                                  &mlperf_importer(), &hyperfine_importer(), &gbench_importer(),
                                  &talp_importer(),   &extrap_importer(),    &reframe_importer(),
                                  &pop_importer(),    &csv_importer(),       &log_importer()};
  return kAll;
}

Error unknown_format(std::string_view name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  const std::string near = did_you_mean(name, names);
  return expected("--as", fmt::format("one of {}", fmt::join(names, ", ")), name,
                  near.empty() ? "" : fmt::format("did you mean '{}'?", near));
}

/// By its mark, or by the zero that every second byte of plain words is.
bool is_utf16(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return true;
  const auto zero = [&](std::size_t i) { return start[i] == '\0'; };
  return start.size() >= 4 && zero(0) == zero(2) && zero(1) == zero(3) && zero(0) != zero(1);
}

/// An object, or a list of them. Other texts begin with brackets, too.
bool begins_json(std::string_view start) {
  const std::string_view text = trim(start);
  if (text.empty()) return false;
  const std::string_view behind = trim(text.substr(1));
  return (text[0] == '{' && (behind.empty() || behind[0] == '"')) ||
         (text[0] == '[' && behind.starts_with('{'));
}

/// Where a text that begins as JSON stops being JSON; nothing where it does not. Of JSON Lines only
/// the first is looked at.
std::optional<std::size_t> broken_json(std::string_view text) {
  if (!begins_json(text)) return std::nullopt;
  const std::size_t begin = text.find_first_of("{[");
  const std::size_t end = text.find('\n', begin);
  if (end != std::string_view::npos && json_fault(text.substr(begin, end - begin)) == 0) {
    return std::nullopt;
  }
  const std::size_t fault = json_fault(text.substr(begin));
  return fault == 0 ? std::nullopt : std::optional(begin + fault);
}

/// `text` is all of the file where that begins as JSON, else its beginning at least.
Error not_recognised(std::string_view name, std::string_view text) {
  const std::string where = printable(name);
  const std::string_view start = text.substr(0, kSniffedBytes);
  if (trim(start).empty()) return {.where = where, .message = "is empty"};
  if (is_utf16(start)) {
    return {.where = where,
            .message = "is UTF-16 text, which is not read",
            .hint = fmt::format("convert it: iconv -f UTF-16 -t UTF-8 {} -o table.csv", where)};
  }
  if (const std::size_t zero = start.find('\0'); zero != std::string_view::npos) {
    return error_at({start, name}, start.data() + zero, "is not text: it holds zero bytes");
  }
  if (const auto fault = broken_json(text)) {
    return error_at({text, name}, text.data() + *fault,
                    "is not JSON: it breaks off or goes wrong here",
                    "a file that was cut short has to be written anew");
  }
  return error_at({start, name}, start.data(), "is in no format that is known here",
                  "'kstar import --list' names the formats that are");
}

/// By the beginning of `text`.
Result<const Importer*> choose(std::string_view text, std::string_view name,
                               const ImportOptions& options) {
  const std::string_view start = text.substr(0, kSniffedBytes);
  if (!options.format.empty()) {
    for (const Importer* importer : importers()) {
      if (importer->format.name == options.format) return importer;
    }
    return fail(unknown_format(options.format));
  }
  if (!options.time_regex.empty() || !options.rate_regex.empty()) return &log_importer();
  for (const Importer* importer : importers()) {
    if (importer->sniff(start)) return importer;
  }
  return fail(not_recognised(name, text));
}

/// A failed run is data, but a study of nothing else answers no question.
Result<Study> with_times(Result<Study> study, std::string_view name) {
  if (!study || std::any_of(study->runs.begin(), study->runs.end(), counts)) return study;
  std::string reason = "it has no runs";
  if (!study->runs.empty()) reason = study->runs[0].failure;
  return fail({.where = printable(name), .message = "no run in it has a time: " + reason});
}

/// The first bytes of a file that can be read again, unpacked; empty for a pipe.
std::string start_of(const FileHandle& file) {
  std::string start(kSniffedBytes, '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file.get(), start.data(), start.size(), 0);
  } while (got < 0 && errno == EINTR);
  start.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return is_gzip(start) ? gunzip_start(start, kSniffedBytes) : start;
}

Result<Study> read_as(const Importer& importer, const Input& input, const ImportOptions& options) {
  Result<Study> study = importer.read(input, options);
  if (!study) return study;
  if (options.regime && options.declare) study->header.regime = options.regime;
  if (!importer.own) {
    study->notes.insert(study->notes.begin(),
                        {.severity = Severity::kInfo,
                         .what = "imported",
                         .where = printable(input.name),
                         .text = fmt::format("read as {}{}", importer.format.name,
                                             options.format.empty() ? "" : ", as asked")});
  }
  return study;
}

}  // namespace

Result<void> check_patterns(const ImportOptions& options) {
  const std::array<std::pair<const std::string*, const char*>, 3> patterns = {
      {{&options.worker_regex, "--k-regex"},
       {&options.time_regex, "--time-regex"},
       {&options.rate_regex, "--rate-regex"}}};
  for (const auto& [text, flag] : patterns) {
    if (text->empty()) continue;
    if (const auto pattern = Pattern::compile(*text, flag); !pattern) return fail(pattern.error());
  }
  return {};
}

std::span<const ImportFormat> import_formats() {
  static const std::vector<ImportFormat> kFormats = [] {
    std::vector<ImportFormat> formats;
    for (const Importer* importer : importers()) formats.push_back(importer->format);
    return formats;
  }();
  return kFormats;
}

Result<Study> import_text(std::string_view text, std::string_view name,
                          const ImportOptions& options) {
  const auto importer = choose(text, name, options);
  if (!importer) return fail(importer.error());
  const FileText padded(text);
  Result<Study> study = read_as(**importer, {padded.view(), name}, options);
  return (*importer)->own ? study : with_times(std::move(study), name);
}

Result<std::vector<Study>> import_folder(const std::string& path, const ImportOptions& options) {
  return read_mlperf_folder(path, options);
}

namespace {

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
               .message = fmt::format("the folder holds {} series", studies->size()),
               .hint = fmt::format("pick one with --select, as in --select benchmark=gpt3,"
                                   "submitter=Google, or give -o a folder for all: there are {}",
                                   names)});
}

/// The runs of a file, which may all have failed.
Result<Study> read_path(const std::string& path, const ImportOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return only_series(path, import_folder(path, options));
  }
  const auto file = open_file(path, O_RDONLY, "read");
  if (!file) return fail(file.error());
  const std::string start = start_of(*file);
  // A study may be far larger than what others write, and has a reader of its own.
  if (!start.empty()) {
    const auto importer = choose(start, path, options);
    // What is wrong with JSON shows in all of it.
    if (!importer && !begins_json(start)) return fail(importer.error());
    if (importer && *importer == &study_importer()) {
      Result<Study> study = load_study(path);
      if (study && options.regime && options.declare) study->header.regime = options.regime;
      return study;
    }
  }
  const auto text = read_open_file(*file, path, kMostBytes, kLongestLine);
  if (!text) return fail(text.error());
  const auto importer = choose(text->view(), path, options);
  if (!importer) return fail(importer.error());
  return read_as(**importer, {text->view(), path}, options);
}

bool is_own(const Study& study) {
  return std::none_of(study.notes.begin(), study.notes.end(),
                      [](const Note& note) { return note.what == "imported"; });
}

}  // namespace

Result<Study> import_file(const std::string& path, const ImportOptions& options) {
  Result<Study> study = read_path(path, options);
  return study && is_own(*study) ? study : with_times(std::move(study), path);
}

Result<Study> import_files(std::span<const std::string> paths, const ImportOptions& options) {
  std::vector<Study> studies;
  std::set<std::pair<dev_t, ino_t>> seen;
  for (const std::string& path : paths) {
    struct stat file {};
    if (::stat(path.c_str(), &file) == 0 && !seen.emplace(file.st_dev, file.st_ino).second) {
      return fail({.where = printable(path),
                   .message = "is the same file as one before it: its runs would count twice"});
    }
    Result<Study> study = read_path(path, options);
    if (!study) return study;
    studies.push_back(std::move(*study));
  }
  if (studies.empty()) return fail({.where = "import", .message = "expected a file"});
  const bool own = std::all_of(studies.begin(), studies.end(), is_own);
  Result<Study> joined = join(std::move(studies));
  return own ? joined : with_times(std::move(joined), paths[0]);
}

}  // namespace kstar
