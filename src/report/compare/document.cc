#include "kstar/compare_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/words.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

std::string chance_cell(double p) {
  constexpr double kLeast = 0.0005;
  if (std::isnan(p)) return "?";
  return p < kLeast ? "<0.001" : fixed(p, 3);
}

std::string verdict_cell(const WorkersChange& point, double smallest) {
  if (point.verdict == ChangeVerdict::kBetter) return "better";
  if (point.verdict == ChangeVerdict::kWorse) return "worse";
  if (point.verdict == ChangeVerdict::kChangeOrSession) return "undecided";
  return point.settled ? fmt::format("within {}", percent(smallest, smallest < 0.01 ? 1 : 0))
                       : "no evidence";
}

std::string more_runs_cell(const WorkersChange& point) {
  if (point.more_runs) return fmt::format("{}", *point.more_runs);
  const bool open = point.verdict == ChangeVerdict::kNoEvidence && !point.settled;
  return open ? "?" : "";
}

std::string runs_cell(const WorkersChange& point) {
  return point.runs_before == point.runs_after
             ? fmt::format("{}", point.runs_before)
             : fmt::format("{}/{}", point.runs_before, point.runs_after);
}

/// E of the base is 1 on both sides, whatever was measured.
bool is_definition(const Estimate& ratio) {
  return ratio.point == 1 && ratio.standard_error == 0;
}

std::string place_words(const std::optional<Bend>& bend) {
  return bend ? bend_words(bend) : "beyond the compared K";
}

bool in_doubt(const Comparison& comparison);

std::string place_change(bool moved, bool clear, const Comparison& comparison) {
  if (!moved) return "the same";
  if (!clear) return "moved, not clear";
  return in_doubt(comparison) ? "moved, by change or session" : "moved";
}

std::string cost_text(const PartChange& part, const std::optional<Estimate>& cost) {
  if (!cost) return "none";
  return part.time ? time_value_text(*cost)
                   : fmt::format("{} ({})", significant(cost->point, 4), range_words(*cost, 3));
}

std::string share_text(const std::optional<Estimate>& share) {
  if (!share) return "not found";
  return fmt::format("{} ({})", percent(share->point, 0), share_range_words(*share));
}

std::string part_verdict(const PartChange& part) {
  if (!part.before || !part.after) return "on one side only";
  if (!part.clear) return "intervals overlap";
  return fmt::format("{}{}", part.after->point > part.before->point ? "+" : "",
                     percent(part.after->point / part.before->point - 1, 0));
}

Items gate_items(const Comparison& comparison) {
  Items items{"Gates", {}};
  for (const GateOutcome& outcome : comparison.gates) {
    items.items.push_back(
        fmt::format("{}: {}. {}.", outcome.gate.text, name_of(outcome.verdict), outcome.evidence));
  }
  return items;
}

/// That of the typical run, where runs show their noise: one slow run does not blur it. Where slow
/// runs are what changed, that of the mean.
const RatioChange& shown_change(const WorkersChange& point) {
  return point.typical && !point.by_slow_runs ? *point.typical : point.time;
}

Table time_change_table(const Comparison& comparison) {
  Table table;
  table.columns = {{.name = "K"},
                   {.name = "runs"},
                   {.name = "T before"},
                   {.name = "T after"},
                   {.name = "ratio", .new_group = true},
                   {.name = "interval", .joined = true},
                   {.name = "p"},
                   {.name = "verdict", .left = true, .new_group = true},
                   {.name = "more runs"}};
  for (const WorkersChange& point : comparison.points) {
    const Estimate& ratio = shown_change(point).ratio;
    table.rows.push_back({fmt::format("{}", point.workers), runs_cell(point),
                          time_text(point.before.point), time_text(point.after.point),
                          fixed(ratio.point, 3), interval_cell(ratio, 3),
                          chance_cell(shown_change(point).adjusted_p),
                          verdict_cell(point, comparison.smallest), more_runs_cell(point)});
  }
  return table;
}

