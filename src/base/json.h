#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kstar {

/// A value of JSON, put together as it looks: {{"name", "a"}, {"sizes", Json::array()}}. nlohmann
/// writes and reads it, in json.cc alone: its header is slow to compile.
class Json {
 public:
  struct Member;

  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> Bool>
  Json(Bool value) : value_(value) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value)
      : value_(static_cast<std::int64_t>(value)) {}
  /// Null where it is not finite.
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <typename T>
  Json(const std::vector<T>& values) : value_(std::vector<Json>(values.begin(), values.end())) {}
  template <typename T>
  Json(const std::optional<T>& value) {
    if (value) *this = Json(*value);
  }
  /// An object where every element is a name and a value; otherwise an array.
  Json(std::initializer_list<Json> elements);

  static Json array() { return std::vector<Json>(); }
  static Json object();
  /// Nothing where it is no JSON.
  static std::optional<Json> parse(std::string_view text);

  /// The member of this name; a new one stands behind the others.
  Json& operator[](std::string_view name);
  /// Behind the other elements of an array.
  void push_back(Json element);

  /// Null where it is no object.
  const std::vector<Member>* members() const { return std::get_if<std::vector<Member>>(&value_); }
  /// Null where it is no text.
  const std::string* text() const { return std::get_if<std::string>(&value_); }

  /// On one line, or with every element on its own, set in by `indent` more. What is not UTF-8 is
  /// replaced.
  std::string dump(int indent = -1) const;

 private:
  friend struct JsonLibrary;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                             std::vector<Json>, std::vector<Member>>;
  Value value_;
};

struct Json::Member {
  std::string name;
  Json value;
};

}  // namespace kstar
