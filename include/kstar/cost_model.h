#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/regime.h"

/// The cost of a job on K workers as a sum of named, non-negative parts. Amdahl, Gustafson, strong
/// and weak scaling, the universal scalability law and a profiled training step are all such sums
/// (see kstar/law.h), so one engine answers every question about every law.
///
///   T(K) = serial + parallel(K) + exposed communication(K) + straggler(K)
///   S(K) = W(K)/W(K0) * T(K0)/T(K)          E(K) = S(K) K0/K
///
/// W is the work done, relative to one worker's: 1 when the problem is fixed, K when it grows.
namespace kstar {

/// How a communication part grows with K, in a law and in a fitted form.
enum class Growth {
  kConstant,   ///< 1
  kLog2,       ///< log2 K: tree-shaped collectives
  kLog2Plus1,  ///< log2(K+1)
  kSqrt,       ///< sqrt K: along the rows of a grid of workers
  kLinear,     ///< K
  kRing,       ///< 2(K-1)/K: ring all-reduce
  kOthers      ///< K-1: every worker hears from every other (the coherency part of the USL)
};

struct GrowthInfo {
  Growth growth;
  std::string_view name;     ///< as the command line takes it
  std::string_view formula;  ///< as it is shown
};

/// The growths a user may name, in the order of help.
KSTAR_EXPORT std::span<const GrowthInfo> named_growths();
KSTAR_EXPORT const GrowthInfo& info(Growth growth);
KSTAR_EXPORT double growth_at(Growth growth, double workers);

struct Communication {
  Growth growth = Growth::kLog2;
  double cost = 0;  ///< time at growth 1, in the unit of the model
};

/// Each worker is slow with `probability`, by `delay`; the step waits if any of them is.
struct Straggler {
  double probability = 0;
  double delay = 0;
};

/// How the problem changes with K.
enum class WorkGrowth {
  kFixed,         ///< strong scaling: the parallel part is divided by K
  kProportional,  ///< weak scaling: each worker keeps its part, all of it counts as work
  kParallelOnly   ///< Gustafson: only the parallel part grows, the serial part is done once
};

struct CostModel {
  Regime regime = Regime::kStrong;
  WorkGrowth work_growth = WorkGrowth::kFixed;
  double base_workers = 1;  ///< K0: speedups are relative to this many workers
  double serial = 0;        ///< time that no worker takes from another
  double parallel = 1;      ///< time that is divided among workers (or kept by each)
  std::vector<Communication> communication;
  /// Share of communication that runs behind computation; never more than there is computation.
  double hidden = 0;
  /// How much more than the mean the most loaded of two or more workers carries.
  double imbalance = 0;
  Straggler straggler;
};

/// The parts of T(K), in seconds or whatever unit the model is in.
struct CostParts {
  double serial = 0;
  double parallel = 0;
  double communication = 0;  ///< all of it
  double hidden = 0;         ///< what of it is behind computation
  double straggler = 0;      ///< expected waiting

  double exposed() const { return communication - hidden; }
  double total() const { return serial + parallel + exposed() + straggler; }
};

KSTAR_EXPORT CostParts parts_at(const CostModel& model, double workers);
KSTAR_EXPORT double time_at(const CostModel& model, double workers);

/// Whether one more worker makes the job faster (-1), slower (1), or neither (0). Taken part by
/// part: the difference of two times drowns in their rounding long before K = 1e9.
KSTAR_EXPORT int time_trend_at(const CostModel& model, double workers);

KSTAR_EXPORT double work_at(const CostModel& model, double workers);
KSTAR_EXPORT double speedup_at(const CostModel& model, double workers);
KSTAR_EXPORT double efficiency_at(const CostModel& model, double workers);

/// The same job with another serial part, what it loses or gains being parallel.
KSTAR_EXPORT CostModel with_serial(const CostModel& model, double serial);
/// The same job with every communication cost multiplied.
KSTAR_EXPORT CostModel with_communication(const CostModel& model, double factor);

}  // namespace kstar
