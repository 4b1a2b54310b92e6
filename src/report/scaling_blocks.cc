#include "report/scaling_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/words.h"

namespace kstar {

namespace {

bool has_setup(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.setup.has_value(); });
}

bool has_shapes(const ScalingTable& table) {
  return std::any_of(table.points.begin(), table.points.end(),
                     [](const ScalingPoint& point) { return point.shape.has_value(); });
}

}  // namespace

std::string point_name(const ScalingPoint& point) {
  return point.role == Role::kBaseline ? "base" : fmt::format("{}", point.workers);
}

const char* verdict(const ScalingPoint& point) {
  if (!point.clear) return "borderline";
  return point.good ? "ok" : "low";
}

std::string base_text(const ScalingTable& table) {
  return table.base_role == Role::kBaseline
             ? std::string("the baseline program")
             : fmt::format("K = {} of the program itself", table.base_workers);
}

void add_shapes(const ScalingTable& table, Table& rows) {
  if (!has_shapes(table)) return;
  rows.columns.insert(rows.columns.begin() + 1, {.name = "shape"});
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    const std::optional<Shape>& shape = table.points[i].shape;
    rows.rows[i].insert(rows.rows[i].begin() + 1, shape ? shape_text(*shape) : "");
  }
}

Items growth_items(const ScalingTable& table) {
  Items items{"Efficiency that remains from one K to the next", {}};
  for (const auto& [growth, name] :
       {std::pair{NodeGrowth::kInsideNode, "inside a node"},
        std::pair{NodeGrowth::kMoreNodes, "between nodes"}, std::pair{NodeGrowth::kBoth, "both"}}) {
    std::string steps;
    for (const GrowthStep& step : table.steps) {
      if (step.growth != growth) continue;
      steps += fmt::format("{} K = {} to {}: {} ({})", steps.empty() ? "" : ",", step.from, step.to,
                           fixed(step.kept.point, 3), interval_words(step.kept, 3));
    }
    if (!steps.empty()) items.items.push_back(fmt::format("{}:{}", name, steps));
  }
  return items;
}

std::vector<std::string> uncounted_runs(const ScalingTable& table) {
  std::vector<std::string> excluded;
  for (const ScalingPoint& point : table.points) {
    std::vector<std::string> kinds;
    if (point.failed > 0) kinds.push_back(count_text(point.failed, "failed run"));
    if (point.warm_up > 0) kinds.push_back(count_text(point.warm_up, "warm-up run"));
    if (kinds.empty()) continue;
    excluded.push_back(
        fmt::format("K = {}: {} excluded", point.workers, fmt::join(kinds, " and ")));
  }
  return excluded;
}

Table setup_table(const ScalingTable& table) {
  Table rows;
  if (!has_setup(table)) return rows;
  rows.columns = {{.name = "K"}, {.name = "T_setup(K)"}};
  for (const ScalingPoint& point : table.points) {
    rows.rows.push_back({point_name(point), point.setup ? time_text(*point.setup) : "?"});
  }
  return rows;
}

}  // namespace kstar
