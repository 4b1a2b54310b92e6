#include "base/written_digits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace kstar {

namespace {

/// 10^e of the first digit.
int magnitude(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}

/// The digits of a number without the zeros behind them: of 0.0150 they are 1 and 5.
int significant_digits(double value) {
  const std::string text = fmt::format("{:.{}e}", value, WrittenDigits::kMeant - 1);  // d.ddde+xx
  const std::size_t last = text.find_last_not_of('0', text.find('e') - 1);
  return last <= 1 ? 1 : static_cast<int>(last);  // the point is one of the characters
}

}  // namespace

void WrittenDigits::see(double value) {
  const int before_point = magnitude(value) + 1;
  const int own = significant_digits(value);
  decimals_ = std::max(decimals_, own - before_point);
  // The zeros of 100 were written as well.
  significant_ = std::max({significant_, own, before_point});
}

double WrittenDigits::step(double value) const {
  return std::max(std::pow(10.0, -decimals_), std::pow(10.0, magnitude(value) + 1 - significant_));
}

}  // namespace kstar
