#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace/scratch.h"

namespace kstar::tracing {

/// So many values are kept in memory; of more, sorted runs go to a temporary file.
constexpr std::size_t kRunLength = std::size_t{1} << 16;

/// Values of any number, put in order in bounded memory: add() all of them, sort() once, then
/// each() as often as needed. Less must leave no two different values equal, or their order is not
/// told.
template <typename T, typename Less>
class Sorter {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit Sorter(std::size_t run_length = kRunLength)
      : run_length_(std::max<std::size_t>(run_length, 2)) {}

  void add(const T& value) {
    if (memory_.size() == run_length_) spill();
    memory_.push_back(value);
  }

  void clear() { *this = Sorter(run_length_); }
  std::size_t size() const { return in_file_ + memory_.size(); }
  std::size_t run_length() const { return run_length_; }

  void sort() {
    if (in_file_ == 0) return sort_memory();
    spill();
    merge_runs();
  }

  /// Calls take(value) for the values from the `first`-th to before the `last`-th.
  template <typename Take>
  void each(std::size_t first, std::size_t last, const Take& take) const {
    if (in_file_ == 0) {
      for (std::size_t i = first; i < last; ++i) take(memory_[i]);
      return;
    }
    Block block(file_, first, last, kBlockLength);
    for (; !block.empty(); block.pop()) take(block.front());
  }

  template <typename Take>
  void each(const Take& take) const {
    each(0, size(), take);
  }

  /// The values one after the other, where two lists are walked together.
  class Cursor {
   public:
    explicit Cursor(const Sorter& sorter)
        : memory_(sorter.memory_), block_(sorter.file_, 0, sorter.in_file_, kBlockLength) {}
    bool empty() const { return block_.empty() && at_ == memory_.size(); }
    const T& front() const { return block_.empty() ? memory_[at_] : block_.front(); }
    void pop() {
      if (block_.empty()) {
        ++at_;
      } else {
        block_.pop();
      }
    }

   private:
    const std::vector<T>& memory_;
    std::size_t at_ = 0;
    typename Sorter::Block block_;
  };

 private:
  static constexpr std::size_t kBlockLength = 4096;

  /// A stretch of a file, read a block at a time.
  class Block {
   public:
    Block(const ScratchFile& file, std::size_t first, std::size_t last, std::size_t length)
        : file_(&file), next_(first), last_(last), length_(length) {
      fill();
    }
    bool empty() const { return at_ == values_.size(); }
    const T& front() const { return values_[at_]; }
    void pop() {
      if (++at_ == values_.size()) fill();
    }

   private:
    void fill() {
      values_.resize(std::min(length_, last_ - next_));
      at_ = 0;
      if (values_.empty()) return;
      file_->read(values_.data(), values_.size() * sizeof(T), next_ * sizeof(T));
      next_ += values_.size();
    }

    const ScratchFile* file_;
    std::size_t next_, last_, length_, at_ = 0;
    std::vector<T> values_;
  };

  void sort_memory() {
    if (!std::is_sorted(memory_.begin(), memory_.end(), Less{})) {
      std::sort(memory_.begin(), memory_.end(), Less{});
    }
  }

  /// All runs but the last are of the same length, so where each begins need not be kept.
  void spill() {
    sort_memory();
    file_.append(memory_.data(), memory_.size() * sizeof(T));
    in_file_ += memory_.size();
    memory_.clear();
  }

  /// All runs together take as much memory as one of them.
  void merge_runs() {
    const std::size_t runs = (in_file_ + run_length_ - 1) / run_length_;
    const std::size_t length = std::max<std::size_t>(run_length_ / runs, 16);
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < runs; ++i) {
      blocks.emplace_back(file_, i * run_length_, std::min((i + 1) * run_length_, in_file_),
                          length);
    }
    const auto later = [&](std::size_t a, std::size_t b) {
      return Less{}(blocks[b].front(), blocks[a].front());
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> next(later);
    for (std::size_t i = 0; i < runs; ++i) next.push(i);
    ScratchFile merged;
    std::vector<T>().swap(memory_);
    const auto flush = [&] {
      merged.append(memory_.data(), memory_.size() * sizeof(T));
      memory_.clear();
    };
    while (!next.empty()) {
      const std::size_t run = next.top();
      next.pop();
      memory_.push_back(blocks[run].front());
      if (memory_.size() == kBlockLength) flush();
      blocks[run].pop();
      if (!blocks[run].empty()) next.push(run);
    }
    flush();
    file_ = std::move(merged);
  }

  std::size_t run_length_;
  std::vector<T> memory_;
  ScratchFile file_;
  std::size_t in_file_ = 0;
};

}  // namespace kstar::tracing
