#include <fmt/format.h>

#include "base/number.h"
#include "view/caption.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

namespace kstar::view {

namespace {

/// What the last K reached.
std::string summary_of(const Shown& shown, Drawn drawn) {
  const ScalingTable& table = shown.analysis->table;
  const ScalingPoint& last = table.points.back();
  const Estimate* value = drawn_at(last, drawn);
  std::string text = fmt::format("{}{}: ", whose(shown.name), workers_text(table));
  if (value == nullptr) return text + "the largest K has no value.";
  text += fmt::format("at K = {} {}", last.workers, drawn_text(*value, drawn));
  if (drawn == Drawn::kTime) return text + ".";
  const double ideal = static_cast<double>(last.workers) / table.base_workers;
  text += fmt::format(", where {} is ideal. ", significant(ideal, 4));
  return text + fmt::format("Efficiency falls below {} {}.", significant(table.threshold, 4),
                            bend_text(shown.analysis->bend));
}

std::string base_text(const ScalingTable& table) {
  return table.base_role == Role::kBaseline
             ? "S is over the baseline program."
             : fmt::format("S is over K = {} of the program itself.", table.base_workers);
}

/// The K to run on, in the absence of a goal.
void add_advice(std::span<const Shown> shown, Chart& chart) {
  for (const Shown& one : shown) {
    const WorkersAdvice& advice = one.analysis->recommendation;
    const bool any_good = !one.analysis->bend || one.analysis->bend->last_good;
    if (!any_good || advice.open) continue;
    ChartRule rule;
    rule.name = one.name.empty() ? "K*" : "K* of " + one.name;
    rule.at = advice.workers;
    rule.low = advice.low;
    rule.high = advice.high;
    rule.tip = fmt::format(
        "{}K* = {} ({} to {}): the most workers with an efficiency of {} or more", whose(one.name),
        advice.workers, advice.low, advice.high, significant(one.analysis->table.threshold, 4));
    chart.rules.push_back(std::move(rule));
  }
}

}  // namespace

Result<Chart> speedup_chart(std::span<const Subject> subjects) {
  if (const Result<void> same = same_regime(subjects, "speedup"); !same) return fail(same.error());
  const ScalingTable& table = subjects[0].analysis.table;
  if (table.regime == Regime::kWeak) {
    return fail({.where = subjects[0].name,
                 .message = "its work grows with K (weak scaling): T(1)/T(K) is no speedup",
                 .hint = "draw the efficiency against the flat line"});
  }
  const std::vector<Shown> shown = shown_of(subjects);
  const Drawn drawn = natural(table);
  Chart chart;
  chart.kind = "speedup";
  for (const Shown& one : shown) chart.series.push_back(measured_series(one, drawn));
  for (const Shown& one : shown) {
    if (one.analysis->models) chart.series.push_back(fitted_series(one, drawn));
  }
  finish(shown, drawn, chart);
  if (drawn == Drawn::kSpeedup) add_advice(shown, chart);
  if (drawn == Drawn::kTime) {
    chart.notes.emplace_back("There is no speedup to draw: the times stand in its place.");
  }
  for (const Shown& one : shown) {
    chart.summary += (chart.summary.empty() ? "" : " ") + summary_of(one, drawn);
  }
  chart.caption = caption_of(subjects, drawn == Drawn::kSpeedup ? base_text(table) : "");
  return chart;
}

}  // namespace kstar::view
