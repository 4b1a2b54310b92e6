#include "analysis/table/regime_found.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/number.h"
#include "kstar/regime.h"
#include "kstar/study.h"

namespace kstar {

namespace {

/// How much work one T(K) stands for, at every K that has times, as one source tells it.
struct WorkGrowth {
  struct Point {
    int workers = 1;
    double amount = 0;
  };
  std::string what;           ///< "batch", "size", "work done by the workers"
  std::vector<Point> points;  ///< by K, two or more

  /// Runs end when they have converged: how much that takes is an outcome, and a larger batch is
  /// another problem, not more work.
  bool until_converged = false;
};

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
std::optional<WorkParts> work_parts_of(const Workload& load, bool step) {
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

/// As the study's header says it, and as the workers counted it. None where a K has no figure.
std::optional<WorkGrowth> growth_by_header(const Study& study) {
  const std::vector<int> workers = workers_of(study);
  if (workers.size() < 2) return {};
  const Workload* first = workload_at(study.header, workers.front());
  auto parts = first ? work_parts_of(*first, times_are_of_steps(study)) : std::nullopt;
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

/// The K whose work is farthest from what the regime asks for, where it is more than rounding.
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

/// Fixed is strong, in proportion to K is weak, anything else is mixed; and so is every change of
/// batch in trainings that end when they have converged. Up to 5% is rounding: a
/// batch that does not divide by K.
Regime regime_of(const WorkGrowth& growth) {
  if (!against(growth, Regime::kStrong)) return Regime::kStrong;
  const bool weak = !growth.until_converged && !against(growth, Regime::kWeak);
  return weak ? Regime::kWeak : Regime::kMixed;
}

Note note(Severity severity, const char* what, NoteValues values, std::string where = "regime") {
  return {
      .severity = severity, .what = what, .where = std::move(where), .values = std::move(values)};
}

/// "batch is 128 at K = 1 and 1024 at K = 8", as values.
NoteValues at_two(const WorkGrowth& growth, const WorkGrowth::Point& point) {
  const WorkGrowth::Point& base = growth.points.front();
  return {{"work", growth.what},
          {"at_base", base.amount},
          {"base", base.workers},
          {"at_k", point.amount},
          {"k", point.workers}};
}

/// The work that says most against the regime.
NoteValues at_worst(const WorkGrowth& growth, Regime regime) {
  const auto worst = against(growth, regime);
  return at_two(growth, worst ? *worst : growth.points.back());
}

/// Throughput counts work per second, whatever the work: nothing contradicts it.
/// `counted`: S counts the work as it grows.
void compare(Regime declared, const std::optional<WorkGrowth>& growth, bool counted,
             std::vector<Note>& notes) {
  if (!growth || declared == Regime::kThroughput) return;
  const Regime shown = regime_of(*growth);
  if (shown == declared) return;
  if (counted) {
    notes.push_back(note(Severity::kInfo, "work-counted", at_two(*growth, growth->points.back())));
    return;
  }
  const Regime asked = declared == Regime::kMixed ? shown : declared;
  const auto worst = against(*growth, asked);
  NoteValues values = at_worst(*growth, asked);
  values.emplace("declared", name_of(declared));
  values.emplace("shown", name_of(shown));
  notes.push_back(
      note(Severity::kWarning, "regime-contradicted", std::move(values),
           fmt::format("K = {}", worst ? worst->workers : growth->points.back().workers)));
}

NoteValues derivation(const WorkGrowth& growth, Regime regime) {
  NoteValues values = at_two(growth, growth.points.back());
  if (regime != Regime::kMixed) {
    values.emplace("regime", name_of(regime));
  } else if (growth.until_converged) {
    values.emplace("until_converged", true);
  }
  return values;
}

/// What the workload says, and what the workers of the runs did.
NoteValues disagreement(const WorkGrowth& by_header, const WorkGrowth& by_workers) {
  NoteValues values = at_worst(by_header, regime_of(by_workers));
  for (auto& [name, value] : at_worst(by_workers, regime_of(by_header))) {
    values.emplace("other_" + name, std::move(value));
  }
  return values;
}

FoundRegime derived(const std::optional<WorkGrowth>& by_header,
                    const std::optional<WorkGrowth>& by_workers) {
  const WorkGrowth& growth = by_header ? *by_header : *by_workers;
  FoundRegime found{.regime = regime_of(growth),
                    .source = RegimeSource::kDerived,
                    .problem_grows = {},
                    .notes = {}};
  if (by_header && by_workers && regime_of(*by_workers) != found.regime) {
    found.notes.push_back(
        note(Severity::kWarning, "regime-contradicted", disagreement(*by_header, *by_workers)));
    found.regime = Regime::kMixed;
    return found;
  }
  found.notes.push_back(note(Severity::kInfo, "regime-derived", derivation(growth, found.regime)));
  return found;
}

FoundRegime chosen(const Study& study, std::optional<Regime> told,
                   const std::optional<WorkGrowth>& by_header,
                   const std::optional<WorkGrowth>& by_workers) {
  const std::optional<Regime> declared = study.header.regime ? study.header.regime : told;
  if (!declared && (by_header || by_workers)) return derived(by_header, by_workers);
  FoundRegime found;
  found.regime = declared.value_or(Regime::kStrong);
  if (!declared) {
    found.notes.push_back(note(Severity::kWarning, "regime-assumed", {}));
    return found;
  }
  found.source = study.header.regime ? RegimeSource::kDeclared : RegimeSource::kTold;
  if (told && *told != *declared) {
    found.notes.push_back(note(Severity::kWarning, "regime-told",
                               {{"declared", name_of(*declared)}, {"told", name_of(*told)}}));
  }
  const bool counted = *declared == Regime::kWeak && !grown_work(study).empty();
  compare(*declared, by_header, counted, found.notes);
  compare(*declared, by_workers, false, found.notes);
  return found;
}

/// Another way to end is another problem, and so is another batch on the same data.
void compare_workloads(const Study& study, Regime regime, std::vector<Note>& notes) {
  std::set<std::string> stops;
  std::set<double> batches, sizes;
  for (const Workload& load : study.header.workload) {
    stops.insert(load.stopping);
    if (load.batch) batches.insert(*load.batch);
    if (load.size) sizes.insert(*load.size);
  }
  if (stops.size() > 1) {
    notes.push_back(note(Severity::kWarning, "stopping-differs", {}));
  }
  const bool said = std::any_of(notes.begin(), notes.end(), [](const Note& each) {
    return each.what == "regime-contradicted";
  });
  if (!said && regime == Regime::kStrong && sizes.size() == 1 && batches.size() > 1) {
    notes.push_back(note(Severity::kWarning, "batch-differs",
                         {{"least", *batches.begin()}, {"most", *batches.rbegin()}}));
  }
}

/// As the work shows it, which a rate counts whatever it is; else as it was said.
std::optional<bool> grows(const FoundRegime& found, const std::optional<WorkGrowth>& growth) {
  if (growth && growth->until_converged) return std::nullopt;
  if (growth && regime_of(*growth) == Regime::kMixed) return std::nullopt;
  if (growth) return regime_of(*growth) == Regime::kWeak;
  if (found.source == RegimeSource::kAssumed || found.regime == Regime::kMixed ||
      found.regime == Regime::kThroughput) {
    return std::nullopt;
  }
  return found.regime == Regime::kWeak;
}

}  // namespace

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

FoundRegime find_regime(const Study& study, std::optional<Regime> told) {
  const std::optional<WorkGrowth> by_header = growth_by_header(study);
  const std::optional<WorkGrowth> by_workers = growth_by_workers(study);
  FoundRegime found = chosen(study, told, by_header, by_workers);
  found.problem_grows = grows(found, by_header ? by_header : by_workers);
  compare_workloads(study, found.regime, found.notes);
  return found;
}

}  // namespace kstar
