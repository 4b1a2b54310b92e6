#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/scaling_report.h"
#include "report/scaling_blocks.h"
#include "report/scaling_cells.h"

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
    if (is_of_problem(note)) notes.items.push_back(fmt::format("{}: {}", note.where, note.text));
  }
  return notes;
}

/// Runs that are in the study and not in the table.
Items lost_runs(const ScalingTable& table) {
  Items lost{"Not counted", {}};
  for (const Note& note : table.notes) {
    if (!is_of_problem(note)) lost.items.push_back(fmt::format("{}: {}", note.where, note.text));
  }
  for (std::string& runs : uncounted_runs(table)) lost.items.push_back(std::move(runs));
  return lost;
}

std::string basis(const ScalingTable& table) {
  return fmt::format("{} scaling; S and E are relative to {}; intervals are {}%.",
                     table.regime ? name_of(*table.regime) : "undeclared", base_text(table),
                     fixed(table.points[0].time.confidence * 100, 0));
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

}  // namespace kstar
