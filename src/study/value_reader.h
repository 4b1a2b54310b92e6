#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "study/line.h"

namespace kstar {

using JsonValue = simdjson::ondemand::value;

/// Reads the JSON values of one line, and turns whatever is wrong into an Error that shows it. Its
/// functions return false once there is an error.
class ValueReader {
 public:
  /// Starts with another line, which must have FileText::kPadding readable bytes behind it.
  bool start(const Line& line);
  /// The line's object from its beginning; it may be asked for again.
  bool object(simdjson::ondemand::object& out);
  /// Nothing stands behind the object.
  bool finish();

  bool whole(JsonValue value, std::uint64_t& out);
  bool boolean(JsonValue value, bool& out);
  bool text(JsonValue value, std::string& out);
  bool array(JsonValue value, simdjson::ondemand::array& out);
  bool object(JsonValue value, simdjson::ondemand::object& out);
  bool is_null(JsonValue& value);

  /// Adds an unknown key and its value to `extra`, as they stand, after checking that they are
  /// JSON.
  bool keep(const char* raw_key, JsonValue value, std::string& extra);
  /// The whole line is JSON.
  bool check_all();

  /// The raw text of a key between its quotes.
  std::string_view raw_key(const char* start) const;

  bool expected(JsonValue value, std::string_view what);
  bool refuse(const char* at, std::string message, std::string hint = {});
  bool broken(simdjson::error_code code);
  /// For what is wrong with a line as a whole; it need not have been started.
  bool refuse_line(const Line& line, std::string message, std::string hint = {});

  const Line& line() const { return line_; }
  Error take_error() { return std::move(*error_); }

 private:
  std::size_t offset_of(const char* at) const;
  bool check_json(std::string_view text);

  Line line_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  simdjson::dom::parser checker_;
  std::optional<Error> error_;
};

}  // namespace kstar
