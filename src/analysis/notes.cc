#include "analysis/notes.h"

#include <fmt/format.h>

#include <set>

#include "analysis/fit/beliefs.h"
#include "base/number.h"

namespace kstar {

namespace {

using Notes = std::vector<Note>;

void add(Severity severity, const char* what, std::string where, NoteValues values, Notes& notes) {
  notes.push_back(
      {.severity = severity, .what = what, .where = std::move(where), .values = std::move(values)});
}

std::string name_of_point(const ScalingPoint& point) {
  return point.role == Role::kBaseline ? "baseline" : fmt::format("K = {}", point.workers);
}

void note_failed(const ScalingTable& table, Notes& notes) {
  for (const ScalingPoint& point : table.points) {
    if (point.failed == 0) continue;
    const std::size_t all = point.failed + point.warm_up + point.times.n;
    add(Severity::kWarning, "runs-failed", name_of_point(point),
        {{"failed", point.failed}, {"runs", all}}, notes);
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
  NoteValues assumed;
  if (!pooled) {
    assumed = {{"least", curves::kErrors.front()}, {"most", curves::kErrors.back()}};
  }
  add(Severity::kWarning, "one-value",
      singles == analysis.table.points.size() ? "every K" : workers, std::move(assumed), notes);
}

void note_base(const ScalingTable& table, Notes& notes) {
  if (table.base_workers == 1) return;
  add(Severity::kInfo, "base-workers", fmt::format("K = {}", table.base_workers),
      {{"base", table.base_workers}}, notes);
}

/// Time to train has an efficiency of its own, where the table has none.
void note_missing_base(const Analysis& analysis, Notes& notes) {
  const ScalingTable& table = analysis.table;
  if (analysis.time_to_train) return;
  if (has_efficiency(table)) return;
  NoteValues values;
  if (table.regime == Regime::kMixed) values.emplace("mixed", true);
  add(Severity::kWarning, "no-efficiency", "", std::move(values), notes);
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
  add(Severity::kWarning, "work-unlike", "", {}, notes);
}

/// One bad K between good ones is more likely an accident of that K than a bend.
void note_recovery(const Analysis& analysis, Notes& notes) {
  if (!analysis.bend || !analysis.recommendation.good_again) return;
  add(Severity::kWarning, "not-monotone", fmt::format("K = {}", analysis.bend->first_bad),
      {{"threshold", analysis.table.threshold}, {"again", *analysis.recommendation.good_again}},
      notes);
}

void note_drift(const std::vector<StepStability>& all, Notes& notes) {
  constexpr double kMuch = 0.02;
  for (const StepStability& steps : all) {
    if (!steps.drift || !is_bounded(*steps.drift)) continue;
    const bool slower = steps.drift->low > 1 + kMuch, faster = steps.drift->high < 1 - kMuch;
    if (!slower && !faster) continue;
    add(Severity::kWarning, "step-drift", fmt::format("K = {}", steps.workers),
        {{slower ? "slower" : "faster", steps.drift->point},
         {"low", steps.drift->low},
         {"high", steps.drift->high}},
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
