#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/input.h"

namespace kstar {

using JsonValue = simdjson::ondemand::value;
using JsonObject = simdjson::ondemand::object;
using JsonArray = simdjson::ondemand::array;

/// Reads JSON from a part of the input, and turns whatever is wrong into an Error that shows it.
/// Its functions return false once there is an error.
class JsonReader {
 public:
  explicit JsonReader(const Input& input) : input_(input) {}

  /// Starts with another document, a part of the input's text.
  bool start(std::string_view text, JsonObject& root);
  /// Nothing stands behind the object. What was read from it is gone.
  bool finish();

  /// The member of that name; it is an error that there is none.
  bool member(JsonObject& object, std::string_view key, JsonValue& out);
  /// The same, where it may be absent or null: `found` says so.
  bool optional_member(JsonObject& object, std::string_view key, JsonValue& out, bool& found);

  /// The name and the value of one of an object's members, in a loop over all.
  template <typename Field>
  bool field(Field&& field, std::string_view& key, JsonValue& out) {
    if (const auto error = field.unescaped_key().get(key)) return broken(error);
    if (const auto error = field.value().get(out)) return broken(error);
    return true;
  }

  bool object(JsonValue value, JsonObject& out);
  bool array(JsonValue value, JsonArray& out);
  /// `what` names what is expected: a time of 0 or more.
  bool number(JsonValue value, double least, std::string_view what, double& out);
  bool whole(JsonValue value, std::int64_t least, std::int64_t most, std::string_view what,
             std::int64_t& out);
  bool text(JsonValue value, std::string& out);
  bool numbers(JsonValue value, double least, std::string_view what, std::vector<double>& out);

  bool expected(JsonValue value, std::string_view what);
  bool refuse(const char* at, std::string message, std::string hint = {});
  bool broken(simdjson::error_code code);
  static const char* place(JsonValue value) { return value.raw_json_token().data(); }

  Error take_error() { return std::move(*error_); }

 private:
  Input input_;
  std::string_view text_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  std::optional<Error> error_;
};

}  // namespace kstar
