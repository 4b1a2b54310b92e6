#include <algorithm>

#include "base/number.h"
#include "kstar/prediction_report.h"
#include "report/csv.h"
#include "report/predict/cells.h"

namespace kstar {

namespace {

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
