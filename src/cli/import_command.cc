#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/output.h"
#include "kstar/import.h"
#include "kstar/limits.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) names.emplace_back(format.name);
  return names;
}

std::string list_of_formats() {
  std::size_t width = 0;
  for (const ImportFormat& format : import_formats()) width = std::max(width, format.name.size());
  std::string text;
  for (const ImportFormat& format : import_formats()) {
    text += fmt::format("{:<{}}  {}\n", format.name, width, format.help);
  }
  return text;
}

Result<std::optional<int>> workers_of(const Arguments& arguments) {
  if (!arguments.has("k")) return std::optional<int>{};
  const std::string text = arguments.text("k");
  const auto workers = parse_integer(text);
  if (workers && *workers >= 1 && *workers <= kMostWorkers) return static_cast<int>(*workers);
  return fail(usage(expected("--k", "a whole number of workers from 1 to 1e9", text)));
}

/// What is wrong with the flags themselves, whatever the files hold.
Result<void> check_flags(const Arguments& arguments) {
  for (const char* kind : {"column", "regex"}) {
    const std::string time = fmt::format("time-{}", kind), rate = fmt::format("rate-{}", kind);
    if (!arguments.has(time) || !arguments.has(rate)) continue;
    return fail(usage(
        {.where = "--" + rate,
         .message = fmt::format(
             "cannot be combined with --{}: a file is read by its times or its rates", time)}));
  }
  if (arguments.has("time-unit") && !arguments.has("time-regex")) {
    return fail(usage({.where = "--time-unit",
                       .message = "is the unit of what --time-regex finds, which is not given",
                       .hint = "a table has the units in the names of its columns, as in "
                               "'time (ms)'"}));
  }
  return {};
}

Result<ImportOptions> import_flags(const Arguments& arguments) {
  KSTAR_CHECK(check_flags(arguments));
  Result<ImportOptions> options = import_options(arguments);
  if (!options) return options;
  options->format = arguments.text("as");
  options->worker_regex = arguments.text("k-regex");
  options->time_regex = arguments.text("time-regex");
  options->rate_regex = arguments.text("rate-regex");
  if (const Result<void> fine = check_patterns(*options); !fine) return fail(usage(fine.error()));
  options->time_unit = arguments.text("time-unit");
  options->series = arguments.list("series");
  options->preset = arguments.text("preset");
  KSTAR_TRY(const auto workers, workers_of(arguments));
  options->workers = workers;
  return options;
}

/// What was skipped or guessed, the gravest first.
void show_notes(const Study& study, const Console& console) {
  for (const Severity severity : {Severity::kError, Severity::kWarning, Severity::kInfo}) {
    for (const Note& note : study.notes) {
      if (note.severity != severity) continue;
      const std::string where = note.where.empty() ? "" : printable(note.where) + ": ";
      const std::string_view name = severity == Severity::kInfo ? "note" : name_of(severity);
      console.note(fmt::format("{}: {}{}", name, where, printable(note_sentence(note))));
    }
  }
}

/// A name that every file system takes: "v4.0-closed-Google-gpt3-TPU-v5p".
std::string file_name(std::string_view series) {
  std::string name;
  for (const char c : series) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       (c == '.' && !name.empty()) || c == '_';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  if (name.ends_with('-')) name.pop_back();
  return name.empty() ? "series" : name;
}

/// Each as a file of its own, in the folder of -o.
Result<ExitCode> write_series(const std::string& path, const std::vector<Study>& studies,
                              const Arguments& arguments, Console& console) {
  const std::string into = arguments.text("output");
  std::error_code error;
  std::filesystem::create_directories(into, error);
  if (error) return fail({.where = printable(into), .message = error.message()});
  std::size_t runs = 0, warnings = 0;
  std::set<std::string> names;
  for (const Study& study : studies) {
    std::string name = file_name(study.name);
    while (!names.insert(name).second) name += "-2";
    const std::string file = (std::filesystem::path(into) / (name + ".jsonl")).string();
    if (!arguments.has("force") && std::filesystem::exists(file)) return fail(already_there(file));
    KSTAR_CHECK(save_study(study, file));
    runs += study.runs.size();
    warnings += static_cast<std::size_t>(
        std::count_if(study.notes.begin(), study.notes.end(),
                      [](const Note& note) { return note.severity != Severity::kInfo; }));
  }
  for (const Note& note : studies.front().notes) {
    if (note.where == printable(path)) console.note(fmt::format("note: {}", note_sentence(note)));
  }
  console.note(fmt::format("wrote {} studies with {} runs to {}; with {} warnings in their notes",
                           studies.size(), runs, printable(into), warnings));
  return ExitCode::kDone;
}

