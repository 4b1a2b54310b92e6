#include "kstar/scaling_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

std::vector<std::string> row_of(const ScalingPoint& point) {
  std::vector<std::string> row = {
      point_name(point), fmt::format("{}", point.times.n), time_text(point.time.point),
      half_width(point.time),
      point.times.n > 1 ? percent(point.times.standard_deviation / point.times.mean, 1) : "?"};
  if (!point.efficiency) {
    row.insert(row.end(), {"", "", "", "", ""});
    return row;
  }
  row.push_back(fixed(point.speedup->point, 2));
  row.push_back(interval_text(*point.speedup, 2));
  row.push_back(fixed(point.efficiency->point, 3));
  row.push_back(interval_text(*point.efficiency, 3));
  row.emplace_back(verdict(point));
  return row;
}

/// What the points say; by_intervals says how sure that is.
std::string conclusion(const ScalingTable& table) {
  const std::string threshold = significant(table.threshold, 3);
  if (!table.regime || *table.regime == Regime::kMixed) {
    return "The problem changes with K in a way that is neither strong nor weak: no speedup is "
           "shown.";
  }
  if (!has_speedup(table)) return "The base has no time that counts: no speedup is shown.";
  if (points_beside_base(table) == 0) {
    return "Only one K has times that count: nothing can be said about scaling.";
  }
  if (!table.first_bad) {
    return fmt::format("Efficiency stays at {} or more at every K measured.", threshold);
  }
  if (!table.last_good) return fmt::format("No K has an efficiency of {}.", threshold);
  return fmt::format("K* = {}: the last K before efficiency falls below {}, at K = {}.",
                     *table.last_good, threshold, *table.first_bad);
}

/// Where the interval does not settle what the point says; empty where all are settled.
std::string by_intervals(const ScalingTable& table) {
  std::string workers;
  std::size_t count = 0;
  for (const ScalingPoint& point : table.points) {
    if (point.clear || !point.efficiency || !is_bounded(*point.efficiency)) continue;
    workers += fmt::format("{}{}", workers.empty() ? "" : ", ", point.workers);
    ++count;
  }
  const bool none = std::any_of(table.points.begin(), table.points.end(), [](const auto& point) {
    return point.efficiency && !is_bounded(*point.efficiency);
  });
  if (none) return " Too few runs for an interval: how sure that is, is not known.";
  if (count == 0) return "";
  return fmt::format(" At K = {} the interval{} of E hold{} {}: unclear on which side.", workers,
                     count > 1 ? "s" : "", count > 1 ? "" : "s", significant(table.threshold, 3));
}

/// Whether it says which problem was solved at each K, and not which runs are left out.
bool is_of_problem(const Note& note) {
  return note.what.starts_with("regime-") || note.what == "stopping-differs" ||
         note.what == "batch-differs";
}

Items problem_notes(const ScalingTable& table) {
  Items notes{"The problem at each K", {}};
  for (const Note& note : table.notes) {
    if (is_of_problem(note))
      notes.items.push_back(fmt::format("{}: {}", note.where, note_sentence(note)));
  }
  return notes;
}

/// Runs that are in the study and not in the table.
Items lost_runs(const ScalingTable& table) {
  Items lost{"Not counted", {}};
  for (const Note& note : table.notes) {
    if (!is_of_problem(note))
      lost.items.push_back(fmt::format("{}: {}", note.where, note_sentence(note)));
  }
  for (std::string& runs : uncounted_runs(table)) lost.items.push_back(std::move(runs));
  return lost;
}

std::string basis(const ScalingTable& table) {
  return fmt::format("{} scaling; S and E are relative to {}; intervals are {}%.",
                     table.regime ? name_of(*table.regime) : "undeclared", base_text(table),
                     fixed(table.points[0].time.confidence * 100, 0));
}

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
  row.push_back(point.cost ? interval_text(*point.cost, 3) : "?");
  return row;
}

/// Who is waited for, and what is missing. The costs are in the table.
Items remarks(const InsideTable& table) {
  Items items{"Inside", {}};
  for (const InsidePoint& point : table.points) {
    if (point.waited_for) {
      items.items.push_back(fmt::format(
          "K = {}: the others wait for rank {}, which itself waits {} of its time; the one that "
          "waits most, {}",
          point.workers, *point.waited_for, percent(point.least_wait, 1),
          percent(point.most_wait, 1)));
    }
    if (point.failed > 0) {
      items.items.push_back(fmt::format("K = {}: {} failed; what was counted is in the study",
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

Document to_document(const ScalingTable& table) {
  Table rows;
  for (const char* name :
       {"K", "runs", "T(K)", "+-", "std", "S(K)", "interval", "E(K)", "interval", ""}) {
    rows.columns.push_back({.name = name});
  }
  rows.columns[5].new_group = rows.columns[7].new_group = true;
  for (const std::size_t interval : {3U, 6U, 8U}) rows.columns[interval].joined = true;
  for (const ScalingPoint& point : table.points) rows.rows.push_back(row_of(point));
  if (!has_speedup(table)) {  // nothing to show there
    constexpr std::size_t kTimes = 5;
    rows.columns.resize(kTimes);
    for (auto& row : rows.rows) row.resize(kTimes);
  }
  add_shapes(table, rows);
  Document document;
  document.blocks.emplace_back(Paragraph{conclusion(table) + by_intervals(table)});
  document.blocks.emplace_back(std::move(rows));
  if (has_speedup(table)) document.blocks.emplace_back(Paragraph{basis(table)});
  for (const Items& items : {growth_items(table), problem_notes(table), lost_runs(table)}) {
    if (!items.items.empty()) document.blocks.emplace_back(items);
  }
  if (Table setup = setup_table(table); !setup.rows.empty()) {
    document.blocks.emplace_back(std::move(setup));
  }
  return document;
}

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
  document.blocks.emplace_back(Paragraph{
      "Inside, from runs of their own: shares of the ranks' time from MPI_Init to MPI_Finalize; "
      "cost is T of these runs over T of the plain ones."});
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
  if (!plan.assumptions.empty()) {
    document.blocks.emplace_back(Items{"Assumed", plan.assumptions});
  }
  return document;
}

}  // namespace kstar
