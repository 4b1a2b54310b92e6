#include "kstar/verdict.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/verdict/doubts.h"
#include "kstar/analysis.h"

namespace kstar {

namespace {

bool is_by_training(const Analysis& analysis) {
  return analysis.time_to_train && !has_efficiency(analysis.table);
}

/// Why there can be no K*; kDecided where there can.
VerdictReason nothing_to_decide(const Analysis& analysis) {
  const ScalingTable& table = analysis.table;
  if (is_by_training(analysis)) return VerdictReason::kDecided;
  if (!table.regime) return VerdictReason::kUnknownRegime;
  if (*table.regime == Regime::kMixed) return VerdictReason::kMixedRegime;
  if (!has_efficiency(table)) return VerdictReason::kNoBaseTime;
  return points_besides_base(table) == 0 ? VerdictReason::kOneK : VerdictReason::kDecided;
}

/// Whether resamples or the fitted curve say how sure K* is. Otherwise its interval is all that was
/// measured.
bool has_scatter(const Analysis& analysis) {
  if (is_by_training(analysis)) {
    const auto& parts = analysis.time_to_train->points;
    return std::all_of(parts.begin(), parts.end(),
                       [](const TrainingPoint& point) { return is_bounded(point.efficiency); });
  }
  const auto& points = analysis.table.points;
  const bool repeated = std::all_of(points.begin(), points.end(), [](const ScalingPoint& point) {
    return !point.efficiency || is_bounded(*point.efficiency);
  });
  return repeated || (analysis.table.base_role == Role::kParallel && analysis.models &&
                      !analysis.models->bend_chances.empty());
}

std::vector<int> parallel_workers(const ScalingTable& table) {
  std::vector<int> workers;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) workers.push_back(point.workers);
  }
  return workers;
}

/// The most likely K* by all K together, where that is not the one that was measured: a single K
/// that stands apart decides nothing. The largest K: it does not bend up to there.
std::optional<int> likeliest_elsewhere(const Analysis& analysis) {
  constexpr double kUnlikely = 0.2;
  if (!analysis.bend || !(analysis.bend->agreement < kUnlikely) || !analysis.models) return {};
  const std::vector<double>& chances = analysis.models->bend_chances;
  if (chances.size() < 3 || analysis.table.base_role != Role::kParallel) return {};
  const auto bend = std::max_element(chances.begin(), chances.end()) - chances.begin();
  const std::vector<int> workers = parallel_workers(analysis.table);
  return bend == 0 ? workers.back() : workers[static_cast<std::size_t>(bend) - 1];
}

/// Whether every measured K might be K*.
bool is_any(const Analysis& analysis) {
  constexpr std::size_t kFewest = 2;
  const WorkersAdvice& advice = analysis.recommendation;
  const auto& points = analysis.table.points;
  return has_scatter(analysis) && points.size() >= kFewest &&
         advice.low <= points.front().workers && advice.high >= points.back().workers;
}

bool is_busy(const Analysis& analysis) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [](const Suspicion& one) { return one.kind == SuspicionKind::kBusyMachine; });
}

bool is_doubtful_reading(const Analysis& analysis) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(), questions_the_reading);
}

struct Ruling {
  VerdictState state = VerdictState::kRun;
  VerdictReason reason = VerdictReason::kDecided;
};

/// What the numbers are comes before what they say, and that before how sure it is.
Ruling rule(const Analysis& analysis) {
  using enum VerdictState;
  const VerdictReason nothing = nothing_to_decide(analysis);
  if (nothing != VerdictReason::kDecided) return {kNone, nothing};
  if (scheduled_note(analysis) != nullptr) return {};
  if (has_note(analysis, "cached-work")) return {kUndecided, VerdictReason::kCachedWork};
  if (is_busy(analysis)) return {kUndecided, VerdictReason::kBusyMachine};
  if (has_short_runs(analysis)) return {kUndecided, VerdictReason::kShortRuns};
  if (is_doubtful_reading(analysis)) return {kUndecided, VerdictReason::kDoubtfulReading};
  if (likeliest_elsewhere(analysis)) return {kUndecided, VerdictReason::kStandsApart};
  if (analysis.bend && !analysis.bend->last_good) return {kNone, VerdictReason::kNoneEfficient};
  if (has_jumps(analysis)) return {kUndecided, VerdictReason::kJumps};
  if (is_any(analysis)) return {kUndecided, VerdictReason::kAnyWorkers};
  if (has_wide_gap(analysis)) return {kBetween, VerdictReason::kGap};
  if (analysis.recommendation.open) return {kOrMore};
  constexpr double kLikely = 0.5;
  return {analysis.bend && analysis.bend->agreement < kLikely ? kAbout : kRun};
}

