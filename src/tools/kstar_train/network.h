#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tools/kstar_train/data.h"

namespace kstar::train {

/// The shape of a network of dense layers: inputs, `depth` rectified layers of `width`, one output.
/// Its parameters lie in one array, layer by layer: the weights by input, then the biases.
class Network {
 public:
  Network(std::size_t inputs, std::size_t width, std::size_t depth);

  std::size_t parameter_count() const { return parameter_count_; }

  /// He, Zhang, Ren and Sun (2015): normal weights with variance 2/inputs, no bias.
  std::vector<double> initial_parameters(std::uint64_t seed) const;

 private:
  friend class Gradient;
  struct Layer {
    std::size_t inputs, outputs, offset;  // offset: of its parameters
  };

  std::vector<Layer> layers_;
  std::size_t parameter_count_ = 0;
};

/// Loss and gradient by back-propagation, with the memory that takes.
class Gradient {
 public:
  explicit Gradient(const Network& network);

  /// Adds the gradient of sum (output - target)^2 / 2 over the batch to `gradient`, and gives that
  /// sum. Sums, not means: those of several workers add up to the whole batch's.
  double add(std::span<const double> parameters, const Batch& batch, std::span<double> gradient);

 private:
  static constexpr std::size_t kTile = 32;  // samples at a time, so that they stay in the cache

  void forward(std::span<const double> parameters, std::size_t count);
  double output_error(std::span<const double> targets);
  void backward(std::span<const double> parameters, std::size_t count, std::span<double> gradient);

  const Network& network_;
  std::vector<std::vector<double>> activity_;  // the input of each layer, and the output
  std::vector<double> error_, previous_error_;
};

/// Gradient descent with momentum: v = momentum v + g, p -= rate v.
class Optimizer {
 public:
  Optimizer(std::size_t count, double rate, double momentum)
      : velocity_(count), rate_(rate), momentum_(momentum) {}

  /// `scale` times `sum` is the mean gradient.
  void step(std::span<double> parameters, std::span<const double> sum, double scale);

 private:
  std::vector<double> velocity_;
  double rate_, momentum_;
};

}  // namespace kstar::train
