#include <fmt/format.h>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/scaling_report.h"

namespace kstar {

namespace {

std::string range_text(const PlanRange& range, int digits) {
  std::string low = significant(range.low, digits), high = significant(range.high, digits);
  return low == high ? low : fmt::format("{} to {}", low, high);
}

/// In the unit that suits the longer of the two.
std::string time_text(const PlanRange& seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (seconds.high < 2 * kMinute) return range_text(seconds, 3) + " s";
  const bool minutes = seconds.high < 2 * kHour;
  const double unit = minutes ? kMinute : kHour;
  return fmt::format("{} {}", range_text({seconds.low / unit, seconds.high / unit}, 3),
                     minutes ? "min" : "h");
}

std::string name_of_line(const PlannedRun& run, const char* baseline) {
  if (run.role == Role::kBaseline) return baseline;
  return fmt::format("{}{}", run.workers, run.inside ? " inside" : "");
}

std::string order_text(const MeasurePlan& plan) {
  std::string text;
  for (const std::size_t index : plan.first_block) {
    text += (text.empty() ? "" : ", ") + name_of_line(plan.runs[index], "baseline");
  }
  return text;
}

std::string runs_text(const MeasurePlan& plan) {
  PlanRange runs;
  for (const PlannedRun& run : plan.runs) {
    runs = {runs.low + run.runs.low, runs.high + run.runs.high};
  }
  return range_text(runs, 6);
}

/// In times of one run at the smallest K, and as hours for one of a minute.
std::string relative_text(const RelativeCost& cost, Regime regime) {
  constexpr double kMinutesAnHour = 60;
  const PlanRange hours = {cost.worker_time.low / kMinutesAnHour,
                           cost.worker_time.high / kMinutesAnHour};
  return fmt::format(
      "as long as {} runs at K = {} ({}), and {} worker-hours for each minute that "
      "such a run takes",
      range_text(cost.time, 3), cost.workers,
      regime == Regime::kStrong ? "from ideal speedup to none" : "the same time at every K",
      range_text(hours, 3));
}

std::string cost_text(const MeasurePlan& plan) {
  if (plan.cost) {
    return fmt::format("{} runs: {}, {} worker-hours{}.", runs_text(plan),
                       time_text(plan.cost->seconds), range_text(plan.cost->worker_hours, 3),
                       plan.cost->limited_by_budget ? " (limited by the budget)" : "");
  }
  return fmt::format("{} runs: {}.", runs_text(plan), relative_text(*plan.relative, plan.regime));
}

}  // namespace

Document to_document(const MeasurePlan& plan) {
  Table rows;
  rows.columns = {
      {.name = "K"}, {.name = "runs"}, {.name = "seconds"}, {.name = "command", .left = true}};
  for (const PlannedRun& run : plan.runs) {
    std::string command;
    for (const auto& [name, value] : run.variables) command += fmt::format("{}={} ", name, value);
    rows.rows.push_back({name_of_line(run, "base"), range_text(run.runs, 4),
                         run.seconds ? range_text(*run.seconds, 3) : "?",
                         command + fmt::format("{}", fmt::join(run.command, " "))});
  }
  Document document;
  document.blocks.emplace_back(Heading{fmt::format("{} scaling, not run", name_of(plan.regime))});
  document.blocks.emplace_back(std::move(rows));
  if (plan.seed) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("The first block, with seed {}: {}.", *plan.seed, order_text(plan))});
  }
  document.blocks.emplace_back(Paragraph{cost_text(plan)});
  if (!plan.assumptions.empty()) {
    document.blocks.emplace_back(Items{"Assumed", plan.assumptions});
  }
  return document;
}

}  // namespace kstar
