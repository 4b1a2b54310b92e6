#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/comm_predict.h"

namespace kstar {

namespace {

struct Precision {
  std::string_view name;
  double bytes;
};
constexpr Precision kPrecisions[] = {{"fp64", 8},    {"fp32", 4},     {"tf32", 4},  {"bf16", 2},
                                     {"fp16", 2},    {"fp8", 1},      {"int8", 1},  {"float32", 4},
                                     {"float16", 2}, {"bfloat16", 2}, {"float", 4}, {"half", 2}};

Network scaled_network(Network network, double alpha, double beta) {
  const auto scale = [](Bounded& value, double factor) {
    value = {value.point * factor, value.low * factor, value.high * factor};
  };
  for (NetworkSweep& sweep : network.sweeps) {
    for (NetworkPiece& piece : sweep.pieces) {
      scale(piece.alpha, alpha);
      scale(piece.beta, beta);
    }
    sweep.curve = {};  // it has no alpha and beta of its own
  }
  return network;
}

/// Behind the end of computation, where bucket i of m is ready at backward i / m and one is sent
/// after the other.
double exposed_time(double count, double one, double backward) {
  double sent = 0;
  for (double i = 1; i <= count; ++i) sent = std::max(sent, backward * i / count) + one;
  return sent - backward;
}

constexpr double kBackward = 2.0 / 3;
constexpr double kMostBuckets = 1024;
constexpr double kSmallestBucket = 4096;

Result<BucketPlan> best_bucket(const Network& network, const CommQuestion& question,
                               double workers) {
  BucketPlan best;
  const double backward = question.compute.value_or(0) * kBackward;
  const auto whole = collective_cost(network, question.collective, question.bytes, workers);
  if (!whole) return fail(whole.error());
  best.overlaps = question.compute.has_value();
  best.bytes = question.bytes;
  best.exposed_in_one = whole->seconds.point;
  best.exposed = whole->seconds;
  for (double count = 2; count <= kMostBuckets; count = std::ceil(count * 1.2)) {
    const double bytes = question.bytes / count;
    if (bytes < kSmallestBucket) break;
    const auto cost = collective_cost(network, question.collective, bytes, workers);
    if (!cost) return fail(cost.error());
    if (!best.overlaps) {  // as small as it may be
      constexpr double kLittle = 1.05;
      if (count * cost->seconds.point > kLittle * whole->seconds.point) break;
      best.bytes = bytes, best.count = count;
      continue;
    }
    const double exposed = exposed_time(count, cost->seconds.point, backward);
    if (exposed < best.exposed.point * (1 - 1e-9)) {
      best.bytes = bytes, best.count = count;
      best.exposed = {exposed, exposed_time(count, cost->seconds.low, backward),
                      std::isinf(cost->seconds.high)
                          ? cost->seconds.high
                          : exposed_time(count, cost->seconds.high, backward)};
    }
  }
  return best;
}

}  // namespace

double Gradient::bytes() const {
  for (const Precision& known : kPrecisions) {
    if (known.name == precision) return parameters * known.bytes;
  }
  return 0;
}

Result<Gradient> parse_gradient(std::string_view text, std::string_view where) {
  const std::size_t colon = text.find(':');
  std::string_view number = text.substr(0, colon);
  double factor = 1;
  if (!number.empty() && (number.back() == 'B' || number.back() == 'b')) factor = 1e9;
  if (!number.empty() && (number.back() == 'M' || number.back() == 'm')) factor = 1e6;
  if (factor > 1) number.remove_suffix(1);
  const std::optional<double> parameters = parse_double(number);
  constexpr double kMost = 1e15;
  Gradient gradient{.parameters = parameters.value_or(0) * factor, .precision = "bf16"};
  if (colon != text.npos) gradient.precision = lower_case(text.substr(colon + 1));
  const bool known = gradient.bytes() > 0;
  if (colon == text.npos || !parameters || !(gradient.parameters >= 1) ||
      gradient.parameters > kMost || !known) {
    return fail(expected(where, "parameters and their precision, such as 7e9:bf16 or 7B:fp32", text,
                         "precisions: fp64, fp32, tf32, bf16, fp16, fp8, int8"));
  }
  return gradient;
}

Result<CommPrediction> predict_comm(const Network& network, const CommQuestion& question) {
  CommPrediction prediction{.question = question};
  const Network as_fitted = scaled_network(network, 1, 1);
  const Network quick = scaled_network(network, 0.5, 1), wide = scaled_network(network, 1, 0.5);
  for (const double workers : question.workers) {
    CommPredictionRow row{.workers = workers};
    KSTAR_TRY(row.cost, collective_cost(network, question.collective, question.bytes, workers));
    KSTAR_TRY(row.bucket, best_bucket(network, question, workers));
    const auto fitted = collective_cost(as_fitted, question.collective, question.bytes, workers);
    const auto faster = collective_cost(quick, question.collective, question.bytes, workers);
    if (!fitted || !faster) {  // no line tells it, only the largest size, which bytes rule
      row.half_latency = row.cost.seconds.point;
      row.twice_bandwidth = row.cost.seconds.point / 2;
      prediction.rows.push_back(std::move(row));
      continue;
    }
    // With twice the bandwidth the sizes seen may be too small to tell it; halves of alpha and of
    // beta together are one and a half of both.
    const auto wider = collective_cost(wide, question.collective, question.bytes, workers);
    const double twice =
        wider ? wider->seconds.point : 1.5 * fitted->seconds.point - faster->seconds.point;
    // A time that was measured at this size may miss its line: the gains are shares of the line.
    const double seen =
        fitted->seconds.point > 0 ? row.cost.seconds.point / fitted->seconds.point : 1;
    row.half_latency = seen * faster->seconds.point;
    row.twice_bandwidth = seen * twice;
    prediction.rows.push_back(std::move(row));
  }
  if (question.workers.empty()) return prediction;
  prediction.cheapest_workers = *std::max_element(question.workers.begin(), question.workers.end());
  if (prediction.cheapest_workers < 2) return prediction;
  if (auto wire = wire_of(network, question.collective, prediction.cheapest_workers)) {
    prediction.cheapest =
        cheapest_by_size(question.collective, wire->wire, prediction.cheapest_workers);
    prediction.wire = std::move(*wire);
  }
  return prediction;
}

AlgorithmTable algorithm_table(Collective collective, const Wire& wire, double bytes,
                               const std::vector<double>& workers) {
  AlgorithmTable table{.collective = collective,
                       .bytes = bytes,
                       .wire = wire,
                       .algorithms = algorithms_of(collective)};
  double most = 1;
  for (const double k : workers) {
    AlgorithmRow row{.workers = k};
    for (const Algorithm& algorithm : table.algorithms) {
      row.seconds.push_back(algorithm_time(algorithm, wire, bytes, k));
    }
    table.rows.push_back(std::move(row));
    most = std::max(most, k);
  }
  if (most >= 2) table.cheapest = cheapest_by_size(collective, wire, most);
  return table;
}

}  // namespace kstar
