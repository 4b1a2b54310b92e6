#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace kstar {

/// A number that may be absent, no larger than the number: one value that nothing measured has (a
/// NaN of its own, or the lowest whole number) stands for absent. It reads as std::optional does. A
/// million runs have twenty of these each.
template <typename T>
class SmallOptional {
 public:
  constexpr SmallOptional() = default;
  constexpr SmallOptional(std::nullopt_t) {}
  constexpr SmallOptional(T value) : value_(value) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U, T>>>
  constexpr SmallOptional(const std::optional<U>& value)
      : value_(value ? static_cast<T>(*value) : absent()) {}

  constexpr operator std::optional<T>() const {
    return has_value() ? std::optional<T>(value_) : std::nullopt;
  }
  constexpr bool has_value() const {
    if constexpr (std::is_floating_point_v<T>) {
      return std::bit_cast<std::uint64_t>(value_) != kAbsentBits;  // another NaN is a value
    } else {
      return value_ != absent();
    }
  }
  constexpr explicit operator bool() const { return has_value(); }
  constexpr const T& operator*() const { return value_; }
  constexpr T& operator*() { return value_; }
  constexpr const T& value() const { return value_; }
  constexpr T value_or(T other) const { return has_value() ? value_ : other; }
  constexpr void reset() { value_ = absent(); }
  constexpr T& emplace() { return value_ = T{}; }

  friend constexpr bool operator==(const SmallOptional& a, const SmallOptional& b) {
    return a.has_value() ? b.has_value() && a.value_ == b.value_ : !b.has_value();
  }
  friend constexpr bool operator==(const SmallOptional& a, std::nullopt_t) {
    return !a.has_value();
  }
  /// Absent is less than every number.
  friend constexpr auto operator<=>(const SmallOptional& a, const SmallOptional& b)
      -> std::compare_three_way_result_t<T> {
    if (a.has_value() && b.has_value()) return a.value_ <=> b.value_;
    return a.has_value() <=> b.has_value();
  }

 private:
  static constexpr std::uint64_t kAbsentBits = 0x7ff86b7374617200;  // a quiet NaN that says "kstar"

  static constexpr T absent() {
    if constexpr (std::is_floating_point_v<T>) {
      static_assert(sizeof(T) == sizeof kAbsentBits);
      return std::bit_cast<T>(kAbsentBits);
    } else {
      return std::numeric_limits<T>::lowest();
    }
  }

  T value_ = absent();
};

}  // namespace kstar
