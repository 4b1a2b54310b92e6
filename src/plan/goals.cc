#include "plan/goals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

struct GoalName {
  GoalKind kind;
  std::string_view name;
  std::string_view limit;  ///< what stands behind it; empty: nothing
};
constexpr std::array<GoalName, 6> kGoals = {{{GoalKind::kFastest, "fastest", ""},
                                             {GoalKind::kCheapest, "cheapest", ""},
                                             {GoalKind::kEfficiency, "efficiency", "0.7"},
                                             {GoalKind::kDeadline, "deadline", "5h"},
                                             {GoalKind::kBudget, "budget", "500"},
                                             {GoalKind::kKnee, "knee", ""}}};

/// "110 worker-seconds": hours; a bare number is in worker-hours or, with a price, money.
Goal budget_of(std::string_view text) {
  constexpr double kHour = 3600;
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"worker-hours", 1},
                                                                   {"worker-seconds", kHour}};
  for (const auto& [unit, per_hour] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto value = parse_double(trim(text.substr(0, text.size() - unit.size())));
    return {
        .kind = GoalKind::kBudget, .limit = value.value_or(0) / per_hour, .in_worker_time = true};
  }
  return {.kind = GoalKind::kBudget, .limit = parse_double(text).value_or(0)};
}

Goal goal_of(GoalKind kind, std::string_view limit) {
  if (kind == GoalKind::kBudget) return budget_of(limit);
  if (kind != GoalKind::kDeadline) return {.kind = kind, .limit = parse_double(limit).value_or(0)};
  return {.kind = kind,
          .limit = parse_duration(limit).value_or(0),
          .in_seconds = !is_digit(limit.back())};
}

bool is_valid(const Goal& goal) {
  return goal.limit > 0 && (goal.kind != GoalKind::kEfficiency || goal.limit <= 1);
}

}  // namespace

std::string_view name_of(GoalKind kind) {
  const auto* found = std::find_if(kGoals.begin(), kGoals.end(),
                                   [&](const GoalName& one) { return one.kind == kind; });
  return found->name;
}

bool leaves_open(const std::optional<Verdict>& verdict, GoalKind goal) {
  if (!verdict || verdict->is_decided()) return false;
  return goal == GoalKind::kEfficiency || verdict->doubts_times();
}

Result<Goal> parse_goal(std::string_view text, std::string_view where) {
  const std::string_view all = trim(text);
  const std::size_t blank = all.find(' ');
  const std::string_view name = all.substr(0, blank);
  const std::string_view limit = blank == all.npos ? "" : trim(all.substr(blank));
  for (const GoalName& one : kGoals) {
    if (one.name != name || one.limit.empty() != limit.empty()) continue;
    if (limit.empty()) return Goal{.kind = one.kind};
    const Goal goal = goal_of(one.kind, limit);
    if (is_valid(goal)) return goal;
  }
  return fail(expected(
      where, "fastest, cheapest, 'efficiency 0.7', 'deadline 5h', 'budget 500' or knee", all));
}

namespace planning {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr double kNear = 1.05;  // a K that is not 5% better is not called better

/// A tie up to rounding, as in kstar/questions.h.
bool at_most(double a, double b) {
  return a <= b * (1 + 1e-12);
}

bool holds(const Goal& goal, const Priced& curve, std::size_t at) {
  if (goal.kind == GoalKind::kEfficiency) return at_most(goal.limit, curve.efficiency[at]);
  if (goal.kind == GoalKind::kDeadline) return at_most(curve.time[at], goal.limit);
  if (goal.kind == GoalKind::kBudget) return at_most(curve.cost[at], goal.limit);
  return true;
}

/// What is to be small. A tie goes to what is faster.
double objective(const Goal& goal, double time, double cost) {
  if (goal.kind == GoalKind::kKnee) return time * cost;
  return goal.kind == GoalKind::kCheapest || goal.kind == GoalKind::kDeadline ? cost : time;
}

/// The number of the best K among those where `allowed`.
template <typename Allowed>
std::size_t best_of(const Goal& goal, const Priced& curve, Allowed allowed) {
  std::size_t best = kNone;
  for (std::size_t i = 0; i < curve.time.size(); ++i) {
    if (!allowed(i)) continue;
    const double value = objective(goal, curve.time[i], curve.cost[i]);
    if (!std::isfinite(value)) continue;
    if (best == kNone) {
      best = i;
      continue;
    }
    const double known = objective(goal, curve.time[best], curve.cost[best]);
    const bool tie = at_most(value, known) && at_most(known, value);
    if (tie ? curve.time[i] < curve.time[best] * (1 - 1e-12) : value < known) best = i;
  }
  return best;
}

/// Medians of all curves, as one: K* is chosen by it.
Priced middle_curve(const PricedJob& priced) {
  if (priced.curves.size() == 1) return priced.curves.front();
  Priced middle;
  std::vector<double> values(priced.curves.size());
  for (std::vector<double> Priced::*what : {&Priced::time, &Priced::cost, &Priced::efficiency}) {
    for (std::size_t i = 0; i < priced.fits.size(); ++i) {
      for (std::size_t c = 0; c < values.size(); ++c) values[c] = (priced.curves[c].*what)[i];
      (middle.*what).push_back(quantile(values, 0.5));
    }
  }
  return middle;
}

/// The share of curves that keep the limit, at every K: of a deadline and a budget, with what one
/// run adds.
std::vector<double> chances(const Goal& goal, const PricedJob& priced) {
  const bool of_runs = goal.kind != GoalKind::kEfficiency && !priced.runs.empty();
  const std::vector<Priced>& curves = of_runs ? priced.runs : priced.curves;
  std::vector<double> all(priced.fits.size());
  for (const Priced& curve : curves) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += holds(goal, curve, i) ? 1 : 0;
  }
  for (double& one : all) one /= static_cast<double>(curves.size());
  return all;
}

