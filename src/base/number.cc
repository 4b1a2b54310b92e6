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
