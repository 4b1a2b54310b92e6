#pragma once

#include <cstddef>
#include <string_view>

#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/result.h"

/// An estimate is never a bare number.
namespace kstar {

/// How the interval of an Estimate was made; docs/statistics.md has each formula and what it
/// really covers.
enum class IntervalMethod {
  kNone,               ///< no interval exists: one sample says nothing about its own scatter
  kStudentT,           ///< mean, Student t with n - 1 degrees of freedom
  kNormal,             ///< mean, 1.96 standard errors: too narrow for few samples
  kEffectiveSample,    ///< mean of correlated samples, Student t with the effective sample size
  kPooled,             ///< mean of correlated runs, with the noise of all K: kstar/noise_pool.h
  kOrderStatistic,     ///< median, between two of the samples themselves
  kWelchLog,           ///< ratio of two means on the logarithmic scale, Welch's degrees of freedom
  kWelchLogEffective,  ///< the same for correlated samples, with the effective sample sizes
  kFieller,            ///< ratio of two means, Fieller's theorem
  kPaired,             ///< ratio of two means measured in the same blocks
  kPairedEffective,    ///< the same for blocks that resemble the block before
  kBootstrap,          ///< ratio of two means, percentiles of resamples: far too narrow for few
  kPosterior           ///< of fitted models: noise, parameters, forms and misfit (docs/models.md)
};

/// Over what the samples were spread, and so over what the interval speaks. Runs of one session
/// share an allocation, a boot and a day; their scatter says nothing about the next.
enum class Scope { kOneSession, kSeveralSessions };

/// The names in files and on the command line: "student_t", "welch_log", "one_session" ...
KSTAR_EXPORT std::string_view to_string(IntervalMethod method);
KSTAR_EXPORT std::string_view to_string(Scope scope);

/// The method of that name; "student" is taken for student_t as well.
KSTAR_EXPORT Result<IntervalMethod> parse_interval_method(std::string_view name);

/// A number with what is known about its error.
///
/// Where no interval exists, `low` is minus and `high` plus infinity, so that comparisons stay
/// honest: nothing can be ruled out. With one sample the method is then kNone and the standard
/// error NaN; a ratio by Fieller whose denominator may be zero keeps both. An interval of width
/// zero means that all samples were equal.
struct Estimate {
  double point = 0;

  /// The estimated standard deviation of `point`; of a ratio, by the delta method.
  double standard_error = 0;

  double low = 0;
  double high = 0;

  /// The confidence of [low, high]. It is what was asked for, except for the median, whose
  /// intervals come in steps: there it is what the interval really has.
  double confidence = kConfidence;

  /// How many samples it rests on: of a ratio, those of the smaller side; of pairs, the pairs.
  std::size_t n = 0;

  IntervalMethod method = IntervalMethod::kNone;
  Scope scope = Scope::kOneSession;

  /// Of freedom, of the Student t behind the interval; 0 where there is none behind it.
  double degrees = 0;
};

/// True when both ends are finite numbers.
KSTAR_EXPORT bool is_bounded(const Estimate& estimate);

/// The estimate of `factor` times the quantity: E = S / K is scaled(S, 1 / K).
KSTAR_EXPORT Estimate scaled(const Estimate& estimate, double factor);

}  // namespace kstar
