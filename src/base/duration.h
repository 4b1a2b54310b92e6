#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kstar {

/// Seconds as people write them: 90, 90s, 1.5m, 2h, 1d, 250ms. Not negative.
std::optional<double> parse_duration(std::string_view text);

/// A text that reads back as the same number of seconds, in the largest unit that is whole.
std::string duration_text(double seconds);

/// Seconds in one of s, ms, us, ns, min (or m), h; nothing for any other name.
std::optional<double> seconds_in_unit(std::string_view unit);

/// The unit that keeps three digits before the point, or fewer.
struct TimeUnit {
  const char* name;
  double seconds;
};
TimeUnit time_unit_for(double seconds);

/// "8.123 s", "12.5 ms": for people.
std::string time_text(double seconds);

}  // namespace kstar
