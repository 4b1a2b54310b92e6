#include "base/product.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

/// "64", "64^3" or the same with a raised number.
std::optional<double> parse_factor(std::string_view text) {
  int power = 1;
  for (const auto& [sign, meant] : {std::pair("^2", 2), std::pair("^3", 3),
                                    std::pair("\xC2\xB2", 2), std::pair("\xC2\xB3", 3)}) {
    if (!text.ends_with(sign)) continue;
    text.remove_suffix(2);
    power = meant;
  }
  const auto factor = parse_double(trim(text));
  return factor && *factor > 0 ? std::optional(std::pow(*factor, power)) : std::nullopt;
}

}  // namespace

std::optional<double> parse_product(std::string_view text) {
  constexpr std::string_view kCross = "\xC3\x97";
  double product = 1;
  while (true) {
    const std::size_t letter = text.find_first_of("xX*"), cross = text.find(kCross);
    const std::size_t sign = std::min(letter, cross);
    const auto factor = parse_factor(trim(text.substr(0, sign)));
    if (!factor) return {};
    product *= *factor;
    if (sign == std::string_view::npos) return product;
    text.remove_prefix(sign + (sign == cross ? kCross.size() : 1));
  }
}

}  // namespace kstar
