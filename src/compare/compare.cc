#include "kstar/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "compare/changes.h"
#include "compare/comparable.h"
#include "compare/evidence.h"
#include "compare/gate_judge.h"
#include "compare/times.h"

namespace kstar {

namespace {

using namespace comparing;

/// One study, as far as the other has the same K.
struct Side {
  Study study;
  Times times;
  Analysis analysis;
};

Result<void> check(const CompareOptions& options) {
  if (!(options.confidence > 0 && options.confidence < 1)) {
    return fail(expected("confidence", "a number between 0 and 1", shortest(options.confidence)));
  }
  if (!(options.smallest > 0 && std::isfinite(options.smallest))) {
    return fail(expected("smallest", "a share above 0", shortest(options.smallest)));
  }
  return {};
}

std::string list_text(const std::set<int>& workers) {
  std::string text;
  for (const int k : workers) text += fmt::format("{}{}", text.empty() ? "" : ", ", k);
  return text.empty() ? "none" : text;
}

std::set<int> workers_in(const Times& times) {
  std::set<int> workers;
  for (const auto& [k, samples] : times) workers.insert(k);
  return workers;
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

Error not_comparable(const Study& before, const Study& after, const std::vector<Note>& reasons) {
  std::string text;
  for (const Note& reason : reasons) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        reason.where.empty() ? "" : "at " + reason.where + ": ", reason.text);
  }
  return {.where = fmt::format("{}, {}", before.name, after.name),
          .message = "not comparable: " + text,
          .hint = "--anyway compares them all the same, with a warning",
          .excerpt = {}};
}

Result<Side> side_of(const Study& study, const std::set<int>& workers,
                     const CompareOptions& options) {
  Side side;
  side.study = restricted(study, workers);
  side.times = times_of(side.study);
  Result<Analysis> analysis = analyze(side.study, {.threshold = options.threshold,
                                                   .confidence = options.confidence,
                                                   .regime = options.regime,
                                                   .model = options.model,
                                                   .resamples = options.resamples,
                                                   .seed = options.seed});
  if (!analysis) return fail(analysis.error());
  side.analysis = std::move(*analysis);
  return side;
}

const ScalingPoint& point_at(const Side& side, int workers) {
  const auto& points = side.analysis.table.points;
  return *std::find_if(points.begin(), points.end(), [workers](const ScalingPoint& point) {
    return point.role == Role::kParallel && point.workers == workers;
  });
}

bool same_base(const ScalingTable& a, const ScalingTable& b) {
  return a.regime == b.regime && a.base_workers == b.base_workers && a.base_role == b.base_role;
}

void set_efficiency(const ScalingPoint& before, const ScalingPoint& after, double confidence,
                    WorkersChange& change) {
  change.efficiency_before = before.efficiency;
  change.efficiency_after = after.efficiency;
  if (!before.efficiency || !after.efficiency) return;
  const Result<Estimate> ratio = estimate_ratio(*after.efficiency, *before.efficiency, confidence);
  if (ratio) change.efficiency = Change{.ratio = *ratio, .p = chance_of(*ratio)};
}

std::vector<WorkersChange> changes_of(const Side& before, const Side& after,
                                      const std::vector<Estimate>& ratios,
                                      const CompareOptions& options) {
  const bool efficiencies = same_base(before.analysis.table, after.analysis.table);
  std::vector<WorkersChange> changes;
  for (const auto& [workers, samples] : before.times) {
    const ScalingPoint& first = point_at(before, workers);
    const ScalingPoint& second = point_at(after, workers);
    const Estimate& ratio = ratios[changes.size()];
    WorkersChange change;
    change.workers = workers;
    change.runs_before = samples.size();
    change.runs_after = after.times.at(workers).size();
    change.before = first.time;
    change.after = second.time;
    change.time = {.ratio = ratio, .p = chance_of(ratio)};
    change.settled = is_settled(ratio, options.smallest);
    if (efficiencies) set_efficiency(first, second, options.confidence, change);
    changes.push_back(std::move(change));
  }
  return changes;
}

/// An efficiency that is 1 by definition is nothing that was looked at.
bool is_exact(const Estimate& ratio) {
  return ratio.standard_error == 0 && ratio.point == 1;
}

void correct_for_many(std::vector<WorkersChange>& points) {
  std::vector<Change*> times, efficiencies;
  for (WorkersChange& point : points) {
    times.push_back(&point.time);
    if (point.efficiency && !is_exact(point.efficiency->ratio)) {
      efficiencies.push_back(&*point.efficiency);
    }
  }
  adjust(times);
  adjust(efficiencies);
}

void set_verdicts(const CompareOptions& options, std::vector<WorkersChange>& points) {
  for (WorkersChange& point : points) {
    if (is_evident(point.time, options.confidence)) {
      point.verdict = point.time.ratio.point > 1 ? ChangeVerdict::kWorse : ChangeVerdict::kBetter;
    } else if (!point.settled) {
      point.more_runs = more_runs(point.time.ratio, {.smallest = options.smallest,
                                                     .confidence = options.confidence,
                                                     .compared = points.size(),
                                                     .runs_before = point.runs_before,
                                                     .runs_after = point.runs_after});
    }
  }
}

void add_note(Severity severity, const char* what, std::string text, Comparison& comparison) {
  comparison.notes.push_back(
      {.severity = severity, .what = what, .where = {}, .text = std::move(text), .extra = {}});
}

/// K that only one side has.
void note_left_out(const Times& before, const Times& after, const std::set<int>& common,
                   Comparison& comparison) {
  const auto without = [&common](const Times& times) {
    std::set<int> rest;
    for (const int k : workers_in(times)) {
      if (!common.contains(k)) rest.insert(k);
    }
    return rest;
  };
  for (const auto& [rest, name] :
       {std::pair{without(before), "before"}, {without(after), "after"}}) {
    if (rest.empty()) continue;
    add_note(Severity::kInfo, "left-out",
             fmt::format("K = {} {} measured {} only, and left out", list_text(rest),
                         rest.size() == 1 ? "was" : "were", name),
             comparison);
  }
}

/// What the intervals do not hold.
void note_sessions(const Side& before, const Side& after, Comparison& comparison) {
  const auto scope = [](const Side& side) { return side.analysis.table.points.front().time.scope; };
  if (scope(before) == Scope::kSeveralSessions && scope(after) == Scope::kSeveralSessions) return;
  add_note(Severity::kInfo, "two-sessions",
           "before and after are two sessions. What differs between sessions (the day, the "
           "allocation, other users, the clock) is in the ratios and not in their intervals: "
           "several sessions of each side would show it.",
           comparison);
}

void note_base(const Side& before, const Side& after, Comparison& comparison) {
  if (same_base(before.analysis.table, after.analysis.table)) return;
  add_note(Severity::kWarning, "other-base",
           "S and E have another base or regime before and after, and are not compared",
           comparison);
}

/// Each side's own warnings, with the side's name.
void note_warnings(const Side& side, const char* name, Comparison& comparison) {
  for (const Note& note : side.analysis.notes) {
    if (note.severity == Severity::kInfo) continue;
    Note copy = note;
    copy.where = note.where.empty() ? name : fmt::format("{}, {}", name, note.where);
    comparison.notes.push_back(std::move(copy));
  }
}

Result<void> put_gates(const CompareOptions& options, Comparison& comparison) {
  for (const Gate& gate : options.gates) {
    Result<GateOutcome> outcome = judge(gate, comparison);
    if (!outcome) return fail(outcome.error());
    const bool fails = outcome->verdict == GateVerdict::kFailed ||
                       (options.strict && outcome->verdict == GateVerdict::kUndecided);
    comparison.passed = comparison.passed && !fails;
    comparison.gates.push_back(std::move(*outcome));
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
}

/// What both sides' analyses say; the notes are there already.
Result<void> put_changes(const Side& before, const Side& after, const CompareOptions& options,
                         Comparison& comparison) {
  const auto scope = [](const Side& side) { return side.analysis.table.points.front().time.scope; };
  const Result<std::vector<Estimate>> ratios =
      time_ratios(before.times, after.times, options.confidence, scope(before), scope(after));
  if (!ratios) return fail(ratios.error());
  comparison.points = changes_of(before, after, *ratios, options);
  correct_for_many(comparison.points);
  set_verdicts(options, comparison.points);
  comparison.bend = bend_change(before.analysis, after.analysis, workers_of(comparison));
  put_parts(before.analysis, after.analysis, comparison);
  put_causes(before.analysis.diagnosis, after.analysis.diagnosis, comparison);
  return put_gates(options, comparison);
}

}  // namespace

std::string_view name_of(ChangeVerdict verdict) {
  switch (verdict) {
    case ChangeVerdict::kBetter:
      return "better";
    case ChangeVerdict::kWorse:
      return "worse";
    case ChangeVerdict::kNoEvidence:
      return "no_evidence";
  }
  return "";
}

std::string_view name_of(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::kPassed:
      return "passed";
    case GateVerdict::kFailed:
      return "failed";
    case GateVerdict::kUndecided:
      return "undecided";
  }
  return "";
}

