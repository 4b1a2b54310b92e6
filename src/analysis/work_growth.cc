#include "analysis/work_growth.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace kstar {

namespace {

constexpr double kRounding = 0.05;

bool of_program(const Run& run) {
  return run.role == Role::kParallel && counts(run);
}

/// Whether T is the time of a step: then the number of steps says nothing about it.
bool times_are_of_steps(const Study& study) {
  return std::all_of(study.runs.begin(), study.runs.end(),
                     [](const Run& run) { return !of_program(run) || !run.steps.empty(); });
}

/// What each run needed is known, and differs by itself: the samples until a training converged.
bool end_when_converged(const Study& study) {
  return std::all_of(study.runs.begin(), study.runs.end(), [](const Run& run) {
    return !of_program(run) || (run.work && run.steps.empty());
  });
}

/// What of a workload makes the work of one T.
struct WorkParts {
  bool size = false;
  bool batch = false;
  bool steps = false;

  std::string name() const {
    if (batch && steps) return "batch x steps";
    if (size && steps) return "size x steps";
    return batch ? "batch" : size ? "size" : "steps";
  }

  std::optional<double> amount(const Workload& load) const {
    if ((size && !load.size) || (batch && !load.batch) || (steps && !load.steps)) return {};
    return (size ? *load.size : 1.0) * (batch ? *load.batch : 1.0) *
           (steps ? static_cast<double>(*load.steps) : 1.0);
  }
};

/// A step works on the batch. A whole run works on batch x steps or, where it goes by the data, on
/// their size however large the batches are.
std::optional<WorkParts> parts_of(const Workload& load, bool step) {
  WorkParts parts;
  parts.steps = !step && load.steps;
  parts.batch = load.batch && (step || load.steps || !load.size);
  parts.size = load.size && !parts.batch;
  return parts.size || parts.batch || parts.steps ? std::optional(parts) : std::nullopt;
}

std::vector<int> workers_of(const Study& study) {
  std::vector<int> workers;
  for (const Run& run : study.runs) {
    if (of_program(run)) workers.push_back(run.workers);
  }
  std::sort(workers.begin(), workers.end());
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return workers;
}

/// The work of a run for one T, over all its workers.
std::optional<double> work_of(const Run& run) {
  if (!run.per_worker || run.per_worker->work.size() != static_cast<std::size_t>(run.workers)) {
    return {};
  }
  double work = 0;
  for (const double each : run.per_worker->work) work += each;
  const int steady = static_cast<int>(run.steps.size()) - run.warm_up_steps.value_or(0);
  return run.steps.empty() ? work : work / std::max(steady, 1);
}

/// The growth from the smallest K to this one, over that which the regime asks for.
double excess(const WorkGrowth& growth, const WorkGrowth::Point& point, Regime regime) {
  const WorkGrowth::Point& base = growth.points.front();
  const double asked =
      regime == Regime::kWeak ? static_cast<double>(point.workers) / base.workers : 1;
  return point.amount / base.amount / asked;
}

}  // namespace

std::optional<WorkGrowth> growth_by_header(const Study& study) {
  const std::vector<int> workers = workers_of(study);
  if (workers.size() < 2) return {};
  const Workload* first = workload_at(study.header, workers.front());
  auto parts = first ? parts_of(*first, times_are_of_steps(study)) : std::nullopt;
  if (!parts) return {};
  const bool trains = first->batch && end_when_converged(study);
  if (trains) parts = WorkParts{.batch = true};
  WorkGrowth growth{.what = parts->name(), .points = {}, .until_converged = trains};
  for (const int k : workers) {
    const Workload* load = workload_at(study.header, k);
    const std::optional<double> amount = load ? parts->amount(*load) : std::nullopt;
    if (!amount || !(*amount > 0)) return {};
    growth.points.push_back({k, *amount});
  }
  return growth;
}

std::optional<WorkGrowth> growth_by_workers(const Study& study) {
  std::map<int, std::pair<double, int>> sums;
  for (const Run& run : study.runs) {
    if (!of_program(run)) continue;
    const std::optional<double> work = work_of(run);
    if (!work || !(*work > 0)) return {};
    sums[run.workers].first += *work;
    ++sums[run.workers].second;
  }
  if (sums.size() < 2) return {};
  WorkGrowth growth{.what = "work done by the workers", .points = {}};
  for (const auto& [k, sum] : sums) growth.points.push_back({k, sum.first / sum.second});
  return growth;
}

std::optional<WorkGrowth::Point> against(const WorkGrowth& growth, Regime regime) {
  std::optional<WorkGrowth::Point> worst;
  double most = std::log1p(kRounding);
  for (const WorkGrowth::Point& point : growth.points) {
    const double off = std::fabs(std::log(excess(growth, point, regime)));
    if (off <= most) continue;
    most = off;
    worst = point;
  }
  return worst;
}

std::map<int, double> grown_work(const Study& study) {
  const std::optional<WorkGrowth> growth = growth_by_header(study);
  if (!growth || growth->until_converged || !against(*growth, Regime::kWeak)) return {};
  std::map<int, double> works;
  double before = 0;
  for (const WorkGrowth::Point& point : growth->points) {
    if (point.amount <= (1 + kRounding) * before) return {};
    before = works[point.workers] = point.amount;
  }
  return works;
}

Regime regime_of(const WorkGrowth& growth) {
  if (!against(growth, Regime::kStrong)) return Regime::kStrong;
  const bool weak = !growth.until_converged && !against(growth, Regime::kWeak);
  return weak ? Regime::kWeak : Regime::kMixed;
}

}  // namespace kstar
