#include "kstar/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

#include "base/number.h"
#include "base/try.h"
#include "base/words.h"
#include "compare/changes.h"
#include "compare/comparable.h"
#include "compare/evidence.h"
#include "compare/gate.h"
#include "compare/joint_test.h"
#include "compare/sessions.h"
#include "compare/side.h"

namespace kstar::comparing {

namespace {

using Notes = std::vector<Note>;

/// K that only one side has.
void note_left_out(const Times& times, const Times& other, const char* side, Notes& notes) {
  std::set<int> rest = workers_in(times);
  for (const int k : workers_in(other)) rest.erase(k);
  if (rest.empty()) return;
  notes.push_back(note(Severity::kInfo, "left-out",
                       {{"k", list_text(rest)}, {"count", rest.size()}, {"side", side}}));
}

void note_base(const Side& before, const Side& after, Notes& notes) {
  if (same_base(before, after)) return;
  notes.push_back(note(Severity::kWarning, "other-base", {}));
}

/// Two of another kind are refused, or warned of, already.
void note_shares(const Side& before, const Side& after, Notes& notes) {
  if (!is_relative(before.kind) || !is_relative(after.kind)) return;
  notes.push_back(note(Severity::kInfo, "relative-times", {}));
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
      note(Severity::kWarning, "equal-runs", {{"k", list_text(equal)}, {"error", most}}, which));
}

/// Two measurements do not give the same times to the last digit, unless there is only one.
bool is_copy(const Side& before, const Side& after) {
  const auto& [workers, samples] = *before.times.begin();
  return before.times == after.times && (before.times.size() > 1 || samples.size() > 1);
}

void note_copy(const Side& before, const Side& after, Notes& notes) {
  if (is_copy(before, after)) notes.push_back(note(Severity::kWarning, "same-times", {}));
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
    return std::find(all.begin(), all.end(), note) != all.end();
  };
  const Notes first = warnings_of(before), second = warnings_of(after);
  for (const Note& note : first) add(note, among(note, second) ? "before and after" : "before");
  for (const Note& note : second) {
    if (!among(note, first)) add(note, "after");
  }
}

/// What a reader of the ratios must know: K that were left out, another base, what the intervals do
/// not hold, and each side's own warnings. `before` and `after` are the times of all K.
std::vector<Note> notes_on(const Times& before, const Times& after, const Side& first,
                           const Side& second) {
  Notes notes;
  note_left_out(before, after, "before", notes);
  note_left_out(after, before, "after", notes);
  note_base(first, second, notes);
  note_shares(first, second, notes);
  note_equal(first, "before", notes);
  note_equal(second, "after", notes);
  note_copy(first, second, notes);
  note_warnings(first, second, notes);
  return notes;
}

}  // namespace

}  // namespace kstar::comparing

namespace kstar {

namespace {

using namespace comparing;

Result<void> check(const CompareOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return fail(expected("confidence", "a number between 0 and 1", shortest(options.confidence)));
  }
  if (!(options.smallest > 0 && std::isfinite(options.smallest))) {
    return fail(expected("smallest", "a share above 0", shortest(options.smallest)));
  }
  return {};
}

Error no_common(const Study& before, const Study& after) {
  return {.where = after.name,
          .message = fmt::format("expected runs at a K of {} ({}), got runs at {}",
                                 before.name.empty() ? "the study before" : before.name,
                                 list_text(workers_in(times_of(before))),
                                 list_text(workers_in(times_of(after)))),
          .hint = {},
          .excerpt = {}};
}

Error not_comparable(const Study& before, const Study& after, const std::vector<Note>& reasons,
                     bool times) {
  std::string text;
  for (const Note& reason : reasons) {
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : "; ",
                    reason.where.empty() ? "" : "at " + reason.where + ": ", note_sentence(reason));
  }
  return {.where = fmt::format("{}, {}", before.name, after.name),
          .message = "not comparable: " + text,
          .hint = fmt::format("--anyway compares {} with a warning",
                              times ? "them" : "S and E, but not T,"),
          .excerpt = {}};
}

Result<void> put_gates(const CompareOptions& options, Comparison& comparison) {
  for (const Gate& gate : options.gates) {
    KSTAR_TRY(GateOutcome outcome, judge(gate, comparison));
    const bool fails = outcome.verdict == GateVerdict::kFailed ||
                       (options.strict && outcome.verdict == GateVerdict::kUndecided);
    comparison.passed = comparison.passed && !fails;
    comparison.gates.push_back(std::move(outcome));
  }
  return {};
}

