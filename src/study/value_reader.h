#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_document.h"
#include "base/source_line.h"
#include "kstar/result.h"
#include "kstar/shared_text.h"

namespace kstar {

/// Reads the JSON values of one line, and turns whatever is wrong into an Error that shows it. Its
/// functions return false once there is an error.
class ValueReader {
 public:
  /// Starts with another line, which must have FileText::kPadding readable bytes behind it.
  bool start(const Line& line);
  /// The line's object from its beginning; it may be asked for again.
  bool object(JsonObject& out);
  /// Nothing stands behind the object.
  bool finish();

  bool whole(JsonValue value, std::uint64_t& out);
  bool boolean(JsonValue value, bool& out);
  bool text(JsonValue value, std::string& out);
  /// The same text again, as the session of a run, is shared with the last one.
  bool text(JsonValue value, SharedText& out);
  bool array(JsonValue value, JsonArray& out);
  bool object(JsonValue value, JsonObject& out);
  bool is_null(JsonValue value);

  /// Calls take() for every member or element; false once it returns false.
  template <typename Take>
  bool each(JsonObject object, const Take& take) {
    return is_whole(object.each(take));
  }
  template <typename Take>
  bool each(JsonArray array, const Take& take) {
    return is_whole(array.each(take));
  }

  /// Adds an unknown key and its value to `extra`, as they stand, after checking that they are
  /// JSON.
  bool keep(const JsonMember& member, std::string& extra);
  /// The whole line is JSON.
  bool check_all();
  bool is_json(std::string_view text) { return !json_.check(text); }

  bool expected(JsonValue value, std::string_view what);
  bool refuse(const char* at, std::string message, std::string hint = {});
  bool broken(JsonFault fault);
  /// For what is wrong with a line as a whole; it need not have been started.
  bool refuse_line(const Line& line, std::string message, std::string hint = {});

  const Line& line() const { return line_; }
  Error take_error() { return std::move(*error_); }

 private:
  std::size_t offset_of(const char* at) const;
  /// Of a walk: nobody stopped it, and it met no fault.
  bool is_whole(JsonFault fault) {
    return !fault || (fault.kind != JsonFault::kStopped && broken(fault));
  }
  bool check_json(std::string_view text);

  Line line_;
  JsonDocument json_;
  std::array<SharedText, 8> last_texts_;
  std::size_t next_text_ = 0;
  std::optional<Error> error_;
};

}  // namespace kstar
