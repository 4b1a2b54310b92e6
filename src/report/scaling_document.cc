#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "kstar/scaling_report.h"

namespace kstar {

namespace {

/// Seconds in the unit that keeps three digits before the point, or fewer.
std::string time_text(double seconds) {
  if (seconds < 1e-3) return significant(seconds * 1e6, 4) + " us";
  if (seconds < 1) return significant(seconds * 1e3, 4) + " ms";
  return significant(seconds, 4) + " s";
}

/// Half the interval's width over the point: "1.3%", or "?" where there is none.
std::string half_width(const Estimate& estimate) {
  const double share = (estimate.high - estimate.low) / 2 / estimate.point;
  return std::isfinite(share) ? percent(share, 1) : "?";
}

std::string interval(const Estimate& estimate, int decimals) {
  if (!is_bounded(estimate)) return "no interval";
  return fmt::format("{}..{}", fixed(estimate.low, decimals), fixed(estimate.high, decimals));
}

bool has_setup(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.setup.has_value(); });
}

/// T_setup(K) is no part of T(K), and is shown beside it.
Table setup_table(const ScalingTable& table) {
  Table rows;
  rows.columns = {{.name = "K"}, {.name = "T_setup(K)"}};
  for (const ScalingPoint& point : table.points) {
    rows.rows.push_back(
        {fmt::format("{}", point.workers), point.setup ? time_text(*point.setup) : "?"});
  }
  return rows;
}

const char* verdict(const ScalingPoint& point) {
  if (!point.clear) return "unclear";
  return point.good ? "ok" : "low";
}

std::vector<std::string> row_of(const ScalingPoint& point) {
  std::vector<std::string> row = {
      point.role == Role::kBaseline ? "base" : fmt::format("{}", point.workers),
      fmt::format("{}", point.times.n), time_text(point.time.point), half_width(point.time),
      point.times.n > 1 ? percent(point.times.standard_deviation / point.times.mean, 1) : "?"};
  if (!point.efficiency) {
    row.insert(row.end(), {"", "", "", "", ""});
    return row;
  }
  row.push_back(fixed(point.speedup->point, 2));
  row.push_back(interval(*point.speedup, 2));
  row.push_back(fixed(point.efficiency->point, 3));
  row.push_back(interval(*point.efficiency, 3));
  row.emplace_back(verdict(point));
  return row;
}

bool has_shapes(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.shape.has_value(); });
}

/// Behind K.
void add_shapes(const ScalingTable& table, Table& rows) {
  rows.columns.insert(rows.columns.begin() + 1, {.name = "shape"});
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    const std::optional<Shape>& shape = table.points[i].shape;
    rows.rows[i].insert(rows.rows[i].begin() + 1, shape ? shape_text(*shape) : "");
  }
}

/// Which steps from K to the next stay inside a node and which go between nodes, and what each
/// keeps of the efficiency.
Items growth_items(const ScalingTable& table) {
  Items items{"Efficiency kept from one K to the next", {}};
  for (const auto& [growth, name] : {std::pair{NodeGrowth::kInsideNode, "inside a node"},
                                     std::pair{NodeGrowth::kMoreNodes, "between nodes"},
                                     std::pair{NodeGrowth::kBoth, "both at once"}}) {
    std::string steps;
    for (const GrowthStep& step : table.steps) {
      if (step.growth != growth) continue;
      steps += fmt::format("{} K = {} to {}: {} ({})", steps.empty() ? "" : ",", step.from, step.to,
                           fixed(step.kept.point, 3), interval(step.kept, 3));
    }
    if (!steps.empty()) items.items.push_back(fmt::format("{}:{}", name, steps));
  }
  return items;
}

bool has_speedup(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.efficiency.has_value(); });
}

std::size_t points_beside_base(const ScalingTable& table) {
  return static_cast<std::size_t>(
      std::count_if(table.points.begin(), table.points.end(), [&](const ScalingPoint& point) {
        return point.role != Role::kBaseline && point.workers != table.base_workers;
      }));
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
  for (const ScalingPoint& point : table.points) {
    if (point.failed + point.warm_up == 0) continue;
    lost.items.push_back(
        fmt::format("K = {}: {} failed, {} warm-up", point.workers, point.failed, point.warm_up));
  }
  return lost;
}

std::string basis(const ScalingTable& table) {
  return fmt::format("{} scaling; S and E are relative to {}; intervals are {}%.",
                     table.regime ? name_of(*table.regime) : "undeclared",
                     table.base_role == Role::kBaseline
                         ? std::string("the baseline program")
                         : fmt::format("K = {} of the program itself", table.base_workers),
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
  for (const ScalingPoint& point : table.points) rows.rows.push_back(row_of(point));
  if (!has_speedup(table)) {  // nothing to show there
    constexpr std::size_t kTimes = 5;
    rows.columns.resize(kTimes);
    for (auto& row : rows.rows) row.resize(kTimes);
  }
  if (has_shapes(table)) add_shapes(table, rows);
  Document document;
  document.blocks.emplace_back(Paragraph{conclusion(table) + by_intervals(table)});
  document.blocks.emplace_back(std::move(rows));
  if (has_speedup(table)) document.blocks.emplace_back(Paragraph{basis(table)});
  if (!table.steps.empty()) document.blocks.emplace_back(growth_items(table));
  if (const Items notes = problem_notes(table); !notes.items.empty()) {
    document.blocks.emplace_back(notes);
  }
  if (const Items lost = lost_runs(table); !lost.items.empty()) document.blocks.emplace_back(lost);
  if (has_setup(table)) document.blocks.emplace_back(setup_table(table));
  return document;
}

}  // namespace kstar
