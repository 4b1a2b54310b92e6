#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/regime.h"
#include "kstar/result.h"
#include "kstar/shape.h"
#include "kstar/stats.h"
#include "kstar/study.h"

/// From the runs of a Study to T(K), S(K) and E(K), each with its interval.
namespace kstar {

/// What T(K) is of the runs at K.
enum class Statistic { kMean, kMedian };

struct TableOptions {
  double threshold = kThreshold;  ///< the bend is the first K with an efficiency below it
  double confidence = kConfidence;
  std::optional<Regime> regime;  ///< where the study does not declare one
  Statistic statistic = Statistic::kMean;
};

struct ScalingPoint {
  int workers = 1;
  std::optional<Shape> shape;  ///< nodes x ranks x threads, where all its runs have the same one
  Role role = Role::kParallel;
  std::size_t failed = 0;   ///< runs that failed: counted, not used
  std::size_t warm_up = 0;  ///< runs marked as warm-up: likewise
  Summary times;            ///< seconds, of the runs that count
  Estimate time;
  /// The work of one T over the base's: 1 where it is fixed, K/K0 where it grows in proportion, and
  /// what the study says where it grows otherwise. S = work T(K0)/T(K), E = S K0/K.
  double work = 1;
  std::optional<Estimate> speedup;  ///< none where the regime has none
  std::optional<Estimate> efficiency;

  /// The experimentally determined serial fraction, from the parallel program's own T(1): a
  /// baseline program of its own would be blamed on it. None at K = 1, where K = 1 has no times,
  /// and where the work grows with K.
  std::optional<Estimate> karp_flatt;

  std::optional<double> setup;  ///< mean seconds of setup, where known
  /// CPU seconds over K times the wall-clock time of the whole run, and the largest process' bytes:
  /// the mean of the runs that count, where all of them know it.
  std::optional<double> cpu_use;
  std::optional<double> peak_memory;
  bool good = true;  ///< efficiency, its point, at or above the threshold

  /// Whether the interval of the efficiency says the same as its point. Where it holds the
  /// threshold, other runs might give the other verdict.
  bool clear = true;
};

/// What more workers are from one K to the next.
enum class NodeGrowth {
  kInsideNode,  ///< as many nodes, with more workers on each
  kMoreNodes,   ///< more nodes, with as many workers on each
  kBoth         ///< the number of nodes and what is on each change: two causes in one step
};

/// From one K to the next.
struct GrowthStep {
  int from = 1;
  int to = 1;
  NodeGrowth growth = NodeGrowth::kInsideNode;
  Estimate kept;  ///< E(to) / E(from): the share of efficiency that the step keeps
};

struct ScalingTable {
  /// What the study declares, else TableOptions::regime, else what the work at every K shows, else
  /// strong with a warning. The notes say which, and where the work contradicts it.
  std::optional<Regime> regime;
  int base_workers = 1;              ///< K0 of S and E
  Role base_role = Role::kParallel;  ///< whether a baseline program of its own is the base
  double threshold = kThreshold;
  double confidence = kConfidence;  ///< of all intervals
  /// The study has speedups or efficiencies and no times: seconds are parts of the base's time.
  RegimeSource regime_source = RegimeSource::kUnknown;
  std::optional<bool> problem_grows;  ///< with K; none where nothing says it
  bool relative_times = false;
  double rate_work = 1;              ///< throughput: the work of one T, X(K) = work / T(K)
  std::string rate_unit;             ///< what it counts; empty: not said
  std::vector<ScalingPoint> points;  ///< by K; the baseline program first, where there is one
  std::optional<int> last_good;
  std::optional<int> first_bad;   ///< the bend, by the points; ScalingPoint::clear says how sure
  std::vector<GrowthStep> steps;  ///< between neighbours with shapes
  std::vector<Note> notes;
};

/// The point of this program at this K, or null.
KSTAR_EXPORT const ScalingPoint* point_at(const ScalingTable& table, Role role, int workers);

/// Whether any point has more than one run.
KSTAR_EXPORT bool has_repeats(const ScalingTable& table);

/// How many K other than the base have times that count.
KSTAR_EXPORT std::size_t points_besides_base(const ScalingTable& table);

/// Whether at least half of the runs of a K failed: it works only sometimes.
KSTAR_EXPORT bool is_failing(const ScalingPoint& point);

/// Whether any point has an efficiency.
KSTAR_EXPORT bool has_efficiency(const ScalingTable& table);

/// Fails when no run has a time.
KSTAR_EXPORT Result<ScalingTable> scaling_table(const Study& study,
                                                const TableOptions& options = {});

}  // namespace kstar
