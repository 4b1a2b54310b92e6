#include "report/prediction_cells.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace kstar {

std::string workers_cell(double workers) {
  if (std::isinf(workers)) return "all";
  return workers < kMostModelWorkers ? fixed(workers, 0) : "> 9e15";
}

std::string workers_cell(const std::optional<double>& workers, const char* none) {
  return workers ? workers_cell(*workers) : none;
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

std::string ceiling_cell(const Ceiling& ceiling) {
  return ceiling.bounded() ? fixed(ceiling.speedup, 2) + "x" : "unbounded";
}

}  // namespace kstar