/// A study for each value of the columns of --series.
Result<ExitCode> split_series(const std::string& path, const ImportOptions& options,
                              const Arguments& arguments, Console& console) {
  if (arguments.text("output").empty()) {
    return fail(usage({.where = "--series",
                       .message = "makes several studies, and needs a folder for them",
                       .hint = "add -o studies/"}));
  }
  KSTAR_TRY(const ImportedSeries found, import_series(path, options));
  for (const Error& error : found.refused) {
    console.note(fmt::format("warning: {}: left out: {}", error.where, error.message));
  }
  return write_series(path, found.studies, arguments, console);
}

/// Whether -o is a folder: it is one, or it is said with a slash.
bool wants_folder(const Arguments& arguments) {
  const std::string path = arguments.text("output");
  return path.ends_with('/') || (!path.empty() && std::filesystem::is_directory(path));
}

Result<ExitCode> run_import(const Arguments& arguments, Console& console) {
  if (arguments.has("list")) {
    console.print(list_of_formats());
    return ExitCode::kDone;
  }
  if (arguments.positionals.empty()) {
    return fail(usage({.where = "kstar import",
                       .message = "expected a file",
                       .hint = "'kstar import --list' lists the formats"}));
  }
  KSTAR_TRY(const ImportOptions options, import_flags(arguments));
  std::vector<std::string> paths = arguments.positionals;
  std::replace(paths.begin(), paths.end(), std::string("-"), std::string("/dev/stdin"));
  if (!options.series.empty()) {
    if (paths.size() == 1) return split_series(paths[0], options, arguments, console);
    return fail(usage({.where = "--series", .message = "takes one file"}));
  }
  if (paths.size() == 1 && wants_folder(arguments) && std::filesystem::is_directory(paths[0])) {
    KSTAR_TRY(const auto studies, import_folder(paths[0], options));
    return write_series(paths[0], studies, arguments, console);
  }
  KSTAR_TRY(const Study study, import_files(paths, options));
  show_notes(study, console);
  KSTAR_CHECK(deliver_study(arguments, console, study));
  return ExitCode::kDone;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const ImportPreset& preset : import_presets()) names.emplace_back(preset.name);
  return names;
}

std::vector<Flag> flags() {
  return {
      {.name = "as",
       .value = "FORMAT",
       .help = "read the files in this format (default: detected)",
       .choices = format_names()},
      {.name = "list", .help = "list the formats"},
      {.name = "k", .value = "K", .help = "the number of workers, for files that do not say it"},
      {.name = "k-column",
       .value = "NAME",
       .help = "the column of worker counts in a table, or a product such as 'nodes*gpus'"},
      {.name = "time-column",
       .value = "NAME",
       .help = "the column of times; seconds, unless its name has another unit"},
      {.name = "rate-column", .value = "NAME", .help = "the column of rates: work per second"},
      {.name = "time-regex",
       .value = "REGEX",
       .help =
           "read logs: the group of this RE2 pattern matches the times, as in 'took ([0-9.]+)s'"},
      {.name = "rate-regex",
       .value = "REGEX",
       .help = "read logs: the group of this RE2 pattern matches rates (work per second)"},
      {.name = "time-unit",
       .value = "UNIT",
       .help = "unit of the times that --time-regex matches (default: s)",
       .choices = {"s", "ms", "us", "ns", "min", "h"}},
      {.name = "k-regex",
       .value = "REGEX",
       .help = "matches K of a log in its path or in its text, as in 'gpus=([0-9]+)'; in a log of "
               "several runs, before each"},
      {.name = "select",
       .value = "PART",
       .help = "of a file with several series, the one with these values: kind=strong,size=8"},
      {.name = "series",
       .value = "COLUMN",
       .help =
           "of a table, a study for each value of this column, in the folder of -o; may be given "
           "more than once",
       .repeats = true},
      ignore_flag(),
      table_flags()[0],
      table_flags()[1],
      table_flags()[2],
      table_flags()[3],
      {.name = "preset",
       .value = "NAME",
       .help = "read logs with the patterns for a program",
       .choices = preset_names()},
      {.name = "regime",
       .value = "REGIME",
       .help = "how the problem changes with K, if the files do not say it",
       .choices = {"strong", "weak", "throughput", "mixed"}},
      force_flag(),
      output_flag()};
}

}  // namespace

Command import_command() {
  return {
      .name = "import",
      .summary = "convert the results of other tools to a study",
      .details = {"Reads tables, logs and the files of other tools, plain or gzipped. What was "
                  "skipped or guessed is reported and stays with the data; no sample is invented.",
                  "Several files become one study: they must be of the same job. A folder of "
                  "MLPerf results becomes one study per series, in the folder of -o."},
      .flags = flags(),
      .positionals = {{.name = "FILE",
                       .help = "the files to read; - is standard input",
                       .repeats = true,
                       .file = true}},
      .examples = {"kstar import --list", "kstar import times.csv -o times.jsonl",
                   "kstar import times.csv --k-column workers --time-column seconds",
                   "kstar import k1.log k2.log --time-regex 'took ([0-9.]+) s' >study.jsonl"},
      .run = run_import};
}

}  // namespace kstar