Result<Comparison> compare(const Study& before, const Study& after, const CompareOptions& options) {
  if (const Result<void> checked = check(options); !checked) return fail(checked.error());
  const Times times_before = times_of(before), times_after = times_of(after);
  const std::set<int> workers = common_workers(times_before, times_after);
  if (workers.empty()) return fail(no_common(before, after));
  const Differences found = differences(before, after, workers);
  if (!found.fatal.empty() && !options.anyway) {
    return fail(not_comparable(before, after, found.fatal));
  }
  const Result<Side> first = side_of(before, workers, options);
  if (!first) return fail(first.error());
  const Result<Side> second = side_of(after, workers, options);
  if (!second) return fail(second.error());
  Comparison comparison;
  put_options(*first, *second, options, comparison);
  comparison.notes = found.fatal;
  comparison.notes.insert(comparison.notes.end(), found.notes.begin(), found.notes.end());
  note_left_out(times_before, times_after, workers, comparison);
  note_base(*first, *second, comparison);
  note_sessions(*first, *second, comparison);
  note_warnings(*first, "before", comparison);
  note_warnings(*second, "after", comparison);
  if (const Result<void> put = put_changes(*first, *second, options, comparison); !put) {
    return fail(put.error());
  }
  return comparison;
}

}  // namespace kstar
