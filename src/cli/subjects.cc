#include "cli/subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "kstar/import.h"

namespace kstar {

namespace {

std::string stem_of(const std::string& path) {
  if (path == "-") return "standard input";
  std::filesystem::path name(path);
  if (!name.has_filename()) name = name.parent_path();  // a folder with a slash behind it
  name = name.filename();
  for (const char* ending : {".gz", ".jsonl", ".json", ".csv", ".tsv", ".html", ".txt", ".log"}) {
    if (name.extension() == ending) name = name.stem();
  }
  return printable(name.string());
}

Result<Study> read_one(const std::string& path, const Arguments& arguments) {
  ImportOptions options;
  options.worker_column = arguments.text("k-column");
  options.time_column = arguments.text("time-column");
  options.rate_column = arguments.text("rate-column");
  options.select = arguments.text("select");
  if (arguments.has("regime")) options.regime = regime_named(arguments.text("regime"));
  return import_file(path == "-" ? "/dev/stdin" : path, options);
}

Result<ExamineOptions> options_of(const Arguments& arguments) {
  ExamineOptions options;
  const Result<double> threshold = arguments.share("threshold", options.analysis.threshold);
  if (!threshold) return fail(threshold.error());
  const Result<double> confidence = arguments.confidence(options.analysis.confidence);
  if (!confidence) return fail(confidence.error());
  options.analysis.threshold = *threshold;
  options.analysis.confidence = *confidence;
  if (arguments.has("regime")) options.analysis.regime = regime_named(arguments.text("regime"));
  return options;
}

}  // namespace

std::vector<std::string> short_names(const std::vector<std::string>& paths) {
  std::map<std::string, std::size_t> seen;
  for (const std::string& path : paths) ++seen[stem_of(path)];
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::string name = seen[stem_of(path)] > 1 ? printable(path) : stem_of(path);
    const auto same = std::count(names.begin(), names.end(), name);
    names.push_back(same > 0 ? fmt::format("{} ({})", name, names.size() + 1) : name);
  }
  return names;
}

std::vector<Flag> subject_flags() {
  return {
      {.name = "regime",
       .value = "REGIME",
       .help = "what stays fixed while K grows, where the data does not say it",
       .choices = {"strong", "weak", "throughput"}},
      {.name = "threshold",
       .value = "E",
       .help = "the bend is the first K with an efficiency below this (0.70 unless said)"},
      {.name = "confidence", .value = "P", .help = "of every interval (0.95 unless said)"},
      {.name = "select", .value = "NAME", .help = "one of several series in a file"},
      {.name = "k-column", .value = "NAME", .help = "the column of worker counts in a table"},
      {.name = "time-column", .value = "NAME", .help = "the column of times in a table"},
      {.name = "rate-column",
       .value = "NAME",
       .help = "the column of work done a second in a table, in the place of times"},
  };
}

Positional subjects_positional() {
  return {.name = "STUDY",
          .help = "a study, or anything that kstar can import",
          .required = true,
          .repeats = true,
          .file = true};
}

Result<std::vector<Subject>> read_subjects(const Arguments& arguments, bool audited) {
  Result<ExamineOptions> options = options_of(arguments);
  if (!options) return fail(options.error());
  const std::vector<std::string> names = short_names(arguments.positionals);
  std::vector<Subject> subjects;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Result<Study> study = read_one(arguments.positionals[i], arguments);
    if (!study) return fail(study.error());
    options->name = names[i];
    options->audit = audited;
    Result<Subject> subject = examine(std::move(*study), *options);
    if (!subject) return fail(subject.error());
    subjects.push_back(std::move(*subject));
  }
  return subjects;
}

}  // namespace kstar
