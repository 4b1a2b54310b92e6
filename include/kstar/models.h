#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/estimate.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/regime.h"
#include "kstar/result.h"

/// From a few T(K) to the T(K) of other K. The cost of a job is a sum of named, non-negative parts;
/// many such sums are fitted, and averaged by how well each predicts what it has not seen.
namespace kstar {

/// T at one K.
struct CurvePoint {
  double workers = 1;
  double time = 1;            ///< seconds, the mean over runs
  double relative_error = 0;  ///< standard error of `time` over it; NaN where one run says nothing
  std::size_t runs = 1;
  int nodes = 0;    ///< 0: not known
  double work = 0;  ///< of growing work, where it does not grow in proportion to K; 0: it does
};

/// Where the times come from. It decides how far they are believed: docs/models.md.
enum class CurveOrigin {
  kMeasured,  ///< one program and problem, repeated at every K: what scatters is noise
  kPublished  ///< single values, or settings that change with K: every point is off in its own way
};

/// A curve, by K, each K once. The regime says what its parts look like: with fixed work (strong,
/// throughput) the ideal is 1/K, with growing work (weak) it is constant. Mixed is fitted like
/// fixed work, and has no S and E: NaN.
struct Curve {
  Regime regime = Regime::kStrong;
  CurveOrigin origin = CurveOrigin::kMeasured;
  std::vector<CurvePoint> points;
  /// A relative error that all times share, and no speedup has: the day, the machine. It is not
  /// part of the points' own.
  double common_error = 0;
};

struct FitOptions {
  double confidence = kConfidence;
  std::string model;              ///< one form by name instead of the average; "" for all
  std::vector<double> predict;    ///< K to predict
  double threshold = kThreshold;  ///< of the continuous bend
  std::uint64_t seed = 1;
};

enum class TermRole { kParallel, kSerial, kOther };

/// One part of a fitted form.
struct FittedTerm {
  std::string name;     ///< serial, parallel, log2, linear, ring, shrinking, surface, limit ...
  std::string formula;  ///< c log2 K
  Estimate cost;        ///< c
  Estimate share;       ///< of the time at the largest K
  bool merged =
      false;         ///< stands for several parts that these K cannot tell apart; its name says so
  bool time = true;  ///< `cost` is in seconds; otherwise a number, and there is no share
  TermRole role = TermRole::kOther;
};

/// A form lighter than this moves the average little, and is not drawn.
inline constexpr double kDrawnWeight = 0.05;

struct FittedModel {
  std::string name;
  std::string formula;
  double weight = 0;  ///< in the average; all weights sum to 1
  std::vector<FittedTerm> terms;

