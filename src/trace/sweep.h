#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace kstar::tracing {

/// Intervals of three kinds, in the order of their starts, to stretches of time in which the same
/// kinds are active. Emit(from, to, mask) gets every stretch in order; a mask of 0 is idle.
template <typename Emit>
class Sweep {
 public:
  Sweep(std::int64_t from, Emit emit) : at_(from), emit_(std::move(emit)) { until_.fill(from); }

  void add(std::int64_t start, std::int64_t end, unsigned kind) {
    flush(start);
    until_[kind] = std::max(until_[kind], end);
  }

  void flush(std::int64_t to) {
    while (at_ < to) {
      unsigned mask = 0;
      std::int64_t next = to;
      for (unsigned kind = 0; kind < until_.size(); ++kind) {
        if (until_[kind] <= at_) continue;
        mask |= 1U << kind;
        next = std::min(next, until_[kind]);
      }
      emit_(at_, next, mask);
      at_ = next;
    }
  }

  void finish() { flush(*std::max_element(until_.begin(), until_.end())); }

 private:
  std::int64_t at_;
  std::array<std::int64_t, 4> until_{};
  Emit emit_;
};

}  // namespace kstar::tracing
