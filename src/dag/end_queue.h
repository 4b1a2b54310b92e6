#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace kstar::dag {

/// When a running task ends; of equal moments the task of the smaller number is first.
struct TaskEnd {
  double time = std::numeric_limits<double>::infinity();
  std::uint32_t task = std::numeric_limits<std::uint32_t>::max();
};

/// The running tasks, that which ends first at the top: a heap with four children for each, which
/// has half as many levels as one with two. Half of all comparisons go either way, so that which
/// child is first is computed and not branched on; what is beyond the end is at infinity.
class EndQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const TaskEnd& top() const { return heap_[0]; }
  /// Of the top; infinity where there is none.
  double time() const { return heap_[0].time; }
  TaskEnd take() {
    const TaskEnd first = top();
    pop();
    return first;
  }

  void push(const TaskEnd& end) {
    if (heap_.size() < size_ + 1 + kChildren) heap_.resize(2 * size_ + 2 * kChildren);
    std::size_t at = size_++;
    while (at > 0 && is_before(end, heap_[(at - 1) / kChildren])) {
      heap_[at] = heap_[(at - 1) / kChildren];
      at = (at - 1) / kChildren;
    }
    heap_[at] = end;
  }

  void pop() {
    const TaskEnd last = heap_[--size_];
    heap_[size_] = TaskEnd{};
    if (size_ == 0) return;
    std::size_t at = 0;
    for (;;) {
      const std::size_t child = kChildren * at + 1;
      if (child >= size_) break;
      const std::size_t first = first_of_four(child);
      if (!is_before(heap_[first], last)) break;
      heap_[at] = heap_[first];
      at = first;
    }
    heap_[at] = last;
  }

 private:
  static constexpr std::size_t kChildren = 4;

  static bool is_before(const TaskEnd& a, const TaskEnd& b) {
    return static_cast<int>(a.time < b.time) |
           (static_cast<int>(a.time == b.time) & static_cast<int>(a.task < b.task));
  }

  std::size_t first_of_four(std::size_t at) const {
    const TaskEnd* four = heap_.data() + at;
    const std::size_t left = static_cast<std::size_t>(is_before(four[1], four[0]));
    const std::size_t right = 2 + static_cast<std::size_t>(is_before(four[3], four[2]));
    const auto is_right = static_cast<std::size_t>(is_before(four[right], four[left]));
    return at + left + (right - left) * is_right;
  }

  /// At least four at infinity behind the last.
  std::vector<TaskEnd> heap_ = std::vector<TaskEnd>(kChildren);
  std::size_t size_ = 0;
};

}  // namespace kstar::dag
