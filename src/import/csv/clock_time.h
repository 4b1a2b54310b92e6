#pragma once

#include <optional>
#include <string_view>

/// Times as clocks and shells write them.
namespace kstar {

/// Seconds of 0:10:30, 1-02:03:04, 1:30.5, 1m30s or 1h 2min 3.5s. Not of 10:30, which may be
/// minutes and seconds or hours and minutes.
std::optional<double> read_clock(std::string_view text);

/// The same where it is known what 10:30 counts: `last` is the seconds of its last place, 1 or 60.
std::optional<double> read_clock(std::string_view text, double last);

/// Whether it is 10:30.
bool is_unclear_clock(std::string_view text);

}  // namespace kstar
