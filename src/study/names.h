#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "kstar/study.h"

/// The names of the enumerations in the file, in the order of their values.
namespace kstar {

template <typename Enum>
inline constexpr std::array<std::string_view, 0> kNames{};
template <>
inline constexpr std::array<std::string_view, 4> kNames<Regime>{"strong", "weak", "throughput",
                                                                "mixed"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<BaselineKind>{"fastest-single",
                                                                      "parallel-with-one"};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Role>{"parallel", "baseline"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<Severity>{"info", "warning", "error"};
template <>
inline constexpr std::array<std::string_view, 5> kNames<TimeKind>{"run", "step", "rate", "speedup",
                                                                  "efficiency"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<SourceKind>{"measured", "imported",
                                                                    "simulated"};

template <typename Enum>
std::optional<Enum> value_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames<Enum>.size(); ++i) {
    if (kNames<Enum>[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace kstar
