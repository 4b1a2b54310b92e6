#include "report/predict/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/number.h"
#include "report/predict/cells.h"

namespace kstar {

namespace {

/// A column and how its cell is made from a point.
struct PointColumn {
  std::string name;
  std::function<std::string(const PredictedPoint&)> cell;
  bool new_group = false;
};

std::string optional_cell(const std::optional<double>& value, const char* none) {
  return value ? significant(*value, 4) : none;
}

std::vector<PointColumn> law_columns(const Prediction& prediction) {
  const Law& law = *prediction.instance.law;
  // Words where there is room for them.
  const bool plain = law.style.efficiency_in_percent && !prediction.step;
  const bool weak = prediction.instance.model.work_growth == WorkGrowth::kProportional;
  const std::string unit =
      law.style.time_unit.empty() ? "" : fmt::format(" {}", law.style.time_unit);
  std::vector<PointColumn> columns;
  columns.push_back({"K", [](const PredictedPoint& p) { return workers_cell(p.workers); }});
  if (prediction.step) {
    columns.push_back(
        {"compute", [&law](const PredictedPoint& p) { return time_cell(law, p.parts.parallel); }});
    columns.push_back(
        {"exposed", [&law](const PredictedPoint& p) { return time_cell(law, p.parts.exposed()); }});
  }
  columns.push_back({(plain ? "time" : "T(K)") + unit,
                     [&law](const PredictedPoint& p) { return time_cell(law, p.time); }});
  if (prediction.instance.settings.rate > 0) {
    columns.push_back({"X(K)", [](const PredictedPoint& p) { return fixed(*p.rate, 2); }});
  }
  if (weak) {
    columns.push_back({"work", [](const PredictedPoint& p) { return workers_cell(p.work); }});
  } else {
    columns.push_back({plain ? "speedup" : "S(K)",
                       [&law](const PredictedPoint& p) { return speedup_cell(law, p.speedup); }});
  }
  columns.push_back({plain ? "efficiency" : "E(K)", [&law](const PredictedPoint& p) {
                       return efficiency_cell(law, p.efficiency);
                     }});
  return columns;
}

void add_answer_columns(const Prediction& prediction, std::vector<PointColumn>& columns) {
  const std::string floor = significant(prediction.options.floor, 4);
  const std::size_t first = columns.size();
  if (prediction.step) {
    columns.push_back({"s(K)", [](const PredictedPoint& p) { return fixed(p.serial_share, 4); }});
    columns.push_back(
        {"Amdahl s(K)", [](const PredictedPoint& p) { return fixed(p.effective_amdahl, 3); }});
  }
  if (prediction.answers.ceiling.bounded()) {
    columns.push_back(
        {"of ceiling", [](const PredictedPoint& p) { return percent(*p.share_of_ceiling, 1); }});
  }
  if (has_serial_column(prediction)) {
    const bool usl = prediction.instance.model.regime == Regime::kThroughput;
    columns.push_back(
        {fmt::format("{} for E>={}", usl ? "a" : "s", floor),
         [](const PredictedPoint& p) { return optional_cell(p.largest_serial, "none"); }});
  }
  columns.push_back({fmt::format("work for E>={}", floor), [](const PredictedPoint& p) {
                       return optional_cell(p.isoefficient_work, "none");
                     }});
  columns[first].new_group = true;
}

std::string quantity_cell(const Law& law, const PredictedPoint& point, Quantity quantity) {
  switch (quantity) {
    case Quantity::kTime:
      return time_cell(law, point.time);
    case Quantity::kSpeedup:
      return fixed(point.speedup, 2);
    case Quantity::kEfficiency:
      return efficiency_cell(law, point.efficiency);
  }
  return {};
}

}  // namespace

std::string column_name(const Prediction& prediction, std::span<const Prediction> all) {
  std::string name;
  if (several_laws(all)) name = prediction.instance.law->short_title;
  for (const ParameterValue& value : prediction.instance.parameters) {
    if (all.size() > 1 && !varies(value.name, all)) continue;
    name += fmt::format("{}{}={}", name.empty() ? "" : " ", value.symbol, value.text);
  }
  return name;
}

std::string shared_parameters(std::span<const Prediction> predictions) {
  std::string text;
  for (const ParameterValue& value : predictions[0].instance.parameters) {
    if (varies(value.name, predictions)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", value.symbol, value.text);
  }
  return text;
}

bool has_serial_column(const Prediction& prediction) {
  // Weak scaling replicates the serial part: without imbalance it makes no difference there.
  const CostModel& model = prediction.instance.model;
  const bool matters = model.work_growth != WorkGrowth::kProportional || model.imbalance > 0;
  return matters && !prediction.step;
}

Table point_table(const Prediction& prediction, bool answers) {
  std::vector<PointColumn> columns = law_columns(prediction);
  if (answers) add_answer_columns(prediction, columns);
  Table table;
  for (const PointColumn& column : columns) {
    table.columns.push_back({.name = column.name, .new_group = column.new_group});
  }
  for (const PredictedPoint& point : prediction.points) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const PointColumn& column : columns) row.push_back(column.cell(point));
  }
  return table;
}

Table side_by_side_table(std::span<const Prediction> predictions, Quantity quantity) {
  const Law& style = *predictions[0].instance.law;  // one way of rounding for the whole table
  Table table;
  table.columns.push_back({.name = "K"});
  const Law* last = nullptr;
  for (const Prediction& prediction : predictions) {
    table.columns.push_back({.name = column_name(prediction, predictions),
                             .new_group = prediction.instance.law != last});
    last = prediction.instance.law;
  }
  for (std::size_t i = 0; i < predictions[0].points.size(); ++i) {
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(workers_cell(predictions[0].points[i].workers));
    for (const Prediction& prediction : predictions) {
      row.push_back(quantity_cell(style, prediction.points[i], quantity));
    }
  }
  return table;
}

Table change_table(const Prediction& prediction) {
  const Law& law = *prediction.instance.law;
  const std::string usable =
      fmt::format("usable K (E>={})", significant(prediction.options.threshold, 4));
  const std::string largest = fmt::format("E({})", workers_cell(prediction.points.back().workers));
  Table table;
  table.columns = {{.name = "one change", .left = true},
                   {.name = "ceiling"},
                   {.name = "least time"},
                   {.name = usable},
                   {.name = largest}};
  const auto add = [&](const std::string& name, const Ceiling& ceiling, const LeastTime& least,
                       double usable_workers, double efficiency) {
    table.rows.push_back({name, ceiling_cell(ceiling), time_cell(law, least.time),
                          workers_cell(usable_workers), efficiency_cell(law, efficiency)});
  };
  const PredictionAnswers& now = prediction.answers;
  add("as it is", now.ceiling, now.least, *now.last_good.exact,
      prediction.points.back().efficiency);
  for (const Change& change : prediction.changes.list) {
    add(change.name, change.ceiling, change.least, change.last_good, change.efficiency_at_largest);
  }
  return table;
}

}  // namespace kstar
