#include "import/json_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "import/json_fault.h"

namespace kstar {

static_assert(FileText::kPadding >= simdjson::SIMDJSON_PADDING);

namespace {

/// simdjson's words, without the name of its error code in front.
std::string not_json(simdjson::error_code code) {
  const std::string_view message = simdjson::error_message(code);
  const std::size_t colon = message.find(": ");
  return fmt::format("is not JSON: {}",
                     colon == std::string_view::npos ? message : message.substr(colon + 2));
}

}  // namespace

bool JsonReader::start(std::string_view text, JsonObject& root) {
  text_ = text;
  error_.reset();
  // Behind the part the rest of the file follows, and behind that its padding.
  const simdjson::padded_string_view padded(text, text.size() + FileText::kPadding);
  auto error = parser_.iterate(padded).get(document_);
  if (error == simdjson::SUCCESS) error = document_.get_object().get(root);
  if (error == simdjson::SUCCESS) return true;
  if (error == simdjson::INCORRECT_TYPE) {
    return refuse(text.data(), "expected a JSON object, got something else");
  }
  return refuse(text.data() + json_fault(text), not_json(error));
}

bool JsonReader::finish() {
  JsonObject root;
  std::string_view all;
  document_.rewind();
  auto error = document_.get_object().get(root);
  if (error == simdjson::SUCCESS) error = root.raw_json().get(all);
  if (error != simdjson::SUCCESS) return broken(error);
  const char* const end = all.data() + all.size();
  const auto behind = static_cast<std::size_t>(text_.data() + text_.size() - end);
  const std::string_view rest = trim({end, behind});
  return rest.empty() || refuse(rest.data(), "is not JSON: something stands behind the object");
}

bool JsonReader::member(JsonObject& object, std::string_view key, JsonValue& out) {
  bool found = false;
  if (!optional_member(object, key, out, found)) return false;
  if (found) return true;
  const char* at = text_.data();
  return refuse(at, fmt::format("expected the key \"{}\", which is missing", key));
}

bool JsonReader::optional_member(JsonObject& object, std::string_view key, JsonValue& out,
                                 bool& found) {
  const auto error = object.find_field_unordered(key).get(out);
  found = error == simdjson::SUCCESS;
  if (error == simdjson::NO_SUCH_FIELD) return true;
  if (!found) return broken(error);
  bool null = false;
  if (const auto wrong = out.is_null().get(null)) return broken(wrong);
  found = !null;
  return true;
}

bool JsonReader::object(JsonValue value, JsonObject& out) {
  const auto error = value.get_object().get(out);
  if (error == simdjson::INCORRECT_TYPE) return expected(value, "an object");
  return error == simdjson::SUCCESS || broken(error);
}

bool JsonReader::array(JsonValue value, JsonArray& out) {
  const auto error = value.get_array().get(out);
  if (error == simdjson::INCORRECT_TYPE) return expected(value, "an array");
  return error == simdjson::SUCCESS || broken(error);
}

bool JsonReader::number(JsonValue value, double least, std::string_view what, double& out) {
  // simdjson reads no NaN and no infinity.
  if (value.get_double().get(out) == simdjson::SUCCESS && out >= least) return true;
  return expected(value, what);
}

bool JsonReader::whole(JsonValue value, std::int64_t least, std::int64_t most,
                       std::string_view what, std::int64_t& out) {
  if (value.get_int64().get(out) == simdjson::SUCCESS && out >= least && out <= most) return true;
  return expected(value, what);
}

bool JsonReader::text(JsonValue value, std::string& out) {
  std::string_view view;
  if (value.get_string().get(view) != simdjson::SUCCESS) return expected(value, "a text");
  out = view;
  return true;
}

bool JsonReader::numbers(JsonValue value, double least, std::string_view what,
                         std::vector<double>& out) {
  JsonArray list;
  if (!array(value, list)) return false;
  out.clear();
  for (auto item : list) {
    JsonValue entry;
    if (const auto error = item.get(entry)) return broken(error);
    if (!number(entry, least, what, out.emplace_back())) return false;
  }
  return true;
}

bool JsonReader::expected(JsonValue value, std::string_view what) {
  std::string_view token = value.raw_json_token();
  const std::size_t end = token.find_first_of(token.starts_with('"') ? "\n" : ",]} \t\r\n");
  token = trim(token.substr(0, end));
  if (!error_) error_ = expected_at(input_, token, what);
  return false;
}

bool JsonReader::refuse(const char* at, std::string message, std::string hint) {
  if (!error_) error_ = error_at(input_, at, std::move(message), std::move(hint));
  return false;
}

bool JsonReader::broken(simdjson::error_code code) {
  const char* at = nullptr;
  const char* const end = text_.data() + text_.size();
  if (document_.current_location().get(at) != simdjson::SUCCESS) at = end;
  return refuse(std::clamp(at, text_.data(), end), not_json(code));
}

}  // namespace kstar
