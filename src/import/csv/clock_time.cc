#include "import/csv/clock_time.h"

#include <algorithm>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "import/csv/number.h"

namespace kstar {

namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

/// The parts between colons, the last with its fraction cut off; empty where this is no clock.
struct Clock {
  std::vector<std::string_view> parts;
  std::string_view days;      ///< what stands before a hyphen
  std::string_view fraction;  ///< with its point
};

std::optional<Clock> clock_of(std::string_view text) {
  Clock clock;
  if (const std::size_t hyphen = text.find('-'); hyphen != std::string_view::npos) {
    clock.days = text.substr(0, hyphen);
    if (!all_digits(clock.days)) return std::nullopt;
    text.remove_prefix(hyphen + 1);
  }
  if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
    clock.fraction = text.substr(point);
    if (!all_digits(clock.fraction.substr(1))) return std::nullopt;
    text = text.substr(0, point);
  }
  clock.parts = split(text, ':');
  if (clock.parts.size() < 2 || clock.parts.size() > 3) return std::nullopt;
  for (std::size_t i = 0; i < clock.parts.size(); ++i) {
    const std::string_view part = clock.parts[i];
    if (!all_digits(part)) return std::nullopt;
    // Behind the first colon there are sixty of each.
    if (i > 0 && (part.size() != 2 || part[0] > '5')) return std::nullopt;
  }
  return clock;
}

std::optional<double> seconds_on(const Clock& clock) {
  const bool unclear = clock.parts.size() == 2 && (clock.fraction.empty() || !clock.days.empty());
  if (unclear) return std::nullopt;
  double seconds = 0;
  for (const std::string_view part : clock.parts) {
    seconds = seconds * 60 + parse_double(part).value_or(0);
  }
  if (!clock.days.empty()) seconds += parse_double(clock.days).value_or(0) * 86400;
  if (clock.fraction.empty()) return seconds;
  return seconds + parse_double("0" + std::string(clock.fraction)).value_or(0);
}

/// 1h2m3.5s: numbers with units, each smaller than the one before it.
std::optional<double> units_of(std::string_view text) {
  double seconds = 0, last = 0;
  int parts = 0;
  while (!text.empty()) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = parse_double(text.substr(0, digits));
    text = trim(text.substr(digits));
    const std::size_t letters = std::min(text.find_first_of("0123456789. "), text.size());
    const auto unit = seconds_in_written_unit(text.substr(0, letters));
    text = trim(text.substr(letters));
    if (!number || !unit || (parts > 0 && *unit >= last)) return std::nullopt;
    seconds += *number * *unit;
    last = *unit;
    ++parts;
  }
  return parts > 1 ? std::optional(seconds) : std::nullopt;
}

}  // namespace

std::optional<double> read_clock(std::string_view text) {
  text = trim(text);
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  if (const auto clock = clock_of(text)) return seconds_on(*clock);
  return units_of(text);
}

std::optional<double> read_clock(std::string_view text, double last) {
  if (const auto seconds = read_clock(text)) return seconds;
  const auto clock = clock_of(trim(text));
  if (!clock || clock->parts.size() != 2 || !clock->fraction.empty()) return std::nullopt;
  const double first = parse_double(clock->parts[0]).value_or(0);
  const double second = parse_double(clock->parts[1]).value_or(0);
  const double days = parse_double(clock->days).value_or(0);
  return days * 86400 + (first * 60 + second) * last;
}

bool is_unclear_clock(std::string_view text) {
  const auto clock = clock_of(trim(text));
  return clock && !seconds_on(*clock);
}

}  // namespace kstar
