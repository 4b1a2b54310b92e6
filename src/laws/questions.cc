#include "kstar/questions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace kstar {

namespace {

// Search over the integers K from 1 to kMostModelWorkers for curves that are smooth in log K: every
// integer up to 1024 is looked at, then one in every percent, and the bracket that holds the answer
// is searched to the last integer.

double next_on_grid(double k) {
  constexpr double kEveryInteger = 1024;
  return k < kEveryInteger ? k + 1 : std::min(std::ceil(k * 1.01), kMostModelWorkers);
}

double middle(double low, double high) {
  return low + std::floor((high - low) / 2);
}

/// The smallest integer in (low, high] for which `holds`, given that it does not at low and does
/// at high.
double bisect(const std::function<bool(double)>& holds, double low, double high) {
  while (high - low > 1) {
    const double mid = middle(low, high);
    (holds(mid) ? high : low) = mid;
  }
  return high;
}

/// The integer with the smallest f.
double integer_minimum(const std::function<double(double)>& f) {
  double before = 1, best = 1, after = 1, best_value = f(1);
  double last = 1;
  bool improved = true;
  for (double k = 2; last < kMostModelWorkers; last = k, k = next_on_grid(k)) {
    if (improved) after = k;
    const double value = f(k);
    improved = value < best_value;
    if (!improved) continue;
    before = last;
    best = k;
    best_value = value;
    after = k;
  }
  if (after - before <= 2) return best;
  // Within two grid steps f falls, then rises: find the first integer after which it rises.
  return bisect([&](double k) { return f(k + 1) >= f(k); }, before, after);
}

/// The smallest integer at or above `from` for which `holds`.
std::optional<double> first_integer(const std::function<bool(double)>& holds, double from = 1) {
  if (holds(from)) return from;
  double last = from;
  while (last < kMostModelWorkers) {
    const double k = next_on_grid(last);
    if (holds(k)) return bisect(holds, last, k);
    last = k;
  }
  return std::nullopt;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// T(K) for large K: constant + slope * K, what grows slower, and what vanishes.
struct Tail {
  double constant = 0;
  double slower = 0;  ///< the cost of what grows without end, but slower than K
  double slope = 0;

  bool grows() const { return slope > 0 || slower > 0; }
  double limit() const { return grows() ? kInfinity : constant; }
};

void add(Tail& tail, const Communication& term) {
  switch (term.growth) {
    case Growth::kConstant:
      tail.constant += term.cost;
      break;
    case Growth::kRing:
      tail.constant += 2 * term.cost;
      break;
    case Growth::kLog2:
    case Growth::kLog2Plus1:
    case Growth::kSqrt:
      tail.slower += term.cost;
      break;
    case Growth::kOthers:
      tail.constant -= term.cost;
      [[fallthrough]];
    case Growth::kLinear:
      tail.slope += term.cost;
      break;
  }
}

Tail tail_of(const CostModel& model) {
  Tail tail;
  for (const Communication& term : model.communication) add(tail, term);
  const bool divided = model.work_growth == WorkGrowth::kFixed;
  const double parallel = divided ? 0 : model.parallel * (1 + model.imbalance);
  // Only what there is to compute can hide communication: nothing, when each share shrinks to 0.
  const double could_hide =
      tail.grows() && model.hidden > 0 ? parallel : model.hidden * tail.constant;
  tail.constant += model.serial + parallel - std::min(could_hide, parallel);
  if (model.straggler.probability > 0) tail.constant += model.straggler.delay;
  return tail;
}

double limit_speedup(const CostModel& model, const Tail& tail) {
  const double base = time_at(model, model.base_workers) / work_at(model, model.base_workers);
  if (model.work_growth == WorkGrowth::kFixed) {
    return tail.limit() > 0 ? base / tail.limit() : kInfinity;
  }
  const double work_slope = work_at(model, 2) - work_at(model, 1);
  if (work_slope <= 0) return base / tail.limit();  // Gustafson with nothing parallel
  return tail.slope > 0 ? base * work_slope / tail.slope : kInfinity;
}

double limit_efficiency(const CostModel& model, const Tail& tail) {
  const double base = model.base_workers * time_at(model, model.base_workers);
  if (model.work_growth == WorkGrowth::kFixed) {
    // K T(K) goes to the parallel work alone, or to infinity.
    const bool only_parallel = !tail.grows() && tail.constant == 0;
    return only_parallel ? base / (model.parallel * (1 + model.imbalance)) : 0;
  }
  const double work_slope = work_at(model, 2) - work_at(model, 1);
  return base * work_slope / work_at(model, model.base_workers) / tail.limit();
}

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

bool clearly_less(double a, double b) {
  constexpr double kRounding = 1e-12;
  if (std::isinf(a) || std::isinf(b)) return a < b;
  return a < b - kRounding * std::max(std::fabs(a), std::fabs(b));
}

Limits limits_of(const CostModel& model) {
  const Tail tail = tail_of(model);
  return {.time = tail.limit(),
          .speedup = limit_speedup(model, tail),
          .efficiency = limit_efficiency(model, tail)};
}

bool Ceiling::bounded() const {
  return std::isfinite(speedup);
}

Ceiling ceiling_of(const CostModel& model) {
  const double limit = limits_of(model).speedup;
  if (limit == kInfinity) return {.speedup = limit, .workers = std::nullopt};
  if (model.work_growth == WorkGrowth::kFixed) {
    const LeastTime least = least_time(model);
    return {.speedup = time_at(model, model.base_workers) / least.time, .workers = least.workers};
  }
  const double peak = integer_minimum([&](double k) { return -speedup_at(model, k); });
  const double highest = speedup_at(model, peak);
  const bool reached = clearly_less(limit, highest) || (peak == 1 && highest >= limit);
  if (!reached) return {.speedup = limit, .workers = std::nullopt};
  return {.speedup = highest, .workers = peak};
}

std::optional<double> first_below(const CostModel& model, double threshold) {
  return first_integer([&](double k) { return clearly_less(efficiency_at(model, k), threshold); });
}

double usable_workers(const CostModel& model, double threshold) {
  const std::optional<double> bad = first_below(model, threshold);
  if (!bad) {
    const bool never = !clearly_less(limits_of(model).efficiency, threshold);
    return never ? std::numeric_limits<double>::infinity() : kMostModelWorkers;
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

std::optional<double> communication_overtakes(const CostModel& model) {
  const auto longer = [&](double k) {
    const CostParts parts = parts_at(model, k);
    return clearly_less(parts.parallel, parts.communication);
  };
  return first_integer(longer, std::ceil(model.base_workers));
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