/// How often no other K is 5% better than this one.
double near_best(const Goal& goal, const PricedJob& priced, std::size_t at) {
  double count = 0;
  for (const Priced& curve : priced.curves) {
    const std::size_t best =
        best_of(goal, curve, [&](std::size_t i) { return priced.fits[i] && priced.known[i]; });
    if (best == kNone) continue;
    const double least = objective(goal, curve.time[best], curve.cost[best]);
    if (objective(goal, curve.time[at], curve.cost[at]) <= kNear * least) count += 1;
  }
  return count / static_cast<double>(priced.curves.size());
}

void set_interval(const Goal& goal, const PricedJob& priced, double confidence,
                  PlanAnswer& answer) {
  std::vector<double> best;
  for (const Priced& curve : priced.curves) {
    const std::size_t at = best_of(goal, curve, [&](std::size_t i) {
      return priced.fits[i] && priced.known[i] && holds(goal, curve, i);
    });
    best.push_back(at == kNone ? std::numeric_limits<double>::infinity() : priced.job->workers[at]);
  }
  answer.low = quantile(best, (1 - confidence) / 2);
  answer.high = quantile(best, (1 + confidence) / 2);
}

bool has_limit(const Goal& goal) {
  return goal.kind == GoalKind::kEfficiency || goal.kind == GoalKind::kDeadline ||
         goal.kind == GoalKind::kBudget;
}

/// Where memory excludes the K that would be chosen.
void set_memory_limit(const PricedJob& priced, std::size_t free_choice, PlanAnswer& answer) {
  if (free_choice == kNone || priced.fits[free_choice]) return;
  for (std::size_t i = 0; i < priced.fits.size(); ++i) {
    if (!priced.fits[i]) continue;
    answer.limited_by_memory = priced.job->workers[i];
    return;
  }
}

/// What there is to choose by, for one goal.
struct Choice {
  Goal goal;
  const PricedJob* priced = nullptr;
  Priced middle;
  std::vector<double> chance;
  double sure = 0;

  bool kept(std::size_t at) const { return chance[at] >= sure; }
  bool usable(std::size_t at) const { return priced->fits[at] && priced->known[at]; }
  double value(std::size_t at) const { return objective(goal, middle.time[at], middle.cost[at]); }
  /// What the limit is about, to be small.
  double limited(std::size_t at) const {
    if (goal.kind == GoalKind::kEfficiency) return -middle.efficiency[at];
    return goal.kind == GoalKind::kBudget ? middle.cost[at] : middle.time[at];
  }
};

/// The K that comes nearest to the limit.
std::size_t nearest_of(const Choice& choice) {
  std::size_t at = kNone;
  for (std::size_t i = 0; i < choice.chance.size(); ++i) {
    if (!choice.usable(i) || !std::isfinite(choice.middle.time[i])) continue;
    if (at == kNone || choice.limited(i) < choice.limited(at)) at = i;
  }
  return at;
}

/// Beyond the largest measured K, as far as the machine goes, where nothing speaks against it: as
/// surely as asked for or, without such, more likely than not.
std::size_t untried_of(const Choice& choice, std::size_t best) {
  constexpr double kLikely = 0.5;
  const PlanJob& job = *choice.priced->job;
  if (job.is_law() || !job.doubt.empty()) return kNone;
  const double most = job.verdict && job.verdict->machine_workers
                          ? *job.verdict->machine_workers
                          : std::numeric_limits<double>::infinity();
  const auto beyond = [&](double chance) {
    return best_of(choice.goal, choice.middle, [&](std::size_t i) {
      return job.workers[i] <= most && choice.priced->fits[i] && !choice.priced->known[i] &&
             choice.chance[i] >= chance;
    });
  };
  const std::size_t sure = beyond(choice.sure);
  if (best == kNone) return sure == kNone ? beyond(kLikely) : sure;
  return sure != kNone && choice.value(best) > kNear * choice.value(sure) ? sure : kNone;
}

