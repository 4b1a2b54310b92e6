// Curves that no machine draws, and what was left out of them.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "audit/evidence.h"
#include "audit/exact_ratios.h"
#include "audit/left_out.h"
#include "audit/recomputed.h"
#include "audit/rules.h"
#include "audit/straightness.h"
#include "audit/written.h"
#include "base/number.h"

namespace kstar {

namespace {

/// K whose runs are all equal, and whether rounding alone explains it.
struct EqualRuns {
  std::size_t repeated = 0;  ///< K with two runs or more
  std::vector<int> equal;    ///< of those, the K whose runs are all equal
  std::size_t often = 0;     ///< of those, with three runs or more: two may be equal by chance
  std::size_t precise = 0;   ///< of those, equal in four digits or more
  bool some_differ = false;  ///< there are K whose runs differ: their noise is known
  /// That as many runs as there are at each equal K are rounded to one value, by the noise of the
  /// K that makes it most likely; 1 where no K differs.
  double chance = 1;
};

// Runs that are equal to the last digit. With a noise s of one run and a step d of the last digit,
// n runs are rounded to one value by chance with
//   sum over all cells of the step of (the chance of one run to fall into it)^n
// at most: the mean lies in the middle of its cell. That noise is known from K whose runs differ.
// It is taken to grow with T, and never to be more than it was there: a delay of the same length
// at every K is a smaller share of a longer time. What n runs say of a noise is uncertain itself:
// s^2 is spread as (n - 1) / chi-square, over which the chance is averaged.

double below(double x) {
  return std::erfc(-x / std::numbers::sqrt2) / 2;
}

/// That n runs are rounded to one value; the noise is in steps.
double chance_of_equal(double noise, double n) {
  constexpr double kMany = 3;  // from here on the sum over cells is an integral
  if (!(noise > 0)) return 1;
  if (noise > kMany) {
    return std::pow(1 / (noise * std::sqrt(2 * std::numbers::pi)), n - 1) / std::sqrt(n);
  }
  const int reach = 1 + static_cast<int>(std::ceil(5 * noise));
  double sum = 0;
  for (int cell = -reach; cell <= reach; ++cell) {
    sum += std::pow(below((cell + 0.5) / noise) - below((cell - 0.5) / noise), n);
  }
  return std::min(sum, 1.0);
}

/// That all K of `equal` come out so, with the noise of the runs of one other K.
double chance_of(const std::vector<const Written*>& equal, const Written& noisy,
                 const WrittenSteps& steps) {
  constexpr int kParts = 2000;
  constexpr double kNothing = 1e-12;
  const double step = steps.at(noisy.mean);
  // Rounding itself scatters by d^2 / 12.
  const double noise = std::sqrt(std::max(noisy.variance - step * step / 12, 0.0));
  const auto degrees = static_cast<double>(noisy.values.size() - 1);
  const boost::math::chi_squared spread(degrees);
  double sum = 0;
  for (int part = 0; part < kParts; ++part) {
    const double scale = std::sqrt(degrees / quantile(spread, (part + 0.5) / kParts));
    double all = 1;
    for (const Written* written : equal) {
      if (all < kNothing) break;
      const double here = noise * scale * std::min(written->mean / noisy.mean, 1.0);
      all *= chance_of_equal(here / steps.at(written->mean),
                             static_cast<double>(written->values.size()));
    }
    sum += all;
  }
  return sum / kParts;
}

EqualRuns equal_runs(const Evidence& evidence) {
  constexpr std::size_t kMoreThanChance = 3;  // two runs may be equal to the digits of a clock
  constexpr double kPrecise = 1e-3;
  const std::vector<Written> all = written_values(evidence);
  const WrittenSteps steps(all);
  EqualRuns found;
  std::vector<const Written*> equal, noisy;
  for (const Written& written : all) {
    if (written.values.size() < 2) continue;
    ++found.repeated;
    (written.variance > 0 ? noisy : equal).push_back(&written);
    if (written.variance > 0) continue;
    found.equal.push_back(written.workers);
    if (written.values.size() < kMoreThanChance) continue;
    ++found.often;
    if (steps.at(written.mean) <= kPrecise * written.mean) ++found.precise;
  }
  found.some_differ = !noisy.empty();
  if (equal.empty() || noisy.empty()) return found;
  found.chance = 0;
  for (const Written* written : noisy) {
    found.chance = std::max(found.chance, chance_of(equal, *written, steps));
  }
  return found;
}

bool has_communication(const Study& study) {
  return std::any_of(study.runs.begin(), study.runs.end(), [](const Run& run) {
    return run.inside || (run.per_worker && !run.per_worker->communicate.empty());
  });
}

RuleVerdict bare_line(const Evidence& evidence) {
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
  if (points < kFewPoints) return missing("at least three K with efficiencies are needed");
  const bool communication = has_communication(evidence.study);
  if (farthest <= kExact && repeated == 0 && !communication) {
    return contradicted(
        fmt::format("all {} efficiencies are 1 within {}, with {}one run at each K and no "
                    "communication recorded",
                    points, percent(kExact, 1), is_relative(evidence.study) ? "no times, " : ""));
  }
  if (farthest <= kExact) {
    return missing(fmt::format(
        "all {} efficiencies are 1 within {}: only the recorded communication could explain it",
        points, percent(kExact, 1)));
  }
  return shown(
      fmt::format("the points deviate from the ideal line by up to {}", percent(farthest, 1)));
}

/// "once in 2500 times".
std::string once_in(double chance) {
  constexpr double kLeast = 1e-9;
  return fmt::format("once in {} times",
                     chance > kLeast ? significant(1 / chance, 2) : std::string("a billion"));
}

RuleVerdict too_straight(const Evidence& evidence) {
  constexpr double kImprobable = 0.001;
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const auto found = straightness(evidence);
  if (!found)
    return missing("at least four K, and repeats, are needed to compare a curve with its noise");
  const std::string text = fmt::format(
      "{} points are {} standard errors away from a smooth curve (root mean square), with a noise "
      "of {} to {} per run",
      found->points, significant(found->scatter, 2), percent(found->least_noise, 1),
      percent(found->most_noise, 1));
  if (found->chance < kImprobable) {
    return contradicted(
        fmt::format("{}: by chance they are so close {}", text, once_in(found->chance)));
  }
  return shown(text);
}

/// Equal runs that rounding does not explain.
bool is_improbable(const EqualRuns& runs) {
  constexpr double kImprobable = 0.001;
  if (2 * runs.often < runs.repeated) return false;
  return runs.some_differ ? runs.chance < kImprobable : runs.precise == runs.often;
}

RuleVerdict hidden_spread(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const EqualRuns runs = equal_runs(evidence);
  if (runs.repeated == 0) return missing("no K has repeats");
  if (runs.equal.empty()) return shown("runs at one K differ, as runs do");
  if (!is_improbable(runs)) {
    return missing(fmt::format("too few digits to show a spread at {}", listed(runs.equal)));
  }
  const std::string text =
      fmt::format("all runs take the same time, to the last digit, at {}", listed(runs.equal));
  if (!runs.some_differ) return contradicted(text);
  return contradicted(fmt::format("{}: with the noise of the other K, rounding makes them equal {}",
                                  text, once_in(runs.chance)));
}

/// A summary that flatters: the shortest time, the highest rate or ratio.
bool is_best(const Study& study, const std::string& kind) {
  return kind == "best" || kind == (is_inverse(study) ? "max" : "min");
}

RuleVerdict typical(const Evidence& evidence) {
  const std::string kind = summary_kind(evidence.study);
  if (is_best(evidence.study, kind)) {
    return contradicted(fmt::format("each value is the {} of several runs, used as T(K)", kind));
  }
  const StudyHeader& header = evidence.study.header;
  const std::string title = author_title(evidence.study);
  for (const std::string* text :
       {&header.protocol.stopping, &header.protocol.order, &title, &header.baseline.text}) {
    for (const char* sign : {"best of", "fastest of", "minimum of", "best run"}) {
      if (text->find(sign) == std::string::npos) continue;
      return contradicted(
          fmt::format("the record contains '{}': the best of many is not a typical run", sign));
    }
  }
  for (const FileClaim& claim : evidence.claims) {
    if (const auto best = claimed_from_best(evidence, claim)) return contradicted(*best);
  }
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  // The longest time of a run's ranks is its time; that of several runs is no typical one.
  if (kind == "min" || kind == "max") {
    return missing(fmt::format(
        "each value is the {}, the worst of several; how many, and their mean, are not stated",
        kind));
  }
  for (const ScalingPoint* point : evidence.curve) {
    if (point->times.n < 2) {
      return missing(
          fmt::format("K = {} has one value: it may be the best of many", point->workers));
    }
  }
  if (nothing_left_out(evidence).status != FindingStatus::kShown) {
    return missing(
        "T(K) is the mean of the runs in the file; whether there were others is not known");
  }
  return shown("every run is in the file, and T(K) is their mean");
}

constexpr CheckedRule kCurveRules[] = {
    {{"bare-line", RuleGroup::kCurve, "More than a bare straight line",
      "1, 2, 4, 8 without any data is an ideal, a slow baseline, or a growing problem.",
      "What are the times, the repeats and the communication behind this line?"},
     &bare_line,
     {2, 0}},
    {{"too-straight", RuleGroup::kCurve, "A curve no smoother than its noise",
      "Measured means vary around any curve by their standard errors; invented ones need not.",
      "Where are the raw times of every run?"},
     &too_straight,
     {1, 0}},
    {{"hidden-spread", RuleGroup::kCurve, "Repeats that differ",
      "No two runs take the same time: equal ones were rounded or copied.",
      "What are the times at full precision?"},
     &hidden_spread,
     {3, 0}},
    {{"exact-ratios", RuleGroup::kCurve, "No ratios that only arithmetic gives",
      "Times that were measured have no round ratios: exact ones were computed from each other.",
      "Which of these numbers were measured, and which computed?"},
     &exact_ratios,
     {10, 0}},
    {{"nothing-left-out", RuleGroup::kCurve, "No run and no K omitted",
      "A curve without its worst points is another curve.",
      "Which runs and which K were measured but are not shown?"},
     &nothing_left_out,
     {4, 0}},
    {{"typical-runs", RuleGroup::kCurve, "Typical runs, not the best of many",
      "The best of many grows with how many there were.",
      "How many runs is each value from, and what is their mean?"},
     &typical,
     {5, 1}},
};

}  // namespace

std::span<const CheckedRule> curve_rules() {
  return kCurveRules;
}

}  // namespace kstar
