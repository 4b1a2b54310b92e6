// Mean latency against load is that of a queue with c servers: service + k Wq(c, load/capacity),
// Wq = C(c, rho) service / (c (1 - rho)), C of Erlang; k = 1 in M/M/c, (Ca^2 + Cs^2)/2 by Allen and
// Cunneen's approximation of G/G/c (Allen, Probability, Statistics and Queueing Theory, 1990). The
// fit is a sum over a grid of c and capacity, with k and the time without waiting by least squares
// at each: no optimiser, and intervals that are those of the grid's weights.
#include "tail/capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "kstar/stats.h"

namespace kstar {

double erlang_c(double servers, double utilisation) {
  if (utilisation >= 1) return 1;
  if (utilisation <= 0) return 0;
  const double offered = servers * utilisation;
  double blocked = 1;  // Erlang B, by its recursion
  for (double n = 1; n <= servers; ++n) blocked = offered * blocked / (n + offered * blocked);
  return blocked / (1 - utilisation * (1 - blocked));
}

double queue_time(double servers, double service, double load, double variability) {
  const double utilisation = load * service / servers;
  if (utilisation >= 1) return std::numeric_limits<double>::infinity();
  const double wait = erlang_c(servers, utilisation) * service / (servers * (1 - utilisation));
  return service + variability * wait;
}

namespace tail {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kServers[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,  14,  16,
                               20, 24, 28, 32, 40, 48, 64, 80, 96, 128, 192, 256};
constexpr double kModelError = 0.02;  ///< no queue is exactly one of these
constexpr double kSmallestError = 0.005;

struct Candidate {
  double servers = 1, capacity = 1, service = 0, variability = 1;
  double squares = 0, miss = 0;
  double weight = 0;

