#include "kstar/questions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "laws/integer_search.h"

namespace kstar {

namespace {

/// The largest x in [low, high] for which `holds`, given that it holds at low, not at high, and
/// changes once.
template <typename Predicate>
double last_holding(double low, double high, Predicate holds) {
  for (int i = 0; i < 200 && low < high; ++i) {
    const double mid = low + (high - low) / 2;
    if (mid <= low || mid >= high) break;
    (holds(mid) ? low : high) = mid;
  }
  return low;
}

}  // namespace

std::optional<double> first_below(const CostModel& model, double threshold) {
  return first_integer([&](double k) { return clearly_less(efficiency_at(model, k), threshold); });
}

double usable_workers(const CostModel& model, double threshold) {
  const std::optional<double> bad = first_below(model, threshold);
  if (!bad) {
    const bool never = !clearly_less(limits_of(model).efficiency, threshold);
    return never ? std::numeric_limits<double>::infinity() : kMostWorkers;
  }
  if (*bad <= 1) return 0;
  return last_holding(*bad - 1, *bad,
                      [&](double k) { return efficiency_at(model, k) >= threshold; });
}

double last_usable(const CostModel& model, double threshold) {
  const std::optional<double> bad = first_below(model, threshold);
  return bad ? *bad - 1 : usable_workers(model, threshold);
}

std::optional<double> first_reaching(const CostModel& model, double speedup) {
  return first_integer([&](double k) { return !clearly_less(speedup_at(model, k), speedup); },
                       std::ceil(model.base_workers));
}

LeastTime least_time(const CostModel& model) {
  const auto time = [&](double k) { return time_at(model, k); };
  const double best = integer_minimum(time);
  const double limit = limits_of(model).time;
  LeastTime answer;
  answer.turns_up = first_integer([&](double k) { return clearly_less(time(k - 1), time(k)); }, 2);
  // Time that only approaches its limit has no K of least time.
  const bool attained = clearly_less(time(best), limit) || best == 1;
  if (attained) answer.workers = best;
  answer.time = attained ? time(best) : limit;
  return answer;
}

std::optional<double> largest_serial(const CostModel& model, double workers, double floor) {
  const double whole = model.serial + model.parallel;
  const auto holds = [&](double serial) {
    return !clearly_less(efficiency_at(with_serial(model, serial), workers), floor);
  };
  if (!holds(0)) return std::nullopt;
  if (holds(whole)) return whole;
  return last_holding(0, whole, [&](double serial) {
    return efficiency_at(with_serial(model, serial), workers) >= floor;
  });
}

std::optional<double> isoefficient_work(const CostModel& model, double workers, double floor) {
  const double s = model.serial;
  const double spread = workers > 1 ? 1 + model.imbalance : 1;
  const double k0 = model.base_workers;
  const CostParts base = parts_at(model, k0), many = parts_at(model, workers);
  // With overlap the exposed part depends on the work itself; solve for the whole communication,
  // then let the share that can be hidden be hidden.
  const double exposed = 1 - model.hidden;
  const double o0 = base.communication * exposed + base.straggler;
  const double ok = many.communication * exposed + many.straggler;
  const bool serial_once = model.work_growth != WorkGrowth::kProportional;
  // E = (k0 (s + o0) + k w) / (k (s + spread w + ok)), with k = K or 1: linear in w.
  const double k = serial_once ? workers : 1;
  const double needed = floor * k * (s + ok) - k0 * (s + o0);
  const double gain = k * (1 - floor * spread);
  if (needed <= 0) return 0;
  if (gain <= 0) return std::nullopt;
  // At least enough computation to hide the communication behind.
  return std::max(needed / gain, model.hidden * many.communication / spread);
}

double serial_share_at(const CostModel& model, double workers) {
  const CostParts parts = parts_at(model, workers);
  return (parts.total() - parts.parallel) / parts.total();
}

double effective_amdahl_at(const CostModel& model, double workers) {
  const double s = serial_share_at(model, workers);
  return 1 / (s + (1 - s) * model.base_workers / workers);
}

double effective_amdahl_peak(const CostModel& model) {
  return integer_minimum([&](double k) { return -effective_amdahl_at(model, k); });
}

}  // namespace kstar
