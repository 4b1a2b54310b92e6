#include "measure/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace kstar {

namespace {

constexpr double kUsualTolerance = 1e-6;

/// Digits alone, however many: a checksum need not fit a number.
bool is_whole(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool is_not_finite(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  std::string lower;
  for (const char c : text) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower.starts_with("nan") || lower == "inf" || lower == "infinity";
}

/// Without what does not change a whole number: a plus, and zeros in front.
std::string_view digits_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  while (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  return text;
}

}  // namespace

std::optional<std::string> disagreement(std::string_view answer, std::string_view reference,
                                        std::optional<double> tolerance) {
  if (is_not_finite(answer)) return "not a finite number";
  if (!tolerance && is_whole(answer) && is_whole(reference)) {
    if (digits_of(answer) == digits_of(reference)) return std::nullopt;
    return "whole numbers must be equal unless a tolerance is said";
  }
  const std::optional<double> a = parse_double(answer), r = parse_double(reference);
  if (!a || !r) {
    if (answer == reference) return std::nullopt;
    return "text must be equal";
  }
  const double allowed = tolerance.value_or(kUsualTolerance);
  const double scale = *r == 0 ? 1 : std::max(std::fabs(*a), std::fabs(*r));
  const double off = std::fabs(*a - *r) / scale;
  if (off <= allowed) return std::nullopt;
  return fmt::format("{} {}, allowed {}", *r == 0 ? "off by" : "relative error",
                     significant(off, 3), significant(allowed, 3));
}

}  // namespace kstar
