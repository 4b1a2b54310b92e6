#include "kstar/regime.h"

#include <array>
#include <utility>

namespace kstar {

namespace {
constexpr std::array<std::pair<Regime, std::string_view>, 4> kNames = {
    {{Regime::kStrong, "strong"},
     {Regime::kWeak, "weak"},
     {Regime::kThroughput, "throughput"},
     {Regime::kMixed, "mixed"}}};
}  // namespace

std::string_view name_of(Regime regime) {
  for (const auto& [value, name] : kNames) {
    if (value == regime) return name;
  }
  return "mixed";
}

std::optional<Regime> regime_named(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

}  // namespace kstar
