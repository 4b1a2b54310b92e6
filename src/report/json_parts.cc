#include "report/json_parts.h"

#include <cmath>

namespace kstar::json_parts {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json whole(const std::optional<int>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json estimate(const Estimate& estimate) {
  return {{"point", number(estimate.point)},
          {"low", number(estimate.low)},
          {"high", number(estimate.high)},
          {"standard_error", number(estimate.standard_error)},
          {"n", estimate.n},
          {"method", to_string(estimate.method)},
          {"scope", to_string(estimate.scope)}};
}

Json estimate(const std::optional<Estimate>& value) {
  return value ? estimate(*value) : Json(nullptr);
}

Json bend(const Bend& bend) {
  return {{"last_good", whole(bend.last_good)},
          {"first_bad", bend.first_bad},
          {"low", bend.low},
          {"high", whole(bend.high)},
          {"agreement", number(bend.agreement)}};
}

Json note(const Note& note) {
  return {{"severity", name_of(note.severity)},
          {"what", note.what},
          {"where", note.where},
          {"text", note.text}};
}

std::string text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kstar::json_parts
