#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/law.h"
#include "kstar/limits.h"
#include "kstar/questions.h"
#include "kstar/result.h"

/// What a law says about a list of worker counts: a result, computed once, that every output shows.
namespace kstar {

/// A parameter and the values asked for, as text; more than one value makes more than one curve.
struct ParameterList {
  std::string name;
  std::vector<std::string> values;
};

/// One value of one parameter.
struct ParameterValue {
  std::string name;
  std::string symbol;
  std::string text;
};

/// A law with every parameter settled.
struct LawInstance {
  const Law* law = nullptr;
  std::vector<ParameterValue> parameters;
  LawSettings settings;
  CostModel model;

  /// For example "s=0.05 comm=log2:0.01".
  KSTAR_EXPORT std::string label() const;
};

/// Every combination of the values in `lists`, the last list varying fastest. A value without a
/// colon behind one with a colon takes over what stands before it: log2:0.005,0.02.
KSTAR_EXPORT Result<std::vector<LawInstance>> instances_of(const Law& law,
                                                           std::span<const ParameterList> lists);

/// Larger answers are not limits that anybody meets: "no limit below 1e6".
inline constexpr double kLargestAnswer = 1e6;

struct PredictionOptions {
  std::vector<std::int64_t> workers;
  double threshold = kThreshold;  ///< the bend is the first K with an efficiency below it
  double floor = 0.80;  ///< the efficiency to hold, for serial fractions and iso-efficiency
  double share = 0.90;  ///< the share of the ceiling to reach
};

struct PredictedPoint {
  double workers = 1;
  double time = 0;
  double speedup = 0;
  double efficiency = 0;
  double work = 1;  ///< relative to one worker's problem
  CostParts parts;
  double cost = 0;                         ///< K T(K) per work: what a result costs in worker-time
  double next_doubling = 0;                ///< S(2K)/S(K): what twice the workers buy
  std::optional<double> rate;              ///< X(K), where the rate of one worker was given
  std::optional<double> share_of_ceiling;  ///< none when there is no ceiling
  std::optional<double> largest_serial;    ///< that keeps efficiency at the floor
  std::optional<double> isoefficient_work;
  double serial_share = 0;      ///< of the step on K workers
  double effective_amdahl = 1;  ///< see effective_amdahl_at
};

/// A point of the curve between the listed worker counts, for drawings.
struct CurveSample {
  double workers = 1;
  double speedup = 0;
  double efficiency = 0;
};

/// Worker counts that answer a question: over all integers, and among those listed.
struct WorkersAnswer {
  std::optional<double> exact;
  std::optional<double> listed;
};

struct PredictionAnswers {
  Limits limits;
  Ceiling ceiling;
  WorkersAnswer first_below;    ///< the bend: the smallest K with efficiency below the threshold
  WorkersAnswer last_good;      ///< the K before it: how many workers are usable (see last_usable)
  WorkersAnswer reaches_share;  ///< the smallest K that reaches the share of the ceiling
  LeastTime least;
  std::optional<double> least_listed;
  /// The first K with more communication than each worker has parallel computation.
  std::optional<double> communication_overtakes;
  bool sweep_met_least = false;           ///< the K of least time is among those listed
  std::optional<double> turns_up_listed;  ///< the first listed K slower than the one before it
};

enum class ChangeKind {
  kHalveSerial,
  kHalveCommunication,
  kHideHalf,
  kRemoveStragglers,
  kBalanceLoad,
  kDoubleWork
};

/// One change to the job, and what it would do.
struct Change {
  ChangeKind kind = ChangeKind::kDoubleWork;
  std::string name;
  Ceiling ceiling;
  LeastTime least;
  double last_good = 0;  ///< see last_usable
  double efficiency_at_largest = 0;
  /// Relative to the base of the job as it is, so that changes can be compared: how many times as
  /// much work per second the changed job does, at most and on the largest listed K. Work is
  /// computation on one worker.
  double limit = 0;
  double rate_at_largest = 0;
};

struct Changes {
  std::vector<Change> list;  ///< only those that apply
  bool by_ceiling = true;    ///< by Change::limit; false: there is none, rate_at_largest decides
  std::vector<Change> best;  ///< several when they tie, none when no change helps
};

/// How the usable number of workers answers to one parameter.
struct Sensitivity {
  std::string parameter;
  std::optional<double> halved;   ///< see last_usable
  std::optional<double> doubled;  ///< none when twice the parameter is out of its range
  /// d log(usable K) / d log(parameter): -1 means 1% more costs 1% of the workers.
  std::optional<double> elasticity;
};

/// K*: the largest K whose efficiency is at or above the threshold, and why not more.
struct Recommendation {
  double workers = 0;  ///< see last_usable
  double speedup = 0;  ///< there; not set when every K is usable
  double efficiency = 0;
  double next_workers = 0;  ///< the first K that is not usable, and what its time is made of
  CostParts next_parts;
  /// Twice as many as `workers`, or as the largest listed K where every K is usable.
  double doubled_from = 0;
  double doubled_gain = 0;  ///< S(2K)/S(K) there
  double doubled_efficiency = 0;
};

/// What a profiled step says by itself.
struct StepProfile {
  double profiled_time = 0;   ///< compute + communication, as given
  double step_time = 0;       ///< at the profiled K, with overlap, compression and so on
  double serial_share = 0;    ///< s at the profiled K
  double amdahl_ceiling = 0;  ///< 1/s: the further speedup from the profiled K if s stayed
  std::optional<double> effective_peak;  ///< the K where the effective Amdahl curve is highest
};

struct Prediction {
  LawInstance instance;
  PredictionOptions options;
  std::vector<PredictedPoint> points;
  std::vector<CurveSample> curve;  ///< dense enough for linear and logarithmic axes
  PredictionAnswers answers;
  Recommendation recommendation;
  Changes changes;
  Sensitivity sensitivity;
  std::optional<StepProfile> step;
  std::vector<std::string> assumptions;
  std::string caveat;    ///< of the recommendation, without capital and full stop; may be empty
  bool at_most = false;  ///< communication is a lower bound only: K* is at most what is advised
};

KSTAR_EXPORT Prediction predict(const LawInstance& instance, const PredictionOptions& options);

}  // namespace kstar
