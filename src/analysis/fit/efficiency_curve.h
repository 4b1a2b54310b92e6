#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/table/samples.h"
#include "kstar/bend.h"
#include "kstar/joint_draws.h"
#include "kstar/limits.h"
#include "kstar/scaling_table.h"

namespace kstar {

/// E(K) of the parallel program against one base, with the runs behind it.
struct EfficiencyCurve {
  struct Point {
    int workers = 1;
    Estimate efficiency;
    const Samples* samples = nullptr;
  };
  std::vector<Point> points;      ///< by K
  const Samples* base = nullptr;  ///< whose time all are relative to; null: a time without error
  double base_error = 0;          ///< the standard error of that time, over it
};

/// That of the table. Empty where the table has no efficiencies.
EfficiencyCurve curve_of(const ScalingTable& table, const SampleGroups& groups);

/// How the efficiencies scatter together: the errors of their logarithms.
struct JointErrors {
  std::vector<DrawnError> errors;
  std::vector<double> correlations;  ///< row by row; none where there are very many K
};

/// None where an efficiency has no interval.
std::optional<JointErrors> joint_errors(const EfficiencyCurve& curve);

/// The same correlations as common causes: the blocks of runs, by their numbers, and behind them
/// the base. They cost what there are runs, and not what there are pairs of K.
struct CommonCauses {
  std::vector<std::vector<Loading>> loadings;
  std::size_t causes = 0;
};
CommonCauses common_causes(const EfficiencyCurve& curve, const std::vector<DrawnError>& errors);

struct BendOptions {
  double threshold = kThreshold;
  double confidence = kConfidence;
  std::size_t resamples = 10000;
  std::uint64_t seed = 1;
};

struct BendAnswer {
  std::optional<Bend> bend;  ///< none where no K is bad
  WorkersAdvice advice;      ///< but for least_time_workers
  bool resampled = false;    ///< else: an efficiency has no interval
};

/// What is said of single values is at most this: of more, fewer held (bench/bend_chances.py).
inline constexpr double kSureOfSingle = 0.95;

/// What is known from `chances`: how likely each of `workers` is the first below the threshold and,
/// at the end, how likely none is. Nothing is said to be surer than `most_sure`.
void set_chances(std::span<const int> workers, std::span<const double> chances, double confidence,
                 double most_sure, std::optional<Bend>& bend, WorkersAdvice* advice);

/// Of a curve with at least one point.
BendAnswer find_bend(const EfficiencyCurve& curve, const BendOptions& options);

}  // namespace kstar
