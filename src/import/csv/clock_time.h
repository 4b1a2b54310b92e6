#pragma once

#include <optional>
#include <string_view>

/// Times as clocks and shells write them.
namespace kstar {

/// Seconds of 0:10:30, 1-02:03:04, 1:30.5, 1m30s or 1h 2min 3.5s. Not of 10:30, which may be
/// minutes and seconds or hours and minutes.
std::optional<double> read_clock(std::string_view text);

/// Whether it is 10:30.
bool is_unclear_clock(std::string_view text);

}  // namespace kstar
