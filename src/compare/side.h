#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/number.h"
#include "kstar/compare.h"
#include "kstar/estimate.h"
#include "kstar/result.h"
#include "kstar/stats.h"
#include "kstar/study.h"

namespace kstar::comparing {

/// What T is the time of: seconds of one kind say nothing about seconds of another.
TimeKind time_kind(const Study& study);

/// "a whole run", "one step" ...
std::string_view words_of(TimeKind kind);

/// In how many digits a study was written down. Runs that are equal to the last digit do not say
/// that there is no noise: it is below those digits.
struct Digits {
  WrittenDigits written;
  bool inverse = false;  ///< of 1/T: rates and speedups were written down, not times
};

Digits digits_of(const Study& study, TimeKind kind);

/// What rounding hides of the mean of runs that are all equal.
struct Hidden {
  double error = 0;    ///< relative to the mean; 0 where runs differ, or there is one
  double degrees = 0;  ///< of freedom
};

/// A step of the last digit is d wide; what was rounded to one value lies anywhere in it, by a
/// standard deviation of d / sqrt(12). All runs were rounded alike, so more of them do not tell
/// more.
Hidden hidden_by_rounding(std::span<const double> times, const Digits& digits);

/// The ratio with the errors that rounding hid of its parts, which are independent of its own:
/// variances add, degrees of freedom as Welch's.
Estimate with_hidden(const Estimate& ratio, std::span<const Hidden> parts);

/// Seconds of the parallel program's runs that count, in the order they were made, by K.
using Times = std::map<int, std::vector<double>>;

Times times_of(const Study& study);

/// The K that both have.
std::set<int> common_workers(const Times& before, const Times& after);

/// The study without the runs and the workloads of other K: a bend, a base or a model of K that
/// only one side has is no change.
Study restricted(Study study, const std::set<int>& workers);

/// T after over T before at each K, in the order of K. Both hold the same K.
///
/// The noise of all K of a study is pooled (kstar/noise_pool.h) where half of them have four
/// runs or more: by their own runs alone, ratios of few correlated runs raise a false alarm in up
/// to a fifth of all comparisons. With fewer runs there is no correlation to see, and each K speaks
/// for itself.
Result<std::vector<Estimate>> time_ratios(const Times& before, const Times& after,
                                          double confidence, Scope before_scope, Scope after_scope);

/// One study, as far as the other has the same K.
struct Side {
  Study study;
  Times times;
  TimeKind kind = TimeKind::kRun;
  std::map<int, Hidden> hidden;  ///< by rounding, at each K of `times`
  Hidden hidden_of_base;         ///< of the times that S and E are relative to
  Analysis analysis;
};

/// The study at these K alone, and its analysis.
Result<Side> side_of(Study study, const std::set<int>& workers, const CompareOptions& options);

/// Of the parallel program, at one of the K compared.
const ScalingPoint& point_at(const Side& side, int workers);

/// Whether T of both is in seconds of the same thing. A share of one base's time is none of
/// another's: S and E are left.
bool same_seconds(const Side& before, const Side& after);

/// Whether S and E of both are relative to the same. Those of strong scaling and of throughput are
/// made by one formula: T(base) over T(K) for the same work.
bool same_base(const Side& before, const Side& after);

/// Over what the runs of a side were spread.
Scope scope_of(const Side& side);

std::set<int> workers_in(const Times& times);

/// "1, 2, 4", or "none".
std::string list_text(const std::set<int>& workers);

}  // namespace kstar::comparing
