#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <utility>

namespace kstar {

/// The one source of chance in kstar: the same seed gives the same numbers on every machine.
/// The standard fixes std::mt19937_64 bit by bit but leaves its distributions to each library, so
/// the transforms are written here and use only operations that IEEE 754 rounds correctly.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// All 64 bits of the engine.
  std::uint64_t bits() { return engine_(); }

  /// Uniform on [0, 1): every multiple of 2^-53 is as likely.
  double uniform();

  /// Uniform on [low, high).
  double uniform(double low, double high);

  /// Standard normal: mean 0, standard deviation 1.
  double normal();

  /// Uniform on 0 .. count - 1, without the bias of a bare remainder; 0 when `count` is 0.
  std::uint64_t below(std::uint64_t count);

  /// Every order of `items` is as likely.
  template <typename T>
  void shuffle(std::span<T> items);

 private:
  std::mt19937_64 engine_;
  double spare_ = 0;  // the polar method makes normals in pairs
  bool has_spare_ = false;
};

template <typename T>
void Random::shuffle(std::span<T> items) {
  // Fisher and Yates: swap each item with one at or before it.
  for (std::size_t left = items.size(); left > 1; --left) {
    const auto other = static_cast<std::size_t>(below(left));
    std::swap(items[left - 1], items[other]);
  }
}

}  // namespace kstar
