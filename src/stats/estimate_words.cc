#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/estimate_words.h"

namespace kstar {

namespace {

/// Ends so far apart leave the value open.
bool is_unknown(double low, double high) {
  constexpr double kFactor = 100;
  return low > 0 && std::isfinite(high) && high >= kFactor * low;
}

/// Both ends as `text` writes them; an infinite one is open.
template <typename Text>
std::string between(double low, double high, const Text& text) {
  const bool from = std::isfinite(low), to = std::isfinite(high);
  if (from && to) return fmt::format("{} to {}", text(low), text(high));
  if (from) return text(low) + " or more";
  return to ? "up to " + text(high) : "no interval";
}

template <typename Text>
std::string with_ends(const Estimate& estimate, const Text& text) {
  return fmt::format("{} ({})", text(estimate.point), between(estimate.low, estimate.high, text));
}

/// The same, and the number alone where an end is not known.
template <typename Text>
std::string with_both_ends(const Estimate& estimate, const Text& text) {
  return is_bounded(estimate) ? with_ends(estimate, text) : text(estimate.point);
}

}  // namespace

std::string range_words(double low, double high, int digits) {
  return (is_unknown(low, high) ? "unknown: " : "") +
         between(low, high, [&](double value) { return significant(value, digits); });
}

std::string range_words(const Estimate& estimate, int digits) {
  return range_words(estimate.low, estimate.high, digits);
}

std::string share_range_words(const Estimate& share) {
  return between(share.low, share.high, [](double value) { return percent(value, 0); });
}

std::string range_cell(const Estimate& estimate, int digits) {
  if (!is_bounded(estimate)) return range_words(estimate, digits);
  if (is_unknown(estimate.low, estimate.high)) return "unknown";
  return fmt::format("{}..{}", significant(estimate.low, digits),
                     significant(estimate.high, digits));
}

std::string interval_words(const Estimate& estimate, int decimals) {
  if (!is_bounded(estimate)) return "no interval";
  return between(estimate.low, estimate.high, [&](double value) { return fixed(value, decimals); });
}

std::string interval_cell(const Estimate& estimate, int decimals) {
  if (!is_bounded(estimate)) return "no interval";
  return fmt::format("{}..{}", fixed(estimate.low, decimals), fixed(estimate.high, decimals));
}

std::string time_interval_cell(const Estimate& seconds, bool named_unit) {
  if (!is_bounded(seconds)) return "no interval";
  if (is_unknown(seconds.low, seconds.high)) return "unknown";
  const TimeUnit unit = time_unit_for(seconds.point);
  const std::string ends = range_cell(scaled(seconds, 1 / unit.seconds), 4);
  return named_unit ? fmt::format("{} {}", ends, unit.name) : ends;
}

std::string half_width(const Estimate& estimate) {
  const double share = (estimate.high - estimate.low) / 2 / estimate.point;
  return std::isfinite(share) ? percent(share, 1) : "?";
}

int efficiency_decimals(const Estimate& efficiency) {
  constexpr int kLeast = 3, kMost = 9;
  const double e = std::fabs(efficiency.point);
  if (!(e > 0) || !std::isfinite(e)) return kLeast;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(e))) + 1, kLeast, kMost);
}

std::string with_interval(const Estimate& estimate, int digits, std::string_view unit) {
  const std::string point = significant(estimate.point, digits) + std::string(unit);
  const bool known = std::isfinite(estimate.low) || std::isfinite(estimate.high);
  return known ? fmt::format("{} ({})", point, range_words(estimate, digits)) : point;
}

std::string value_text(const Estimate& estimate) {
  constexpr int kDigits = 3, kMost = 9;
  const double size = std::fabs(estimate.point);
  if (!(size >= 1e-6 && size < 1e9)) {
    return with_ends(estimate, [](double value) { return significant(value, kDigits); });
  }
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  const int decimals = std::clamp(kDigits - before, 0, kMost);
  return with_ends(estimate, [&](double value) { return fixed(value, decimals); });
}

std::string time_value_text(const Estimate& seconds) {
  const TimeUnit unit = time_unit_for(seconds.point);
  const bool known = std::isfinite(seconds.low) || std::isfinite(seconds.high);
  return fmt::format("{} ({}{})", time_text(seconds.point),
                     range_words(seconds.low / unit.seconds, seconds.high / unit.seconds, 4),
                     known ? fmt::format(" {}", unit.name) : "");
}

std::string share_value_text(const Estimate& share) {
  const int decimals = std::fabs(share.point) < 0.1 ? 1 : 0;
  return with_ends(share, [&](double value) { return percent(value, decimals); });
}

std::string factor_words(const Estimate& factor) {
  return with_both_ends(factor, [](double value) { return fixed(value, 2); });
}

std::string share_words(const Estimate& share) {
  return with_both_ends(share, [](double value) { return percent(std::max(0.0, value), 0); });
}

std::string efficiency_words(const Estimate& efficiency) {
  const int decimals = efficiency_decimals(efficiency);
  const auto text = [&](double value) { return fixed(value, decimals); };
  return efficiency.low < efficiency.high ? with_both_ends(efficiency, text)
                                          : text(efficiency.point);
}

std::string chance_words(double chance) {
  constexpr double kMost = 0.995;
  return chance >= kMost ? "over 99%" : percent(chance, 0);
}

}  // namespace kstar
