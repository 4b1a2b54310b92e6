#include "kstar/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "compare/changes.h"
#include "compare/comparable.h"
#include "compare/gate_judge.h"
#include "compare/notes.h"
#include "compare/points.h"
#include "compare/side.h"

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
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        reason.where.empty() ? "" : "at " + reason.where + ": ", reason.text);
  }
  return {.where = fmt::format("{}, {}", before.name, after.name),
          .message = "not comparable: " + text,
          .hint = fmt::format("--anyway compares {} all the same, with a warning",
                              times ? "them" : "S and E, and not T,"),
          .excerpt = {}};
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
  comparison.times_compared = same_seconds(before, after);
}

/// What both sides' analyses say; the notes are there already.
Result<void> put_changes(const Side& before, const Side& after, const CompareOptions& options,
                         Comparison& comparison) {
  Result<std::vector<WorkersChange>> points = changes_at_all(before, after, options);
  if (!points) return fail(points.error());
  comparison.points = std::move(*points);
  comparison.bend = bend_change(before.analysis, after.analysis, workers_of(comparison));
  if (comparison.times_compared) put_parts(before.analysis, after.analysis, comparison);
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

bool compares_efficiency(const Comparison& comparison) {
  return std::any_of(comparison.points.begin(), comparison.points.end(),
                     [](const WorkersChange& point) { return point.efficiency.has_value(); });
}

Result<Comparison> compare(const Study& before, const Study& after, const CompareOptions& options) {
  if (const Result<void> checked = check(options); !checked) return fail(checked.error());
  const Times times_before = times_of(before), times_after = times_of(after);
  const std::set<int> workers = common_workers(times_before, times_after);
  if (workers.empty()) return fail(no_common(before, after));
  const Result<Side> first = side_of(before, workers, options);
  if (!first) return fail(first.error());
  const Result<Side> second = side_of(after, workers, options);
  if (!second) return fail(second.error());
  const Differences found = differences(*first, *second);
  if (!found.fatal.empty() && !options.anyway) {
    return fail(not_comparable(before, after, found.fatal, same_seconds(*first, *second)));
  }
  Comparison comparison;
  put_options(*first, *second, options, comparison);
  comparison.notes = found.fatal;
  for (const auto& more : {found.notes, notes_on(times_before, times_after, *first, *second)}) {
    comparison.notes.insert(comparison.notes.end(), more.begin(), more.end());
  }
  if (const Result<void> put = put_changes(*first, *second, options, comparison); !put) {
    return fail(put.error());
  }
  return comparison;
}

}  // namespace kstar