  double mean(double load) const {
    const double own = servers / capacity;
    return service + variability * (queue_time(servers, own, load) - own);
  }
};

/// Weighted by relative errors. In M/M/c nothing is free but c and the capacity; otherwise the time
/// without waiting and the variability are the least squares that are not negative.
bool solve(const std::vector<LoadPoint>& points, bool general, Candidate& one) {
  double ss = 0, sw = 0, ww = 0, sy = 0, wy = 0;
  const double own = one.servers / one.capacity;
  for (const LoadPoint& point : points) {
    const double weight = 1 / (point.mean * std::hypot(point.error, kModelError));
    const double wait = queue_time(one.servers, own, point.load) - own;
    if (!std::isfinite(wait)) return false;
    const double s = weight, w = wait * weight, y = point.mean * weight;
    ss += s * s, sw += s * w, ww += w * w, sy += s * y, wy += w * y;
  }
  one.service = own;
  one.variability = 1;
  if (general) {
    const double determinant = ss * ww - sw * sw;
    if (determinant <= 1e-12 * ss * ww) return false;
    one.service = (sy * ww - wy * sw) / determinant;
    one.variability = (wy * ss - sy * sw) / determinant;
    // From Ca and Cs of nearly nothing to a service ten times as variable as an exponential one.
    constexpr double kLeast = 0.05, kMost = 50;
    if (one.variability < kLeast || one.variability > kMost) {
      one.variability = std::clamp(one.variability, kLeast, kMost);
      one.service = (sy - one.variability * sw) / ss;
    }
    if (one.service < own) {  // a request takes at least its service
      one.service = own;
      one.variability = std::clamp((wy - own * sw) / ww, kLeast, kMost);
    }
  }
  one.squares = one.miss = 0;
  for (const LoadPoint& point : points) {
    const double miss = one.mean(point.load) / point.mean - 1;
    one.squares += std::pow(miss / std::hypot(point.error, kModelError), 2);
    one.miss = std::max(one.miss, std::fabs(miss));
  }
  return true;
}

std::vector<Candidate> candidates(const std::vector<LoadPoint>& points, bool general) {
  const double most = points.back().load;
  std::vector<Candidate> all;
  for (const double servers : kServers) {
    for (int i = 0; i <= 120; ++i) {
      // From just above the largest load to ten times it.
      const double over = 1e-3 * std::pow(9e3, i / 120.0);
      Candidate one{.servers = servers, .capacity = most * (1 + over)};
      if (solve(points, general, one)) all.push_back(one);
    }
  }
  if (all.empty()) return all;
  double least = kEndless;
  for (const Candidate& one : all) least = std::min(least, one.squares);
  // Where even the best misses by more than the errors say, the errors are larger.
  const double free = static_cast<double>(points.size()) - (general ? 4 : 2);
  const double scale = std::max(1.0, free > 0 ? least / free : 1.0);
  for (Candidate& one : all) one.weight = std::exp(-(one.squares - least) / scale / 2);
  return all;
}

/// The ends between which `confidence` of the weight lies.
template <typename Value>
std::pair<double, double> weighted_range(std::vector<Candidate> all, const Value& value,
                                         double confidence) {
  std::sort(all.begin(), all.end(),
            [&](const Candidate& a, const Candidate& b) { return value(a) < value(b); });
  double total = 0;
  for (const Candidate& one : all) total += one.weight;
  const double tail = (1 - confidence) / 2 * total;
  double low = value(all.front()), high = value(all.back()), sum = 0;
  bool found_low = false;
  for (const Candidate& one : all) {
    sum += one.weight;
    if (!found_low && sum >= tail) {
      low = value(one);
      found_low = true;
    }
    if (sum >= total - tail) {
      high = value(one);
      break;
    }
  }
  return {low, high};
}

/// Times without waiting, relative to their mean, each with its weight; ascending.
using Shape = std::vector<std::pair<double, double>>;

/// The percentile of time without waiting plus waiting: none with 1 - C, else exponential. The
/// former has the shape of the distribution at the least load, scaled to the fitted mean.
double percentile_at(const Candidate& one, double load, const Slo& slo, const Shape& shape) {
  const double own = one.servers / one.capacity;
  const double utilisation = load / one.capacity;
  if (utilisation >= 1) return kEndless;
  const double waits = erlang_c(one.servers, utilisation);
  const double mean_wait = one.variability * (queue_time(one.servers, own, load) - own);
  const double rate = mean_wait > 0 ? waits / mean_wait : kEndless;
  const auto beyond = [&](double t) {
    double sum = 0;
    for (const auto& [part, weight] : shape) {
      const double service = part * one.service;
      sum += weight * (service > t           ? 1
                       : std::isfinite(rate) ? waits * std::exp(-rate * (t - service))
                                             : 0);
    }
    return sum;
  };
  double low = 0, high = shape.back().first * one.service + (mean_wait > 0 ? 60 / rate : 0) + 1e-12;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (beyond(middle) > 1 - slo.share ? low : high) = middle;
  }
  return high;
}

double largest_load(const Candidate& one, const Slo& slo, const Shape& shape) {
  if (percentile_at(one, 0, slo, shape) > slo.limit) return 0;
  double low = 0, high = one.capacity;
  for (int i = 0; i < 20; ++i) {
    const double middle = (low + high) / 2;
    (percentile_at(one, middle, slo, shape) <= slo.limit ? low : high) = middle;
  }
  return low;
}

QueueFit summary_of(const std::vector<Candidate>& all, const std::vector<LoadPoint>& points,
                    bool general, double confidence) {
  const Candidate& best =
      *std::max_element(all.begin(), all.end(),
                        [](const Candidate& a, const Candidate& b) { return a.weight < b.weight; });
  QueueFit fit{.name = general ? "M/G/c (Allen-Cunneen)" : "M/M/c",
               .servers = best.servers,
               .capacity = best.capacity,
               .variability = best.variability,
               .miss = best.miss};
  std::tie(fit.low, fit.high) = weighted_range(
      all, [](const Candidate& one) { return one.capacity; }, confidence);
  std::tie(fit.servers_low, fit.servers_high) = weighted_range(
      all, [](const Candidate& one) { return one.servers; }, confidence);
  std::tie(fit.variability_low, fit.variability_high) = weighted_range(
      all, [](const Candidate& one) { return one.variability; }, confidence);
  fit.low = std::min(fit.low, fit.capacity);
  fit.high = std::max(fit.high, fit.capacity);
  fit.variability_low = std::min(fit.variability_low, fit.variability);
  fit.variability_high = std::max(fit.variability_high, fit.variability);
  for (int i = 0; i <= 100; ++i) {
    const double load = points.back().load * 1.02 * i / 100;
    if (load < best.capacity) fit.curve.emplace_back(load, best.mean(load));
  }
  return fit;
}

/// Of the least load; finer where it is rarer.
Shape shape_of(const Distribution& idle) {
  Shape shape;
  const double mean = idle.mean();
  const auto add = [&](double from, double to, int pieces) {
    for (int i = 0; i < pieces; ++i) {
      const double share = from + (to - from) * (i + 0.5) / pieces;
      shape.emplace_back(idle.quantile(share) / mean, (to - from) / pieces);
    }
  };
  add(0, 0.9, 30);
  add(0.9, 0.99, 15);
  add(0.99, 0.999, 15);
  add(0.999, 1, 6);
  return shape;
}

void add_largest_load(const std::vector<Candidate>& all, const Slo& slo, const Distribution& idle,
                      double confidence, Capacity& capacity) {
  if (idle.empty() || idle.mean() <= 0) return;
  const Shape shape = shape_of(idle);
  // Those with little weight are left out: they would only cost time.
  std::vector<Candidate> likely;
  constexpr double kLittle = 0.02;
  for (const Candidate& one : all) {
    if (one.weight >= kLittle) likely.push_back(one);
  }
  for (Candidate& one : likely) one.squares = largest_load(one, slo, shape);
  const auto load_of = [](const Candidate& one) { return one.squares; };
  const auto best =
      std::max_element(likely.begin(), likely.end(),
                       [](const Candidate& a, const Candidate& b) { return a.weight < b.weight; });
  capacity.load = best->squares;
  std::tie(capacity.low, capacity.high) = weighted_range(likely, load_of, confidence);
  capacity.low = std::min(capacity.low, *capacity.load);
  capacity.high = std::max(capacity.high, *capacity.load);
}

/// N / X = (1 + alpha (N-1) + beta N (N-1)) / gamma is linear in three numbers that are not
/// negative (Gunther, Guerrilla Capacity Planning, 2007): relative least squares, with the subsets
/// of the two where one would be negative.
struct UslSolution {
  double base = 0, contention = 0, coherency = 0, squares = 0;
  bool fits = false;
};

UslSolution solve_usl(const std::vector<std::pair<double, double>>& points, bool with_contention,
                      bool with_coherency) {
  double m[3][4] = {};
  for (const auto& [n, x] : points) {
    const double row[3] = {x / n, with_contention ? (n - 1) * x / n : 0,
                           with_coherency ? (n - 1) * x : 0};  // relative: divided by N/X
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) m[i][j] += row[i] * row[j];
      m[i][3] += row[i];
    }
  }
  if (!with_contention) m[1][1] = 1;
  if (!with_coherency) m[2][2] = 1;
  for (int i = 0; i < 3; ++i) {  // Gauss; the matrix is positive where it can be solved
    if (m[i][i] <= 1e-14 * (m[0][0] + 1e-300)) return {};
    for (int j = 0; j < 3; ++j) {
      if (j == i) continue;
      const double part = m[j][i] / m[i][i];
      for (int k = i; k < 4; ++k) m[j][k] -= part * m[i][k];
    }
  }
  UslSolution found{m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2], 0, true};
  found.fits = found.base > 0 && found.contention >= 0 && found.coherency >= 0;
  for (const auto& [n, x] : points) {
    const double y = found.base + found.contention * (n - 1) + found.coherency * n * (n - 1);
    found.squares += std::pow(y * x / n - 1, 2);
  }
  return found;
}

