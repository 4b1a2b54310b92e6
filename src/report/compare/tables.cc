#include <fmt/format.h>

#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "report/analysis/words.h"
#include "report/compare/blocks.h"
#include "report/scaling_cells.h"

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
  return bend ? bend_words(bend) : "beyond the K compared";
}

std::string advice_words(const WorkersAdvice& advice) {
  std::string text = fmt::format("K = {}", advice.workers);
  if (advice.low != advice.high) text += fmt::format(" ({} to {})", advice.low, advice.high);
  return advice.open ? text + " or more" : text;
}

std::string place_change(bool moved, bool clear) {
  if (!moved) return "the same";
  return clear ? "moved" : "moved, not clear";
}

std::string cost_text(const PartChange& part, const std::optional<Estimate>& cost) {
  if (!cost) return "none";
  return part.time ? fmt::format("{} ({})", time_text(cost->point), time_interval_text(*cost))
                   : fmt::format("{} ({})", significant(cost->point, 4), range_words(*cost, 3));
}

std::string share_text(const std::optional<Estimate>& share) {
  if (!share) return "not seen";
  return fmt::format("{} ({})", percent(share->point, 0), share_range_words(*share));
}

std::string part_verdict(const PartChange& part) {
  if (!part.before || !part.after) return "on one side only";
  if (!part.clear) return "intervals overlap";
  return fmt::format("{}{}", part.after->point > part.before->point ? "+" : "",
                     percent(part.after->point / part.before->point - 1, 0));
}

}  // namespace

Items gate_items(const Comparison& comparison) {
  Items items{"Gates", {}};
  for (const GateOutcome& outcome : comparison.gates) {
    items.items.push_back(
        fmt::format("{}: {}. {}.", outcome.gate.text, name_of(outcome.verdict), outcome.evidence));
  }
  return items;
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
    const Estimate& ratio = point.time.ratio;
    table.rows.push_back({fmt::format("{}", point.workers), runs_cell(point),
                          time_text(point.before.point), time_text(point.after.point),
                          fixed(ratio.point, 3), interval_text(ratio, 3),
                          chance_cell(point.time.adjusted_p),
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
                          interval_text(ratio, 3), chance_cell(point.efficiency->adjusted_p)});
  }
  return table;
}

Items bend_items(const Comparison& comparison) {
  const BendChange& bend = comparison.bend;
  const bool bent = bend.before.has_value() != bend.after.has_value() ||
                    (bend.before && bend.before->first_bad != bend.after->first_bad);
  const bool advised = bend.advice_before.workers != bend.advice_after.workers;
  const auto item = [](const char* name, const std::string& before, const std::string& after,
                       const std::string& change) {
    return fmt::format("{}: before {}, after {}: {}", name, before, after, change);
  };
  return {"Where it bends",
          {item("bend", place_words(bend.before), place_words(bend.after),
                place_change(bent, bend.bend_clear)),
           item("K*", advice_words(bend.advice_before), advice_words(bend.advice_after),
                place_change(advised, bend.advice_clear))}};
}

Items part_items(const Comparison& comparison) {
  Items items{fmt::format("Parts of T(K), by the form {} (weight {} before, {} after)",
                          comparison.form, percent(comparison.form_weight_before, 0),
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

}  // namespace kstar
