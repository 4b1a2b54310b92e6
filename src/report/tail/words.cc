#include "report/tail/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar::tail_words {

namespace {

TimeUnit unit_for(double seconds) {
  constexpr double kMinutes = 120;
  if (seconds >= kMinutes) return {"min", 60};
  return time_unit_for(seconds);
}

}  // namespace

std::string latency_text(double value, bool seconds) {
  if (std::isnan(value)) return "-";
  if (!seconds) return significant(value, 4);
  if (value == 0) return "0 s";
  const TimeUnit unit = unit_for(value);
  return fmt::format("{} {}", significant(value / unit.seconds, 4), unit.name);
}

std::string value_text(const TailPercentile& percentile, bool seconds) {
  if (percentile.value > 0 || percentile.step <= 0) return latency_text(percentile.value, seconds);
  return "below " + latency_text(percentile.step, seconds);
}

std::string latency_number(double value, double like, bool seconds) {
  if (!seconds) return significant(value, 3);
  return significant(value / unit_for(like).seconds, 3);
}

std::string percentile_name(double share) {
  const double percentage = share * 100;
  const double rounded = std::round(percentage * 1e9) / 1e9;
  return "p" + significant(rounded, 12);
}

std::string rate_text(double rate) {
  return significant(rate, 4) + "/s";
}

std::string share_text(double share) {
  if (std::isnan(share)) return "-";
  if (share >= 1) return "100%";
  constexpr double kSmallest = 1e-5;
  if (1 - share < kSmallest) return "over 99.999%";
  if (share > 0 && share < kSmallest) return "under 0.001%";
  const double rest = std::min(share, 1 - share);
  const int decimals =
      rest <= 0 ? 0 : std::clamp(static_cast<int>(std::ceil(-std::log10(rest))) - 1, 0, 3);
  return percent(share, decimals);
}

std::string doubt_text(const TailPercentile& percentile) {
  if (percentile.doubt == TailDoubt::kTooFew) {
    return "too few samples for " + percentile_name(percentile.share);
  }
  if (percentile.doubt == TailDoubt::kTooShort) {
    return "too short for " + percentile_name(percentile.share);
  }
  return "";
}

std::string interval_text(const TailPercentile& percentile, bool seconds) {
  if (percentile.interval == TailInterval::kNone) {
    return percentile.doubt == TailDoubt::kNone ? "not in the file" : doubt_text(percentile);
  }
  if (std::isnan(percentile.low)) return doubt_text(percentile);
  const double like = std::isfinite(percentile.high) ? percentile.high : percentile.value;
  const std::string unit =
      seconds ? fmt::format(" {}", unit_for(std::max(like, 1e-12)).name) : std::string();
  const std::string low = latency_number(percentile.low, like, seconds);
  if (!std::isfinite(percentile.high)) {
    if (percentile.low <= 0) return doubt_text(percentile);
    return fmt::format("> {}{}: {}", low, unit, doubt_text(percentile));
  }
  const std::string range =
      fmt::format("{}..{}{}", low, latency_number(percentile.high, like, seconds), unit);
  return percentile.doubt == TailDoubt::kNone
             ? range
             : fmt::format("{}: {}", range, doubt_text(percentile));
}

std::string confidence_text(const Tail& tail) {
  return significant(tail.options.confidence * 100, 4) + "%";
}

std::string interval_name(const Tail& tail) {
  return confidence_text(tail) + " interval";
}

std::string number_text(double number) {
  if (number < 1e6) return significant(std::round(number), 9);
  return number < 1e9 ? significant(number / 1e6, 4) + " million"
                      : significant(number / 1e9, 4) + " billion";
}

std::string short_name(const std::string& path, std::size_t widest) {
  const std::size_t slash = path.find_last_of('/');
  const std::string name = printable(slash == path.npos ? path : path.substr(slash + 1));
  const std::size_t width = display_width(name);
  if (width <= widest) return name;
  // Names of one series differ at the end.
  std::size_t from = name.size(), kept = 0;
  while (kept < (widest - 3) / 2 && from > 0) {
    --from;
    if ((static_cast<unsigned char>(name[from]) & 0xc0U) != 0x80U) ++kept;
  }
  return shorten(name, widest - kept) + name.substr(from);
}

std::string metric_suffix(const LatencySet& set) {
  return set.metric.empty() ? "" : " of " + printable(set.metric);
}

}  // namespace kstar::tail_words
