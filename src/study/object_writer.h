#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kstar/result.h"

namespace kstar {

/// Writes JSON text from the front to the back. Not a tree on the way: unknown keys go
/// back byte for byte (a number of 30 digits too), and a million runs are written in seconds.
/// The first value that could not be read back is kept as the error.
class JsonText {
 public:
  JsonText() { text_.reserve(kUsualLength); }
  void open(char bracket) {
    text_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    text_ += bracket;
    first_ = false;
  }
  /// One of the Study's own names, which need no escape.
  void key(std::string_view name);
  /// A name from outside.
  void any_key(std::string_view name);
  /// Before every element of an array.
  void separate();

  void string(std::string_view value);
  void number(double value);
  void boolean(bool value) { text_ += value ? "true" : "false"; }
  template <std::integral Integer>
  void integer(Integer value) {
    text_ += std::to_string(value);
  }
  /// The members of `object`, the JSON text of one, as further members here.
  void members_of(std::string_view object);

  void refuse(Error error) {
    if (!error_) error_ = std::move(error);
  }
  Result<std::string> take();

 private:
  static constexpr std::size_t kUsualLength = 120;
  std::string text_;
  bool first_ = true;
  std::optional<Error> error_;
};

/// JSON text on one line.
std::string one_line(std::string_view json);

}  // namespace kstar
