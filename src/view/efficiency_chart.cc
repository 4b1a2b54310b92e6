#include <fmt/format.h>

#include "base/number.h"
#include "base/try.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

// Efficiencies of different regimes are not overlaid either. Both lie between 0 and 1, and that is
// all they share: with fixed work E(64) is of a 64th of the problem on each worker, with growing
// work of the whole problem on each, and a weak curve above a strong one says nothing about which
// job uses its workers better.
namespace kstar::view {

namespace {

std::string efficiency_summary(const Shown& shown) {
  const ScalingTable& table = shown.analysis->table;
  std::string text =
      fmt::format("{}{}: efficiency falls below {} at {}.", owner(shown.name), workers_text(table),
                  significant(table.threshold, 4), bend_words(shown.analysis->bend));
  const ScalingPoint& last = table.points.back();
  if (!last.efficiency) return text;
  return text + fmt::format(" At K = {} {}.", last.workers,
                            drawn_text(*last.efficiency, Drawn::kEfficiency));
}

Result<Chart> efficiency_chart(std::span<const Subject> subjects) {
  KSTAR_CHECK(check_curves(subjects));
  for (const Subject& subject : subjects) {
    if (natural(subject.analysis.table) != Drawn::kTime) continue;
    return fail({.where = subject.name,
                 .message = "there is no efficiency: the problem changes with K in a way that is "
                            "neither strong nor weak, or the base has no times",
                 .hint = {}});
  }
  const std::vector<Shown> shown = shown_of(subjects);
  Chart chart;
  for (const Shown& one : shown) {
    chart.summary += (chart.summary.empty() ? "" : " ") + efficiency_summary(one);
  }
  add_curves(shown, Drawn::kEfficiency, chart);
  finish(shown, Drawn::kEfficiency, chart);
  add_places(shown, chart);
  chart.caption = caption_of(subjects, chart, range_words(chart));
  return chart;
}

}  // namespace

const ChartKind kEfficiencyChart = {.name = "efficiency",
                                    .help = "E with the threshold and the bend",
                                    .needs = "a base for S and E",
                                    .place_in_text = 1,
                                    .make = efficiency_chart};

}  // namespace kstar::view
