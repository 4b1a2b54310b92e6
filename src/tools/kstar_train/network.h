#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

  /// Where the parameters of each layer begin, and how many there are.
  struct Span {
    std::size_t begin, count;
  };
  std::vector<Span> layer_spans() const;

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

/// What to do while a gradient is made.
struct Meanwhile {
  /// Its slopes are final; the last layer comes first, when L is final, too.
  std::function<void(std::size_t layer)> layer_done;
  std::function<void()> now_and_then;  ///< inside the last backward pass
};

/// Loss and gradient by back-propagation, with the memory that takes.
class Gradient {
 public:
  static constexpr std::size_t kTile = 32;

  /// `tile` samples go forward and backward at a time: few stay in the cache. The slopes of a layer
  /// are final only in the last tile, so that work beside it asks for a large one.
  explicit Gradient(const Network& network, std::size_t tile = kTile);

  /// Adds to `sums` the gradient of L = sum (output - target)^2 / 2 over the batch and, behind it
  /// in the last place, L. Sums, not means: those of several workers add up to the whole batch's.
  void add(std::span<const double> parameters, const Batch& batch, std::span<double> sums,
           const Meanwhile& meanwhile = {});

 private:
  void forward(std::span<const double> parameters, std::size_t count);
  double output_error(std::span<const double> targets);
  void backward(std::span<const double> parameters, std::size_t count, std::span<double> gradient,
                const Meanwhile& meanwhile);

  const Network& network_;
  const std::size_t tile_;
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
