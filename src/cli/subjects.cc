#include "cli/subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.h"
#include "base/try.h"
#include "cli/data_flags.h"
#include "cli/plan/flags.h"
#include "kstar/redact.h"

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

Result<ExamineOptions> examine_options(const Arguments& arguments) {
  ExamineOptions options;
  KSTAR_TRY(const double threshold, arguments.share("threshold", options.analysis.threshold));
  KSTAR_TRY(const double confidence, confidence_of(arguments, options.analysis.confidence));
  options.analysis.threshold = threshold;
  options.analysis.confidence = confidence;
  if (arguments.has("regime")) options.analysis.regime = regime_named(arguments.text("regime"));
  return options;
}

bool wants_plan(const Arguments& arguments) {
  return arguments.has("price") || arguments.has("goal") || arguments.text("kind") == "cost";
}

/// Those that a reader of a page can choose from.
std::vector<double> page_thresholds() {
  std::vector<double> thresholds;
  for (int percent = 50; percent <= 90; percent += 5) thresholds.push_back(percent / 100.0);
  return thresholds;
}

/// Those of one regime stand together, for they share charts; else as they were named.
void group_by_regime(std::vector<Subject>& subjects) {
  auto done = subjects.begin();
  while (done != subjects.end()) {
    const std::optional<Regime> regime = done->analysis.table.regime;
    done = std::stable_partition(done, subjects.end(), [&](const Subject& subject) {
      return subject.analysis.table.regime == regime;
    });
  }
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
  std::vector<Flag> flags = {threshold_flag(), confidence_flag()};
  for (Flag& flag : data_flags()) flags.push_back(std::move(flag));
  return flags;
}

Positional subjects_positional() {
  return {.name = "STUDY",
          .help = "a study, or anything that kstar can import",
          .required = true,
          .repeats = true,
          .file = true};
}

Result<std::vector<Subject>> read_subjects(const Arguments& arguments, SubjectUse use) {
  KSTAR_TRY(ExamineOptions options, examine_options(arguments));
  KSTAR_TRY(const ImportOptions reading, import_options(arguments));
  KSTAR_TRY(const PlanOptions planning, plan_options(arguments));
  const bool page = use == SubjectUse::kPage;
  options.plan_asked = wants_plan(arguments);
  options.audit = use != SubjectUse::kFigure;
  if (page || wants_plan(arguments)) options.plan = &planning;
  if (page) options.thresholds = page_thresholds();
  const std::vector<std::string> names = short_names(arguments.positionals);
  const bool redact = arguments.has("redact");
  std::vector<Study> studies;
  for (const std::string& path : arguments.positionals) {
    KSTAR_TRY(Study study, read_data(path, reading));
    studies.push_back(redact ? redacted(study) : std::move(study));
  }
  std::vector<std::vector<double>> predict;
  for (const Study& study : studies) predict.push_back(chart_workers(study, studies));
  std::vector<Subject> subjects;
  for (std::size_t i = 0; i < names.size(); ++i) {
    options.name = names[i];
    options.analysis.predict = predict[i];
    KSTAR_TRY(Subject subject, examine(std::move(studies[i]), options));
    subjects.push_back(std::move(subject));
  }
  group_by_regime(subjects);
  for (std::size_t i = 0; redact && i < subjects.size(); ++i) {
    subjects[i].name = fmt::format("study {}", i + 1);
  }
  return subjects;
}

}  // namespace kstar
