#include "base/duration.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/number.h"

namespace kstar {

std::optional<double> seconds_in_unit(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"s", 1},    {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9},
      {"min", 60}, {"m", 60},    {"h", 3600},  {"d", 86400}};
  for (const auto& [name, seconds] : kUnits) {
    if (name == unit) return seconds;
  }
  return std::nullopt;
}

std::optional<double> parse_duration(std::string_view text) {
  const std::size_t last_digit = text.find_last_of("0123456789.");
  if (last_digit == std::string_view::npos) return std::nullopt;
  const std::optional<double> number = parse_double(text.substr(0, last_digit + 1));
  const std::string_view unit = text.substr(last_digit + 1);
  const std::optional<double> scale = unit.empty() ? 1.0 : seconds_in_unit(unit);
  if (!number || !scale || *number < 0 || !std::isfinite(*number * *scale)) return std::nullopt;
  return *number * *scale;
}

std::string duration_text(double seconds) {
  constexpr double kExact = 1e15;  // whole numbers up to here lose nothing
  const auto whole = [&](double unit) {
    return seconds >= unit && seconds < kExact && std::fmod(seconds, unit) == 0;
  };
  if (whole(3600)) return shortest(seconds / 3600) + "h";
  if (whole(60)) return shortest(seconds / 60) + "m";
  return shortest(seconds) + "s";
}

TimeUnit time_unit_for(double seconds) {
  if (seconds < 1e-6) return {"ns", 1e-9};
  if (seconds < 1e-3) return {"us", 1e-6};
  if (seconds < 1) return {"ms", 1e-3};
  return {"s", 1};
}

std::string time_text(double seconds) {
  const TimeUnit unit = time_unit_for(seconds);
  return fmt::format("{} {}", significant(seconds / unit.seconds, 4), unit.name);
}

}  // namespace kstar
