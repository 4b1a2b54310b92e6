#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/scaling_table.h"
#include "kstar/study.h"

/// What time to train is made of. A training that ends when it has converged takes
///   T(K) = W(K) / X(K) + F(K)
/// with W the samples it needed (the algorithm's), X how many it trained a second (the system's)
/// and F the time inside T in which it trains nothing (evaluation, checkpoints). Its efficiency is
/// then a product, whatever the batch does as K grows:
///   E = K0 T(K0) / (K T(K)) = W(K0) / W(K)                        the algorithm
///                           x K0 X(K) / (K X(K0))                 the system
///                           x (1 - F(K)/T(K)) / (1 - F(K0)/T(K0)) the share of time that trains
/// Fixed time that no run tells of is not guessed: it stays in X, and counts as the system's.
namespace kstar {

/// One K. T, W and F are means over the runs, and X is mean W over mean T - F.
struct TrainingPoint {
  int workers = 1;
  std::size_t runs = 0;
  std::optional<double> batch;
  Estimate time;                     ///< as in the table
  Estimate work;                     ///< until it converged, in TimeToTrain::unit
  Estimate throughput;               ///< of that unit, a second
  std::optional<Estimate> fixed;     ///< seconds
  Estimate efficiency;               ///< the product of the next three
  Estimate algorithm;                ///< relative to the smallest K, as are the others
  Estimate system;                   ///< likewise
  std::optional<Estimate> training;  ///< likewise; none where fixed time is not known
};

struct TimeToTrain {
  std::string unit;                   ///< samples, tokens, epochs; "" where the study says none
  std::vector<TrainingPoint> points;  ///< by K, two or more; the first is the base
  bool fixed_known = false;           ///< at every K
  std::vector<Note> notes;
};

/// None where fewer than two K have times of whole runs with the work of each (Run::work), in one
/// unit; or where that differs more than eightfold at one K, or between two, which no batch
/// explains: then it is not counted alike. `table` is that of the study.
KSTAR_EXPORT std::optional<TimeToTrain> time_to_train(const Study& study,
                                                      const ScalingTable& table);

}  // namespace kstar
