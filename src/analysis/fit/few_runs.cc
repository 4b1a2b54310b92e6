// The relative variance of one run's T at K is t + w(K): t differs from run to run and is the same
// at all K, w(K) is what the mean of finitely many steps leaves open, s^2 / (m^2 n_e) with the
// effective number n_e of steps. With v(K) the relative variance of the runs at K, D = sum n - 1,
//   t = max(0, sum (n - 1) (v - w) / D),    var mean = (t + w) / n,
// and by Satterthwaite (1946) nu = (t + w)^2 / ((t + w_mean)^2 / D + w^2 / nu_steps).
#include "analysis/fit/few_runs.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kstar {

namespace {

constexpr std::size_t kFew = 2;
constexpr double kFewestRunDegrees = 3;
constexpr std::size_t kFewestSteps = 8;

/// What steps leave open of the mean of a run, relative, and the degrees of freedom behind it.
struct StepNoise {
  double variance = 0;
  double degrees = 0;
  double runs = 0;
};

StepNoise inside_of(const Run& run) {
  const auto skip = static_cast<std::size_t>(std::max(0, run.warm_up_steps.value_or(0)));
  if (run.steps.size() < skip + kFewestSteps) return {};
  const std::vector<double> steps(run.steps.begin() + static_cast<std::ptrdiff_t>(skip),
                                  run.steps.end());
  const Result<Summary> summary = summarize(steps);
  const Result<double> effective = effective_sample_size(steps);
  if (!summary || !effective) return {};
  const double spread = summary->standard_deviation / summary->mean;
  return {spread * spread / *effective, std::max(1.0, *effective - 1), 1};
}

/// The mean over the runs at each K; all runs must have steps.
std::map<SampleKey, StepNoise> insides_of(const Study& study, const SampleGroups& groups) {
  std::map<SampleKey, StepNoise> all;
  for (const Run& run : study.runs) {
    if (is_profiled(run) || !counts(run)) continue;
    const StepNoise one = inside_of(run);
    StepNoise& sum = all[{run.role == Role::kParallel, run.workers}];
    sum.variance += one.variance;
    sum.degrees += one.degrees;
    sum.runs += one.runs;
  }
  for (auto& [key, sum] : all) {
    const auto group = groups.find(key);
    const bool known =
        group != groups.end() && sum.runs == static_cast<double>(group->second.times.size());
    sum = known && sum.runs > 0 ? StepNoise{sum.variance / sum.runs, sum.degrees, sum.runs}
                                : StepNoise{};
  }
  return all;
}

/// What the runs at all K say together.
struct RunNoise {
  double variance = 0;  ///< t
  double inside = 0;    ///< the mean w
  double degrees = 0;   ///< D
};

RunNoise between_of(const SampleGroups& groups, const std::map<SampleKey, StepNoise>& insides) {
  RunNoise all;
  for (const auto& [key, samples] : groups) {
    if (samples.times.size() < 2) continue;
    const Result<Summary> summary = summarize(samples.times);
    if (!summary) continue;
    const double degrees = static_cast<double>(samples.times.size()) - 1;
    const double spread = summary->standard_deviation / summary->mean;
    const auto inside = insides.find(key);
    const double w = inside != insides.end() ? inside->second.variance : 0;
    all.variance += degrees * (spread * spread - w);
    all.inside += degrees * w;
    all.degrees += degrees;
  }
  if (all.degrees <= 0) return {};
  return {std::max(0.0, all.variance / all.degrees), all.inside / all.degrees, all.degrees};
}

Estimate estimate_of(const Samples& samples, const StepNoise& inside, const RunNoise& between,
                     double confidence, Scope scope) {
  const auto n = static_cast<double>(samples.times.size());
  double mean = 0;
  for (const double time : samples.times) mean += time / n;
  const double variance = between.variance + inside.variance;
  const double common = between.variance + between.inside;
  const double doubt =
      common * common / between.degrees +
      (inside.degrees > 0 ? inside.variance * inside.variance / inside.degrees : 0);
  Estimate estimate{
      .point = mean,
      .standard_error = mean * std::sqrt(variance / n),
      .confidence = confidence,
      .n = samples.times.size(),
      .method = IntervalMethod::kPooled,
      .scope = scope,
      .degrees = doubt > 0 ? std::max(1.0, variance * variance / doubt) : between.degrees};
  const double reach = estimate.standard_error * student_t_reach(confidence, estimate.degrees);
  estimate.low = mean - reach;
  estimate.high = mean + reach;
  return estimate;
}

}  // namespace

std::map<SampleKey, Estimate> estimate_few_runs(const Study& study, const SampleGroups& groups,
                                                double confidence, Scope scope) {
  const bool few = std::any_of(groups.begin(), groups.end(), [](const auto& group) {
    return !group.second.times.empty() && group.second.times.size() <= kFew;
  });
  if (!few) return {};
  const std::map<SampleKey, StepNoise> insides = insides_of(study, groups);
  const RunNoise between = between_of(groups, insides);
  if (between.degrees < kFewestRunDegrees) return {};
  std::map<SampleKey, Estimate> estimates;
  for (const auto& [key, samples] : groups) {
    if (samples.times.empty()) continue;
    const auto inside = insides.find(key);
    estimates[key] = estimate_of(samples, inside != insides.end() ? inside->second : StepNoise{},
                                 between, confidence, scope);
  }
  return estimates;
}

}  // namespace kstar
