#include "kstar/scaling_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

std::string share_text(const std::optional<Estimate>& share) {
  return share ? percent(share->point, 1) : "?";
}

/// In points of a hundredth.
std::string points_of_hundred(const Estimate& share) {
  return is_bounded(share) ? fixed((share.high - share.low) / 2 * 100, 1) : "?";
}

std::vector<std::string> row_of(const InsidePoint& point, bool files) {
  std::vector<std::string> row = {fmt::format("{}", point.workers), fmt::format("{}", point.runs)};
  if (point.runs == 0) {
    row.resize(files ? 10 : 9);
    return row;
  }
  row.push_back(share_text(point.useful));
  row.push_back(points_of_hundred(point.useful));
  row.push_back(share_text(point.mpi));
  row.push_back(share_text(point.wait));
  row.push_back(share_text(point.transfer));
  if (files) row.push_back(point.file ? share_text(point.file) : "0%");
  row.push_back(point.cost ? fixed(point.cost->point, 3) : "?");
  row.push_back(point.cost ? interval_cell(*point.cost, 3) : "?");
  return row;
}

/// Who is waited for, and what is missing. The costs are in the table.
Items remarks(const InsideTable& table) {
  Items items{"Inside", {}};
  for (const InsidePoint& point : table.points) {
    if (point.waited_for) {
      items.items.push_back(
          fmt::format("K = {}: the others wait for rank {}, which waits {} of its time; the rank "
                      "that waits most waits {}",
                      point.workers, *point.waited_for, percent(point.least_wait, 1),
                      percent(point.most_wait, 1)));
    }
    if (point.failed > 0) {
      items.items.push_back(fmt::format("K = {}: {} failed; their counts are in the study",
                                        point.workers, point.failed));
    }
  }
  for (const Note& note : table.notes) {
    if (note.what == "inside-cost" && note.severity == Severity::kInfo) continue;
    items.items.push_back(fmt::format("{}: {}", note.where, note_sentence(note)));
  }
  return items;
}

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
      "as long as {} runs at K = {} ({}), and {} worker-hours per minute of such a run",
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

Document to_document(const InsideTable& table) {
  Document document;
  if (table.points.empty()) return document;
  const bool files = std::any_of(table.points.begin(), table.points.end(),
                                 [](const InsidePoint& point) { return point.file.has_value(); });
  Table rows;
  for (const char* name : {"K", "runs", "useful", "+-", "MPI", "waiting", "transfer"}) {
    rows.columns.push_back({.name = name});
  }
  if (files) rows.columns.push_back({.name = "files"});
  rows.columns.push_back({.name = "cost", .new_group = true});
  rows.columns.push_back({.name = "interval"});
  for (const InsidePoint& point : table.points) rows.rows.push_back(row_of(point, files));
  document.blocks.emplace_back(
      Paragraph{"From separate profiled runs: shares of the ranks' time from MPI_Init to "
                "MPI_Finalize; cost is T of these runs / T of the plain runs."});
  document.blocks.emplace_back(std::move(rows));
  if (const Items items = remarks(table); !items.items.empty()) {
    document.blocks.emplace_back(items);
  }
  return document;
}

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
  if (!plan.fewest.empty()) {
    document.blocks.emplace_back(Paragraph{capitalized(plan.fewest) + "."});
  }
  if (!plan.assumptions.empty()) {
    document.blocks.emplace_back(Items{"Assumed", plan.assumptions});
  }
  return document;
}

}  // namespace kstar