void put_options(const Side& before, const Side& after, const CompareOptions& options,
                 Comparison& comparison) {
  comparison.before = before.study.name;
  comparison.after = after.study.name;
  comparison.confidence = options.confidence;
  comparison.smallest = options.smallest;
  comparison.threshold = options.threshold;
  if (before.analysis.table.regime == after.analysis.table.regime) {
    comparison.regime = before.analysis.table.regime;
  }
  comparison.base_workers = before.analysis.table.base_workers;
  comparison.times_compared = same_seconds(before, after);
}

bool hides_noise(const Side& side) {
  return std::any_of(side.hidden.begin(), side.hidden.end(),
                     [](const auto& at) { return at.second.error > 0; });
}

/// The typical run decides where there is one: a slow run neither hides a change nor makes one.
void decide_by_typical(const RatioChange& typical, const Comparison& comparison,
                       WorkersChange& point) {
  const bool evident = is_evident(typical, comparison.confidence);
  point.typical = typical;
  point.verdict = !evident                  ? ChangeVerdict::kNoEvidence
                  : typical.ratio.point > 1 ? ChangeVerdict::kWorse
                                            : ChangeVerdict::kBetter;
  point.settled = is_settled(typical.ratio, comparison.smallest);
  point.more_runs.reset();
  if (evident || point.settled) return;
  point.more_runs = more_runs(typical.ratio, {.smallest = comparison.smallest,
                                              .confidence = comparison.confidence,
                                              .compared = comparison.points.size(),
                                              .runs_before = point.runs_before,
                                              .runs_after = point.runs_after});
}

/// Whether one side has more slow runs, and its mean is another for it by `smallest` or more.
bool moved_by_slow(const SlowRuns& slow, double mean, double smallest) {
  const std::uint64_t before = std::uint64_t{slow.before} * slow.runs_after;
  const std::uint64_t after = std::uint64_t{slow.after} * slow.runs_before;
  return after > before ? mean > 1 + smallest : after < before && mean < 1 / (1 + smallest);
}

/// A tail that came or went is a change that the typical run does not show. Where counts are too
/// few to prove it, nothing is settled.
void decide_by_slow(const std::optional<SlowRuns>& slow, const Comparison& comparison,
                    WorkersChange& point) {
  point.slow_runs = slow;
  const double mean = point.time.ratio.point;
  if (!slow || !moved_by_slow(*slow, mean, comparison.smallest)) return;
  const bool evident =
      slow->adjusted_p < 1 - comparison.confidence || is_evident(point.time, comparison.confidence);
  const ChangeVerdict verdict = mean > 1 ? ChangeVerdict::kWorse : ChangeVerdict::kBetter;
  if (point.verdict == verdict) return;  // the typical run shows it, too
  if (!evident && point.verdict != ChangeVerdict::kNoEvidence) return;
  point.by_slow_runs = true;
  point.verdict = evident ? verdict : ChangeVerdict::kNoEvidence;
  point.settled = false;
  point.more_runs.reset();
  if (evident) return;
  point.more_runs = more_for_slow(*slow, comparison.confidence, comparison.points.size());
}

void put_joint(const Side& before, const Side& after, Comparison& comparison) {
  if (hides_noise(before) || hides_noise(after)) return;
  const auto slow = slow_runs(before.times, after.times);
  if (slow) comparison.slow_runs = slow->all;
  BlockFreeTimes times{before.times, after.times, {}};
  if (comparison.sessions.interleaved) times = without_blocks(before, after);
  const auto test = joint_test(times.before, times.after, comparison.confidence, times.taken);
  if (!test) return;
  comparison.joint = test->all;
  for (std::size_t i = 0; i < comparison.points.size(); ++i) {
    decide_by_typical(test->at[i], comparison, comparison.points[i]);
    if (slow) decide_by_slow(slow->at[i], comparison, comparison.points[i]);
  }
}

/// Both programs in one session decide what two sessions leave open.
std::string next_command(const Side& before, const Side& after) {
  const std::vector<std::string>&first = before.study.header.command,
        &second = after.study.header.command;
  const bool measured = before.study.header.source.kind == SourceKind::kMeasured &&
                        after.study.header.source.kind == SourceKind::kMeasured;
  if (first.empty() || second.empty() || !measured) return "";
  std::string workers = list_text(workers_in(before.times));
  std::erase(workers, ' ');
  std::size_t runs = 0;
  for (const Side* side : {&before, &after}) {
    for (const auto& [k, times] : side->times) runs = std::max(runs, times.size());
  }
  std::string quoted;
  for (const char c : join_words(first)) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return fmt::format("kstar measure --workers {} --runs {} {}--against '{}' -o both.jsonl -- {}",
                     workers, runs,
                     after.study.header.protocol.same_command ? "--same-command " : "", quoted,
                     join_words(second));
}

