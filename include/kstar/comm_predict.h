#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/network.h"
#include "kstar/network_cost.h"
#include "kstar/result.h"

/// What a collective of some bytes takes on other K, in one piece or in buckets behind computation.
namespace kstar {

/// "7e9:bf16": parameters and what each takes.
struct Gradient {
  double parameters = 0;
  std::string precision;
  KSTAR_EXPORT double bytes() const;
};
/// fp32, tf32, bf16, fp16, fp8, int8 ... of 4, 4, 2, 2, 1 and 1 bytes.
KSTAR_EXPORT Result<Gradient> parse_gradient(std::string_view text, std::string_view where);

struct CommQuestion {
  Collective collective = Collective::kAllReduce;
  double bytes = 0;
  std::optional<Gradient> gradient;  ///< whose bytes they are
  std::vector<double> workers;
  std::optional<double> compute;  ///< seconds of a step without communication
};

/// A gradient in buckets of equal size, each sent when it is ready. Gradients become ready evenly
/// over the backward pass, two thirds of the computation.
struct BucketPlan {
  double bytes = 0;
  double count = 1;
  Bounded exposed;            ///< seconds behind the end of computation
  double exposed_in_one = 0;  ///< with a single bucket: nothing overlaps
  bool overlaps = false;      ///< computation was given; else the smallest bucket that costs
                              ///< no more than 5% above one of all bytes
};

struct CommPredictionRow {
  double workers = 0;
  CollectiveCost cost;
  double half_latency = 0;     ///< seconds, were every alpha half
  double twice_bandwidth = 0;  ///< seconds, were every beta half
  BucketPlan bucket;
};

struct CommPrediction {
  CommQuestion question;
  std::vector<CommPredictionRow> rows;
  std::optional<ImpliedWire> wire;     ///< behind `cheapest`
  std::vector<CheapestFrom> cheapest;  ///< on the largest K
  double cheapest_workers = 0;
};

KSTAR_EXPORT Result<CommPrediction> predict_comm(const Network& network,
                                                 const CommQuestion& question);

/// By the formulas alone, for a message that takes latency + bytes per_byte.
struct AlgorithmRow {
  double workers = 0;
  std::vector<double> seconds;  ///< of each algorithm
};
struct AlgorithmTable {
  Collective collective = Collective::kAllReduce;
  double bytes = 0;
  Wire wire;
  std::vector<Algorithm> algorithms;
  std::vector<AlgorithmRow> rows;
  std::vector<CheapestFrom> cheapest;  ///< on the largest K
};
KSTAR_EXPORT AlgorithmTable algorithm_table(Collective collective, const Wire& wire, double bytes,
                                            const std::vector<double>& workers);

}  // namespace kstar
