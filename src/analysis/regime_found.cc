#include "analysis/regime_found.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/work_growth.h"
#include "base/number.h"

namespace kstar {

namespace {

Note note(Severity severity, const char* what, std::string text, std::string where = "regime") {
  return {.severity = severity, .what = what, .where = std::move(where), .text = std::move(text)};
}

/// "batch is 128 at K = 1 and 1024 at K = 8".
std::string at_two(const WorkGrowth& growth, const WorkGrowth::Point& point) {
  const WorkGrowth::Point& base = growth.points.front();
  return fmt::format("{} is {} at K = {} and {} at K = {}", growth.what,
                     significant(base.amount, 6), base.workers, significant(point.amount, 6),
                     point.workers);
}

/// The work that says most against the regime.
std::string at_worst(const WorkGrowth& growth, Regime regime) {
  const auto worst = against(growth, regime);
  return at_two(growth, worst ? *worst : growth.points.back());
}

/// Throughput counts work a second, whatever the work: nothing contradicts it.
/// `counted`: S counts the work as it grows.
void compare(Regime declared, const std::optional<WorkGrowth>& growth, bool counted,
             std::vector<Note>& notes) {
  if (!growth || declared == Regime::kThroughput) return;
  const Regime shown = regime_of(*growth);
  if (shown == declared) return;
  if (counted) {
    notes.push_back(note(
        Severity::kInfo, "work-counted",
        fmt::format("{}: S counts the work as it grows", at_two(*growth, growth->points.back()))));
    return;
  }
  const Regime asked = declared == Regime::kMixed ? shown : declared;
  const auto worst = against(*growth, asked);
  notes.push_back(note(
      Severity::kWarning, "regime-contradicted",
      fmt::format("declared {}, but the work is that of {} scaling: {}; S and E are those of {}",
                  name_of(declared), name_of(shown), at_worst(*growth, asked), name_of(declared)),
      fmt::format("K = {}", worst ? worst->workers : growth->points.back().workers)));
}

std::string what_it_is(const WorkGrowth& growth, Regime regime) {
  if (regime != Regime::kMixed) return fmt::format("{} scaling", name_of(regime));
  return growth.until_converged ? "another batch is another training, and so mixed"
                                : "neither fixed nor in proportion to K, and so mixed";
}

FoundRegime derived(const std::optional<WorkGrowth>& by_header,
                    const std::optional<WorkGrowth>& by_workers) {
  const WorkGrowth& growth = by_header ? *by_header : *by_workers;
  FoundRegime found{.regime = regime_of(growth), .notes = {}};
  if (by_header && by_workers && regime_of(*by_workers) != found.regime) {
    found.notes.push_back(
        note(Severity::kWarning, "regime-contradicted",
             fmt::format("not declared, and two sources disagree: {}, but {}; it is taken as mixed",
                         at_worst(*by_header, regime_of(*by_workers)),
                         at_worst(*by_workers, found.regime))));
    found.regime = Regime::kMixed;
    return found;
  }
  found.notes.push_back(
      note(Severity::kInfo, "regime-derived",
           fmt::format("not declared; {}: {}", at_two(growth, growth.points.back()),
                       what_it_is(growth, found.regime))));
  return found;
}

FoundRegime chosen(const Study& study, std::optional<Regime> told,
                   const std::optional<WorkGrowth>& by_header,
                   const std::optional<WorkGrowth>& by_workers) {
  const std::optional<Regime> declared = study.header.regime ? study.header.regime : told;
  if (!declared && (by_header || by_workers)) return derived(by_header, by_workers);
  FoundRegime found{.regime = declared.value_or(Regime::kStrong), .notes = {}};
  if (!declared) {
    found.notes.push_back(
        note(Severity::kWarning, "regime-assumed",
             "neither the regime nor the work at each K is known: taken as strong scaling, the "
             "same problem at every K; --regime says what it is"));
    return found;
  }
  if (told && *told != *declared) {
    found.notes.push_back(note(Severity::kWarning, "regime-told",
                               fmt::format("the study declares {}, and {} was asked for: the "
                                           "study's own is used",
                                           name_of(*declared), name_of(*told))));
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
    notes.push_back(note(Severity::kWarning, "stopping-differs",
                         "runs do not end by the same rule at every K: the problem changes"));
  }
  const bool said = std::any_of(notes.begin(), notes.end(), [](const Note& each) {
    return each.what == "regime-contradicted";
  });
  if (!said && regime == Regime::kStrong && sizes.size() == 1 && batches.size() > 1) {
    notes.push_back(
        note(Severity::kWarning, "batch-differs",
             fmt::format("the data are the same at every K, but batches are {} to {}: "
                         "training with another batch is another problem",
                         significant(*batches.begin(), 6), significant(*batches.rbegin(), 6))));
  }
}

}  // namespace

FoundRegime find_regime(const Study& study, std::optional<Regime> told) {
  FoundRegime found = chosen(study, told, growth_by_header(study), growth_by_workers(study));
  compare_workloads(study, found.regime, found.notes);
  return found;
}

}  // namespace kstar
