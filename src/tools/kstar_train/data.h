#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kstar::train {

/// Some samples: `count` rows of inputs, and a target each.
struct Batch {
  std::size_t count = 0;
  std::vector<double> inputs;
  std::vector<double> targets;
};

/// Synthetic data that can be learnt: normal inputs, and what a small random network (the teacher)
/// answers to them, with mean 0 and variance 1. The same seed gives the same data.
class Dataset {
 public:
  static constexpr std::size_t kInputs = 16;
  static constexpr std::size_t kSamples = 8192;

  explicit Dataset(std::uint64_t seed);

  /// Copies `count` samples from number `first` on; behind the last comes the first again.
  void load(std::uint64_t first, std::size_t count, Batch& batch) const;

 private:
  void standardize();

  std::vector<double> inputs_;
  std::vector<double> targets_;
};

}  // namespace kstar::train
