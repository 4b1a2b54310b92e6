#include "kstar/phases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "kstar/stats.h"
#include "kstar/worker_table.h"

namespace kstar {

namespace {

/// Of the time at the base: a phase with less has no speedup to speak of.
constexpr double kLeastAtBase = 0.01;

/// The time that is ideal at `workers`, over that at the base.
double ideal_factor(Regime regime, int base, int workers) {
  return regime == Regime::kWeak ? 1 : static_cast<double>(base) / workers;
}

/// Of the logarithm; infinite where the interval is open, or holds 0.
double half_width(const Estimate& estimate) {
  return is_bounded(estimate) && estimate.low > 0 ? std::log(estimate.high / estimate.low) / 2
                                                  : std::numeric_limits<double>::infinity();
}

/// Of independent means, on logarithms.
Estimate ratio_of(const Estimate& base, const Estimate& here, double factor) {
  const double half = std::hypot(half_width(base), half_width(here));
  Estimate ratio = here;
  ratio.point = factor * base.point / here.point;
  ratio.low = ratio.point * std::exp(-half);
  ratio.high = ratio.point * std::exp(half);
  ratio.standard_error =
      ratio.point * std::hypot(base.standard_error / base.point, here.standard_error / here.point);
  ratio.n = std::min(base.n, here.n);
  return ratio;
}

void set_ratios(Regime regime, double whole_at_base, PhaseScaling& phase) {
  const PhasePoint base = phase.points.front();
  if (base.time.point < kLeastAtBase * whole_at_base) return;
  for (PhasePoint& point : phase.points) {
    if (!(point.time.point > 0)) continue;
    const double ideal = ideal_factor(regime, base.workers, point.workers);
    const double more = static_cast<double>(point.workers) / base.workers;
    point.efficiency = ratio_of(base.time, point.time, ideal);
    point.speedup = scaled(*point.efficiency, more);
  }
}

void finish(Regime regime, double threshold, double whole_at_base, PhaseScaling& phase) {
  set_ratios(regime, whole_at_base, phase);
  const PhasePoint& base = phase.points.front();
  const PhasePoint& last = phase.points.back();
  for (const PhasePoint& point : phase.points) {
    if (phase.bend || !point.efficiency || point.efficiency->point >= threshold) continue;
    phase.bend = point.workers;
  }
  const double ideal = ideal_factor(regime, base.workers, last.workers) * base.time.point;
  if (last.time.point > 0) {
    phase.lost = (last.time.point - ideal) / last.time.point * last.share;
  }
}

Estimate zero(const Estimate& like) {
  Estimate none = like;
  none.point = none.standard_error = none.low = none.high = 0;
  return none;
}

struct PhaseName {
  const char* name;
  std::optional<Estimate> (*time)(const WorkerPoint&);
};

constexpr std::array<PhaseName, 6> kPhases = {{
    {"compute", [](const WorkerPoint& at) { return std::optional(at.compute); }},
    {"load", [](const WorkerPoint& at) { return at.load; }},
    {"transfer", [](const WorkerPoint& at) { return at.transfer; }},
    {"wait", [](const WorkerPoint& at) { return at.wait; }},
    {"serial", [](const WorkerPoint& at) { return at.serial; }},
    {"rest", [](const WorkerPoint& at) { return std::optional(at.rest); }},
}};

PhaseScaling phase_of(const PhaseName& name, const WorkerTable& table) {
  PhaseScaling phase;
  phase.name = name.name;
  for (const WorkerPoint& at : table.points) {
    const Estimate time = name.time(at).value_or(zero(at.time));
    phase.points.push_back({.workers = at.workers,
                            .runs = at.runs,
                            .time = time,
                            .share = at.time.point > 0 ? time.point / at.time.point : 0,
                            .speedup = {},
                            .efficiency = {}});
  }
  return phase;
}

bool is_seen(const PhaseScaling& phase) {
  return std::any_of(phase.points.begin(), phase.points.end(),
                     [](const PhasePoint& at) { return at.time.point > 0; });
}

/// The groups by how their calls begin, behind "MPI_"; "" is all others.
struct CallGroup {
  const char* name;
  std::vector<std::string_view> begins;
};

const std::vector<CallGroup>& call_groups() {
  static const std::vector<CallGroup> kGroups = {
      {"MPI files", {"File_"}},
      {"MPI one-sided",
       {"Put", "Get_accumulate", "Get", "Rput", "Rget", "Accumulate", "Raccumulate", "Fetch",
        "Compare", "Win_"}},
      {"MPI collectives",
       {"Barrier", "Ibarrier", "Bcast",     "Ibcast",     "Allreduce", "Iallreduce",
        "Reduce",  "Ireduce",  "Allgather", "Iallgather", "Gather",    "Igather",
        "Scatter", "Iscatter", "Alltoall",  "Ialltoall",  "Scan",      "Iscan",
        "Exscan",  "Iexscan",  "Neighbor",  "Ineighbor"}},
      {"MPI point-to-point",
       {"Send", "Recv", "Isend", "Irecv", "Bsend", "Ibsend", "Ssend", "Issend", "Rsend", "Irsend",
        "Mrecv", "Imrecv", "Wait", "Test", "Probe", "Iprobe", "Mprobe", "Start"}},
      {"MPI other", {""}},
  };
  return kGroups;
}

/// Those that MPI has as "Get_count" or "Get_rank" move nothing; they are in no table of times.
const char* group_of(std::string_view call) {
  if (call.starts_with("MPI_")) call.remove_prefix(4);
  for (const CallGroup& group : call_groups()) {
    for (const std::string_view begin : group.begins) {
      if (call.starts_with(begin)) return group.name;
    }
  }
  return call_groups().back().name;
}

/// Seconds of one rank in each group, by K, a value per run.
using GroupTimes = std::map<int, std::map<std::string, std::vector<double>>>;

struct CallTimes {
  GroupTimes groups;
  std::map<int, std::vector<double>> spans;  ///< of the run from MPI_Init to MPI_Finalize
};

CallTimes call_times(const Study& study) {
  CallTimes times;
  for (const Run& run : study.runs) {
    if (failed(run) || !run.inside || run.inside->span.empty() || run.inside->by_call.empty()) {
      continue;
    }
    const Inside& inside = *run.inside;
    double span = 0;
    for (const double one : inside.span) span += one / static_cast<double>(inside.span.size());
    times.spans[run.workers].push_back(span);
    std::map<std::string, double> sums;
    for (const CallGroup& group : call_groups()) sums[group.name] = 0;
    for (const CallSum& call : inside.by_call) {
      sums[group_of(call.call)] += call.seconds / static_cast<double>(inside.span.size());
    }
    for (const auto& [name, seconds] : sums) times.groups[run.workers][name].push_back(seconds);
  }
  return times;
}

Estimate mean_over_runs(const std::vector<double>& values, double confidence) {
  const Result<Estimate> mean = estimate_mean(values, {.confidence = confidence});
  return mean ? *mean : Estimate{.point = values.front(), .confidence = confidence, .n = 1};
}

std::vector<PhaseScaling> call_phases(const Study& study, double confidence) {
  const CallTimes times = call_times(study);
  std::vector<PhaseScaling> phases;
  for (const CallGroup& group : call_groups()) {
    PhaseScaling phase;
    phase.name = group.name;
    phase.calls = true;
    for (const auto& [workers, by_name] : times.groups) {
      const std::vector<double>& values = by_name.at(group.name);
      const Estimate span = mean_over_runs(times.spans.at(workers), confidence);
      const Estimate time = mean_over_runs(values, confidence);
      phase.points.push_back({.workers = workers,
                              .runs = values.size(),
                              .time = time,
                              .share = span.point > 0 ? time.point / span.point : 0,
                              .speedup = {},
                              .efficiency = {}});
    }
    if (phase.points.size() > 1 && is_seen(phase)) phases.push_back(std::move(phase));
  }
  return phases;
}

}  // namespace

PhaseTable phase_table(const Study& study, std::optional<Regime> regime, double threshold,
                       double confidence) {
  PhaseTable table;
  if (!regime || *regime == Regime::kMixed) return table;
  const WorkerTable workers = worker_table(study, regime, confidence);
  if (workers.points.size() > 1) {
    for (const PhaseName& name : kPhases) {
      PhaseScaling phase = phase_of(name, workers);
      if (is_seen(phase)) table.phases.push_back(std::move(phase));
    }
  }
  for (PhaseScaling& phase : call_phases(study, confidence)) {
    table.phases.push_back(std::move(phase));
  }
  if (table.phases.empty()) return table;
  for (PhaseScaling& phase : table.phases) {
    const PhasePoint& base = phase.points.front();
    const double whole = base.share > 0 ? base.time.point / base.share : 1;
    finish(*regime, threshold, whole, phase);
  }
  std::stable_sort(table.phases.begin(), table.phases.end(),
                   [](const PhaseScaling& a, const PhaseScaling& b) {
                     return a.calls != b.calls ? b.calls : a.lost > b.lost;
                   });
  table.base_workers = table.phases.front().points.front().workers;
  table.workers = table.phases.front().points.back().workers;
  return table;
}

const PhaseScaling* stopping_phase(const PhaseTable& table) {
  constexpr double kMuch = 0.1, kMost = 0.5;
  double all = 0;
  for (const PhaseScaling& phase : table.phases) {
    if (!phase.calls) all += std::max(0.0, phase.lost);
  }
  if (table.phases.empty() || table.phases.front().calls) return nullptr;
  const PhaseScaling& first = table.phases.front();
  return first.lost > kMuch && first.lost > kMost * all ? &first : nullptr;
}

}  // namespace kstar
