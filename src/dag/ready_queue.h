#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kstar::dag {

/// A set of numbers below `size` that gives its least one: bits, and bits above them that say which
/// words have some. Every operation takes one step for each power of 64 in the size.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::size_t size) {
    do {
      size = (size + kBits - 1) / kBits;
      levels_.emplace_back(size == 0 ? 1 : size, 0);
    } while (size > 1);
  }

  bool empty() const { return levels_.back()[0] == 0; }

  void insert(std::uint32_t number) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[number / kBits];
      const bool had_some = word != 0;
      word |= bit(number);
      if (had_some) return;
      number /= kBits;
    }
  }

  void erase(std::uint32_t number) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[number / kBits];
      word &= ~bit(number);
      if (word != 0) return;
      number /= kBits;
    }
  }

  bool contains(std::uint32_t number) const {
    return (levels_[0][number / kBits] & bit(number)) != 0;
  }

  /// The least; the set is not empty.
  std::uint32_t front() const {
    std::uint32_t number = 0;
    for (std::size_t i = levels_.size(); i > 0; --i) {
      number =
          number * kBits + static_cast<std::uint32_t>(std::countr_zero(levels_[i - 1][number]));
    }
    return number;
  }

  std::uint32_t pop() {
    const std::uint32_t number = front();
    erase(number);
    return number;
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  static std::uint64_t bit(std::uint32_t number) { return std::uint64_t{1} << (number % kBits); }

  std::vector<std::vector<std::uint64_t>> levels_;  ///< the numbers themselves first
};

}  // namespace kstar::dag
