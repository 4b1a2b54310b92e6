#include <fmt/format.h>

#include "base/number.h"
#include "base/try.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

namespace kstar::view {

namespace {

/// What the last K reached.
std::string speedup_summary(const Shown& shown, Drawn drawn) {
  const ScalingTable& table = shown.analysis->table;
  const ScalingPoint& last = table.points.back();
  const Estimate* value = drawn_at(last, drawn);
  std::string text = fmt::format("{}{}: ", owner(shown.name), workers_text(table));
  if (value == nullptr) return text + "the largest K has no value.";
  text += fmt::format("at K = {} {}", last.workers, drawn_text(*value, drawn));
  if (drawn == Drawn::kTime) return text + ".";
  const double ideal = static_cast<double>(last.workers) / table.base_workers;
  text += fmt::format(", where {} is ideal. ", significant(ideal, 4));
  return text + fmt::format("Efficiency falls below {} at {}.", significant(table.threshold, 4),
                            bend_words(shown.analysis->bend));
}

std::string base_text(const ScalingTable& table) {
  return table.base_role == Role::kBaseline
             ? "S is relative to the baseline program."
             : fmt::format("S is relative to K = {} of the program itself.", table.base_workers);
}

Result<Chart> speedup_chart(std::span<const Subject> subjects) {
  KSTAR_CHECK(check_curves(subjects));
  const ScalingTable& table = subjects[0].analysis.table;
  if (table.regime == Regime::kWeak) {
    return fail({.where = subjects[0].name,
                 .message = "the work grows with K (weak scaling): T(1)/T(K) is not a speedup",
                 .hint = "use --kind efficiency"});
  }
  const std::vector<Shown> shown = shown_of(subjects);
  const Drawn drawn = natural(table);
  Chart chart;
  add_curves(shown, drawn, chart);
  finish(shown, drawn, chart);
  add_places(shown, chart);
  if (drawn == Drawn::kTime) {
    chart.notes.emplace_back("There is no speedup to draw: times are shown instead.");
  }
  for (const Shown& one : shown) {
    chart.summary += (chart.summary.empty() ? "" : " ") + speedup_summary(one, drawn);
  }
  const std::string base = drawn == Drawn::kSpeedup ? base_text(table) : "";
  const std::string ranges = range_words(chart);
  chart.caption = caption_of(subjects, chart, base + (ranges.empty() ? "" : " ") + ranges);
  return chart;
}

}  // namespace

const ChartKind kSpeedupChart = {.name = "speedup",
                                 .help = "S with the ideal line, for fixed work",
                                 .needs = "work that does not grow with K",
                                 .place_in_text = 0,
                                 .make = speedup_chart};

}  // namespace kstar::view
