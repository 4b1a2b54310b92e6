#include "compare/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace kstar::comparing {

namespace {

using Notes = std::vector<Note>;

void add_note(Severity severity, const char* what, std::string text, Notes& notes) {
  notes.push_back(
      {.severity = severity, .what = what, .where = {}, .text = std::move(text), .extra = {}});
}

/// K that only one side has.
void note_left_out(const Times& times, const Times& other, const char* side, Notes& notes) {
  std::set<int> rest = workers_in(times);
  for (const int k : workers_in(other)) rest.erase(k);
  if (rest.empty()) return;
  add_note(Severity::kInfo, "left-out",
           fmt::format("K = {} {} measured {} only, and left out", list_text(rest),
                       rest.size() == 1 ? "was" : "were", side),
           notes);
}

void note_base(const Side& before, const Side& after, Notes& notes) {
  if (same_base(before, after)) return;
  add_note(Severity::kWarning, "other-base",
           "S and E have another base or regime before and after, and are not compared", notes);
}

/// Two of another kind are refused, or warned of, already.
void note_shares(const Side& before, const Side& after, Notes& notes) {
  if (before.kind != TimeKind::kShare || after.kind != TimeKind::kShare) return;
  add_note(Severity::kInfo, "relative-times",
           "both studies hold speedups alone: T is in parts of each one's own base, so S and E are "
           "compared, and T is not",
           notes);
}

/// Equal runs hide their noise; what was put in its place.
void note_equal(const Side& side, const char* which, Notes& notes) {
  std::set<int> equal;
  double most = 0;
  for (const auto& [workers, hidden] : side.hidden) {
    if (hidden.error <= 0) continue;
    equal.insert(workers);
    most = std::max(most, hidden.error);
  }
  if (equal.empty()) return;
  notes.push_back(
      {.severity = Severity::kWarning,
       .what = "equal-runs",
       .where = which,
       .text = fmt::format("all runs are equal to the last digit at K = {}: rounding hides their "
                           "noise. What a step of that digit leaves open (up to {} of T, one "
                           "standard deviation) is in the intervals instead; times with more "
                           "digits would tell more",
                           list_text(equal), percent(most, most < 0.001 ? 3 : 1)),
       .extra = {}});
}

/// Two measurements do not give the same times to the last digit, unless there is only one.
bool is_copy(const Side& before, const Side& after) {
  const auto& [workers, samples] = *before.times.begin();
  return before.times == after.times && (before.times.size() > 1 || samples.size() > 1);
}

/// What the intervals do not hold.
void note_sessions(const Side& before, const Side& after, Notes& notes) {
  if (is_copy(before, after)) {
    add_note(Severity::kWarning, "same-times",
             "before and after hold the same times, run by run: one is a copy of the other", notes);
    return;
  }
  if (scope_of(before) == Scope::kSeveralSessions && scope_of(after) == Scope::kSeveralSessions) {
    return;
  }
  add_note(Severity::kInfo, "two-sessions",
           "before and after are two sessions. What differs between sessions (the day, the "
           "allocation, other users, the clock) is in the ratios and not in their intervals: "
           "several sessions of each side would show it.",
           notes);
}

Notes warnings_of(const Side& side) {
  Notes warnings;
  for (const Note& note : side.analysis.notes) {
    if (note.severity != Severity::kInfo) warnings.push_back(note);
  }
  return warnings;
}

/// Each side's own warnings, with the side's name; what both say is said once.
void note_warnings(const Side& before, const Side& after, Notes& notes) {
  const auto add = [&](Note note, const char* side) {
    note.where = note.where.empty() ? side : fmt::format("{}, {}", side, note.where);
    notes.push_back(std::move(note));
  };
  const auto among = [](const Note& note, const Notes& all) {
    return std::any_of(all.begin(), all.end(), [&](const Note& other) {
      return other.what == note.what && other.where == note.where && other.text == note.text;
    });
  };
  const Notes first = warnings_of(before), second = warnings_of(after);
  for (const Note& note : first) add(note, among(note, second) ? "before and after" : "before");
  for (const Note& note : second) {
    if (!among(note, first)) add(note, "after");
  }
}

}  // namespace

std::vector<Note> notes_on(const Times& before, const Times& after, const Side& first,
                           const Side& second) {
  Notes notes;
  note_left_out(before, after, "before", notes);
  note_left_out(after, before, "after", notes);
  note_base(first, second, notes);
  note_shares(first, second, notes);
  note_equal(first, "before", notes);
  note_equal(second, "after", notes);
  note_sessions(first, second, notes);
  note_warnings(first, second, notes);
  return notes;
}

}  // namespace kstar::comparing