/// Whether the smallest K is as good as the fastest: of a law within 1%; of a study, no K is 5%
/// faster, as surely as asked for.
bool gains_nothing(const Choice& choice, std::size_t first, std::size_t at) {
  constexpr double kLittle = 1.01;
  if (choice.goal.kind != GoalKind::kFastest || first == kNone || at == kNone) return false;
  if (choice.priced->fits.size() < 2) return false;
  if (choice.priced->job->is_law()) {
    return choice.middle.time[first] <= kLittle * choice.middle.time[at];
  }
  return near_best(choice.goal, *choice.priced, first) >= choice.sure;
}

std::size_t first_usable(const Choice& choice) {
  for (std::size_t i = 0; i < choice.chance.size(); ++i) {
    if (choice.usable(i)) return i;
  }
  return kNone;
}

std::optional<double> probability_of(const Choice& choice, std::size_t at, bool open) {
  const PlanJob& job = *choice.priced->job;
  const bool computed = job.verdict && job.verdict->computed;
  if (job.is_law() || computed || leaves_open(job.verdict, choice.goal.kind)) return std::nullopt;
  if (has_limit(choice.goal)) return at == kNone ? 0 : choice.chance[at];
  if (open || at == kNone) return std::nullopt;  // what is beyond was not looked at
  const std::vector<bool>& known = choice.priced->known;
  if (std::count(known.begin(), known.end(), true) < 2) return std::nullopt;  // there is no other
  return near_best(choice.goal, *choice.priced, at);
}

/// K* is the last that may be used or relied on, where more could be better.
bool is_open(const Choice& choice, std::size_t at) {
  const std::vector<bool>& known = choice.priced->known;
  const bool grows =
      choice.goal.kind != GoalKind::kDeadline && choice.goal.kind != GoalKind::kCheapest;
  const auto behind = known.begin() + static_cast<std::ptrdiff_t>(at) + 1;
  const bool nothing_said = !choice.priced->job->doubt.empty() || behind == known.end();
  return grows && at > 0 && nothing_said && std::find(behind, known.end(), true) == known.end();
}

/// The K of the verdict, where the goal asks what the verdict answers.
std::size_t by_verdict(const Choice& choice, const PlanOptions& options) {
  const std::optional<Verdict>& verdict = choice.priced->job->verdict;
  if (!verdict || !verdict->is_decided() || !options.by_verdict) return kNone;
  if (choice.goal.kind != GoalKind::kEfficiency || choice.goal.limit != verdict->threshold) {
    return kNone;
  }
  const std::vector<double>& workers = choice.priced->job->workers;
  const auto found = std::find(workers.begin(), workers.end(), *verdict->workers);
  const auto at = static_cast<std::size_t>(found - workers.begin());
  return found != workers.end() && choice.priced->fits[at] ? at : kNone;
}

void set_verdict(const Verdict& verdict, PlanAnswer& answer) {
  answer.by_verdict = true;
  answer.low = *verdict.low;
  answer.high = verdict.high ? *verdict.high : std::numeric_limits<double>::infinity();
  answer.open = verdict.state == VerdictState::kOrMore;
  if (!verdict.computed) answer.probability = verdict.probability;
}

}  // namespace

PlanAnswer answer_to(const Goal& goal, const PricedJob& priced, const PlanOptions& options,
                     double work) {
  PlanAnswer answer{.goal = goal};
  const Choice choice{goal, &priced, middle_curve(priced), chances(goal, priced), options.sure};
  const auto point = [&](std::size_t i) {
    return i == kNone ? std::nullopt : std::optional(point_at(priced, i, options, work));
  };
  if (const std::size_t decided = by_verdict(choice, options); decided != kNone) {
    answer.best = point(decided);
    set_verdict(*priced.job->verdict, answer);
    if (answer.open) answer.untried = point(untried_of(choice, decided));
    return answer;
  }
  std::size_t at = best_of(goal, choice.middle,
                           [&](std::size_t i) { return choice.usable(i) && choice.kept(i); });
  set_memory_limit(priced,
                   best_of(goal, choice.middle,
                           [&](std::size_t i) { return priced.known[i] && choice.kept(i); }),
                   answer);
  if (const std::size_t first = first_usable(choice); gains_nothing(choice, first, at)) {
    answer.no_gain = true;
    at = first;
  }
  answer.kept = at != kNone;
  const std::size_t untried = answer.no_gain ? kNone : untried_of(choice, at);
  answer.untried = point(untried);
  set_interval(goal, priced, options.confidence, answer);
  if (!answer.kept) {
    const std::size_t nearest = nearest_of(choice);
    answer.nearest = point(nearest);
    answer.probability = probability_of(choice, nearest, false);
    return answer;
  }
  answer.best = point(at);
  answer.low = std::min(answer.low, answer.best->workers);  // a sure K* may be a cautious one
  answer.high = std::max(answer.high, answer.best->workers);
  answer.open = untried != kNone || (!answer.no_gain && is_open(choice, at));
  answer.probability = probability_of(choice, at, answer.open);
  return answer;
}

}  // namespace planning

}  // namespace kstar
