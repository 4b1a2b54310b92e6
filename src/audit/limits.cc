// Speedups that no K workers give, unless the one worker of T(1) was held back.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/rules.h"
#include "audit/work.h"
#include "base/number.h"

namespace kstar {

namespace {

bool is_besides_base(const Evidence& evidence, const ScalingPoint& point) {
  return point.role == Role::kParallel && point.efficiency &&
         !(point.role == evidence.base->role && point.workers == evidence.base->workers);
}

/// "E(8) is 1.4 (1.2 to 1.6)", of the K whose efficiency is above 1 with its whole interval.
std::vector<std::string> above_one(const Evidence& evidence, const ScalingTable& table) {
  constexpr double kRounding = 1.02, kWithoutNoise = 1.10;
  std::vector<std::string> found;
  for (const ScalingPoint& point : table.points) {
    if (!is_besides_base(evidence, point)) continue;
    const Estimate& e = *point.efficiency;
    const double open = open_ratio(evidence, point.workers, false).low;
    const bool above = is_bounded(e) ? e.low * open > kRounding : e.point * open > kWithoutNoise;
    if (above) found.push_back(fmt::format("E({}) is {}", point.workers, with_interval(e, 3)));
  }
  return found;
}

/// An efficiency above 1 of single values: it may be noise, and nobody knows.
std::string perhaps_above_one(const Evidence& evidence) {
  for (const ScalingPoint& point : evidence.analysis->table.points) {
    if (!is_besides_base(evidence, point) || is_bounded(*point.efficiency)) continue;
    if (point.efficiency->point <= 1) continue;
    return fmt::format("E({}) is {}, with too few runs to separate it from noise", point.workers,
                       significant(point.efficiency->point, 3));
  }
  return "";
}

/// One K far above, or two above at the confidence asked for.
RuleVerdict superlinear(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  const ScalingTable& table = evidence.analysis->table;
  const bool looked = evidence.base != nullptr &&
                      std::any_of(table.points.begin(), table.points.end(), [&](const auto& point) {
                        return is_besides_base(evidence, point);
                      });
  if (!looked) return missing("there are no efficiencies");
  if (const std::string regime = perhaps_whole_jobs(evidence); !regime.empty()) {
    return missing(regime);
  }
  std::vector<std::string> above = above_one(evidence, table);
  std::vector<std::string> strictly;  // of wider intervals: never more
  if (!above.empty()) strictly = above_one(evidence, strict_table(evidence));
  if (strictly.empty() && above.size() < 2) {
    const std::string perhaps = perhaps_above_one(evidence);
    return perhaps.empty() ? shown("no efficiency is above 1 beyond its noise") : missing(perhaps);
  }
  if (!strictly.empty()) above = std::move(strictly);
  const auto& question = evidence.analysis->superlinear;
  if (!question) return contradicted(above.front());
  const std::string text = fmt::format("{}: {}", above.front(), question->likely_cause);
  const bool caches = question->cause == SuperlinearCause::kCaches;
  return caches ? missing(fmt::format("{}; {}", text, question->measurement)) : contradicted(text);
}

/// The same without T(1), whose noise may hide it: no K does the job for fewer worker-seconds than
/// every smaller one. At least two of those besides the base must say so.
std::string cheaper_than_all_before(const Evidence& evidence) {
  constexpr double kMargin = 1.10;
  constexpr std::size_t kEnoughBefore = 2;
  const std::optional<Regime> regime = evidence.analysis->table.regime;
  if (!regime || *regime == Regime::kMixed) return "";
  double cheapest = INFINITY, base_cost = INFINITY;
  std::size_t before = 0;
  for (const ScalingPoint* point : evidence.curve) {
    const double workers = *regime == Regime::kWeak ? 1 : point->workers;
    const Estimate cost = scaled(point->time, workers);
    const OpenRatio open = open_ratio(evidence, point->workers, false);
    const bool cheap = kMargin * cost.high / open.low < std::min(cheapest, base_cost);
    if (before >= kEnoughBefore && cheap) {
      return fmt::format(
          "K = {} takes {} for the work of one worker; all smaller K take {} or more",
          point->workers, with_interval(cost, 3, " s"), significant(cheapest, 3));
    }
    if (point == evidence.base) {
      base_cost = cost.point;
    } else {
      cheapest =
          std::min(cheapest, cost.low / open.high);  // minus infinity where its noise is not known
      ++before;
    }
  }
  return "";
}

/// The most that K workers give to a job of which K0 workers gave a speedup of `gave`. All that K0
/// lost may be
///   a serial share s, K0 - s (K0 - 1) = S(K0), and Gustafson's line is K - s (K - 1);
///   or an overhead that begins with the second worker and does not grow: then T(K) >= T(K0) -
///   T(1)/K0 + T(1)/K where the work is fixed, and T(K) >= T(K0) where it grows with K.
double most_speedup(double k, double k0, double gave, bool fixed_work) {
  const double efficiency = std::min(gave / k0, 1.0);
  const double gustafson = k - (1 - efficiency) * k0 / (k0 - 1) * (k - 1);
  const double overhead = fixed_work ? 1 / ((1 / efficiency - 1) / k0 + 1 / k) : k * efficiency;
  return std::max(gustafson, overhead);
}

/// A point above the lines of all points before it got more than workers can give to this job. The
/// lines are drawn as high as the noise of their points allows.
RuleVerdict gustafson(const Evidence& evidence) {
  constexpr double kMargin = 1.05;
  constexpr std::size_t kEnoughBefore =
      2;  // one K that is slow for a reason of its own proves nothing
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (const std::string regime = perhaps_whole_jobs(evidence); !regime.empty()) {
    return missing(regime);
  }
  if (const std::string cheaper = cheaper_than_all_before(evidence); !cheaper.empty()) {
    return contradicted(cheaper);
  }
  if (evidence.base == nullptr || evidence.base->workers != 1) {
    return missing("the line starts at T(1), which is missing");
  }
  const bool fixed_work = evidence.analysis->table.regime == Regime::kStrong;
  std::vector<std::pair<double, double>> before;  // K and S, at its high end
  for (const ScalingPoint& point : evidence.analysis->table.points) {
    if (!is_besides_base(evidence, point) || point.workers < 2 || !point.speedup) continue;
    const Estimate& s = *point.speedup;
    const double k = point.workers;
    double most = 0;
    for (const auto& [k0, high] : before) {
      most = std::max(most, most_speedup(k, k0, high, fixed_work));
    }
    const OpenRatio open = open_ratio(evidence, point.workers, false);
    const double low = open.low * (is_bounded(s) ? s.low : s.point / kMargin);
    if (before.size() >= kEnoughBefore && low > kMargin * most) {
      return contradicted(fmt::format("S({}) is {}; the losses at smaller K allow no more than {}",
                                      point.workers, with_interval(s, 3), significant(most, 3)));
    }
    before.emplace_back(k, open.high * (is_bounded(s) ? s.high : s.point * kMargin));
  }
  if (before.size() < 2) return missing("at least three K with speedups are needed");
  return shown("every speedup is below the line that the smaller K allow");
}

constexpr CheckedRule kLimitRules[] = {
    {{"superlinear", RuleGroup::kBaseline, "No efficiency above 1",
      "K workers do not do more than K times the work of one, unless that one was slowed down.",
      "What slowed down the single worker?"},
     &superlinear,
     {20, 0}},
    {{"gustafson-line", RuleGroup::kBaseline, "No speedup above its Gustafson line",
      "What a few workers lose to serial work and overhead, many workers lose as well.",
      "What changed between these points besides the number of workers?"},
     &gustafson,
     {16, 0}},
};

}  // namespace

std::span<const CheckedRule> limit_rules() {
  return kLimitRules;
}

}  // namespace kstar
