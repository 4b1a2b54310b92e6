#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Numbers as text. A decimal point is a point in every locale, and what does not fit is refused.
namespace kstar {

/// A finite double, the whole text and nothing else: no blanks, no "nan", no "inf", no overflow.
std::optional<double> parse_double(std::string_view text);

/// A decimal integer, the whole text and nothing else.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// The shortest text that reads back as the same double.
std::string shortest(double value);

/// `decimals` digits behind the point, correctly rounded.
std::string fixed(double value, int decimals);

/// About `digits` significant digits, without an exponent between 1e-4 and 1e9.
std::string significant(double value, int digits);

/// 0.629 with 1 decimal is "62.9%".
std::string percent(double fraction, int decimals);

}  // namespace kstar
