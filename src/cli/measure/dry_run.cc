#include "cli/measure/dry_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/limits.h"
#include "kstar/measure.h"
#include "kstar/scaling_report.h"

namespace kstar {

namespace {

constexpr std::string_view kForms =
    "the file of a study, or times such as 1:10s or 1:10s,8:2s,baseline:9s";

bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// "8:2s" or "baseline:9s".
Result<KnownTime> given_time(std::string_view item) {
  const std::size_t colon = item.find(':');
  const std::string_view who = item.substr(0, colon);
  const bool baseline = who == "baseline";
  const double seconds =
      colon == item.npos ? 0 : parse_duration(item.substr(colon + 1)).value_or(0);
  const std::int64_t workers = baseline ? 1 : parse_integer(who).value_or(0);
  if (workers < 1 || workers > kMostWorkers || seconds <= 0) {
    return fail(usage(expected("--times", "K:TIME or baseline:TIME, the time above 0", item,
                               fmt::format("expected {}", kForms))));
  }
  return KnownTime{.workers = static_cast<int>(workers),
                   .role = baseline ? Role::kBaseline : Role::kParallel,
                   .seconds = seconds};
}

/// What a plan is made from.
struct Basis {
  std::vector<KnownTime> known;
  PlanStart start = PlanStart::kNew;
  std::string words;  ///< where the times are from, for the user; may be empty
};

/// The study that is there already, where it is one of this very measurement.
Result<Basis> basis_in_output(const MeasureSpec& spec, bool resumes) {
  const Result<Study> study = load_study(spec.output);
  if (!study) return resumes ? Result<Basis>(fail(study.error())) : Basis{};
  KSTAR_TRY(const StudyHeader header, study_header(spec));
  if (const Result<void> same = may_resume(*study, header, spec.output); !same) {
    if (resumes) return fail(same.error());
    return Basis{.words = fmt::format("{} is a different study: its times are not used, and "
                                      "--force would be needed to replace it",
                                      printable(spec.output))};
  }
  return Basis{
      .known = known_times(*study),
      .start = resumes ? PlanStart::kGoesOn : PlanStart::kNew,
      .words = fmt::format(
          "the times are from {}{}", printable(spec.output),
          resumes ? "; its runs count as done"
                  : ", which exists: --resume would continue it, --force would replace it")};
}

Result<Basis> basis_of(const MeasureSpec& spec, const Arguments& arguments) {
  const bool resumes = arguments.has("resume");
  Basis basis;
  if (!spec.output.empty() && (resumes || is_file(spec.output))) {
    Result<Basis> found = basis_in_output(spec, resumes);
    if (!found) return found;
    basis = std::move(*found);
  }
  if (!arguments.has("times")) return basis;
  KSTAR_TRY(std::vector<KnownTime> told, given_times(arguments.text("times")));
  return Basis{.known = std::move(told)};
}

}  // namespace

Result<std::vector<KnownTime>> given_times(const std::string& text) {
  if (is_file(text) || text.find(':') == text.npos) {
    Result<Study> study = load_study(text);
    if (!study) {
      if (study.error().hint.empty()) study.error().hint = fmt::format("--times takes {}", kForms);
      return fail(study.error());
    }
    std::vector<KnownTime> known = known_times(*study);
    if (known.empty()) {
      return fail({.where = text, .message = "no run of this study has a usable time"});
    }
    return known;
  }
  std::vector<KnownTime> known;
  for (const std::string_view item : split(text, ',')) {
    KSTAR_TRY(const KnownTime one, given_time(trim(item)));
    const auto same = [&](const KnownTime& other) {
      return other.role == one.role && other.workers == one.workers;
    };
    if (std::any_of(known.begin(), known.end(), same)) {
      return fail(usage(expected("--times", "each K once", item)));
    }
    known.push_back(one);
  }
  return known;
}

Result<void> show_plan(const MeasureSpec& spec, const Arguments& arguments, Console& console) {
  KSTAR_TRY(const Basis basis, basis_of(spec, arguments));
  KSTAR_TRY(MeasurePlan plan, plan_measurement(spec, basis.known, basis.start));
  if (spec.sessions > 1) {
    plan.assumptions.push_back(fmt::format(
        "the runs are those of all {} sessions: this command makes the first, and the same with "
        "--resume each further one",
        spec.sessions));
  }
  if (!basis.words.empty()) plan.assumptions.insert(plan.assumptions.begin(), basis.words);
  console.print(to_terminal(to_document(plan), console.style()));
  return {};
}

}  // namespace kstar
