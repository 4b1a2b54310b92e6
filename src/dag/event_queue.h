#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace kstar::dag {

/// When a running task ends.
struct TaskEnd {
  double time = 0;
  std::uint32_t task = 0;
};

/// Events of a `time` of 0 or more, none of which comes before one that was taken: a radix heap
/// (Ahuja, Mehlhorn, Orlin, Tarjan 1990). An event lies by the highest bit in which its time
/// differs from the last one taken, so that few are ever compared. Events of one time come in any
/// order.
template <typename Event>
class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Of the first; infinity where there is none.
  double time() const { return taken_ == 0 ? kNever : least_[first_place()]; }

  void push(Event event) {
    event.time = std::max(last_, event.time);
    put(event);
    ++size_;
  }

  /// One of those of the least time; there is one.
  Event take() {
    if ((taken_ & 1U) == 0) sort_first();
    const Event first = events_[0].back();
    events_[0].pop_back();
    --size_;
    if (events_[0].empty()) taken_ &= ~std::uint64_t{1};
    return first;
  }

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  std::size_t first_place() const { return static_cast<std::size_t>(std::countr_zero(taken_)); }

  void put(const Event& event) {
    const std::uint64_t differ =
        std::bit_cast<std::uint64_t>(event.time) ^ std::bit_cast<std::uint64_t>(last_);
    const auto place = static_cast<std::size_t>(std::bit_width(differ));
    const std::uint64_t bit = std::uint64_t{1} << place;
    least_[place] = (taken_ & bit) == 0 ? event.time : std::min(least_[place], event.time);
    taken_ |= bit;
    events_[place].push_back(event);
  }

  /// What differs in the lowest bit goes to where it lies by the first of them.
  void sort_first() {
    const std::size_t place = first_place();
    last_ = least_[place];
    taken_ &= ~(std::uint64_t{1} << place);
    moved_.swap(events_[place]);
    for (const Event& event : moved_) put(event);
    moved_.clear();
  }

  // The sign is never set: 63 bits may differ, or none.
  std::array<std::vector<Event>, 64> events_;
  std::array<double, 64> least_{};
  std::uint64_t taken_ = 0;  ///< which of them have events
  std::vector<Event> moved_;
  double last_ = 0;
  std::size_t size_ = 0;
};

}  // namespace kstar::dag