  /// T of this form alone, at the K of ModelFit::fitted and then of ModelFit::predictions, for
  /// drawing. Empty below kDrawnWeight, and where there is one form.
  std::vector<double> times;
};

struct PredictedWorkers {
  double workers = 1;
  Estimate time;
  Estimate speedup;  ///< against the base: the smallest K of the curve
  Estimate efficiency;
  bool extrapolated = true;  ///< beyond the largest K measured
  bool far = false;          ///< beyond four times that K
  bool leaves_node = false;  ///< beyond one node, where one alone was measured
};

/// What the speedup does from the last K but one to the largest.
enum class CurveEnd {
  kGains,   ///< a tenth or more with a doubling, at 95 %
  kFlat,    ///< likely less than that
  kLoses,   ///< T rises with fixed work, at 95 %
  kUnclear  ///< the errors allow both
};

/// A step of T between two neighbouring K that no form has.
struct CurveChange {
  double from = 1;
  double to = 1;
  double factor = 1;  ///< T behind it, over what the form alone would give
  double probability = 0;
};

/// A single value that is far from where the other K have it.
struct DisturbedValue {
  double workers = 1;
  double factor = 1;  ///< T there, over what the others suggest
  double probability = 0;
};

/// How well any of the forms holds what was measured.
struct GoodnessOfFit {
  double drift = 0;  ///< by how much T leaves the form with every doubling, relative; the median
  bool beyond_errors = false;               ///< more than 3 % with a doubling, at 95 %
  std::optional<CurveChange> change;        ///< one that is likelier than none
  std::optional<DisturbedValue> disturbed;  ///< likewise
};

/// What a cost does as K grows: all that T(K) can tell of its cause.
enum class Mechanism {
  kConstant,  ///< with fixed work, a time that no worker shortens
  kGrowing,   ///< a time that grows with K
  kLimit,     ///< time falls as it should, down to a limit
  kShare,     ///< each worker's part falls, but more slowly than 1/K
  kWaiting,   ///< all wait for the slowest of K
  kFilling,   ///< with growing work, a time that rises at first and then stays
  kNone       ///< no loss to speak of
};

struct MechanismChance {
  Mechanism mechanism = Mechanism::kNone;
  double chance = 0;  ///< that it explains the loss at the largest K; all of them sum to 1
};

/// What the same method, fitted without the largest K, would have said about it.
struct ModelHindcast {
  double workers = 1;
  Estimate predicted;
  double observed = 0;
  double error = 0;  ///< predicted / observed - 1
  bool held = true;  ///< observed is inside the interval
};

/// One more measurement, and what it would do.
struct NextMeasurement {
  double workers = 1;
  double narrows = 0;         ///< the share of the interval's width at the K asked for that goes
  double worker_seconds = 0;  ///< what it costs: K T(K) a run
  std::string why;
};

struct ModelFit {
  std::vector<FittedModel> models;            ///< by weight, the largest first
  std::vector<PredictedWorkers> fitted;       ///< at the K measured, and between, for drawing
  std::vector<PredictedWorkers> predictions;  ///< at the K asked for
  std::optional<ModelHindcast> hindcast;      ///< with four K or more
  std::optional<Estimate> bend;               ///< the continuous one; no upper end: infinite
  std::optional<Estimate> best_workers;       ///< of least time; high may be infinite
  std::optional<Estimate> ceiling;            ///< of the speedup; likewise
  CurveEnd ends = CurveEnd::kUnclear;         ///< nothing is said to go on that does not gain here
  double limit_chance = 0;  ///< that four times the largest K are not twice as fast
  GoodnessOfFit goodness;
  bool single_values = false;               ///< no repeats tell their errors
  std::vector<MechanismChance> mechanisms;  ///< by chance, the largest first
  /// How likely each K of the curve is the first below the threshold, from the joint posterior of
  /// curve and points; at the end, how likely none is. Empty without efficiencies.
  std::vector<double> bend_chances;
  std::vector<double> low_chances;    ///< likewise, that the efficiency of each K is below it
  std::vector<NextMeasurement> next;  ///< the best first
  std::vector<std::string> assumptions;
  std::vector<std::string> notes;  ///< what cannot be told apart, and what would
};

/// Needs two K. Fails on a curve that is none: a time that is not positive, a K twice.
KSTAR_EXPORT Result<ModelFit> fit_models(const Curve& curve, const FitOptions& options = {});

struct ModelForm {
  std::string_view name;
  std::string_view formula;
  std::string_view help;
};

/// Those that --model takes.
KSTAR_EXPORT std::span<const ModelForm> model_forms();

/// The universal scalability law X(K) = g K / (1 + a (K-1) + b K (K-1)), fitted to throughputs by
/// unweighted least squares with 0 <= a <= 1, 0 <= b <= 1, g >= 0.
struct UslFit {
  Estimate contention;                   ///< a
  Estimate coherency;                    ///< b
  Estimate rate;                         ///< g
  double residual_error = 0;             ///< sqrt(RSS / (n - 3)); NaN with three points
  std::optional<Estimate> peak_workers;  ///< sqrt((1 - a) / b); none where b is 0
  std::array<std::array<double, 3>, 3> covariance{};  ///< of a, b, g
  std::size_t degrees = 0;                            ///< n - 3
};
KSTAR_EXPORT Result<UslFit> fit_usl(std::span<const double> workers,
                                    std::span<const double> throughputs,
                                    double confidence = kConfidence);

}  // namespace kstar
