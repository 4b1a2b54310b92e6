#pragma once

#include <map>

#include "analysis/table/samples.h"
#include "kstar/estimate.h"
#include "kstar/study.h"

namespace kstar {

/// How much the sessions of a study differ, beyond the noise of their runs: the component of
/// variance of a one-way layout, by moments, relative to the square of T and averaged over K:
///   s^2 = (MS_between - MS_within) / n0,   n0 = (n - sum n_i^2 / n) / (m - 1)
/// for m sessions of n_i runs. Searle, Casella, McCulloch, Variance Components (1992), 3.6.
struct SessionNoise {
  double variance = 0;                 ///< 0 or more; 0 where there are no sessions to compare
  double degrees = 0;                  ///< of freedom: sessions less 1
  double within = 0;                   ///< MS_within
  bool evident = false;                ///< MS_between is several times MS_within
  std::map<SampleKey, double> shares;  ///< sum n_i^2 / n^2 at each K: what a mean has of it
};

SessionNoise session_noise(const Study& study);

/// T(K) for any session, not only for these: its variance and that of sessions add, degrees of
/// freedom as Satterthwaite's. Where sessions evidently differ, that of runs is within sessions:
/// over all of them, their differences look like correlated runs, and would count twice.
Estimate over_sessions(const Estimate& time, const SessionNoise& noise, const SampleKey& key);

}  // namespace kstar
