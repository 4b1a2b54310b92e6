#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/number.h"
#include "kstar/measure.h"
#include "kstar/outliers.h"
#include "measure/nodes_seen.h"
#include "measure/point_name.h"
#include "measure/warm_up_runs.h"

namespace kstar {

namespace {

using Runs = std::vector<Run*>;

std::map<std::pair<Role, int>, Runs> runs_that_count(Study& study) {
  std::map<std::pair<Role, int>, Runs> groups;
  for (Run& run : study.runs) {
    if (failed(run) || run.warm_up || !steady_time(run)) continue;
    groups[{run.role, run.workers}].push_back(&run);
  }
  return groups;
}

std::vector<double> times_of(const Runs& runs) {
  std::vector<double> times;
  for (const Run* run : runs) times.push_back(*steady_time(*run));
  return times;
}

/// The first runs that are slower than the rest are marked; the others remain in `runs`.
void mark_warm_up(Runs& runs, Study& study) {
  const WarmUp found = find_warm_up_runs(times_of(runs));
  if (found.length == 0) return;
  for (std::size_t i = 0; i < found.length; ++i) runs[i]->warm_up = true;
  study.notes.push_back(
      {.severity = Severity::kInfo,
       .what = "warm-up",
       .where = point_name(runs[0]->role, runs[0]->workers),
       .text = fmt::format("the first {} were {} slower than the rest: marked as warm-up",
                           found.length, percent(found.excess, 0))});
  runs.erase(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(found.length));
}

double known(const std::optional<std::int64_t>& value) {
  return value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<Covariate> covariates_of(const Runs& runs) {
  std::vector<Covariate> list = {{"involuntary switches", {}},
                                 {"major faults", {}},
                                 {"minor faults", {}},
                                 {"system CPU seconds", {}}};
  for (const Run* run : runs) {
    list[0].values.push_back(known(run->involuntary_switches));
    list[1].values.push_back(known(run->major_faults));
    list[2].values.push_back(known(run->minor_faults));
    list[3].values.push_back(run->cpu_system.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  return list;
}

void note_outliers(const Runs& runs, Study& study) {
  constexpr std::size_t kFew = 10;  // of fewer, the scatter itself is a guess
  if (runs.size() < kFew) return;
  const Result<std::vector<Outlier>> found = find_outliers(times_of(runs), covariates_of(runs));
  if (!found) return;
  for (const Outlier& outlier : *found) {
    const Run& run = *runs[outlier.index];
    study.notes.push_back(
        {.severity = Severity::kInfo,
         .what = "outlier",
         .where =
             fmt::format("{}, run {}", point_name(run.role, run.workers), run.order.value_or(-1)),
         .text = fmt::format("{} standard deviations from the others of its K: {}",
                             fixed(outlier.z, 1), outlier.reason)});
  }
}

}  // namespace

void mark_findings(const MeasureSpec& spec, Study& study) {
  // A study that went on is judged anew as a whole.
  std::erase_if(study.notes, [](const Note& note) {
    return note.what == "warm-up" || note.what == "outlier" || note.what == "nodes" ||
           note.what == "slow-node";
  });
  if (!spec.warm_up_runs) {
    for (Run& run : study.runs) run.warm_up = false;
  }
  for (auto& [key, runs] : runs_that_count(study)) {
    if (!spec.warm_up_runs) mark_warm_up(runs, study);
    note_outliers(runs, study);
  }
  note_nodes(spec.confidence, study);
}

}  // namespace kstar
