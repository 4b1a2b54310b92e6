#include "report/predict/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/number.h"

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

/// What a result costs, and what the next doubling buys.
void add_price_columns(const Prediction& prediction, std::vector<PointColumn>& columns) {
  const std::size_t first = columns.size();
  if (prediction.instance.model.work_growth == WorkGrowth::kFixed) {
    columns.push_back({"K T(K)", [](const PredictedPoint& p) { return significant(p.cost, 4); }});
  }
  columns.push_back(
      {"2x buys", [](const PredictedPoint& p) { return fixed(p.next_doubling, 2) + "x"; }});
  columns[first].new_group = true;
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
    case Quantity::kCost:
      return significant(point.cost, 4);
    case Quantity::kLargestSerial:
      return optional_cell(point.largest_serial, "none");
    case Quantity::kIsoefficientWork:
      return optional_cell(point.isoefficient_work, "none");
  }
  return {};
}

/// A question and its answer for one curve; an empty answer means that the question does not arise.
struct Question {
  std::string text;
  std::function<std::string(const Prediction&)> answer;
};

std::string where_of(const Ceiling& ceiling) {
  if (!ceiling.bounded()) return "";
  return ceiling.workers ? "K = " + answer_cell(*ceiling.workers) : "K -> infinity";
}

std::string bend_cell(const Prediction& p) {
  const bool never = std::isinf(*p.answers.last_good.exact);
  return answer_cell(p.answers.first_below.exact, never ? "never" : "> 1e6");
}

bool has_communication(const Prediction& p) {
  const auto& terms = p.instance.model.communication;
  return std::any_of(terms.begin(), terms.end(),
                     [](const Communication& term) { return term.cost > 0; });
}

/// A problem that grows with K has no K of least time worth asking for.
bool grows(const Prediction& p) {
  return p.instance.model.work_growth != WorkGrowth::kFixed;
}

std::string least_cell(const Prediction& p) {
  const LeastTime& least = p.answers.least;
  if (grows(p)) return "";
  if (!least.workers) return "none, T keeps falling";
  // Neighbours may tie: T(9) = T(10).
  const bool tie = least.turns_up && *least.turns_up > *least.workers + 1;
  return answer_cell(*least.workers) + (tie ? " to " + answer_cell(*least.turns_up - 1) : "");
}

std::string least_listed_cell(const Prediction& p) {
  const LeastTime& least = p.answers.least;
  if (grows(p)) return "";
  const std::string listed = workers_cell(p.answers.least_listed, "none");
  const bool met = p.answers.sweep_met_least || !least.workers;
  return met ? listed : fmt::format("{} ({} is not listed)", listed, answer_cell(*least.workers));
}

std::string halved_doubled(const Prediction& p) {
  const Sensitivity& s = p.sensitivity;
  if (!s.halved) return "";
  return fmt::format("{} / {}", answer_cell(s.halved, "-"), answer_cell(s.doubled, "-"));
}

std::vector<Question> questions(std::span<const Prediction> predictions) {
  const PredictionOptions& options = predictions[0].options;
  const std::string threshold = significant(options.threshold, 4);
  std::string parameter(predictions[0].instance.law->sensitive_to);
  for (const Prediction& other : predictions) {
    const std::string_view name = other.instance.law->sensitive_to;
    if (parameter.find(name) == std::string::npos) parameter += fmt::format(" ({})", name);
  }
  std::vector<Question> list = {
      {"ceiling: the largest speedup",
       [](const Prediction& p) { return ceiling_cell(p.answers.ceiling); }},
      {"  reached at", [](const Prediction& p) { return where_of(p.answers.ceiling); }},
      {fmt::format("  share of it at K = {}", options.workers.back()),
       [](const Prediction& p) {
         const auto& share = p.points.back().share_of_ceiling;
         return share ? percent(*share, 1) : "";
       }},
      {fmt::format("  smallest K with {} of it", percent(options.share, 0)),
       [](const Prediction& p) {
         return p.answers.ceiling.bounded() ? answer_cell(p.answers.reaches_share.exact, "none")
                                            : "";
       }},
      {fmt::format("bend: first K with E < {}", threshold), bend_cell},
      {"  among the listed K",
       [](const Prediction& p) { return workers_cell(p.answers.first_below.listed, "none"); }},
      {fmt::format("usable K: last with E >= {}", threshold),
       [](const Prediction& p) { return answer_cell(*p.answers.last_good.exact); }},
      {fmt::format("  if {} is halved / doubled", parameter), halved_doubled},
      {fmt::format("  elasticity to {}", parameter),
       [](const Prediction& p) {
         const auto& elasticity = p.sensitivity.elasticity;
         return elasticity ? fixed(*elasticity, 2) : "";
       }},
      {"communication overtakes at K =",
       [](const Prediction& p) {
         return has_communication(p) ? answer_cell(p.answers.communication_overtakes, "never") : "";
       }},
      {"K of least time", least_cell},
      {"  among the listed K", least_listed_cell},
      {"  time rises again from K =",
       [](const Prediction& p) {
         return grows(p) ? "" : answer_cell(p.answers.least.turns_up, "never");
       }},
  };
  return list;
}

}  // namespace