Table efficiency_change_table(const Comparison& comparison) {
  Table table;
  table.columns = {{.name = "K"},
                   {.name = "E before"},
                   {.name = "E after"},
                   {.name = "ratio", .new_group = true},
                   {.name = "interval", .joined = true},
                   {.name = "p"}};
  for (const WorkersChange& point : comparison.points) {
    if (!point.efficiency || is_definition(point.efficiency->ratio)) continue;
    const Estimate& ratio = point.efficiency->ratio;
    table.rows.push_back({fmt::format("{}", point.workers),
                          fixed(point.efficiency_before->point, 3),
                          fixed(point.efficiency_after->point, 3), fixed(ratio.point, 3),
                          interval_cell(ratio, 3), chance_cell(point.efficiency->adjusted_p)});
  }
  return table;
}

Items bend_items(const Comparison& comparison) {
  const BendChange& bend = comparison.bend;
  const bool bent = bend.before.has_value() != bend.after.has_value() ||
                    (bend.before && bend.before->first_bad != bend.after->first_bad);
  const bool advised = bend.verdict_before.workers != bend.verdict_after.workers;
  const bool decided = bend.verdict_before.is_decided() && bend.verdict_after.is_decided();
  const auto item = [](const char* name, const std::string& before, const std::string& after,
                       const std::string& change) {
    return fmt::format("{}: before {}, after {}: {}", name, before, after, change);
  };
  return {"Where it bends",
          {item("bend", place_words(bend.before), place_words(bend.after),
                place_change(bent, bend.bend_clear, comparison)),
           item("K*", verdict_place(bend.verdict_before), verdict_place(bend.verdict_after),
                decided ? place_change(advised, bend.verdict_clear, comparison) : "not known")}};
}

Items part_items(const Comparison& comparison) {
  Items items{fmt::format("Terms of T(K), model {} (weight {} before, {} after)", comparison.form,
                          percent(comparison.form_weight_before, 0),
                          percent(comparison.form_weight_after, 0)),
              {}};
  for (const PartChange& part : comparison.parts) {
    items.items.push_back(fmt::format("{}: before {}, after {}: {}", part.name,
                                      cost_text(part, part.before), cost_text(part, part.after),
                                      part_verdict(part)));
  }
  return items;
}

Items cause_items(const Comparison& comparison) {
  const int before = comparison.causes_at_before, after = comparison.causes_at_after;
  Items items{
      before == after
          ? fmt::format("Causes of the loss at K = {}, their shares", before)
          : fmt::format("Causes of the loss, their shares: at K = {} before, at K = {} after",
                        before, after),
      {}};
  for (const CauseChange& change : comparison.causes) {
    Cause named;
    named.kind = change.kind;
    named.or_else = change.or_else;
    items.items.push_back(fmt::format("{}: before {}, after {}", cause_words(named),
                                      share_text(change.before), share_text(change.after)));
  }
  return items;
}

using Points = std::vector<const WorkersChange*>;

Points with_verdict(const Comparison& comparison, ChangeVerdict verdict) {
  Points points;
  for (const WorkersChange& point : comparison.points) {
    if (point.verdict == verdict && !point.by_slow_runs) points.push_back(&point);
  }
  return points;
}

