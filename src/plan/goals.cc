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

std::optional<double> limit_of(GoalKind kind, std::string_view text) {
  if (kind == GoalKind::kDeadline) return parse_duration(text);
  return parse_double(text);
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

Result<Goal> parse_goal(std::string_view text, std::string_view where) {
  const std::string_view all = trim(text);
  const std::size_t blank = all.find(' ');
  const std::string_view name = all.substr(0, blank);
  const std::string_view limit = blank == all.npos ? "" : trim(all.substr(blank));
  for (const GoalName& one : kGoals) {
    if (one.name != name || one.limit.empty() != limit.empty()) continue;
    if (limit.empty()) return Goal{.kind = one.kind};
    const bool timed = one.kind == GoalKind::kDeadline && !is_digit(limit.back());
    const Goal goal{one.kind, limit_of(one.kind, limit).value_or(0), timed};
    if (is_valid(goal)) return goal;
  }
  return fail(expected(
      where, "fastest, cheapest, 'efficiency 0.7', 'deadline 5h', 'budget 500' or knee", all));
}

namespace planning {

namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

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
  constexpr double kNear = 1.05;
  double count = 0;
  for (const Priced& curve : priced.curves) {
    const std::size_t best = best_of(goal, curve, [&](std::size_t i) { return priced.fits[i]; });
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
    const std::size_t at = best_of(
        goal, curve, [&](std::size_t i) { return priced.fits[i] && holds(goal, curve, i); });
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

}  // namespace

PlanAnswer answer_to(const Goal& goal, const PricedJob& priced, const PlanOptions& options,
                     double work) {
  PlanAnswer answer{.goal = goal};
  const Priced middle = middle_curve(priced);
  const std::vector<double> chance = chances(goal, priced);
  const auto sure = [&](std::size_t i) { return chance[i] >= options.sure; };
  const auto usable = [&](std::size_t i) { return priced.fits[i] && sure(i); };
  std::size_t at = best_of(goal, middle, usable);
  set_memory_limit(priced, best_of(goal, middle, sure), answer);
  if (at == kNone) {  // the K that comes nearest
    answer.kept = false;
    for (std::size_t i = 0; i < chance.size(); ++i) {
      const bool nearer = at == kNone || chance[i] > chance[at];
      if (priced.fits[i] && chance[i] > 0 && nearer && std::isfinite(middle.time[i])) at = i;
    }
  }
  set_interval(goal, priced, options.confidence, answer);
  if (at == kNone) {
    if (!priced.job->is_law()) answer.probability = 0;
    return answer;
  }
  answer.best = point_at(priced, at, options, work);
  answer.low = std::min(answer.low, answer.best->workers);  // a sure K* may be a cautious one
  answer.high = std::max(answer.high, answer.best->workers);
  answer.open = goal.kind != GoalKind::kDeadline && goal.kind != GoalKind::kCheapest &&
                at + 1 == chance.size() && at > 0;
  if (priced.job->is_law()) return answer;
  if (has_limit(goal)) {
    answer.probability = chance[at];
  } else if (!answer.open) {  // what is beyond was not looked at
    answer.probability = near_best(goal, priced, at);
  }
  return answer;
}

}  // namespace planning

}  // namespace kstar
