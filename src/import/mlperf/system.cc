#include "import/mlperf/system.h"

#include <algorithm>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "import/json_reader.h"
#include "kstar/limits.h"

namespace kstar {

namespace {

/// Numbers stand there as numbers, as texts, and as texts with more behind: "8", "2 x 4".
std::optional<int> leading_number(std::string_view text) {
  text = trim(text);
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end != std::string_view::npos && text[end] != ' ' && text[end] != '(') return std::nullopt;
  const auto number = parse_integer(text.substr(0, end));
  if (!number || *number < 0 || *number > kMostWorkers) return std::nullopt;
  return static_cast<int>(*number);
}

std::optional<std::string> text_of_json(JsonValue value) {
  std::string_view words;
  std::int64_t number = 0;
  if (!value.get(words)) return std::string(trim(words));
  if (!value.get(number)) return std::to_string(number);
  return std::nullopt;
}

void set(MlperfSystem& system, std::string_view key, const std::string& said) {
  if (key == "division") system.division = said;
  if (key == "framework") system.framework = said;
  if (key == "accelerator_model_name") system.accelerator = said;
  if (key == "number_of_nodes") system.nodes = leading_number(said);
  if (key == "accelerators_per_node") system.accelerators_per_node = leading_number(said);
  if (key == "host_processor_model_name") system.host.cpu = said;
  if (key == "host_processors_per_node") {
    const auto sockets = leading_number(said);
    if (sockets && *sockets > 0) system.host.sockets = sockets;
  }
}

}  // namespace

std::optional<int> MlperfSystem::workers() const {
  if (!nodes || *nodes < 1) return std::nullopt;
  const std::int64_t each = std::max(accelerators_per_node.value_or(1), 1);
  if (*nodes * each > kMostWorkers) return std::nullopt;
  return static_cast<int>(*nodes * each);
}

Result<MlperfSystem> read_mlperf_system(std::string_view text, std::string_view name) {
  JsonReader json({text, name});
  JsonObject root;
  MlperfSystem system;
  const auto take = [&](const JsonMember& member) {
    if (const auto said = text_of_json(member.value)) set(system, member.key, *said);
    return true;
  };
  if (json.start(text, root) && json.each(root, take)) return system;
  return fail(json.take_error());
}

std::optional<double> read_mlperf_scaling(std::string_view text) {
  JsonReader json({text, "scaling.json"});
  JsonObject root;
  JsonValue value;
  bool found = false;
  double factor = 0;
  if (!json.start(text, root) || !json.optional_member(root, "scaling_factor", value, found) ||
      !found || !json.number(value, 0, "a factor above 0", factor) || factor <= 0) {
    return std::nullopt;
  }
  return factor;
}

}  // namespace kstar
