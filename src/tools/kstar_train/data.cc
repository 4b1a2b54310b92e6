#include "tools/kstar_train/data.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"

namespace kstar::train {

namespace {

/// A network with one hidden layer of rectified units.
class Teacher {
 public:
  explicit Teacher(Random& random) {
    for (auto& row : hidden_) {
      for (double& weight : row) weight = random.normal();
    }
    for (double& weight : output_) weight = random.normal();
  }

  double answer(std::span<const double> inputs) const {
    double sum = 0;
    for (std::size_t unit = 0; unit < kUnits; ++unit) {
      double activity = 0;
      for (std::size_t i = 0; i < inputs.size(); ++i) activity += hidden_[unit][i] * inputs[i];
      sum += output_[unit] * std::max(activity, 0.0);
    }
    return sum;
  }

 private:
  static constexpr std::size_t kUnits = 8;
  std::array<std::array<double, Dataset::kInputs>, kUnits> hidden_{};
  std::array<double, kUnits> output_{};
};

}  // namespace

Dataset::Dataset(std::uint64_t seed) : inputs_(kSamples * kInputs), targets_(kSamples) {
  Random random(seed);
  const Teacher teacher(random);
  for (double& input : inputs_) input = random.normal();
  for (std::size_t i = 0; i < kSamples; ++i) {
    targets_[i] = teacher.answer(std::span(inputs_).subspan(i * kInputs, kInputs));
  }
  standardize();
}

void Dataset::standardize() {
  double mean = 0, variance = 0;
  for (const double target : targets_) mean += target / kSamples;
  for (const double target : targets_) variance += (target - mean) * (target - mean) / kSamples;
  for (double& target : targets_) target = (target - mean) / std::sqrt(variance);
}

void Dataset::load(std::uint64_t first, std::size_t count, Batch& batch) const {
  batch.count = count;
  batch.inputs.resize(count * kInputs);
  batch.targets.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t sample = (first + i) % kSamples;
    std::copy_n(&inputs_[sample * kInputs], kInputs, &batch.inputs[i * kInputs]);
    batch.targets[i] = targets_[sample];
  }
}

}  // namespace kstar::train