UslSolution best_usl(const std::vector<std::pair<double, double>>& points) {
  UslSolution best;
  for (const auto& [alpha, beta] : {std::pair(true, true), std::pair(true, false),
                                    std::pair(false, true), std::pair(false, false)}) {
    const UslSolution one = solve_usl(points, alpha, beta);
    if (one.fits && (!best.fits || one.squares < best.squares)) best = one;
  }
  return best;
}

void usl_peak(const UslSolution& one, double& peak, double& most) {
  const double alpha = one.contention / one.base, beta = one.coherency / one.base;
  const auto rate = [&](double n) {
    return n / (one.base + one.contention * (n - 1) + one.coherency * n * (n - 1));
  };
  peak = beta > 0 ? std::sqrt(std::max(0.0, 1 - alpha) / beta) : kEndless;
  if (peak < 1) peak = 1;
  most = std::isfinite(peak) ? rate(peak) : (alpha > 0 ? 1 / one.contention : kEndless);
}

std::optional<ThroughputFit> fit_usl(const std::vector<LoadPoint>& points, double confidence) {
  std::vector<std::pair<double, double>> used;
  for (const LoadPoint& point : points) {
    if (point.in_flight > 0) used.emplace_back(point.in_flight, point.load);
  }
  constexpr std::size_t kFewest = 4;
  if (used.size() < kFewest) return std::nullopt;
  double least = kEndless, largest = 0;
  for (const auto& [n, x] : used) {
    least = std::min(least, n);
    largest = std::max(largest, n);
  }
  if (largest < 2 * least) return std::nullopt;
  const UslSolution best = best_usl(used);
  if (!best.fits) return std::nullopt;
  ThroughputFit fit{.rate = 1 / best.base,
                    .contention = best.contention / best.base,
                    .coherency = best.coherency / best.base};
  usl_peak(best, fit.peak, fit.most);
  for (const auto& [n, x] : used) {
    const double y = best.base + best.contention * (n - 1) + best.coherency * n * (n - 1);
    fit.miss = std::max(fit.miss, std::fabs(y * x / n - 1));
  }
  // The delete-one jackknife, with Student's t: levels are few, and their errors are not only
  // noise.
  const double count = static_cast<double>(used.size());
  const double reach = student_t_reach(confidence, count - 1);
  double sums[3] = {}, squares[3] = {};
  bool bounded = std::isfinite(fit.most);
  for (std::size_t i = 0; i < used.size(); ++i) {
    std::vector<std::pair<double, double>> others = used;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const UslSolution one = best_usl(others);
    double peak = 0, most = 0;
    if (one.fits) usl_peak(one, peak, most);
    bounded = bounded && one.fits && std::isfinite(most);
    const double values[3] = {one.contention / one.base, one.coherency / one.base,
                              bounded ? std::log(most) : 0};
    for (int j = 0; j < 3; ++j) {
      sums[j] += values[j] / count;
      squares[j] += values[j] * values[j] / count;
    }
  }
  const auto half = [&](int j) {
    return reach * std::sqrt(std::max(0.0, (count - 1) * (squares[j] - sums[j] * sums[j])));
  };
  fit.contention_low = std::max(0.0, fit.contention - half(0));
  fit.contention_high = fit.contention + half(0);
  fit.coherency_low = std::max(0.0, fit.coherency - half(1));
  fit.coherency_high = fit.coherency + half(1);
  double reached = 0;
  for (const auto& [n, x] : used) reached = std::max(reached, x);
  fit.most_low = bounded ? std::max(reached, fit.most * std::exp(-half(2))) : reached;
  fit.most_high = bounded ? std::max(fit.most_low, fit.most * std::exp(half(2))) : kEndless;
  if (fit.most < reached) {  // what was measured goes before what was fitted
    fit.most = reached;
    for (const auto& [n, x] : used) {
      if (x == reached) fit.peak = n;
    }
  }
  return fit;
}

