#include "compare/time_kind.h"

#include <algorithm>

namespace kstar::comparing {

namespace {

bool has_note(const Study& study, std::string_view what) {
  return std::any_of(study.notes.begin(), study.notes.end(),
                     [what](const Note& note) { return note.what == what; });
}

}  // namespace

TimeKind time_kind(const Study& study) {
  // What importing says of numbers that are no times of whole runs (docs/study-format.md).
  if (has_note(study, "relative")) return TimeKind::kShare;
  if (has_note(study, "rate")) return TimeKind::kUnit;
  if (has_note(study, "per-step")) return TimeKind::kStep;
  const bool steps = std::any_of(study.runs.begin(), study.runs.end(),
                                 [](const Run& run) { return counts(run) && !run.steps.empty(); });
  return steps ? TimeKind::kStep : TimeKind::kRun;
}

std::string_view words_of(TimeKind kind) {
  switch (kind) {
    case TimeKind::kRun:
      return "a whole run";
    case TimeKind::kStep:
      return "one step";
    case TimeKind::kUnit:
      return "one unit of work (a rate)";
    case TimeKind::kShare:
      return "a part of the base's own time (a speedup)";
  }
  return "";
}

}  // namespace kstar::comparing
