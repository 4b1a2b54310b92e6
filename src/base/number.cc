#include "base/number.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace kstar {

namespace {

template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  // from_chars takes a minus but not a plus; people write both.
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

/// Digits, or digits with a point between them, few enough that the quotient of the whole number
/// and the power of ten, both exact, is the nearest double.
std::optional<double> parse_plain(std::string_view text) {
  constexpr std::size_t kMostDigits = 15;
  constexpr double kPowers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
  if (text.empty() || text.size() > kMostDigits) return std::nullopt;
  std::int64_t digits = 0;
  std::size_t behind = 0;  // the place of the first digit behind the point
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool point = text[i] == '.' && behind == 0 && i > 0 && i + 1 < text.size();
    if (point) {
      behind = i + 1;
    } else if (text[i] >= '0' && text[i] <= '9') {
      digits = digits * 10 + (text[i] - '0');
    } else {
      return std::nullopt;
    }
  }
  return static_cast<double>(digits) / kPowers[behind == 0 ? 0 : text.size() - behind];
}

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

std::optional<double> parse_double(std::string_view text) {
  // Most numbers of a large table, in a third of the time.
  if (const auto plain = parse_plain(text)) return plain;
  const std::optional<double> value = parse_whole<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  return parse_whole<std::int64_t>(text);
}

std::string shortest(double value) {
  return fmt::format("{}", value);
}

std::string fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", value, decimals);
  // -0.00 is a rounding of nothing, not a number anybody means.
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string significant(double value, int digits) {
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size < 1e-4 || size >= 1e9) return fmt::format("{:.{}g}", value, digits);
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fixed(value, before_point >= digits ? 0 : digits - before_point);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

std::string percent(double fraction, int decimals) {
  return fixed(fraction * 100, decimals) + "%";
}

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
