#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/number.h"
#include "kstar/measure.h"
#include "kstar/outliers.h"
#include "kstar/stats.h"
#include "measure/point.h"

namespace kstar {

namespace {

/// So many runs a side before nodes are judged: with 2, Welch errs twice as often as it says.
constexpr std::size_t kFewest = 3;
constexpr std::size_t kSetsShown = 4;

using Nodes = std::set<std::string>;

struct Seen {
  std::pair<Role, int> point;
  Nodes nodes;
  double time = 0;
};

std::vector<Seen> runs_seen(const Study& study) {
  std::vector<Seen> seen;
  for (const Run& run : study.runs) {
    const std::optional<double> time = steady_time(run);
    if (!counts(run) || !time || *time <= 0 || run.hosts.empty()) continue;
    seen.push_back({{run.role, run.workers}, {run.hosts.begin(), run.hosts.end()}, *time});
  }
  return seen;
}

std::string nodes_text(const Nodes& nodes) {
  return fmt::format("{}", fmt::join(nodes, ","));
}

/// How much longer one side takes, with its interval.
struct Difference {
  std::string what;
  Estimate ratio;
  bool beyond_noise() const { return ratio.low > 1 || ratio.high < 1; }
  /// In standard errors.
  double strength() const { return std::abs(std::log(ratio.point)) / ratio.standard_error; }
};

std::optional<Difference> difference(std::string what, const std::vector<double>& side,
                                     const std::vector<double>& rest, double confidence) {
  const Result<Estimate> ratio = estimate_ratio(side, rest, {.confidence = confidence});
  if (!ratio || !is_bounded(*ratio)) return {};
  return Difference{std::move(what), *ratio};
}

/// "12% more time (8% to 16%)", as values.
void add_change(const Estimate& ratio, NoteValues& values) {
  const bool more = ratio.point >= 1;
  const auto change = [&](double value) { return more ? value - 1 : 1 - value; };
  values.emplace(more ? "more" : "less", change(ratio.point));
  values.emplace("low", change(more ? ratio.low : ratio.high));
  values.emplace("high", change(more ? ratio.high : ratio.low));
}

/// The strongest of several differences; the confidence holds for all of them together.
template <typename Compare>
std::optional<Difference> strongest(const std::vector<std::string>& names, double confidence,
                                    Compare compare) {
  std::optional<Difference> best;
  const double each = 1 - (1 - confidence) / static_cast<double>(names.size());
  for (const std::string& name : names) {
    std::optional<Difference> found = compare(name, each);
    if (found && (!best || found->strength() > best->strength())) best = std::move(found);
  }
  return best;
}

// --- One K on different nodes ---

void note_sets(const std::vector<Seen>& seen, const std::pair<Role, int>& point, double confidence,
               Study& study) {
  std::map<std::string, std::vector<double>> sets;
  std::size_t runs = 0;
  for (const Seen& run : seen) {
    if (run.point != point) continue;
    sets[nodes_text(run.nodes)].push_back(run.time);
    ++runs;
  }
  if (sets.size() < 2) return;
  std::vector<std::string> shown, repeated;
  for (const auto& [nodes, times] : sets) {
    if (shown.size() < kSetsShown) shown.push_back(fmt::format("{} ({})", nodes, times.size()));
    if (times.size() >= kFewest && runs - times.size() >= kFewest) repeated.push_back(nodes);
  }
  if (sets.size() > kSetsShown) {
    shown.push_back(fmt::format("and {} more", sets.size() - kSetsShown));
  }
  NoteValues values{{"count", sets.size()}, {"sets", std::move(shown)}};
  const auto compare = [&](const std::string& nodes, double each) {
    std::vector<double> rest;
    for (const auto& [other, times] : sets) {
      if (other != nodes) rest.insert(rest.end(), times.begin(), times.end());
    }
    return difference(nodes, sets.at(nodes), rest, each);
  };
  const auto found = strongest(repeated, confidence, compare);
  const bool differ = found && found->beyond_noise();
  if (found) {
    values.emplace(differ ? "differs" : "largest", found->what);
    add_change(found->ratio, values);
  }
  study.notes.push_back({.severity = differ ? Severity::kWarning : Severity::kInfo,
                         .what = "nodes",
                         .where = point_name(point.first, point.second),
                         .values = std::move(values)});
}

// --- One node over all K ---

/// Relative times with and without a node, at the K that have both.
struct Sides {
  std::vector<double> with, without;
};

Sides sides_of(const std::vector<Seen>& seen, const std::string& node) {
  std::map<std::pair<Role, int>, Sides> points;
  for (const Seen& run : seen) {
    Sides& point = points[run.point];
    (run.nodes.contains(node) ? point.with : point.without).push_back(std::log(run.time));
  }
  Sides all;
  for (const auto& [key, point] : points) {
    if (point.with.empty() || point.without.empty()) continue;
    const double middle = (mean_of(point.with) + mean_of(point.without)) / 2;
    for (const double time : point.with) all.with.push_back(std::exp(time - middle));
    for (const double time : point.without) all.without.push_back(std::exp(time - middle));
  }
  return all;
}

std::optional<Difference> slowest_node(const std::vector<Seen>& seen, double confidence) {
  Nodes all;
  for (const Seen& run : seen) all.insert(run.nodes.begin(), run.nodes.end());
  const auto compare = [&](const std::string& node, double each) -> std::optional<Difference> {
    const Sides sides = sides_of(seen, node);
    if (sides.with.size() < kFewest || sides.without.size() < kFewest) return {};
    std::optional<Difference> found = difference(node, sides.with, sides.without, each);
    if (!found || found->ratio.low <= 1) return {};
    return found;
  };
  return strongest({all.begin(), all.end()}, confidence, compare);
}

void note_slow_nodes(std::vector<Seen> seen, double confidence, Study& study) {
  while (const auto slow = slowest_node(seen, confidence)) {
    NoteValues values;
    add_change(slow->ratio, values);
    study.notes.push_back({.severity = Severity::kWarning,
                           .what = "slow-node",
                           .where = slow->what,
                           .values = std::move(values)});
    std::erase_if(seen, [&](const Seen& run) { return run.nodes.contains(slow->what); });
  }
}

/// Notes where runs of the same K were on different nodes, whether that shows in their times, and
/// which node is slow where the data say so. For runs that know their hosts.
///
/// Per K: every set of nodes with at least 3 runs is compared with the other runs of that K, as a
/// ratio of means (Welch on logarithms); with m sets compared, each interval has the confidence
/// 1 - (1 - c)/m, so that together they have c (Bonferroni).
///
/// A node: its runs against those of the same K without it, over all K. At each K that has both,
/// logarithms of times are taken relative to the middle between the two means, so that what K does
/// to the time cancels; then as above. The slowest node is named first, and its runs are left out
/// when the others are compared: a node is not slow because it was beside a slow one.
void note_nodes(double confidence, Study& study) {
  const std::vector<Seen> seen = runs_seen(study);
  std::set<std::pair<Role, int>> points;
  for (const Seen& run : seen) points.insert(run.point);
  for (const auto& point : points) note_sets(seen, point, confidence, study);
  note_slow_nodes(seen, confidence, study);
}

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
  const bool cached = found.excess > kCachedWork - 1;
  study.notes.push_back(
      {.severity = Severity::kInfo,
       .what = "warm-up",
       .where = point_name(runs[0]->role, runs[0]->workers),
       .values = {{"runs", found.length},
                  cached ? std::pair<const std::string, NoteValue>("factor", found.excess + 1)
                         : std::pair<const std::string, NoteValue>("excess", found.excess)}});
  runs.erase(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(found.length));
}

template <typename T>
double known(const SmallOptional<T>& value) {
  return value ? static_cast<double>(*value) : std::numeric_limits<double>::quiet_NaN();
}

using Covariates = std::vector<Covariate>;

/// What came from outside the job. A share of the time: a run that is slow for another reason
/// lets others use more seconds. A twentieth of a CPU is lost in every run's own scatter.
Covariates causes(const Runs& runs) {
  constexpr double kLeast = 0.05;
  Covariates list = {{"CPUs used by other processes", {}, true, kLeast},
                     {"CPUs taken by the hypervisor", {}, true, kLeast}};
  for (const Run* run : runs) {
    const double wall = known(run->wall);
    list[0].values.push_back(known(run->usage.cpu_others) / wall);
    list[1].values.push_back(known(run->usage.cpu_stolen) / wall);
  }
  return list;
}

/// What showed in the job itself, which other processes may have caused.
Covariates symptoms(const Runs& runs) {
  Covariates list = {{"migrations between CPUs", {}, true},
                     {"involuntary context switches", {}, true},
                     {"major faults", {}, true},
                     {"minor faults", {}, true},
                     {"system CPU seconds", {}, true},
                     {"load average at its start", {}, true}};
  for (const Run* run : runs) {
    list[0].values.push_back(known(run->usage.migrations));
    list[1].values.push_back(known(run->usage.involuntary_switches));
    list[2].values.push_back(known(run->usage.major_faults));
    list[3].values.push_back(known(run->usage.minor_faults));
    list[4].values.push_back(known(run->usage.cpu_system));
    list[5].values.push_back(known(run->usage.load));
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
    study.notes.push_back({.severity = Severity::kInfo,
                           .what = "outlier",
                           .where = point_name(runs[0]->role, runs[0]->workers),
                           .values = {{"far", by_cause->size()}, {"runs", runs.size()}}});
    return;
  }
  for (std::size_t i = 0; i < by_cause->size(); ++i) {
    const bool from_outside = !(*by_cause)[i].covariate.empty();
    const Outlier& outlier = from_outside ? (*by_cause)[i] : (*by_symptom)[i];
    const Run& run = *runs[outlier.index];
    study.notes.push_back({.severity = Severity::kInfo,
                           .what = "outlier",
                           .where = fmt::format("{}, run {}", point_name(run.role, run.workers),
                                                run.order.value_or(-1)),
                           .values = {{outlier.z > 0 ? "slower" : "faster", std::fabs(outlier.z)},
                                      {"reason", outlier.reason}}});
  }
}

}  // namespace

bool is_finding(const Note& note) {
  constexpr std::string_view kFindings[] = {"warm-up", "outlier", "nodes", "slow-node"};
  return std::find(std::begin(kFindings), std::end(kFindings), note.what) != std::end(kFindings);
}

void mark_findings(const MeasureSpec& spec, Study& study) {
  // A study that went on is judged anew as a whole.
  std::erase_if(study.notes, is_finding);
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
