#include "tools/kstar_train/network.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/random.h"

namespace kstar::train {

namespace {

/// y += a x
void add_scaled(double* y, double a, const double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

/// In eight partial sums, which the compiler keeps in vector registers.
double dot(const double* x, const double* y, std::size_t n) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + sums.size() <= n; i += sums.size()) {
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += x[i + j] * y[i + j];
  }
  double sum = 0;
  for (; i < n; ++i) sum += x[i] * y[i];
  for (const double part : sums) sum += part;
  return sum;
}

}  // namespace

Network::Network(std::size_t inputs, std::size_t width, std::size_t depth) {
  std::size_t before = inputs;
  for (std::size_t i = 0; i <= depth; ++i) {
    const std::size_t outputs = i < depth ? width : 1;
    layers_.push_back({.inputs = before, .outputs = outputs, .offset = parameter_count_});
    parameter_count_ += (before + 1) * outputs;
    before = outputs;
  }
}

std::vector<double> Network::initial_parameters(std::uint64_t seed) const {
  Random random(seed);
  std::vector<double> parameters(parameter_count_);
  for (const Layer& layer : layers_) {
    const double spread = std::sqrt(2.0 / static_cast<double>(layer.inputs));
    for (std::size_t i = 0; i < layer.inputs * layer.outputs; ++i) {
      parameters[layer.offset + i] = spread * random.normal();
    }
  }
  return parameters;
}

std::vector<Network::Span> Network::layer_spans() const {
  std::vector<Span> spans;
  for (const Layer& layer : layers_) {
    spans.push_back({.begin = layer.offset, .count = (layer.inputs + 1) * layer.outputs});
  }
  return spans;
}

Gradient::Gradient(const Network& network, std::size_t tile) : network_(network), tile_(tile) {
  std::size_t widest = 1;
  activity_.emplace_back(tile_ * network.layers_.front().inputs);
  for (const auto& layer : network.layers_) {
    activity_.emplace_back(tile_ * layer.outputs);
    widest = std::max({widest, layer.inputs, layer.outputs});
  }
  error_.resize(tile_ * widest);
  previous_error_.resize(tile_ * widest);
}

void Gradient::add(std::span<const double> parameters, const Batch& batch, std::span<double> sums,
                   const Meanwhile& meanwhile) {
  const std::size_t inputs = network_.layers_.front().inputs;
  for (std::size_t first = 0; first < batch.count; first += tile_) {
    const std::size_t count = std::min(tile_, batch.count - first);
    std::copy_n(&batch.inputs[first * inputs], count * inputs, activity_.front().begin());
    forward(parameters, count);
    sums.back() += output_error(std::span(batch.targets).subspan(first, count));
    const bool last = first + count == batch.count;
    backward(parameters, count, sums, last ? meanwhile : Meanwhile{});
  }
}

void Gradient::forward(std::span<const double> parameters, std::size_t count) {
  for (std::size_t l = 0; l < network_.layers_.size(); ++l) {
    const auto& layer = network_.layers_[l];
    const double* weights = &parameters[layer.offset];
    const double* biases = weights + layer.inputs * layer.outputs;
    const bool last = l + 1 == network_.layers_.size();
    for (std::size_t s = 0; s < count; ++s) {
      const double* in = &activity_[l][s * layer.inputs];
      double* out = &activity_[l + 1][s * layer.outputs];
      std::copy_n(biases, layer.outputs, out);
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        if (in[i] != 0) add_scaled(out, in[i], weights + i * layer.outputs, layer.outputs);
      }
      if (last) continue;
      for (std::size_t o = 0; o < layer.outputs; ++o) out[o] = std::max(out[o], 0.0);
    }
  }
}

double Gradient::output_error(std::span<const double> targets) {
  double loss = 0;
  for (std::size_t s = 0; s < targets.size(); ++s) {
    error_[s] = activity_.back()[s] - targets[s];
    loss += error_[s] * error_[s] / 2;
  }
  return loss;
}

void Gradient::backward(std::span<const double> parameters, std::size_t count,
                        std::span<double> gradient, const Meanwhile& meanwhile) {
  for (std::size_t l = network_.layers_.size(); l-- > 0;) {
    const auto& layer = network_.layers_[l];
    const double* weights = &parameters[layer.offset];
    double* slopes = &gradient[layer.offset];
    double* bias_slopes = slopes + layer.inputs * layer.outputs;
    for (std::size_t s = 0; s < count; ++s) {
      const double* in = &activity_[l][s * layer.inputs];
      const double* error = &error_[s * layer.outputs];
      double* before = &previous_error_[s * layer.inputs];
      add_scaled(bias_slopes, 1, error, layer.outputs);
      for (std::size_t i = 0; i < layer.inputs; ++i) {
        before[i] = 0;
        if (in[i] == 0) continue;  // a unit at rest has no slope
        add_scaled(slopes + i * layer.outputs, in[i], error, layer.outputs);
        if (l > 0) before[i] = dot(weights + i * layer.outputs, error, layer.outputs);
      }
      if (meanwhile.now_and_then && s % kTile == kTile - 1) meanwhile.now_and_then();
    }
    if (meanwhile.layer_done) meanwhile.layer_done(l);
    std::swap(error_, previous_error_);
  }
}

void Optimizer::step(std::span<double> parameters, std::span<const double> sum, double scale) {
  for (std::size_t i = 0; i < velocity_.size(); ++i) {
    velocity_[i] = momentum_ * velocity_[i] + scale * sum[i];
    parameters[i] -= rate_ * velocity_[i];
  }
}

}  // namespace kstar::train