std::string workers_cell(double workers) {
  if (std::isinf(workers)) return "all";
  return workers < kMostModelWorkers ? fixed(workers, 0) : "> 9e15";
}

std::string workers_cell(const std::optional<double>& workers, const char* none) {
  return workers ? workers_cell(*workers) : none;
}

std::string answer_cell(double workers) {
  const bool large = workers > kLargestAnswer && !std::isinf(workers);
  return large ? "> 1e6" : workers_cell(workers);
}

std::string answer_cell(const std::optional<double>& workers, const char* none) {
  return workers ? answer_cell(*workers) : none;
}

std::string time_cell(const Law& law, double time) {
  return fixed(time, law.style.time_decimals);
}

std::string speedup_cell(const Law& law, double speedup) {
  return fixed(speedup, law.style.speedup_decimals);
}

std::string efficiency_cell(const Law& law, double efficiency) {
  return law.style.efficiency_in_percent ? percent(efficiency, law.style.efficiency_decimals)
                                         : fixed(efficiency, law.style.efficiency_decimals);
}

bool several_laws(std::span<const Prediction> predictions) {
  return std::any_of(predictions.begin(), predictions.end(), [&](const Prediction& p) {
    return p.instance.law != predictions[0].instance.law;
  });
}

const std::string* value_of(const Prediction& prediction, std::string_view name) {
  for (const ParameterValue& value : prediction.instance.parameters) {
    if (value.name == name) return &value.text;
  }
  return nullptr;
}

bool varies(std::string_view name, std::span<const Prediction> predictions) {
  const std::string* first = value_of(predictions[0], name);
  return std::any_of(predictions.begin(), predictions.end(), [&](const Prediction& other) {
    const std::string* value = value_of(other, name);
    return first == nullptr || value == nullptr || *value != *first;
  });
}

std::string limit_cell(double limit) {
  if (std::isfinite(limit) && limit > kLargestAnswer) return "> 1e6x";
  return std::isfinite(limit) ? fixed(limit, 2) + "x" : "unbounded";
}

std::string ceiling_cell(const Ceiling& ceiling) {
  return limit_cell(ceiling.speedup);
}

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
  add_price_columns(prediction, columns);
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

Table parts_table(const Prediction& prediction) {
  const Law& law = *prediction.instance.law;
  const bool usl = prediction.instance.model.regime == Regime::kThroughput;
  const std::pair<const char*, double (*)(const CostParts&)> kParts[] = {
      {usl ? "contention" : "serial", [](const CostParts& p) { return p.serial; }},
      {"parallel", [](const CostParts& p) { return p.parallel; }},
      {usl ? "coherency" : "communication", [](const CostParts& p) { return p.communication; }},
      {"of it hidden", [](const CostParts& p) { return p.hidden; }},
      {"stragglers", [](const CostParts& p) { return p.straggler; }}};
  Table table;
  table.columns.push_back({.name = "K"});
  for (const PredictedPoint& point : prediction.points) {
    table.rows.push_back({workers_cell(point.workers)});
  }
  for (const auto& [name, part] : kParts) {
    const bool any = std::any_of(prediction.points.begin(), prediction.points.end(),
                                 [&](const PredictedPoint& p) { return part(p.parts) > 0; });
    if (!any) continue;
    table.columns.push_back({.name = name, .new_group = table.columns.size() == 1});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      table.rows[i].push_back(time_cell(law, part(prediction.points[i].parts)));
    }
  }
  return table;
}

Table change_table(const Prediction& prediction) {
  const Law& law = *prediction.instance.law;
  const std::string usable =
      fmt::format("usable K (E>={})", significant(prediction.options.threshold, 4));
  const PredictedPoint& largest = prediction.points.back();
  Table table;
  table.columns = {{.name = "one change", .left = true},
                   {.name = "limit"},
                   {.name = fmt::format("at K = {}", workers_cell(largest.workers))},
                   {.name = "least time"},
                   {.name = usable}};
  const auto add = [&](const std::string& name, double limit, double rate, const LeastTime& least,
                       double usable_workers) {
    table.rows.push_back({name, limit_cell(limit), fixed(rate, 2) + "x", time_cell(law, least.time),
                          answer_cell(usable_workers)});
  };
  const PredictionAnswers& now = prediction.answers;
  add("as it is", now.ceiling.speedup, largest.speedup, now.least, *now.last_good.exact);
  for (const Change& change : prediction.changes.list) {
    add(change.name, change.limit, change.rate_at_largest, change.least, change.last_good);
  }
  return table;
}

Table answer_table(std::span<const Prediction> predictions) {
  Table table;
  table.columns.push_back({.name = "question", .left = true});
  for (const Prediction& prediction : predictions) {
    table.columns.push_back({.name = column_name(prediction, predictions)});
  }
  for (const Question& question : questions(predictions)) {
    std::vector<std::string> row = {question.text};
    bool answered = false;
    for (const Prediction& prediction : predictions) {
      row.push_back(question.answer(prediction));
      answered = answered || !row.back().empty();
    }
    if (answered) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace kstar
