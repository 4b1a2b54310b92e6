#include <fmt/format.h>

#include "base/duration.h"
#include "base/number.h"
#include "report/analysis/blocks.h"
#include "report/analysis/words.h"
#include "report/scaling_blocks.h"
#include "report/scaling_cells.h"

namespace kstar {

namespace {

Table other_baseline_table(const ScalingTable& table, const OtherBaseline& other) {
  Table rows;
  rows.columns = {{.name = "K"},
                  {.name = "E above", .new_group = true},
                  {.name = fmt::format("E by {}", time_text(other.time)), .new_group = true},
                  {.name = "interval", .joined = true}};
  for (std::size_t i = 0; i < table.points.size() && i < other.efficiency.size(); ++i) {
    const ScalingPoint& point = table.points[i];
    if (point.role == Role::kBaseline) continue;
    const int decimals = efficiency_decimals(other.efficiency[i]);
    rows.rows.push_back(
        {point_name(point),
         point.efficiency ? fixed(point.efficiency->point, efficiency_decimals(*point.efficiency))
                          : "",
         fixed(other.efficiency[i].point, decimals), interval_text(other.efficiency[i], decimals)});
  }
  return rows;
}

/// What the baseline program hides: how the parallel program scales by itself.
void add_own_baseline(const Analysis& analysis, Document& document) {
  if (!analysis.own_baseline) return;
  const OtherBaseline& own = *analysis.own_baseline;
  document.blocks.emplace_back(Heading{"By the program's own smallest K"});
  document.blocks.emplace_back(Paragraph{
      fmt::format("Against its own {} in the place of the baseline program it bends at {}; by the "
                  "baseline program at {}. Karp-Flatt and the models are about its own.",
                  time_text(own.time), bend_words(own.bend), bend_words(analysis.bend))});
  document.blocks.emplace_back(other_baseline_table(analysis.table, own));
}

void add_other_baseline(const Analysis& analysis, Document& document) {
  if (!analysis.other_baseline) return;
  const OtherBaseline& other = *analysis.other_baseline;
  document.blocks.emplace_back(Heading{"Another baseline"});
  document.blocks.emplace_back(
      Paragraph{fmt::format("Against T(1) = {} in the place of the measured one the bend is at {}; "
                            "by {} at {}.",
                            time_text(other.time), bend_words(other.bend),
                            base_text(analysis.table), bend_words(analysis.bend))});
  document.blocks.emplace_back(other_baseline_table(analysis.table, other));
}

void add_steps(const std::vector<StepStability>& steps, Document& document) {
  if (steps.empty()) return;
  Table rows;
  rows.columns = {{.name = "K"},       {.name = "runs"},  {.name = "variation"},
                  {.name = "slowest"}, {.name = "drift"}, {.name = "interval", .joined = true}};
  for (const StepStability& step : steps) {
    rows.rows.push_back({fmt::format("{}", step.workers), fmt::format("{}", step.runs),
                         percent(step.variation, 1), fixed(step.slowest, 2) + "x",
                         step.drift ? fixed(step.drift->point, 3) : "?",
                         step.drift ? interval_text(*step.drift, 3) : "?"});
  }
  document.blocks.emplace_back(Heading{"Steps inside a run"});
  document.blocks.emplace_back(Paragraph{
      "How much they vary (standard deviation over mean), the slowest over the median, and "
      "the last third over the first: what drifts is not steady yet."});
  document.blocks.emplace_back(std::move(rows));
}

}  // namespace

void add_questions(const Analysis& analysis, Document& document) {
  if (analysis.superlinear) {
    document.blocks.emplace_back(Items{
        fmt::format("At K = {} efficiency is above 1 beyond the noise: a question to the baseline",
                    analysis.superlinear->workers),
        {analysis.superlinear->likely_cause, analysis.superlinear->measurement}});
  }
  add_own_baseline(analysis, document);
  add_other_baseline(analysis, document);
  add_steps(analysis.steps, document);
  if (Table setup = setup_table(analysis.table); !setup.rows.empty()) {
    document.blocks.emplace_back(Heading{"Setup, which is no part of T(K)"});
    document.blocks.emplace_back(std::move(setup));
  }
}

}  // namespace kstar
