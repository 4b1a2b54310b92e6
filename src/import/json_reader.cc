#include "import/json_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kstar {

bool JsonReader::start(std::string_view text, JsonObject& root) {
  text_ = text;
  error_.reset();
  // Behind the part the rest of the file follows, and behind that its padding.
  JsonFault fault = json_.start(text);
  if (!fault) fault = json_.get(root);
  if (!fault) return true;
  if (fault.kind == JsonFault::kWrongType) {
    return refuse(text.data(), "expected a JSON object, got something else");
  }
  return refuse(text.data() + json_fault_place(text), fault.text());
}

bool JsonReader::finish() {
  JsonObject root;
  std::string_view all;
  JsonFault fault = json_.get(root);
  if (!fault) fault = root.get_text(all);
  if (fault) return broken(fault);
  const char* const end = all.data() + all.size();
  const auto behind = static_cast<std::size_t>(text_.data() + text_.size() - end);
  const std::string_view rest = trim({end, behind});
  return rest.empty() || refuse(rest.data(), "is not JSON: there is text after the object");
}

bool JsonReader::member(const JsonObject& object, std::string_view key, JsonValue& out) {
  bool found = false;
  if (!optional_member(object, key, out, found)) return false;
  if (found) return true;
  const char* at = text_.data();
  return refuse(at, fmt::format("expected the key \"{}\", which is missing", key));
}

bool JsonReader::optional_member(const JsonObject& object, std::string_view key, JsonValue& out,
                                 bool& found) {
  const JsonFault fault = object.find(key, out);
  found = !fault;
  if (fault.kind == JsonFault::kMissing) return true;
  if (!found) return broken(fault);
  bool null = false;
  if (const JsonFault wrong = out.get_null(null)) return broken(wrong);
  found = !null;
  return true;
}

bool JsonReader::object(JsonValue value, JsonObject& out) {
  const JsonFault fault = value.get(out);
  if (fault.kind == JsonFault::kWrongType) return expected(value, "an object");
  return !fault || broken(fault);
}

bool JsonReader::array(JsonValue value, JsonArray& out) {
  const JsonFault fault = value.get(out);
  if (fault.kind == JsonFault::kWrongType) return expected(value, "an array");
  return !fault || broken(fault);
}

bool JsonReader::number(JsonValue value, double least, std::string_view what, double& out) {
  if (!value.get(out) && out >= least) return true;
  return expected(value, what);
}

bool JsonReader::whole(JsonValue value, std::int64_t least, std::int64_t most,
                       std::string_view what, std::int64_t& out) {
  if (!value.get(out) && out >= least && out <= most) return true;
  return expected(value, what);
}

bool JsonReader::text(JsonValue value, std::string& out) {
  std::string_view view;
  if (value.get(view)) return expected(value, "a text");
  out = view;
  return true;
}

bool JsonReader::numbers(JsonValue value, double least, std::string_view what,
                         std::vector<double>& out) {
  JsonArray list;
  if (!array(value, list)) return false;
  out.clear();
  return each(list,
              [&](JsonValue entry) { return number(entry, least, what, out.emplace_back()); });
}

bool JsonReader::expected(JsonValue value, std::string_view what) {
  std::string_view token = value.token();
  const std::size_t end = token.find_first_of(token.starts_with('"') ? "\n" : ",]} \t\r\n");
  token = trim(token.substr(0, end));
  if (!error_) error_ = expected_at(input_, token, what);
  return false;
}

bool JsonReader::refuse(const char* at, std::string message, std::string hint) {
  if (!error_) error_ = error_at(input_, at, std::move(message), std::move(hint));
  return false;
}

bool JsonReader::broken(JsonFault fault) {
  const char* at = nullptr;
  const char* const end = text_.data() + text_.size();
  if (json_.get_location(at)) at = end;
  return refuse(std::clamp(at, text_.data(), end), fault.text());
}

}  // namespace kstar
