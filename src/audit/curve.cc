// Curves that no machine draws, and what was left out of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/equal_runs.h"
#include "audit/left_out.h"
#include "audit/recomputed.h"
#include "audit/rules.h"
#include "audit/straightness.h"
#include "base/number.h"

namespace kstar {

namespace {

bool has_communication(const Study& study) {
  return std::any_of(study.runs.begin(), study.runs.end(), [](const Run& run) {
    return run.inside || (run.per_worker && !run.per_worker->communicate.empty());
  });
}

Verdict bare_line(const Evidence& evidence) {
  constexpr double kExact = 0.002;
  constexpr std::size_t kFewPoints = 3;
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  std::size_t points = 0, repeated = 0;
  double farthest = 0;
  for (const ScalingPoint* point : evidence.curve) {
    if (!point->efficiency) continue;
    ++points;
    if (point->times.n > 1) ++repeated;
    farthest = std::max(farthest, std::fabs(point->efficiency->point - 1));
  }
  if (points < kFewPoints) return missing("it takes three K with efficiencies");
  const bool communication = has_communication(evidence.study);
  if (farthest <= kExact && repeated == 0 && !communication) {
    return contradicted(
        fmt::format("all {} efficiencies are 1 to {}, with {}one run at each K and "
                    "no communication recorded",
                    points, percent(kExact, 1), is_relative(evidence.study) ? "no times, " : ""));
  }
  if (farthest <= kExact) {
    return missing(
        fmt::format("all {} efficiencies are 1 to {}: only what communication took "
                    "could explain it",
                    points, percent(kExact, 1)));
  }
  return shown(fmt::format("the points leave the ideal line, by up to {}", percent(farthest, 1)));
}

/// "once in 2500 times".
std::string once_in(double chance) {
  constexpr double kLeast = 1e-9;
  return fmt::format("once in {} times",
                     chance > kLeast ? significant(1 / chance, 2) : std::string("a billion"));
}

Verdict too_straight(const Evidence& evidence) {
  constexpr double kImprobable = 0.001;
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const auto found = straightness(evidence);
  if (!found) return missing("it takes four K, and repeats, to compare a curve with its noise");
  const std::string text = fmt::format(
      "{} points lie {} standard errors beside a smooth curve (root mean square), with a noise of "
      "{} to {} a run",
      found->points, significant(found->scatter, 2), percent(found->least_noise, 1),
      percent(found->most_noise, 1));
  if (found->chance < kImprobable) {
    return contradicted(fmt::format("{}: so close by chance {}", text, once_in(found->chance)));
  }
  return shown(text);
}

/// Equal runs that rounding does not explain.
bool is_improbable(const EqualRuns& runs) {
  constexpr double kImprobable = 0.001;
  if (2 * runs.often < runs.repeated) return false;
  return runs.some_differ ? runs.chance < kImprobable : runs.precise == runs.often;
}

Verdict hidden_spread(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const EqualRuns runs = equal_runs(evidence);
  if (runs.repeated == 0) return missing("no K has repeats");
  if (runs.equal.empty()) return shown("runs at one K differ, as runs do");
  if (!is_improbable(runs)) {
    return missing(
        fmt::format("the digits are too few to show a spread at {}", listed(runs.equal)));
  }
  const std::string text =
      fmt::format("all runs take the same time, to the last digit, at {}", listed(runs.equal));
  if (!runs.some_differ) return contradicted(text);
  return contradicted(fmt::format("{}: rounding makes them so {}, with the noise of the other K",
                                  text, once_in(runs.chance)));
}

/// A summary that flatters: the shortest time, the highest rate or ratio.
bool is_best(const Study& study, const std::string& kind) {
  const bool higher_is_better = find_note(study, "rate") != nullptr || is_relative(study);
  return kind == "best" || kind == (higher_is_better ? "max" : "min");
}

Verdict typical(const Evidence& evidence) {
  const std::string kind = summary_kind(evidence.study);
  if (is_best(evidence.study, kind)) {
    return contradicted(
        fmt::format("each value is the {} of several runs, and stands for T(K)", kind));
  }
  const StudyHeader& header = evidence.study.header;
  const std::string title = author_title(evidence.study);
  for (const std::string* text :
       {&header.protocol.stopping, &header.protocol.order, &title, &header.baseline.text}) {
    for (const char* sign : {"best of", "fastest of", "minimum of", "best run"}) {
      if (text->find(sign) == std::string::npos) continue;
      return contradicted(
          fmt::format("'{}' stands in the record: the best of many is no typical "
                      "run",
                      sign));
    }
  }
  for (const FileClaim& claim : evidence.claims) {
    if (const auto best = claimed_from_best(evidence, claim)) return contradicted(*best);
  }
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  // The longest time of a run's ranks is its time; that of several runs is no typical one.
  if (kind == "min" || kind == "max") {
    return missing(fmt::format(
        "each value is the {}, the worst of several; of how many, and their mean, is not said",
        kind));
  }
  for (const ScalingPoint* point : evidence.curve) {
    if (point->times.n < 2) {
      return missing(
          fmt::format("K = {} has one value: it may be the best of many", point->workers));
    }
  }
  return shown("every run is in the file, and T(K) is their mean");
}

constexpr Rule kRules[] = {
    {{"bare-line", RuleGroup::kCurve, "More than a bare straight line",
      "1, 2, 4, 8 with nothing behind it is an ideal, or a slow baseline, or a growing problem.",
      "What are the times, the repeats and the communication behind this line?"},
     &bare_line},
    {{"too-straight", RuleGroup::kCurve, "A curve no smoother than its noise",
      "Measured means scatter around any curve by their standard errors; invented ones need not.",
      "Where are the raw times of every run?"},
     &too_straight},
    {{"hidden-spread", RuleGroup::kCurve, "Repeats that differ",
      "No two runs take the same time: equal ones were rounded or copied.",
      "What are the times at full precision?"},
     &hidden_spread},
    {{"nothing-left-out", RuleGroup::kCurve, "No run and no K left out",
      "A curve without its worst points is another curve.",
      "Which runs and which K were measured, and are not shown?"},
     &nothing_left_out},
    {{"typical-runs", RuleGroup::kCurve, "Typical runs, not the best of many",
      "The best of many grows with how many there were.",
      "Out of how many runs is each value, and what is their mean?"},
     &typical},
};

}  // namespace

std::span<const Rule> curve_rules() {
  return kRules;
}

}  // namespace kstar