void set_workers(const Analysis& analysis, Verdict& verdict) {
  const WorkersAdvice& advice = analysis.recommendation;
  if (verdict.state == VerdictState::kNone) return;
  verdict.low = advice.low;
  if (!advice.open) verdict.high = advice.high;
  if (verdict.state == VerdictState::kUndecided) return;
  verdict.workers = advice.workers;
  if (verdict.computed) return;  // it has no noise
  if (!analysis.bend) verdict.probability = advice.none_bad;
  if (analysis.bend && std::isfinite(analysis.bend->agreement)) {
    verdict.probability = analysis.bend->agreement;
  }
  if (verdict.state == VerdictState::kBetween) {
    verdict.low = std::min(advice.low, advice.workers);
    verdict.high = analysis.bend->first_bad - 1;
  } else if (!has_scatter(analysis)) {
    verdict.low = advice.workers;
    if (!advice.open) verdict.high = advice.workers;
  }
}

/// Work per time is speedup where S is known; else the inverse of T.
double rate_of(const ScalingPoint& point) {
  return point.speedup ? point.speedup->point : 1 / point.time.point;
}

std::optional<LargerWorkers> larger_than(const ScalingTable& table, int workers) {
  const ScalingPoint* here = point_at(table, Role::kParallel, workers);
  for (const ScalingPoint& point : table.points) {
    if (here == nullptr || point.role != Role::kParallel || point.workers <= workers) continue;
    const double gain = rate_of(point) / rate_of(*here);
    return LargerWorkers{.workers = point.workers,
                         .speedup = point.speedup,
                         .efficiency = point.efficiency,
                         .gain = gain,
                         .cost = static_cast<double>(point.workers) / workers / gain};
  }
  return std::nullopt;
}

std::vector<LossReason> losses_of(const Diagnosis& diagnosis) {
  std::vector<LossReason> losses;
  for (const Cause& cause : diagnosis.causes) {
    if (cause.kind == CauseKind::kNone) continue;
    const bool measured = !is_guess(cause);
    losses.push_back({.cause = cause.kind,
                      .measured = measured,
                      .share = measured ? std::optional(cause.share) : std::nullopt,
                      .probability = cause.probability});
  }
  return losses;
}

}  // namespace

Verdict decide(const Analysis& analysis) {
  const ScalingTable& table = analysis.table;
  const Ruling ruling = rule(analysis);
  Verdict verdict{.state = ruling.state, .reason = ruling.reason};
  verdict.threshold = table.threshold;
  verdict.by_training = is_by_training(analysis);
  verdict.computed = scheduled_note(analysis) != nullptr;
  verdict.regime = table.regime;
  verdict.regime_source = table.regime_source;
  verdict.problem_grows = table.problem_grows;
  verdict.base_workers = table.base_workers;
  verdict.base_role = table.base_role;
  set_workers(analysis, verdict);
  if (analysis.bend) verdict.bends_at = analysis.bend->first_bad;
  if (ruling.reason == VerdictReason::kStandsApart) {
    verdict.likeliest = likeliest_elsewhere(analysis);
    verdict.probability = analysis.bend->agreement;
  }
  verdict.good_again = analysis.recommendation.good_again;
  if (!table.points.empty()) verdict.largest_workers = table.points.back().workers;
  if (!table.points.empty())
    verdict.least_time_workers = analysis.recommendation.least_time_workers;
  if (verdict.workers) verdict.larger = larger_than(table, *verdict.workers);
  verdict.loss_at = analysis.diagnosis.workers;
  verdict.loss = losses_of(analysis.diagnosis);
  verdict.doubts = find_doubts(analysis);
  verdict.reading_in_question = is_doubtful_reading(analysis);
  return verdict;
}

std::string_view name_of(VerdictState state) {
  constexpr std::array<std::string_view, 6> kNames = {"run",     "or_more",   "about",
                                                      "between", "undecided", "none"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view name_of(VerdictReason reason) {
  constexpr std::array<std::string_view, 14> kNames = {"decided",
                                                       "gap",
                                                       "jumps",
                                                       "busy_machine",
                                                       "cached_work",
                                                       "short_runs",
                                                       "doubtful_reading",
                                                       "stands_apart",
                                                       "any_workers",
                                                       "unknown_regime",
                                                       "mixed_regime",
                                                       "no_base_time",
                                                       "one_k",
                                                       "none_efficient"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::string_view name_of(NetworkRole role) {
  constexpr std::array<std::string_view, 4> kNames = {"not_known", "not_the_network", "less",
                                                      "the_network"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view name_of(NextStepCode code) {
  constexpr std::array<std::string_view, 18> kNames = {
      "none",        "tell_weak",   "tell_strong",  "free_machine",   "look_at_command",
      "undo_work",   "see_failure", "more_workers", "split_training", "repeat",
      "repeat_one",  "decide",      "see_end",      "narrow",         "whole_machine",
      "look_inside", "mark_work",   "change"};
  return kNames[static_cast<std::size_t>(code)];
}

}  // namespace kstar
