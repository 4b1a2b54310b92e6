#include "import/json_tree.h"

#include <algorithm>

#include "base/file.h"
#include "base/json_document.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::size_t kMostNodes = 20'000'000;
constexpr int kMostNestedNodes = 64;
constexpr std::string_view kBefore = "{\"rows\":";

class TreeReader {
 public:
  explicit TreeReader(JsonTree& tree) : tree_(tree) {}

  bool read(JsonValue value, JsonNode& node, int depth = 0) {
    if (++nodes_ > kMostNodes || depth > kMostNestedNodes) return false;
    const std::string_view token = value.token();
    if (token.empty()) return false;
    switch (token[0]) {
      case '{':
        return read_object(value, node, depth);
      case '[':
        return read_array(value, node, depth);
      case '"': {
        std::string_view text;
        if (value.get(text)) return false;
        node.kind = JsonNode::Kind::kText;
        node.scalar = tree_.texts->emplace_back(text);
        return true;
      }
      default:
        node.scalar = trim(token.substr(0, token.find_first_of(",]}\n")));
        node.kind = node.scalar == "null" ? JsonNode::Kind::kNull : JsonNode::Kind::kNumber;
        if (node.kind == JsonNode::Kind::kNull) node.scalar = node.scalar.substr(0, 0);
        return !skip(value);
    }
  }

 private:
  static JsonFault skip(JsonValue value) {
    std::string_view text;
    return value.get_text(text);
  }

  bool read_object(JsonValue value, JsonNode& node, int depth) {
    node.kind = JsonNode::Kind::kObject;
    JsonObject object;
    if (value.get(object)) return false;
    return !object.each([&](const JsonMember& member) {
      node.members.emplace_back(std::string(member.key), JsonNode());
      return read(member.value, node.members.back().second, depth + 1);
    });
  }

  bool read_array(JsonValue value, JsonNode& node, int depth) {
    node.kind = JsonNode::Kind::kArray;
    JsonArray array;
    if (value.get(array)) return false;
    return !array.each([&](JsonValue element) {
      node.members.emplace_back(std::string(), JsonNode());
      return read(element, node.members.back().second, depth + 1);
    });
  }

  JsonTree& tree_;
  std::size_t nodes_ = 0;
};

/// Where it stops being JSON.
Error not_json(const Input& input) {
  const std::size_t begin = std::min(input.text.find_first_of("{["), input.text.size());
  const std::size_t fault = json_fault_place(input.text.substr(begin));
  return error_at(input, input.text.data() + begin + fault,
                  "is not valid JSON, or truncated, from here on", "write a truncated file again");
}

/// The text as the only member of an object: a list is none.
bool read_document(std::string_view text, TreeReader& reader, JsonTree& tree, JsonNode& node) {
  std::string& wrapped = tree.texts->emplace_back(kBefore);
  wrapped.append(text).append("}");
  const std::size_t size = wrapped.size();
  wrapped.append(FileText::kPadding, ' ');
  JsonDocument document;
  JsonObject root;
  JsonValue value;
  const std::string_view all = std::string_view(wrapped).substr(0, size);
  if (document.check(all) || document.start(all) || document.get(root) ||
      root.find("rows", value)) {
    return false;
  }
  tree.input.text = all;
  return reader.read(value, node);
}

}  // namespace

const JsonNode* JsonNode::find(std::string_view name) const {
  const auto place = std::find_if(members.begin(), members.end(),
                                  [&](const auto& member) { return member.first == name; });
  return place == members.end() ? nullptr : &place->second;
}

const JsonNode* JsonNode::find_path(std::string_view path) const {
  const JsonNode* node = this;
  for (const std::string_view name : split(path, '.')) {
    node = node->find(name);
    if (node == nullptr) return nullptr;
  }
  return node;
}

Result<JsonTree> read_json_tree(const Input& input) {
  JsonTree tree;
  tree.input = input;
  TreeReader reader(tree);
  std::string_view rest = input.text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  if (read_document(rest, reader, tree, tree.root)) return tree;
  // JSON Lines: an object each.
  tree.root = {};
  tree.root.kind = JsonNode::Kind::kArray;
  std::string list = "[";
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    if (line.empty()) continue;
    if (!line.starts_with('{')) return fail(not_json(input));
    list.append(list.size() > 1 ? "," : "").append(line).append("\n");
  }
  list += "]";
  tree.root = {};
  if (list.size() > 2 && read_document(list, reader, tree, tree.root)) return tree;
  return fail(not_json(input));
}

}  // namespace kstar