Points by_slow_runs(const Comparison& comparison) {
  Points points;
  for (const WorkersChange& point : comparison.points) {
    if (point.by_slow_runs) points.push_back(&point);
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

/// "+3.1%".
std::string change_text(double ratio) {
  return fmt::format("{}{}", ratio < 1 ? "" : "+", percent(ratio - 1, 1));
}

const WorkersChange* farthest(const Points& points) {
  return *std::max_element(points.begin(), points.end(),
                           [](const WorkersChange* a, const WorkersChange* b) {
                             const auto size = [](const WorkersChange* point) {
                               const double ratio = shown_change(*point).ratio.point;
                               return std::max(ratio, 1 / ratio);
                             };
                             return size(a) < size(b);
                           });
}

/// The farthest of them: "+12.0% at K = 8 (+10.1% to +14.0%)".
std::string largest_text(const Points& points) {
  const WorkersChange* most = farthest(points);
  const Estimate& ratio = shown_change(*most).ratio;
  return fmt::format("{} at K = {} ({} to {})", change_text(ratio.point), most->workers,
                     change_text(ratio.low), change_text(ratio.high));
}

/// Nothing is known of what sessions differ by: the limit of every verdict.
bool one_session_each(const Comparison& comparison) {
  const SessionEvidence& sessions = comparison.sessions;
  return !sessions.interleaved && !sessions.none && !sessions.deviation;
}

std::string gates_text(const Comparison& comparison) {
  if (comparison.gates.empty()) return "";
  const auto with = [&](GateVerdict verdict) {
    return std::count_if(comparison.gates.begin(), comparison.gates.end(),
                         [verdict](const GateOutcome& gate) { return gate.verdict == verdict; });
  };
  const bool open = comparison.passed && with(GateVerdict::kUndecided) > 0;
  return fmt::format("Gates: {} failed, {} undecided, {} passed: {}.", with(GateVerdict::kFailed),
                     with(GateVerdict::kUndecided), with(GateVerdict::kPassed),
                     !comparison.passed             ? "the change does not pass"
                     : open                         ? "undecided; --strict stops what is undecided"
                     : one_session_each(comparison) ? "nothing fails between these two sessions"
                                                    : "the change passes");
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
    text += fmt::format("No change of {} or more at {}{}. ", smallest_text(comparison),
                        workers_text(settled),
                        one_session_each(comparison) ? " between these two sessions" : "");
  }
  if (open.empty()) return text;
  text += fmt::format("Undecided at {}, no evidence of a change: ", workers_text(open));
  if (!known && single) return text + "one run does not show the noise; three on each side would. ";
  if (!known) return text + "equal, rounded runs do not show the noise. ";
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
  std::string text = "T is not compared: before and after measure different things. ";
  if (lower.empty() && higher.empty() && open.empty()) return text;
  if (!lower.empty()) text += fmt::format("S and E are lower at {}. ", workers_text(lower));
  if (!higher.empty()) text += fmt::format("S and E are higher at {}. ", workers_text(higher));
  if (open.empty()) return text;
  return text + fmt::format("No evidence of a change in S and E at {}. ", workers_text(open));
}

std::string joint_text(const Comparison& comparison) {
  if (!comparison.joint || comparison.joint->verdict == ChangeVerdict::kNoEvidence) return "";
  const Estimate& ratio = comparison.joint->ratio;
  const ChangeVerdict verdict = comparison.joint->verdict;
  return fmt::format("{}: over all K, the time of a typical run changed by {} ({} to {}). ",
                     verdict == ChangeVerdict::kChangeOrSession
                         ? "Undecided between change and session"
                     : verdict == ChangeVerdict::kWorse ? "Slower"
                                                        : "Faster",
                     change_text(ratio.point), change_text(ratio.low), change_text(ratio.high));
}

bool in_doubt(const Comparison& comparison) {
  const bool any = std::any_of(
      comparison.points.begin(), comparison.points.end(),
      [](const WorkersChange& point) { return point.verdict == ChangeVerdict::kChangeOrSession; });
  return any || (comparison.joint && comparison.joint->verdict == ChangeVerdict::kChangeOrSession);
}

/// The K that sessions leave open; behind a sentence that says so of all K it need not say it.
std::string doubted_text(const Comparison& comparison) {
  const Points open = with_verdict(comparison, ChangeVerdict::kChangeOrSession);
  if (open.empty()) return "";
  const bool said =
      comparison.joint && comparison.joint->verdict == ChangeVerdict::kChangeOrSession;
  return fmt::format("{} {}: the time of a typical run changed by up to {}. ",
                     said ? "At" : "Undecided between change and session at", workers_text(open),
                     largest_text(open));
}

/// The most runs of a K on one side.
std::size_t most_runs(const Comparison& comparison) {
  std::size_t runs = 0;
  for (const WorkersChange& point : comparison.points) {
    runs = std::max({runs, point.runs_before, point.runs_after});
  }
  return runs;
}

/// What sessions leave open, and why.
std::string session_text(const Comparison& comparison) {
  const SessionEvidence& sessions = comparison.sessions;
  if (!in_doubt(comparison)) return "";
  const std::string why =
      sessions.deviation
          ? fmt::format("Sessions of these studies differ by {} (standard deviation). ",
                        percent(*sessions.deviation, 1))
          : std::string("Each side is one session, and what sessions differ by is not known. ");
  return doubted_text(comparison) + why +
         fmt::format(
             "{} runs of each at each K, interleaved in one session, would probably "
             "decide. ",
             most_runs(comparison));
}

/// The command that decides what sessions leave open.
void add_next(const Comparison& comparison, Document& document) {
  if (!in_doubt(comparison)) return;
  document.blocks.emplace_back(Paragraph{
      "Next: " + (comparison.next_command.empty()
                      ? fmt::format("kstar measure --runs {} --against 'BEFORE' -o both.jsonl -- "
                                    "AFTER",
                                    most_runs(comparison))
                      : comparison.next_command)});
}

/// "6.4x slower", "30% slower".
std::string slower_text(double factor) {
  constexpr double kAsPercent = 2;
  return factor < kAsPercent ? percent(factor - 1, 0) + " slower"
                             : significant(factor, 2) + "x slower";
}

/// "9 of 20 runs at K = 8 are 6.4x slower than the typical run (before: 0 of 20)".
std::string slow_at_text(const WorkersChange& point) {
  const SlowRuns& slow = *point.slow_runs;
  return fmt::format("{} of {} run{} at K = {} {} {} than the typical run (before: {} of {})",
                     slow.after, slow.runs_after, slow.runs_after == 1 ? "" : "s", point.workers,
                     slow.after == 1 ? "is" : "are", slower_text(slow.factor), slow.before,
                     slow.runs_before);
}

/// A tail that came or went at some K: what the mean says, and how sure it is.
std::string tail_text(const Comparison& comparison) {
  constexpr std::size_t kMost = 2;
  std::string text;
  const Points points = by_slow_runs(comparison);
  for (const WorkersChange* point : points) {
    if (points.size() > kMost && point != farthest(points)) continue;
    text += fmt::format("{}; the mean changed by {}", slow_at_text(*point),
                        change_text(point->time.ratio.point));
    if (point->verdict == ChangeVerdict::kChangeOrSession) {
      text += ", undecided between change and session";
    } else if (point->verdict == ChangeVerdict::kNoEvidence) {
      text += ", which may be chance";
      if (point->more_runs) {
        text += fmt::format(": {} more run{} on each side would probably decide", *point->more_runs,
                            *point->more_runs == 1 ? "" : "s");
      }
    }
    text += ". ";
  }
  if (points.size() <= kMost) return text;
  return text + fmt::format("The share of slow runs differs at {}. ", workers_text(points));
}

std::string slow_text(const Comparison& comparison) {
  if (!by_slow_runs(comparison).empty()) return "";  // said at its K
  if (!comparison.slow_runs || comparison.slow_runs->p >= 1 - comparison.confidence) return "";
  const SlowRuns& slow = *comparison.slow_runs;
  return fmt::format("Runs far slower than usual: {} of {} before, {} of {} after. ", slow.before,
                     slow.runs_before, slow.after, slow.runs_after);
}

bool is_of_copies(const Comparison& comparison) {
  return std::any_of(comparison.notes.begin(), comparison.notes.end(),
                     [](const Note& note) { return note.what == "same-times"; });
}

/// The changes of T.
std::string time_text(const Comparison& comparison) {
  if (is_of_copies(comparison)) {
    return "Nothing to compare: before and after have the same times, run by run, so one is a copy "
           "of the other. ";
  }
  if (comparison.busy_machine) {
    return "Undecided: other jobs used much of the machine while one of the two was measured, and "
           "its threads waited for CPUs. Stop them, or wait, and measure again. ";
  }
  const Points worse = with_verdict(comparison, ChangeVerdict::kWorse);
  const Points better = with_verdict(comparison, ChangeVerdict::kBetter);
  std::string text = tail_text(comparison) + joint_text(comparison);
  if (!worse.empty()) {
    text += fmt::format("Worse at {}: the time of a typical run changed by up to {}. ",
                        workers_text(worse), largest_text(worse));
  }
  if (!better.empty()) {
    text += fmt::format("Better at {}: the time of a typical run changed by up to {}. ",
                        workers_text(better), largest_text(better));
  }
  return text + session_text(comparison) + slow_text(comparison) + open_text(comparison);
}

std::string answer_text(const Comparison& comparison) {
  std::string text =
      comparison.times_compared ? time_text(comparison) : efficiency_text(comparison);
  text += gates_text(comparison);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Whose ratios the table shows.
std::string ratio_kind(const Comparison& comparison) {
  const bool typical =
      std::any_of(comparison.points.begin(), comparison.points.end(),
                  [](const WorkersChange& point) { return point.typical.has_value(); });
  const Points tails = by_slow_runs(comparison);
  if (!tails.empty()) {
    return fmt::format("of the typical run, at {} of the mean", workers_text(tails));
  }
  return typical ? "of the typical run" : "of the mean";
}

std::string how_text(const Comparison& comparison) {
  const std::string alpha = significant(1 - comparison.confidence, 3);
  const std::string intervals = fmt::format(
      "T is the mean; ratios and p are {}. Intervals are {}, for each K alone; p is corrected for "
      "testing {} K (Holm); p below {} is evidence.",
      ratio_kind(comparison), percent(comparison.confidence, 0), comparison.points.size(), alpha);
  if (!comparison.times_compared) return "Ratios are after / before. " + intervals;
  return fmt::format(
      "Ratios are after / before: below 1 is faster. {} \"More runs\" is what each side needs to "
      "show the observed difference, or {} if that is larger, with a power of 80%.",
      intervals, smallest_text(comparison));
}

std::string short_how(const Comparison& comparison) {
  return fmt::format(
      "T is the mean; ratios, after / before, with {} intervals and p, corrected for {} K, are {}. "
      "--full shows efficiency, model terms and causes.",
      percent(comparison.confidence, 0), comparison.points.size(), ratio_kind(comparison));
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

Document to_document(const Comparison& comparison, const ComparisonView& view) {
  Document document;
  document.blocks.emplace_back(
      Heading{fmt::format("{} -> {}", comparison.before, comparison.after)});
  document.blocks.emplace_back(Paragraph{answer_text(comparison)});
  add_next(comparison, document);
  add_items(gate_items(comparison), document);
  if (comparison.times_compared) document.blocks.emplace_back(time_change_table(comparison));
  if (!view.brief) document.blocks.emplace_back(Paragraph{how_text(comparison)});
  if (!view.brief || !comparison.times_compared) {
    add_table("Efficiency", efficiency_change_table(comparison), document);
  }
  if (compares_efficiency(comparison)) add_items(bend_items(comparison), document);
  if (!view.brief) {
    add_items(part_items(comparison), document);
    add_items(cause_items(comparison), document);
  }
  add_notes(comparison, document);
  if (view.brief) document.blocks.emplace_back(Paragraph{short_how(comparison)});
  return document;
}

}  // namespace kstar
