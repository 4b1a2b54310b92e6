#include "spec/toml_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar {

const toml::node* TomlKeys::find(std::string_view key) {
  known_.emplace_back(key);
  return error_ ? nullptr : table_.get(key);
}

void TomlKeys::wrong(const toml::node& node, std::string_view what) {
  error_ = source_.error(node.source().begin, expected("", what, shown(node)).message);
}

std::optional<std::string> TomlKeys::text(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* text = node->as_string(); text != nullptr && !text->get().empty()) {
    return text->get();
  }
  wrong(*node, "text in quotes");
  return std::nullopt;
}

std::optional<double> TomlKeys::number(std::string_view key, double least, double most) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> value = node->value<double>();
  if (node->is_number() && value && *value >= least && *value <= most) return value;
  wrong(*node, std::isinf(most)
                   ? fmt::format("a number of at least {}", shortest(least))
                   : fmt::format("a number from {} to {}", shortest(least), shortest(most)));
  return std::nullopt;
}

std::optional<double> TomlKeys::whole(std::string_view key, double least, double most) {
  const std::optional<double> value = number(key, least, most);
  if (!value || *value == std::floor(*value)) return value;
  wrong(*table_.get(key), "a whole number");
  return std::nullopt;
}

std::optional<double> TomlKeys::positive(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> value = node->value<double>();
  if (node->is_number() && value && *value > 0 && std::isfinite(*value)) return value;
  wrong(*node, "a number above 0");
  return std::nullopt;
}

std::optional<double> TomlKeys::duration(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> seconds =
      node->is_string() ? parse_duration(node->as_string()->get()) : std::nullopt;
  if (seconds && *seconds > 0) return seconds;
  wrong(*node, "a time in quotes, such as \"5h\" or \"250ms\"");
  return std::nullopt;
}

std::optional<double> TomlKeys::bytes(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> bytes =
      node->is_string() ? parse_bytes(node->as_string()->get()) : std::nullopt;
  if (bytes && *bytes > 0) return bytes;
  wrong(*node, "a size in quotes, such as \"80GB\"");
  return std::nullopt;
}

std::optional<std::string> TomlKeys::choice(std::string_view key,
                                            const std::vector<std::string>& choices) {
  const toml::node* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (const auto* text = node->as_string()) {
    if (std::find(choices.begin(), choices.end(), text->get()) != choices.end()) {
      return text->get();
    }
  }
  wrong(*node, fmt::format("one of {}", fmt::join(choices, ", ")));
  return std::nullopt;
}

std::vector<std::pair<std::string, std::string>> TomlKeys::others() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    if (node.is_string() || node.is_number()) all.emplace_back(key.str(), shown(node));
  }
  for (const auto& [key, value] : all) known_.push_back(key);
  return all;
}

Error TomlKeys::error_at(std::string_view key, std::string message, std::string hint) const {
  const toml::node* node = table_.get(key);
  return source_.error((node != nullptr ? node->source() : table_.source()).begin,
                       std::move(message), std::move(hint));
}

Result<void> TomlKeys::first_error() const {
  if (error_) return fail(*error_);
  return {};
}

Result<void> TomlKeys::finish() {
  if (error_) return fail(*error_);
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    const std::string near = did_you_mean(key.str(), known_);
    return fail(source_.error(
        key.source().begin,
        expected("", fmt::format("one of {}", fmt::join(known_, ", ")), key.str()).message,
        near.empty() ? "" : fmt::format("did you mean '{}'?", near)));
  }
  return {};
}

}  // namespace kstar
