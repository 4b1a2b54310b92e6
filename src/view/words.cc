#include "view/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/number.h"

namespace kstar::view {

namespace {

template <typename Text>
std::string ranged(const Estimate& estimate, const Text& text) {
  const bool low = std::isfinite(estimate.low), high = std::isfinite(estimate.high);
  std::string range = "no interval";
  if (low && high) range = fmt::format("{} to {}", text(estimate.low), text(estimate.high));
  if (low && !high) range = text(estimate.low) + " or more";
  if (!low && high) range = "up to " + text(estimate.high);
  return fmt::format("{} ({})", text(estimate.point), range);
}

bool has_ends(const Estimate& estimate) {
  return std::isfinite(estimate.low) || std::isfinite(estimate.high);
}

}  // namespace

std::string value_text(const Estimate& estimate) {
  constexpr int kDigits = 3, kMost = 9;
  const double size = std::fabs(estimate.point);
  if (!(size >= 1e-6 && size < 1e9)) {
    return ranged(estimate, [](double value) { return significant(value, kDigits); });
  }
  const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
  const int decimals = std::clamp(kDigits - before, 0, kMost);
  return ranged(estimate, [&](double value) { return fixed(value, decimals); });
}

std::string time_value_text(const Estimate& seconds) {
  const TimeUnit unit = time_unit_for(seconds.point);
  return ranged(seconds, [&](double value) {
    return fmt::format("{} {}", significant(value / unit.seconds, 4), unit.name);
  });
}

std::string share_value_text(const Estimate& share) {
  const int decimals = std::fabs(share.point) < 0.1 ? 1 : 0;
  return ranged(share, [&](double value) { return percent(value, decimals); });
}

std::string count_text(std::size_t count, const std::string& of) {
  return fmt::format("{} {}{}", count, of, count == 1 ? "" : "s");
}

std::string bend_text(const std::optional<Bend>& bend) {
  if (!bend) return "at no K measured";
  std::string text = fmt::format("at K = {}", bend->first_bad);
  const bool known = std::isfinite(bend->agreement) || bend->continuous;
  if (known && !bend->high) text += fmt::format(" ({} or more)", bend->low);
  if (known && bend->high) text += fmt::format(" ({} to {})", bend->low, *bend->high);
  if (std::isfinite(bend->agreement)) {
    text += fmt::format(", {} of resamples agree", percent(bend->agreement, 0));
  }
  return text;
}

double mark_low(const Estimate& estimate) {
  return has_ends(estimate) ? estimate.low : std::numeric_limits<double>::quiet_NaN();
}

double mark_high(const Estimate& estimate) {
  return has_ends(estimate) ? estimate.high : std::numeric_limits<double>::quiet_NaN();
}

std::string without_workers(const std::vector<std::string>& names) {
  return fmt::format("No times of single workers: {}.", fmt::join(names, ", "));
}

std::string sentence(const std::string& name, std::string text) {
  if (name.empty() && !text.empty()) {
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  }
  return whose(name) + text;
}

std::string whose(const std::string& name) {
  return name.empty() ? "" : name + ", ";
}

}  // namespace kstar::view
