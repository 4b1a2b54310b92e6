#include "kstar/worker_table.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "analysis/causes/findings.h"
#include "analysis/causes/noise_floor.h"
#include "analysis/causes/worker_times.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

using causes::SerialPart;
using causes::WorkerTimes;
using Runs = std::vector<WorkerTimes>;

/// Seconds a step of one run, the mean over its workers.
struct WorkerParts {
  double compute = 0, load = 0, transfer = 0, wait = 0, serial = 0, rest = 0;
};

/// Without an interval where the values are beyond what can be added up.
Estimate mean_estimate(const std::vector<double>& values, double confidence) {
  const Result<Estimate> mean = estimate_mean(values, {.confidence = confidence});
  if (mean) return *mean;
  constexpr double kEndless = std::numeric_limits<double>::infinity();
  return {.point = values.front(),
          .standard_error = std::numeric_limits<double>::quiet_NaN(),
          .low = -kEndless,
          .high = kEndless,
          .confidence = confidence,
          .n = 1};
}

/// Waiting that is recorded or, without that, communicating longer than the one with the least.
double waiting_of(const WorkerTimes& run) {
  const PerWorker& workers = *run.run->per_worker;
  if (run.has_wait) return mean_of(workers.wait);
  return run.communicate.empty() ? 0 : mean_of(workers.communicate) - run.communicate[0];
}

/// While one works alone the others are idle: that time is in no other part but waiting and rest.
void take_serial(double seconds, WorkerParts& parts) {
  parts.serial = std::min(seconds, parts.wait + parts.rest);
  const double waited = std::min(parts.serial, parts.wait);
  parts.wait -= waited;
  parts.rest -= parts.serial - waited;
}

WorkerParts worker_parts_of(const WorkerTimes& run, double serial) {
  WorkerParts parts;
  parts.compute = mean_of(run.run->per_worker->compute) / run.steps;
  parts.load = mean_of(run.useful) / run.steps - parts.compute;
  parts.transfer = run.communicate.empty() ? 0 : mean_of(run.communicate) / run.steps;
  parts.wait = waiting_of(run) / run.steps;
  const double known = parts.compute + parts.load + parts.transfer + parts.wait;
  parts.rest = std::max(0.0, run.time / run.steps - known);
  take_serial(serial, parts);
  return parts;
}

/// The interval is that of the serial part itself: over runs of one K it is always the same.
Estimate serial_estimate(const SerialPart& serial, double point) {
  Estimate estimate = serial.seconds;
  estimate.point = point;
  estimate.low = std::min(estimate.low, point);
  estimate.high = std::max(estimate.high, point);
  return estimate;
}

bool all(const Runs& runs, const std::function<bool(const WorkerTimes&)>& holds) {
  return std::all_of(runs.begin(), runs.end(), holds);
}

void set_parts(const Runs& runs, const std::optional<SerialPart>& serial, double confidence,
               WorkerPoint& point) {
  std::vector<WorkerParts> parts;
  std::vector<double> times;
  for (const WorkerTimes& run : runs) {
    parts.push_back(worker_parts_of(run, serial ? serial->seconds.point : 0));
    times.push_back(run.time / run.steps);
  }
  const auto over_runs = [&](double WorkerParts::*part) {
    std::vector<double> values;
    for (const WorkerParts& one : parts) values.push_back(one.*part);
    return mean_estimate(values, confidence);
  };
  const bool talks = all(runs, [](const WorkerTimes& run) { return !run.communicate.empty(); });
  const bool waits = all(runs, [](const WorkerTimes& run) { return run.has_wait; });
  point.time = mean_estimate(times, confidence);
  point.compute = over_runs(&WorkerParts::compute);
  if (const Estimate load = over_runs(&WorkerParts::load); load.point > 0) point.load = load;
  if (talks) point.transfer = over_runs(&WorkerParts::transfer);
  if (talks || waits) point.wait = over_runs(&WorkerParts::wait);
  if (serial) point.serial = serial_estimate(*serial, over_runs(&WorkerParts::serial).point);
  point.rest = over_runs(&WorkerParts::rest);
}

std::string host_of(const Runs& runs, std::size_t place) {
  const std::string first = runs.front().host_at(place);
  const bool same = all(runs, [&](const WorkerTimes& run) { return run.host_at(place) == first; });
  return same ? first : "";
}

void set_paces(const Runs& runs, double confidence, WorkerPoint& point) {
  std::vector<double> means;
  for (const WorkerTimes& run : runs) means.push_back(mean_of(run.useful) / run.steps);
  std::vector<double> values(runs.size());
  for (std::size_t place = 0; place < runs.front().count(); ++place) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      values[i] = runs[i].useful[place] / runs[i].steps;
    }
    WorkerPace pace;
    pace.worker = runs.front().worker_at(place);
    pace.host = host_of(runs, place);
    pace.useful = mean_estimate(values, confidence);
    const Result<Estimate> ratio = estimate_ratio(
        values, means, {.method = IntervalMethod::kPaired, .confidence = confidence});
    pace.over_mean = ratio ? *ratio : scaled(pace.useful, 1 / mean_of(means));
    point.paces.push_back(std::move(pace));
  }
}

/// The serial part, and the smallest K whose runs showed it.
struct FoundSerial {
  std::optional<SerialPart> part;
  int from = 0, to = 0;

  std::optional<SerialPart> at(int workers) const {
    return workers >= from && workers <= to ? part : std::nullopt;
  }
};

FoundSerial find_serial(const causes::WorkerStudy& study, std::optional<Regime> regime,
                        double confidence) {
  const std::optional<causes::Findings> found = causes::find_causes(study, regime, confidence);
  if (!found || !found->serial) return {};
  return {found->serial, std::max(2, (found->here.workers + 1) / 2), found->here.workers};
}

}  // namespace

WorkerTable worker_table(const Study& study, std::optional<Regime> regime, double confidence) {
  const causes::WorkerStudy workers = causes::worker_study(study);
  WorkerTable table;
  table.inside = workers.inside;
  table.partly = workers.partly;
  const FoundSerial serial = find_serial(workers, regime, confidence);
  for (const auto& [count, runs] : workers.by_workers) {
    WorkerPoint point;
    point.workers = count;
    point.runs = runs.size();
    set_parts(runs, serial.at(count), confidence, point);
    set_paces(runs, confidence, point);
    table.points.push_back(std::move(point));
  }
  return table;
}

}  // namespace kstar
