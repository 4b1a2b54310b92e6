#include <fmt/format.h>

#include "base/number.h"
#include "kstar/scaling_report.h"

namespace kstar {

namespace {

std::string range_text(const PlanRange& range, int digits) {
  if (range.low == range.high) return significant(range.low, digits);
  return fmt::format("{} to {}", significant(range.low, digits), significant(range.high, digits));
}

std::string order_text(const MeasurePlan& plan) {
  std::string text;
  for (const std::size_t index : plan.first_block) {
    const PlannedRun& run = plan.runs[index];
    text +=
        (text.empty() ? "" : ", ") +
        (run.role == Role::kBaseline ? std::string("baseline") : fmt::format("{}", run.workers));
  }
  return text;
}

std::string cost_text(const MeasurePlan& plan) {
  if (!plan.cost) return "Time: not known before something has run.";
  return fmt::format("Time: {} s, {} worker-hours{}.", range_text(plan.cost->seconds, 3),
                     range_text(plan.cost->worker_hours, 3),
                     plan.cost->limited_by_budget ? " (limited by the budget)" : "");
}

}  // namespace

Document to_document(const MeasurePlan& plan) {
  Table rows;
  rows.columns = {
      {.name = "K"}, {.name = "runs"}, {.name = "seconds"}, {.name = "command", .left = true}};
  for (const PlannedRun& run : plan.runs) {
    std::string command;
    for (const auto& [name, value] : run.variables) command += fmt::format("{}={} ", name, value);
    rows.rows.push_back({run.role == Role::kBaseline ? "base" : fmt::format("{}", run.workers),
                         range_text(run.runs, 4), run.seconds ? range_text(*run.seconds, 3) : "?",
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
    document.blocks.emplace_back(Items{"Guessed", plan.assumptions});
  }
  return document;
}

}  // namespace kstar
