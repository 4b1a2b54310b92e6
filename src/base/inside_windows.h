#pragma once

#include <cstdint>

#include "base/inside_layout.h"

/// Time in MPI over the course of the run, in a fixed number of windows: when the run outgrows them
/// each two become one, twice as wide.
namespace kstar::inside {

inline void merge_windows(ThreadBlock& block) {
  for (std::size_t i = 0; i < kWindows / 2; ++i) {
    const Window first = block.window[2 * i], second = block.window[2 * i + 1];
    block.window[i] = {first.time + second.time, first.calls + second.calls,
                       first.bytes + second.bytes};
  }
  for (std::size_t i = kWindows / 2; i < kWindows; ++i) block.window[i] = {};
  ++block.window_shift;
}

/// Adds the time from `enter` to `leave` to the windows that it lies in, and returns the last of
/// them. Window 0 begins at `origin`.
inline Window& add_to_windows(ThreadBlock& block, std::uint64_t origin, std::uint64_t enter,
                              std::uint64_t leave) {
  const std::uint64_t from = enter > origin ? enter - origin : 0;
  const std::uint64_t to = leave > origin ? leave - origin : 0;
  while ((to >> block.window_shift) >= kWindows) merge_windows(block);
  const std::uint32_t shift = block.window_shift;
  const std::uint64_t last = to >> shift;
  std::uint64_t begin = from;
  for (std::uint64_t i = from >> shift; i < last; ++i) {
    const std::uint64_t end = (i + 1) << shift;
    block.window[i].time += end - begin;
    begin = end;
  }
  block.window[last].time += to - begin;
  return block.window[last];
}

}  // namespace kstar::inside
