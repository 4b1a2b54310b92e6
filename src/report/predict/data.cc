#include "kstar/prediction_report.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/predict/tables.h"

namespace kstar {

namespace {

using kstar::to_json;

constexpr int kSchemaVersion = 1;

Json workers(double value) {
  return std::isfinite(value) ? Json(static_cast<std::int64_t>(value)) : Json();
}

Json workers(const std::optional<double>& value) {
  return value ? workers(*value) : Json();
}

/// What last_usable says: a number, "all", or "beyond" for more than 2^53.
Json usable(const std::optional<double>& value) {
  if (!value) return nullptr;
  if (std::isinf(*value)) return "all";
  return *value >= kMostModelWorkers ? Json("beyond") : workers(*value);
}

Json to_json(const WorkersAnswer& answer) {
  return {{"exact", workers(answer.exact)}, {"listed", workers(answer.listed)}};
}

Json to_json(const Ceiling& ceiling) {
  return {{"speedup", ceiling.speedup}, {"workers", workers(ceiling.workers)}};
}

Json to_json(const LeastTime& least) {
  return {{"workers", workers(least.workers)},
          {"time", least.time},
          {"turns_up", workers(least.turns_up)}};
}

Json to_json(const PredictedPoint& point) {
  Json json = {{"workers", workers(point.workers)},
               {"time", point.time},
               {"speedup", point.speedup},
               {"efficiency", point.efficiency},
               {"work", point.work},
               {"parts",
                {{"serial", point.parts.serial},
                 {"parallel", point.parts.parallel},
                 {"communication", point.parts.communication},
                 {"hidden", point.parts.hidden},
                 {"straggler", point.parts.straggler}}},
               {"cost", point.cost},
               {"next_doubling", point.next_doubling},
               {"share_of_ceiling", point.share_of_ceiling},
               {"largest_serial", point.largest_serial},
               {"isoefficient_work", point.isoefficient_work},
               {"serial_share", point.serial_share},
               {"effective_amdahl", point.effective_amdahl}};
  if (point.rate) json["rate"] = *point.rate;
  return json;
}

Json answers_of(const Prediction& prediction) {
  const PredictionAnswers& answers = prediction.answers;
  Json least = to_json(answers.least);
  least["listed"] = workers(answers.least_listed);
  least["met_by_sweep"] = answers.sweep_met_least;
  least["turns_up_listed"] = workers(answers.turns_up_listed);
  return {
      {"limit",
       {{"time", answers.limits.time},
        {"speedup", answers.limits.speedup},
        {"efficiency", answers.limits.efficiency}}},
      {"ceiling", to_json(answers.ceiling)},
      {"first_below_threshold", to_json(answers.first_below)},
      {"last_good",
       {{"exact", usable(answers.last_good.exact)}, {"listed", workers(answers.last_good.listed)}}},
      {"communication_overtakes", workers(answers.communication_overtakes)},
      {"reaches_share", to_json(answers.reaches_share)},
      {"least_time", std::move(least)}};
}

Json changes_of(const Changes& changes) {
  Json list = Json::array();
  for (const Change& change : changes.list) {
    list.push_back({{"name", change.name},
                    {"ceiling", to_json(change.ceiling)},
                    {"least_time", to_json(change.least)},
                    {"last_good", usable(change.last_good)},
                    {"limit", change.limit},
                    {"rate_at_largest", change.rate_at_largest},
                    {"efficiency_at_largest", change.efficiency_at_largest}});
  }
  Json best = Json::array();
  for (const Change& change : changes.best) best.push_back(change.name);
  return {{"measure", changes.by_ceiling ? "limit" : "rate_at_largest"},
          {"best", std::move(best)},
          {"list", std::move(list)}};
}

Json curve_of(const Prediction& prediction) {
  const Law& law = *prediction.instance.law;
  Json parameters = Json::object();
  for (const ParameterValue& value : prediction.instance.parameters) {
    const std::optional<double> numeric = parse_double(value.text);
    parameters[value.name] = numeric ? Json(*numeric) : Json(value.text);
  }
  Json json = {
      {"law", law.name},
      {"formula", law.formula},
      {"regime", name_of(prediction.instance.model.regime)},
      {"parameters", std::move(parameters)},
      {"base_workers", workers(prediction.instance.model.base_workers)},
      {"time_unit", law.style.time_unit.empty() ? "one worker's computation" : law.style.time_unit},
      {"points", list_of(prediction.points, to_json)},
      {"answers", answers_of(prediction)},
      {"recommended_workers", usable(prediction.recommendation.workers)},
      {"changes", changes_of(prediction.changes)},
      {"sensitivity",
       {{"parameter", prediction.sensitivity.parameter},
        {"usable_if_halved", usable(prediction.sensitivity.halved)},
        {"usable_if_doubled", usable(prediction.sensitivity.doubled)},
        {"elasticity", prediction.sensitivity.elasticity}}},
      {"assumptions", prediction.assumptions}};
  if (prediction.step) {
    json["step"] = {{"profiled_time", prediction.step->profiled_time},
                    {"step_time", prediction.step->step_time},
                    {"serial_share", prediction.step->serial_share},
                    {"amdahl_ceiling", prediction.step->amdahl_ceiling},
                    {"effective_amdahl_peak", workers(prediction.step->effective_peak)}};
  }
  return json;
}

std::vector<std::string> varying_parameters(std::span<const Prediction> predictions) {
  std::vector<std::string> names;
  for (const Prediction& prediction : predictions) {
    for (const ParameterValue& value : prediction.instance.parameters) {
      const bool known = std::find(names.begin(), names.end(), value.name) != names.end();
      if (!known && varies(value.name, predictions)) names.push_back(value.name);
    }
  }
  return names;
}

}  // namespace

std::string to_json(std::span<const Prediction> predictions) {
  const PredictionOptions& options = predictions[0].options;
  Json curves = Json::array();
  for (const Prediction& prediction : predictions) curves.push_back(curve_of(prediction));
  const Json json = {{"kstar", "prediction"},          {"schema", kSchemaVersion},
                     {"threshold", options.threshold}, {"floor", options.floor},
                     {"share", options.share},         {"curves", std::move(curves)}};
  return file_text(json);
}

std::string to_csv(std::span<const Prediction> predictions) {
  const bool laws = several_laws(predictions);
  const std::vector<std::string> varying = varying_parameters(predictions);
  std::string text = laws ? "law," : "";
  for (const std::string& name : varying) text += name + ",";
  text += "K,T,S,E\n";
  for (const Prediction& prediction : predictions) {
    std::string prefix = laws ? std::string(prediction.instance.law->name) + "," : "";
    for (const std::string& name : varying) {
      const std::string* value = value_of(prediction, name);
      prefix += (value != nullptr ? csv_cell(*value) : "") + ",";
    }
    for (const PredictedPoint& point : prediction.points) {
      text += prefix + fixed(point.workers, 0) + "," + shortest(point.time) + "," +
              shortest(point.speedup) + "," + shortest(point.efficiency) + "\n";
    }
  }
  return text;
}

}  // namespace kstar
