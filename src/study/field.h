#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kstar/boxed.h"
#include "study/object_writer.h"
#include "study/value_reader.h"

/// One table a type says which keys a JSON object has, and both directions are made from it: what
/// is written can be read, and nothing is forgotten on one side. Fields<T>::kAll is that table.
namespace kstar {

template <typename T>
struct Fields;

template <typename T>
concept HasFields = requires {
  Fields<T>::kAll;
};

/// What a number may be, on the way in and on the way out.
enum class Rule : std::uint8_t { kAny, kNotNegative, kPositive };

template <typename T>
struct Field {
  std::string_view key;
  bool required;
  bool (*read)(ValueReader&, JsonValue, T&);
  void (*write)(JsonText&, std::string_view key, const T&);  ///< writes nothing when absent
};

template <typename Number>
constexpr bool obeys(Number value, Rule rule) {
  if constexpr (std::is_unsigned_v<Number>) return true;
  if (rule == Rule::kAny) return true;
  return rule == Rule::kPositive ? value > Number{0} : value >= Number{0};
}

template <typename Number>
std::string describe(Rule rule) {
  if constexpr (std::is_floating_point_v<Number>) {
    return rule == Rule::kPositive      ? "a number above 0"
           : rule == Rule::kNotNegative ? "a number not below 0"
                                        : "a finite number";
  }
  if (rule == Rule::kAny) return "a whole number";
  return fmt::format("a whole number from {} to {}", rule == Rule::kPositive ? 1 : 0,
                     std::numeric_limits<Number>::max());
}

template <typename T>
struct IsVector : std::false_type {};
template <typename T>
struct IsVector<std::vector<T>> : std::true_type {};
template <typename T>
struct IsOptional : std::false_type {};
template <typename T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <typename T>
struct IsBoxed : std::false_type {};
template <typename T>
struct IsBoxed<Boxed<T>> : std::true_type {};

template <typename T>
constexpr std::size_t field_count() {
  return std::size(Fields<T>::kAll);
}

/// The entry of a key, looked for from `next` on: the writer's order makes that one comparison.
template <typename T>
std::size_t find_field(std::string_view key, std::size_t next) {
  for (std::size_t tried = 0; tried < field_count<T>(); ++tried) {
    const std::size_t i = (next + tried) % field_count<T>();
    const std::string_view known = Fields<T>::kAll[i].key;
    // The first letter tells most keys of one length apart without a call.
    if (known.size() == key.size() && known.front() == key.front() && known == key) return i;
  }
  return field_count<T>();
}

}  // namespace kstar
