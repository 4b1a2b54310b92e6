#include "analysis/causes/factors.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/causes/noise_floor.h"
#include "kstar/stats.h"

namespace kstar::causes {

namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Of every run; empty where one does not have it.
template <typename Value>
std::vector<double> all_of(const std::vector<WorkerTimes>& runs, const Value& value) {
  std::vector<double> values;
  for (const WorkerTimes& run : runs) {
    const std::optional<double> one = value(run);
    if (!one || !(*one > 0)) return {};
    values.push_back(*one);
  }
  return values;
}

bool all_recorded_work(const std::vector<WorkerTimes>& runs) {
  return std::none_of(runs.begin(), runs.end(),
                      [](const WorkerTimes& run) { return run.work.empty(); });
}

FactorPoint point_of(int workers, const std::vector<WorkerTimes>& runs, double confidence) {
  FactorPoint point;
  point.workers = workers;
  point.runs = runs.size();
  const auto over = [&](const auto& value) -> std::optional<Estimate> {
    const std::vector<double> values = all_of(runs, value);
    if (values.empty()) return std::nullopt;
    return factor_over(values, confidence);
  };
  point.load_balance =
      *over([](const WorkerTimes& run) { return std::optional(load_balance_of(run)); });
  point.communication =
      *over([](const WorkerTimes& run) { return std::optional(communication_of(run)); });
  point.parallel = *over([](const WorkerTimes& run) {
    return std::optional(load_balance_of(run) * communication_of(run));
  });
  point.transfer = over(transfer_of);
  if (point.transfer) {
    point.serialization = over([](const WorkerTimes& run) {
      return std::optional(communication_of(run) / *transfer_of(run));
    });
  }
  return point;
}

}  // namespace

bool is_relevant_loss(const Estimate& factor, double least) {
  return is_bounded(factor) ? factor.high < 1 - least
                            : factor.point < 1 - (kPlain - kNegligible) - least;
}

Estimate one_less(const Estimate& share) {
  Estimate rest = share;
  rest.point = 1 - share.point;
  rest.low = 1 - share.high;
  rest.high = 1 - share.low;
  return rest;
}

double load_balance_of(const WorkerTimes& run) {
  return mean_of(run.useful) / run.longest();
}

double communication_of(const WorkerTimes& run) {
  return run.longest() / run.time;
}

std::optional<double> transfer_of(const WorkerTimes& run) {
  if (run.communicate.empty()) return std::nullopt;
  return (run.time - run.communicate[run.last()]) / run.time;
}

std::optional<double> useful_per_work(const WorkerTimes& run, std::optional<Regime> regime) {
  if (!run.work.empty()) return sum_of(run.useful) / sum_of(run.work);
  if (!regime || *regime == Regime::kMixed) return std::nullopt;
  const double steps = sum_of(run.useful) / run.steps;
  return *regime == Regime::kWeak ? steps / static_cast<double>(run.count()) : steps;
}

Estimate exactly_one(double confidence, std::size_t runs) {
  return {.point = 1,
          .standard_error = 0,
          .low = 1,
          .high = 1,
          .confidence = confidence,
          .n = runs,
          .method = IntervalMethod::kStudentT};
}

Estimate factor_over(const std::vector<double>& values, double confidence) {
  const Result<Estimate> mean = estimate_geometric_mean(values, {.confidence = confidence});
  if (mean) return *mean;
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  return {.point = values.empty() ? 1 : values[0],
          .standard_error = std::numeric_limits<double>::quiet_NaN(),
          .low = -kEndless,
          .high = kEndless,
          .confidence = confidence,
          .n = values.size()};
}

std::optional<Estimate> computation_scaling(const std::vector<WorkerTimes>& base,
                                            const std::vector<WorkerTimes>& here,
                                            std::optional<Regime> regime, double confidence) {
  // Work that only one side recorded is in another unit than a step of the other.
  if (all_recorded_work(base) != all_recorded_work(here)) return std::nullopt;
  const auto cost = [regime](const WorkerTimes& run) { return useful_per_work(run, regime); };
  const std::vector<double> before = all_of(base, cost);
  const std::vector<double> now = all_of(here, cost);
  if (before.empty() || now.empty()) return std::nullopt;
  if (&base == &here) return exactly_one(confidence, base.size());
  const Result<Estimate> ratio = estimate_ratio(before, now, {.confidence = confidence});
  return ratio ? std::optional(*ratio) : std::nullopt;
}

std::vector<FactorPoint> factor_points(const WorkerStudy& study, std::optional<Regime> regime,
                                       double confidence) {
  std::vector<FactorPoint> points;
  for (const auto& [workers, runs] : study.by_workers) {
    points.push_back(point_of(workers, runs, confidence));
    points.back().computation =
        computation_scaling(study.by_workers.begin()->second, runs, regime, confidence);
  }
  return points;
}

}  // namespace kstar::causes
