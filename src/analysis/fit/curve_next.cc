#include "analysis/fit/curve_next.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"

namespace kstar::curves {

namespace {

struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.mean += value;
  moments.mean /= static_cast<double>(values.size());
  for (const double value : values) {
    moments.variance += (value - moments.mean) * (value - moments.mean);
  }
  moments.variance /= static_cast<double>(values.size());
  return moments;
}

std::vector<double> log_times(std::span<const Draw> draws, double workers) {
  std::vector<double> values;
  for (const Draw& draw : draws) values.push_back(draw.log_time_at(workers));
  return values;
}

/// The K measured, the middle of each gap, and doublings up to the target.
std::set<double> candidates(std::span<const Sample> samples, double target) {
  std::set<double> workers;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    workers.insert(samples[i].workers);
    if (i == 0) continue;
    const double middle = std::round(std::sqrt(samples[i - 1].workers * samples[i].workers));
    if (middle > samples[i - 1].workers && middle < samples[i].workers) workers.insert(middle);
  }
  for (double k = 2 * samples.back().workers; k <= target; k *= 2) workers.insert(k);
  return workers;
}

/// The relative error of one run: the mean over the K, or a twentieth where nothing says.
double error_of_one_run(std::span<const Sample> samples, std::span<const CurvePoint> points) {
  constexpr double kUnknown = 0.05;
  double sum = 0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].error <= 0) continue;
    sum += samples[i].error * samples[i].error * static_cast<double>(points[i].runs);
    ++known;
  }
  return known > 0 ? std::sqrt(sum / static_cast<double>(known)) : kUnknown;
}

std::string reason(const NextMeasurement& next, double largest, double target) {
  const std::string what = next.workers > largest
                               ? "a K beyond those measured shows which model continues to hold"
                           : next.narrows < 0.01 ? "another run there hardly helps"
                                                 : "a K inside the range separates the terms";
  return fmt::format("{}: the interval at K = {} gets {} narrower", what, significant(target, 9),
                     percent(next.narrows, 0));
}

}  // namespace

std::vector<NextMeasurement> next_measurements(std::span<const Draw> draws,
                                               std::span<const Sample> samples,
                                               std::span<const CurvePoint> points, double target) {
  const std::vector<double> wanted = log_times(draws, target);
  const Moments at_target = moments_of(wanted);
  const double run_error = error_of_one_run(samples, points);
  std::vector<NextMeasurement> list;
  for (const double workers : candidates(samples, target)) {
    const std::vector<double> times = log_times(draws, workers);
    const Moments here = moments_of(times);
    double together = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      together += (times[i] - here.mean) * (wanted[i] - at_target.mean);
    }
    together /= static_cast<double>(times.size());
    const double seen = here.variance + run_error * run_error;
    const double explained =
        at_target.variance > 0 && seen > 0 ? together * together / seen / at_target.variance : 0;
    NextMeasurement next;
    next.workers = workers;
    next.narrows = 1 - std::sqrt(std::max(0.0, 1 - explained));
    next.worker_seconds = workers * std::exp(here.mean);
    next.why = reason(next, samples.back().workers, target);
    list.push_back(next);
  }
  std::stable_sort(
      list.begin(), list.end(),
      [](const NextMeasurement& a, const NextMeasurement& b) { return a.narrows > b.narrows; });
  constexpr std::size_t kMost = 5;
  if (list.size() > kMost) list.resize(kMost);
  return list;
}

}  // namespace kstar::curves
