#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_document.h"
#include "import/input.h"

namespace kstar {

/// Reads JSON from a part of the input, and turns whatever is wrong into an Error that shows it.
/// Its functions return false once there is an error.
class JsonReader {
 public:
  explicit JsonReader(const Input& input = {}) : input_(input) {}

  /// Starts with another document, a part of the input's text.
  bool start(std::string_view text, JsonObject& root);
  /// The same of another input.
  bool start(const Input& input, std::string_view text, JsonObject& root) {
    input_ = input;
    return start(text, root);
  }
  /// Nothing stands behind the object. What was read from it is gone.
  bool finish();

  /// The member of that name; it is an error that there is none.
  bool member(const JsonObject& object, std::string_view key, JsonValue& out);
  /// The same, where it may be absent or null: `found` says so.
  bool optional_member(const JsonObject& object, std::string_view key, JsonValue& out, bool& found);

  /// Calls take() for every member or element; false once it returns false.
  template <typename Take>
  bool each(JsonObject object, const Take& take) {
    return is_whole(object.each(take));
  }
  template <typename Take>
  bool each(JsonArray array, const Take& take) {
    return is_whole(array.each(take));
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
  bool broken(JsonFault fault);
  static const char* place(JsonValue value) { return value.token().data(); }

  Error take_error() { return std::move(*error_); }

 private:
  /// Of a walk: nobody stopped it, and it met no fault.
  bool is_whole(JsonFault fault) {
    return !fault || (fault.kind != JsonFault::kStopped && broken(fault));
  }

  Input input_;
  std::string_view text_;
  JsonDocument json_;
  std::optional<Error> error_;
};

}  // namespace kstar