bool had_other_jobs(const Analysis& analysis) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [](const Suspicion& one) { return one.kind == SuspicionKind::kBusyMachine; });
}

/// A job that waited for CPUs shows what else ran, not what changed.
void doubt_machine(const Side& before, const Side& after, Comparison& comparison) {
  comparison.busy_machine = had_other_jobs(before.analysis) || had_other_jobs(after.analysis);
  if (!comparison.busy_machine) return;
  for (WorkersChange& point : comparison.points) {
    point.verdict = ChangeVerdict::kNoEvidence;
    point.settled = false;
    point.more_runs.reset();
  }
  if (comparison.joint) comparison.joint->verdict = ChangeVerdict::kNoEvidence;
}

/// Whether a time or an efficiency changed, so that the bend may have.
bool has_evidence(const Comparison& comparison) {
  const auto changed = [](ChangeVerdict verdict) { return verdict != ChangeVerdict::kNoEvidence; };
  if (comparison.joint && changed(comparison.joint->verdict)) return true;
  return std::any_of(
      comparison.points.begin(), comparison.points.end(), [&](const WorkersChange& point) {
        return changed(point.verdict) ||
               (point.efficiency && is_evident(*point.efficiency, comparison.confidence));
      });
}

/// More runs of a copy would be copies.
void leave_copy(const Side& before, const Side& after, Comparison& comparison) {
  if (!is_copy(before, after)) return;
  for (WorkersChange& point : comparison.points) point.more_runs.reset();
}

/// What both sides' analyses say; the notes are there already.
Result<void> put_changes(const Side& before, const Side& after, const CompareOptions& options,
                         Comparison& comparison) {
  KSTAR_TRY(std::vector<WorkersChange> points, changes_at_all(before, after, options));
  comparison.points = std::move(points);
  comparison.sessions = session_evidence(before, after, options.sessions_of);
  comparison.next_command = next_command(before, after);
  if (comparison.times_compared) put_joint(before, after, comparison);
  doubt_sessions(before, after, options.sessions_of, comparison);
  doubt_machine(before, after, comparison);
  comparison.bend = bend_change(before.analysis, after.analysis, workers_of(comparison));
  if (!has_evidence(comparison)) comparison.bend.bend_clear = comparison.bend.verdict_clear = false;
  leave_copy(before, after, comparison);
  if (comparison.times_compared) put_parts(before.analysis, after.analysis, comparison);
  put_causes(before.analysis.diagnosis, after.analysis.diagnosis, comparison);
  return put_gates(options, comparison);
}

}  // namespace

std::string_view name_of(ChangeVerdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"better", "worse", "no_evidence",
                                                      "change_or_session"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

std::string_view name_of(GateVerdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"passed", "failed", "undecided"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

bool compares_efficiency(const Comparison& comparison) {
  return std::any_of(comparison.points.begin(), comparison.points.end(),
                     [](const WorkersChange& point) { return point.efficiency.has_value(); });
}

Result<Comparison> compare(Study before, Study after, const CompareOptions& options) {
  KSTAR_CHECK(check(options));
  const Times times_before = times_of(before), times_after = times_of(after);
  const std::set<int> workers = common_workers(times_before, times_after);
  if (workers.empty()) return fail(no_common(before, after));
  KSTAR_TRY(const Side first, side_of(std::move(before), workers, options));
  KSTAR_TRY(const Side second, side_of(std::move(after), workers, options));
  const Differences found = differences(first, second);
  if (!found.fatal.empty() && !options.anyway) {
    return fail(
        not_comparable(first.study, second.study, found.fatal, same_seconds(first, second)));
  }
  KSTAR_CHECK(check_sessions_of(options.sessions_of, first));
  Comparison comparison;
  put_options(first, second, options, comparison);
  comparison.notes = found.fatal;
  for (const auto& more : {found.notes, notes_on(times_before, times_after, first, second)}) {
    comparison.notes.insert(comparison.notes.end(), more.begin(), more.end());
  }
  KSTAR_CHECK(put_changes(first, second, options, comparison));
  return comparison;
}

}  // namespace kstar