void add_measured(const std::vector<TailLevel>& levels, bool by_concurrency, Capacity& capacity) {
  for (const TailLevel& level : levels) {
    if (!level.slo || (!level.served && !by_concurrency)) continue;
    const double load =
        by_concurrency ? level.set.concurrency.value_or(0) : level.offered.value_or(*level.served);
    if (*level.slo == SloVerdict::kKept && !capacity.broken) capacity.kept = load;
    if (*level.slo == SloVerdict::kKept && capacity.broken) capacity.mixed = true;
    if (*level.slo == SloVerdict::kBroken && !capacity.broken) capacity.broken = load;
  }
}

/// Leaves the laws that fit, and of two that contradict each other the general one; whether that is
/// there. It has two more parameters: without enough levels the simple one answers, if it fits at
/// all.
bool keep_fits(Capacity& capacity) {
  constexpr double kPoor = 0.25;
  std::vector<QueueFit>& all = capacity.queues;
  double least = kEndless;
  for (const QueueFit& fit : all) least = std::min(least, fit.miss);
  std::erase_if(all, [](const QueueFit& fit) { return fit.miss > kPoor; });
  if (all.empty() && std::isfinite(least)) {
    capacity.reason = "the best law misses a mean latency by " + percent(least, 0);
  }
  if (all.size() > 1 && (all[0].high < all[1].low || all[1].high < all[0].low)) {
    all.erase(all.begin());
  }
  return !all.empty() && all.back().name != "M/M/c";
}

}  // namespace

