#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kstar {

/// How much larger the problem is on `workers` than on one, by a rule of a small set: K (in
/// proportion), sqrt(K), cbrt(K), K^P with P from 0.01 to 4. Nothing for any other text.
std::optional<double> growth_factor(std::string_view rule, std::int64_t workers);

/// For messages.
inline constexpr std::string_view kGrowthRules = "K, sqrt(K), cbrt(K) or K^P with P from 0.01 to 4";

}  // namespace kstar
