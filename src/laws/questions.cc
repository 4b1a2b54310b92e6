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
  LeastTime answer;
  answer.turns_up = first_integer([&](double k) { return time_trend_at(model, k - 1) > 0; }, 2);
  // Time may fall, rise and fall again (a straggler that is sooner or later always there): every
  // K at which it stops falling is looked at, and what it falls towards in the end.
  answer.time = limits_of(model).time;
  double from = 1;
  while (const auto stop =
             first_integer([&](double k) { return time_trend_at(model, k) >= 0; }, from)) {
    const double time = time_at(model, *stop);
    if (!answer.workers ? !clearly_less(answer.time, time) : clearly_less(time, answer.time)) {
      answer.workers = *stop;
      answer.time = time;
    }
    const auto falls = first_integer([&](double k) { return time_trend_at(model, k) < 0; }, *stop);
    if (!falls) break;
    from = *falls;
  }
  return answer;
}

std::optional<double> largest_serial(const CostModel& model, double workers, double floor) {
  constexpr int kLooks = 64;  // efficiency falls with s, but for imbalance and overlap
  const double whole = model.serial + model.parallel;
  const auto holds = [&](double serial) {
    return !clearly_less(efficiency_at(with_serial(model, serial), workers), floor);
  };
  for (int i = kLooks; i >= 0; --i) {
    const double low = whole * i / kLooks;
    if (!holds(low)) continue;
    if (i == kLooks) return whole;
    const double largest = last_holding(low, whole * (i + 1) / kLooks, [&](double serial) {
      return efficiency_at(with_serial(model, serial), workers) >= floor;
    });
    return largest < 1e-15 * whole ? 0 : largest;
  }
  return std::nullopt;
}

std::optional<double> isoefficient_work(const CostModel& model, double workers, double floor) {
  const auto efficiency = [&](double work) {
    CostModel grown = model;
    grown.parallel = model.work_growth == WorkGrowth::kFixed ? work * workers : work;
    return efficiency_at(grown, workers);
  };
  // Without any time at all there is no efficiency to speak of.
  const double least = 1e-12 * (model.serial + model.parallel), most = 1e30 * least;
  if (!clearly_less(efficiency(least), floor)) return 0;
  double high = least;
  while (efficiency(high) < floor && high < most) high *= 2;
  if (high >= most) return std::nullopt;
  return last_holding(high / 2, high, [&](double work) { return efficiency(work) < floor; });
}

double serial_share_at(const CostModel& model, double workers) {
  const CostParts parts = parts_at(model, workers);
  return (parts.total() - parts.parallel) / parts.total();
}

double effective_amdahl_at(const CostModel& model, double workers) {
  const double s = serial_share_at(model, workers);
  return 1 / (s + (1 - s) * model.base_workers / workers);
}

std::optional<double> effective_amdahl_peak(const CostModel& model) {
  if (serial_share_at(model, model.base_workers) <= 0) return std::nullopt;
  return integer_minimum([&](double k) { return -effective_amdahl_at(model, k); });
}

}  // namespace kstar
