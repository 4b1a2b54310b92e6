#include "analysis/fit/curve_questions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kstar::curves {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// No machine has so many workers: what happens beyond is "never".
constexpr double kDoublings = 24;

double log_speedup(const Draw& draw, const Base& base, double workers) {
  const double work = base.growing_work ? std::log(workers / base.workers) : 0;
  return draw.log_time_at(base.workers) - draw.log_time_at(workers) + work;
}

double log_efficiency(const Draw& draw, const Base& base, double workers) {
  return log_speedup(draw, base, workers) - std::log(workers / base.workers);
}

double bend_of_one(const Draw& draw, const Base& base, double threshold) {
  const double wanted = std::log(threshold);
  double low = std::log2(base.workers), high = low + kDoublings;
  if (log_efficiency(draw, base, std::exp2(high)) >= wanted) return kInfinite;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (log_efficiency(draw, base, std::exp2(middle)) >= wanted ? low : high) = middle;
  }
  return std::exp2((low + high) / 2);
}

struct Peak {
  double workers = 1;
  double value = 0;
};

/// The largest `value(K)`, at a quarter of a doubling; infinite where it still grows at the end. On
/// a plateau the first K of it: rounding must not decide.
template <typename Value>
Peak peak_of(const Base& base, const Value& value) {
  constexpr int kSteps = 4;
  constexpr double kNothing = 1e-9;
  Peak peak{base.workers, value(base.workers)};
  const int last = static_cast<int>(kDoublings) * kSteps;
  for (int i = 1; i <= last; ++i) {
    const double workers = base.workers * std::exp2(static_cast<double>(i) / kSteps);
    const double here = value(workers);
    if (here > peak.value + kNothing) peak = {workers, here};
    if (i == last && peak.workers == workers) peak.workers = kInfinite;
  }
  return peak;
}

}  // namespace

PredictedWorkers predicted_at(const Average& average, const Base& base, double workers,
                              double confidence) {
  PredictedWorkers predicted;
  predicted.workers = workers;
  predicted.extrapolated = workers > average.reference;
  const std::vector<Component> time = log_time_at(average, workers);
  predicted.time = Mixture(time).estimate(confidence);
  if (workers == base.workers) {
    predicted.speedup = {1, 0, 1, 1, confidence, 0, IntervalMethod::kPosterior};
    predicted.efficiency = predicted.speedup;
    return predicted;
  }
  const Mixture ratio(with_error(time, base.error));
  const double growth = workers / base.workers;
  const Estimate times = ratio.estimate(confidence, -1, base.log_time);
  predicted.speedup = base.growing_work ? scaled(times, growth) : times;
  predicted.efficiency = base.growing_work ? times : scaled(times, 1 / growth);
  return predicted;
}

PredictedWorkers drawn_at(std::span<const Draw> draws, const Base& base, double workers,
                          double confidence) {
  std::vector<double> times, speedups;
  for (const Draw& draw : draws) {
    times.push_back(std::exp(draw.log_time_at(workers)));
    speedups.push_back(std::exp(log_speedup(draw, base, workers)));
  }
  PredictedWorkers predicted;
  predicted.workers = workers;
  predicted.extrapolated = workers > draws.front().reference;
  predicted.time = estimate_of(std::move(times), confidence);
  predicted.speedup = estimate_of(std::move(speedups), confidence);
  predicted.efficiency = scaled(predicted.speedup, base.workers / workers);
  return predicted;
}

Estimate bend_of(std::span<const Draw> draws, const Base& base, double threshold,
                 double confidence) {
  std::vector<double> values;
  for (const Draw& draw : draws) values.push_back(bend_of_one(draw, base, threshold));
  return estimate_of(std::move(values), confidence);
}

Estimate best_workers_of(std::span<const Draw> draws, const Base& base, double confidence) {
  std::vector<double> values;
  for (const Draw& draw : draws) {
    values.push_back(peak_of(base, [&](double k) { return -draw.log_time_at(k); }).workers);
  }
  return estimate_of(std::move(values), confidence);
}

Estimate ceiling_of(std::span<const Draw> draws, const Base& base, double confidence) {
  // A speedup that still gains a hundredth with the last doubling has no ceiling to speak of.
  constexpr double kStillGrows = 0.01;
  std::vector<double> values;
  const double end = base.workers * std::exp2(kDoublings);
  for (const Draw& draw : draws) {
    const auto speedup = [&](double k) { return log_speedup(draw, base, k); };
    const bool grows = speedup(end) > speedup(end / 2) + kStillGrows;
    values.push_back(grows ? kInfinite : std::exp(peak_of(base, speedup).value));
  }
  return estimate_of(std::move(values), confidence);
}

}  // namespace kstar::curves
