#include "spec/growth.h"

#include <cmath>

#include "base/number.h"

namespace kstar {

std::optional<double> growth_factor(std::string_view rule, std::int64_t workers) {
  constexpr double kLeastPower = 0.01, kMostPower = 4;
  const auto k = static_cast<double>(workers);
  if (rule == "K") return k;
  if (rule == "sqrt(K)") return std::sqrt(k);
  if (rule == "cbrt(K)") return std::cbrt(k);
  if (!rule.starts_with("K^")) return std::nullopt;
  const std::optional<double> power = parse_double(rule.substr(2));
  if (!power || *power < kLeastPower || *power > kMostPower) return std::nullopt;
  return std::pow(k, *power);
}

}  // namespace kstar
