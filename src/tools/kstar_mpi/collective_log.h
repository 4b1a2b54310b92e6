#pragma once

#include "base/inside_layout.h"

namespace kstar::inside {

/// Appends a blocking collective to the log of the file, which holds each 2^log_shift-th of every
/// communicator. When it is full, the communicator with the most entries gives up every second of
/// its own: all members keep multiples of powers of two, so that what they keep meets.
void log_collective(Head& file, const LogEntry& entry);

/// Whether the log would keep it.
inline bool is_logged(const Communicator& communicator, std::uint64_t sequence) {
  return (sequence & ((std::uint64_t{1} << communicator.log_shift) - 1)) == 0;
}

}  // namespace kstar::inside
