#include "analysis/notes.h"

#include <fmt/format.h>

#include <set>

#include "analysis/fit/beliefs.h"
#include "base/number.h"

namespace kstar {

namespace {

using Notes = std::vector<Note>;

void add(Severity severity, const char* what, std::string where, std::string text, Notes& notes) {
  notes.push_back(
      {.severity = severity, .what = what, .where = std::move(where), .text = std::move(text)});
}

std::string name_of_point(const ScalingPoint& point) {
  return point.role == Role::kBaseline ? "baseline" : fmt::format("K = {}", point.workers);
}

void note_failed(const ScalingTable& table, Notes& notes) {
  for (const ScalingPoint& point : table.points) {
    if (point.failed == 0) continue;
    const std::size_t all = point.failed + point.warm_up + point.times.n;
    add(Severity::kWarning, "runs-failed", name_of_point(point),
        fmt::format("{} of {} runs failed and are not used", point.failed, all), notes);
  }
}

/// What is assumed where one run does not show the noise: that of the other K, or that of single
/// values.
void note_single(const Analysis& analysis, Notes& notes) {
  std::string workers;
  std::size_t singles = 0;
  bool pooled = true;
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.times.n > 1) continue;
    ++singles;
    pooled = pooled && is_bounded(point.time);
    workers += fmt::format("{}{}", workers.empty() ? "" : ", ", name_of_point(point));
  }
  if (singles == 0) return;
  const std::string assumed = pooled ? "the noise of the other K is assumed"
                                     : fmt::format("an error of {} to {} is assumed",
                                                   percent(curves::kErrors.front().size, 1),
                                                   percent(curves::kErrors.back().size, 0));
  add(Severity::kWarning, "one-value",
      singles == analysis.table.points.size() ? "every K" : workers,
      fmt::format("one run per K does not show the noise: {}", assumed), notes);
}

void note_base(const ScalingTable& table, Notes& notes) {
  if (table.base_workers == 1) return;
  add(Severity::kInfo, "base-workers", fmt::format("K = {}", table.base_workers),
      fmt::format("K = 1 was not measured: S and E are relative to K = {}, assuming no loss there",
                  table.base_workers),
      notes);
}

/// Time to train has an efficiency of its own, where the table has none.
void note_missing_base(const Analysis& analysis, Notes& notes) {
  const ScalingTable& table = analysis.table;
  if (analysis.time_to_train) return;
  if (has_efficiency(table)) return;
  const bool mixed = table.regime == Regime::kMixed;
  add(Severity::kWarning, "no-efficiency", "",
      mixed ? "the problem changes with K in a way that is neither strong nor weak: there is no "
              "speedup, no efficiency and no recommended number of workers"
            : "the base has no usable time: no number of workers can be recommended",
      notes);
}

void note_training(const Study& study, const Analysis& analysis, Notes& notes) {
  if (analysis.time_to_train) {
    const Notes& more = analysis.time_to_train->notes;
    notes.insert(notes.end(), more.begin(), more.end());
    return;
  }
  std::set<int> workers;
  for (const Run& run : study.runs) {
    if (run.work && run.role == Role::kParallel && counts(run)) workers.insert(run.workers);
  }
  if (workers.size() < 2) return;
  add(Severity::kWarning, "work-unlike", "",
      "not every run records what it needed to converge, or the unit differs between K: time to "
      "train is not split into factors",
      notes);
}

/// One bad K between good ones is more likely an accident of that K than a bend.
void note_recovery(const Analysis& analysis, Notes& notes) {
  if (!analysis.bend || !analysis.recommendation.good_again) return;
  add(Severity::kWarning, "not-monotone", fmt::format("K = {}", analysis.bend->first_bad),
      fmt::format("E is below {} here, and above it again at K = {}: check what is wrong at this K",
                  significant(analysis.table.threshold, 3), *analysis.recommendation.good_again),
      notes);
}

void note_drift(const std::vector<StepStability>& all, Notes& notes) {
  constexpr double kMuch = 0.02;
  for (const StepStability& steps : all) {
    if (!steps.drift || !is_bounded(*steps.drift)) continue;
    const bool slower = steps.drift->low > 1 + kMuch, faster = steps.drift->high < 1 - kMuch;
    if (!slower && !faster) continue;
    add(Severity::kWarning, "step-drift", fmt::format("K = {}", steps.workers),
        fmt::format(
            "steps get {} inside a run: the last third takes {} of the first ({} to {}); {}",
            slower ? "slower" : "faster", percent(steps.drift->point, 1),
            percent(steps.drift->low, 1), percent(steps.drift->high, 1),
            slower ? "possible reasons: heat, memory, or a growing problem"
                   : "warm-up steps may be included"),
        notes);
  }
}

}  // namespace

std::vector<Note> analysis_notes(const Study& study, const Analysis& analysis) {
  Notes notes;
  for (const Note& note : study.notes) {
    if (note.severity != Severity::kInfo) notes.push_back(note);
  }
  notes.insert(notes.end(), analysis.table.notes.begin(), analysis.table.notes.end());
  note_failed(analysis.table, notes);
  note_base(analysis.table, notes);
  note_missing_base(analysis, notes);
  note_training(study, analysis, notes);
  note_single(analysis, notes);
  note_recovery(analysis, notes);
  note_drift(analysis.steps, notes);
  return notes;
}

}  // namespace kstar
