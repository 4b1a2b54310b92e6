#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "kstar/compare_report.h"
#include "report/compare/blocks.h"
#include "report/note_text.h"

namespace kstar {

namespace {

using Points = std::vector<const WorkersChange*>;

Points with_verdict(const Comparison& comparison, ChangeVerdict verdict) {
  Points points;
  for (const WorkersChange& point : comparison.points) {
    if (point.verdict == verdict) points.push_back(&point);
  }
  return points;
}

std::string workers_text(const Points& points) {
  std::string text;
  for (const WorkersChange* point : points) {
    text += fmt::format("{}{}", text.empty() ? "K = " : ", ", point->workers);
  }
  return text;
}

/// The farthest of them: "+12.0% at K = 8 (+10.1% to +14.0%)".
std::string largest_text(const Points& points) {
  const WorkersChange* most = *std::max_element(points.begin(), points.end(),
                                                [](const WorkersChange* a, const WorkersChange* b) {
                                                  const auto size = [](const WorkersChange* point) {
                                                    const double ratio = point->time.ratio.point;
                                                    return std::max(ratio, 1 / ratio);
                                                  };
                                                  return size(a) < size(b);
                                                });
  const auto change = [](double ratio) {
    return fmt::format("{}{}", ratio < 1 ? "" : "+", percent(ratio - 1, 1));
  };
  const Estimate& ratio = most->time.ratio;
  return fmt::format("{} at K = {} ({} to {})", change(ratio.point), most->workers,
                     change(ratio.low), change(ratio.high));
}

std::string gates_text(const Comparison& comparison) {
  if (comparison.gates.empty()) return "";
  const auto with = [&](GateVerdict verdict) {
    return std::count_if(comparison.gates.begin(), comparison.gates.end(),
                         [verdict](const GateOutcome& gate) { return gate.verdict == verdict; });
  };
  const bool lenient = comparison.passed && with(GateVerdict::kUndecided) > 0;
  return fmt::format("Gates: {} failed, {} undecided, {} passed, so the change {}{}.",
                     with(GateVerdict::kFailed), with(GateVerdict::kUndecided),
                     with(GateVerdict::kPassed), comparison.passed ? "passes" : "does not pass",
                     lenient ? "; with --strict it would not" : "");
}

std::string smallest_text(const Comparison& comparison) {
  return percent(comparison.smallest, comparison.smallest < 0.01 ? 1 : 0);
}

/// The K without evidence: those where a difference that matters is ruled out, and the open ones.
std::string open_text(const Comparison& comparison) {
  Points settled, open;
  std::size_t most = 0;
  bool known = true, single = false;
  for (const WorkersChange* point : with_verdict(comparison, ChangeVerdict::kNoEvidence)) {
    (point->settled ? settled : open).push_back(point);
    if (point->settled) continue;
    known = known && point->more_runs;
    single = single || point->runs_before < 2 || point->runs_after < 2;
    most = std::max(most, point->more_runs.value_or(0));
  }
  std::string text;
  if (!settled.empty()) {
    text += fmt::format("No change of {} or more at {}. ", smallest_text(comparison),
                        workers_text(settled));
  }
  if (open.empty()) return text;
  text += fmt::format("No evidence of a change at {}: ", workers_text(open));
  if (!known && single) return text + "one run says nothing about its noise. ";
  if (!known) return text + "equal runs, rounded, do not show their noise. ";
  return text + fmt::format("{} more run{} on each side would probably decide. ", most,
                            most == 1 ? "" : "s");
}

/// Where the times are of different things: what changed in S and E.
std::string efficiency_text(const Comparison& comparison) {
  Points lower, higher, open;
  for (const WorkersChange& point : comparison.points) {
    if (!point.efficiency || point.workers == comparison.base_workers) continue;
    const bool evident = point.efficiency->adjusted_p < 1 - comparison.confidence;
    (!evident ? open : point.efficiency->ratio.point < 1 ? lower : higher).push_back(&point);
  }
  std::string text = "T is not compared: the seconds before and after are of different things. ";
  if (lower.empty() && higher.empty() && open.empty()) return text;
  if (!lower.empty()) text += fmt::format("S and E are lower at {}. ", workers_text(lower));
  if (!higher.empty()) text += fmt::format("S and E are higher at {}. ", workers_text(higher));
  if (open.empty()) return text;
  return text + fmt::format("No evidence of a change of S and E at {}. ", workers_text(open));
}

/// The changes of T.
std::string time_text(const Comparison& comparison) {
  const Points worse = with_verdict(comparison, ChangeVerdict::kWorse);
  const Points better = with_verdict(comparison, ChangeVerdict::kBetter);
  std::string text;
  if (!worse.empty()) {
    text += fmt::format("Worse at {}: the time changed by up to {}. ", workers_text(worse),
                        largest_text(worse));
  }
  if (!better.empty()) {
    text += fmt::format("Better at {}: the time changed by up to {}. ", workers_text(better),
                        largest_text(better));
  }
  return text + open_text(comparison);
}

std::string answer_text(const Comparison& comparison) {
  std::string text =
      comparison.times_compared ? time_text(comparison) : efficiency_text(comparison);
  text += gates_text(comparison);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string how_text(const Comparison& comparison) {
  const std::string alpha = significant(1 - comparison.confidence, 3);
  const std::string intervals = fmt::format(
      "Intervals are {}, of each K by itself; p is corrected for having looked at {} K (Holm), and "
      "below {} is evidence.",
      percent(comparison.confidence, 0), comparison.points.size(), alpha);
  if (!comparison.times_compared) return "Ratios are after / before. " + intervals;
  return fmt::format(
      "Ratios are after / before: below 1 is faster. {} \"More runs\" are those that each side "
      "needs to show the difference seen, or {} where that is more, 4 times in 5.",
      intervals, smallest_text(comparison));
}

void add_table(const char* heading, Table table, Document& document) {
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{heading});
  document.blocks.emplace_back(std::move(table));
}

void add_items(Items items, Document& document) {
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

void add_notes(const Comparison& comparison, Document& document) {
  Items items{"Notes", {}};
  for (const Note& note : comparison.notes) {
    items.items.push_back(note_text(note));
  }
  add_items(std::move(items), document);
}

}  // namespace

Document to_document(const Comparison& comparison) {
  Document document;
  document.blocks.emplace_back(
      Heading{fmt::format("{} -> {}", comparison.before, comparison.after)});
  document.blocks.emplace_back(Paragraph{answer_text(comparison)});
  add_items(gate_items(comparison), document);
  if (comparison.times_compared) document.blocks.emplace_back(time_change_table(comparison));
  document.blocks.emplace_back(Paragraph{how_text(comparison)});
  add_table("Efficiency", efficiency_change_table(comparison), document);
  if (compares_efficiency(comparison)) add_items(bend_items(comparison), document);
  add_items(part_items(comparison), document);
  add_items(cause_items(comparison), document);
  add_notes(comparison, document);
  return document;
}

}  // namespace kstar
