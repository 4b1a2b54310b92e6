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
    if (!counts(run)) continue;
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

template <typename T>
double known(const std::optional<T>& value) {
  return value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN();
}

using Covariates = std::vector<Covariate>;

/// What came from outside the job. A share of the time: a run that is slow for another reason
/// lets others use more seconds. A twentieth of a CPU is lost in every run's own scatter.
Covariates causes(const Runs& runs) {
  constexpr double kLeast = 0.05;
  Covariates list = {{"CPUs used by other processes", {}, true, kLeast},
                     {"CPUs kept by the hypervisor", {}, true, kLeast}};
  for (const Run* run : runs) {
    const double wall = known(run->wall);
    list[0].values.push_back(known(run->cpu_others) / wall);
    list[1].values.push_back(known(run->cpu_stolen) / wall);
  }
  return list;
}

/// What showed in the job itself, which other processes may have caused.
Covariates symptoms(const Runs& runs) {
  Covariates list = {{"migrations between CPUs", {}, true},
                     {"involuntary switches", {}, true},
                     {"major faults", {}, true},
                     {"minor faults", {}, true},
                     {"system CPU seconds", {}, true},
                     {"load average at its start", {}, true}};
  for (const Run* run : runs) {
    list[0].values.push_back(known(run->migrations));
    list[1].values.push_back(known(run->involuntary_switches));
    list[2].values.push_back(known(run->major_faults));
    list[3].values.push_back(known(run->minor_faults));
    list[4].values.push_back(known(run->cpu_system));
    list[5].values.push_back(known(run->load));
  }
  return list;
}

void note_outliers(const Runs& runs, Study& study) {
  constexpr std::size_t kFew = 10;  // of fewer, the scatter itself is a guess
  if (runs.size() < kFew) return;
  const std::vector<double> times = times_of(runs);
  const Result<std::vector<Outlier>> by_cause = find_outliers(times, causes(runs));
  const Result<std::vector<Outlier>> by_symptom = find_outliers(times, symptoms(runs));
  if (!by_cause || !by_symptom) return;
  if (by_cause->size() > runs.size() / 10) {  // a share of the runs, and no exception
    study.notes.push_back(
        {.severity = Severity::kInfo,
         .what = "outlier",
         .where = point_name(runs[0]->role, runs[0]->workers),
         .text =
             fmt::format("{} of {} runs lie far from the others: the times have several levels, "
                         "or long tails",
                         by_cause->size(), runs.size())});
    return;
  }
  for (std::size_t i = 0; i < by_cause->size(); ++i) {
    const bool from_outside = !(*by_cause)[i].covariate.empty();
    const Outlier& outlier = from_outside ? (*by_cause)[i] : (*by_symptom)[i];
    const Run& run = *runs[outlier.index];
    study.notes.push_back(
        {.severity = Severity::kInfo,
         .what = "outlier",
         .where =
             fmt::format("{}, run {}", point_name(run.role, run.workers), run.order.value_or(-1)),
         .text = fmt::format("{} standard deviations {} than the others of its K: {}",
                             fixed(std::fabs(outlier.z), 1), outlier.z > 0 ? "slower" : "faster",
                             outlier.reason)});
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