Capacity find_capacity(const std::vector<LoadPoint>& points, const std::vector<TailLevel>& levels,
                       const std::optional<Slo>& slo, const Distribution& idle, double confidence) {
  Capacity capacity;
  if (slo) add_measured(levels, false, capacity);
  constexpr std::size_t kFewestLevels = 3;
  if (points.size() < kFewestLevels) {
    capacity.reason = "a fit needs three loads with a rate and a mean latency";
    return capacity;
  }
  capacity.usl = fit_usl(points, confidence);
  const double first = points.front().mean, last = points.back().mean;
  constexpr double kRises = 1.1;
  if (last < kRises * first) {
    capacity.reason = "the mean latency does not rise with the load: the limit is not in the data";
    return capacity;
  }
  std::vector<LoadPoint> used = points;
  for (LoadPoint& point : used) point.error = std::max(point.error, kSmallestError);
  const std::vector<Candidate> plain = candidates(used, false);
  constexpr std::size_t kFewestGeneral = 5;  // it has four parameters
  const std::vector<Candidate> general =
      points.size() >= kFewestGeneral ? candidates(used, true) : std::vector<Candidate>();
  if (!plain.empty()) capacity.queues.push_back(summary_of(plain, used, false, confidence));
  if (!general.empty()) capacity.queues.push_back(summary_of(general, used, true, confidence));
  const bool use_general = keep_fits(capacity);
  if (!slo || capacity.queues.empty()) return capacity;
  if (capacity.mixed) {
    capacity.reason = "a load that is larger than one that breaks the SLO keeps it";
    return capacity;
  }
  add_largest_load(use_general ? general : plain, *slo, idle, confidence, capacity);
  if (!capacity.load) return capacity;
  // What was measured goes before what was fitted.
  const double least = capacity.kept.value_or(0), most = capacity.broken.value_or(kEndless);
  capacity.low = std::max(capacity.low, least);
  capacity.high = std::min(capacity.high, most);
  if (*capacity.load < least || *capacity.load > most || capacity.low > capacity.high) {
    capacity.load.reset();
    capacity.reason = "the fitted limit contradicts the measured levels";
  }
  return capacity;
}

Capacity find_concurrency(const std::vector<LoadPoint>& points,
                          const std::vector<TailLevel>& levels, double confidence) {
  Capacity capacity;
  add_measured(levels, true, capacity);
  capacity.usl = fit_usl(points, confidence);
  return capacity;
}

}  // namespace tail

}  // namespace kstar
