#pragma once

#include <optional>
#include <string_view>

#include "base/json_document.h"
#include "dag/read/source.h"

namespace kstar::dag {

/// Walks a JSON text; the first thing that is wrong becomes an Error with its place, and every
/// function is false from then on.
class JsonWalk {
 public:
  explicit JsonWalk(const Source& source) : source_(source) {}

  bool start(JsonObject& root) {
    return is_good(json_.start(source_.text)) && is_good(json_.get(root));
  }

  /// Calls take() for every member or element; it returns false to stop at an error.
  template <typename Walked, typename Take>
  bool each(const Walked& walked, const Take& take) {
    const JsonFault fault = walked.each(take);
    return !error_ && is_good(fault);
  }
  /// The same of a value that must be a list, or an object.
  template <typename Take>
  bool elements(const JsonValue& value, const Take& take) {
    JsonArray array;
    if (value.get(array)) return refuse(value, "expected a list");
    return each(array, take);
  }
  template <typename Take>
  bool members(const JsonValue& value, const Take& take) {
    JsonObject object;
    if (value.get(object)) return refuse(value, "expected an object");
    return each(object, take);
  }

  bool text(const JsonValue& value, std::string_view& out) {
    return !value.get(out) || refuse(value, "expected a text");
  }
  /// Of 0 or more.
  bool amount(const JsonValue& value, double& out) {
    return (!value.get(out) && out >= 0) || refuse(value, "expected a number of 0 or more");
  }

  bool refuse(const JsonValue& value, std::string message) {
    if (!error_) error_ = error_at(source_, value.token().data(), std::move(message));
    return false;
  }
  Error take_error() { return std::move(*error_); }

 private:
  bool is_good(const JsonFault& fault) {
    if (!fault) return true;
    if (!error_) {
      const char* at = source_.text.data();
      if (const std::size_t place = json_fault_place(source_.text)) at += place;
      error_ = error_at(source_, at, fault.text());
    }
    return false;
  }

  const Source& source_;
  JsonDocument json_;
  std::optional<Error> error_;
};

}  // namespace kstar::dag
