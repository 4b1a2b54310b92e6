#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/input.h"

/// All of a JSON text at once, for formats whose shape is known only when everything was seen.
namespace kstar {

struct JsonNode {
  enum class Kind { kNull, kNumber, kText, kObject, kArray };
  Kind kind = Kind::kNull;
  std::string_view scalar;                                ///< of a number, a text or a truth value
  std::vector<std::pair<std::string, JsonNode>> members;  ///< of an array without names

  bool is_scalar() const { return kind != Kind::kObject && kind != Kind::kArray; }
  /// The member of that name, or null.
  const JsonNode* find(std::string_view name) const;
  /// The one that "a.b.c" leads to, or null.
  const JsonNode* find_path(std::string_view path) const;
};

struct JsonTree {
  JsonNode root;  ///< of JSON Lines: an array of their objects
  Input input;    ///< what the scalars point into
  std::shared_ptr<std::deque<std::string>> texts = std::make_shared<std::deque<std::string>>();
};

/// One document, or JSON Lines.
Result<JsonTree> read_json_tree(const Input& input);

}  // namespace kstar
