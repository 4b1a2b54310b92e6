#include "report/json_parts.h"

namespace kstar {

Json to_json(const Estimate& estimate) {
  return {{"point", estimate.point},
          {"low", estimate.low},
          {"high", estimate.high},
          {"standard_error", estimate.standard_error},
          {"n", estimate.n},
          {"method", to_string(estimate.method)},
          {"scope", to_string(estimate.scope)}};
}

Json to_json(const std::optional<Estimate>& estimate) {
  return optional_of(estimate, to_json);
}

Json to_json(const Bend& bend) {
  return {{"last_good", bend.last_good},
          {"first_bad", bend.first_bad},
          {"low", bend.low},
          {"high", bend.high},
          {"agreement", bend.agreement}};
}

Json to_json(const Note& note) {
  return {{"severity", name_of(note.severity)},
          {"what", note.what},
          {"where", note.where},
          {"text", note_sentence(note)}};
}

std::string file_text(const Json& json) {
  return json.dump(2) + "\n";
}

}  // namespace kstar
