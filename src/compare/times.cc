#include "compare/times.h"

#include <algorithm>

#include "kstar/noise_pool.h"

namespace kstar::comparing {

namespace {

constexpr std::size_t kFewestPooled = 4;

/// A K that lost a run learns the correlation from the others.
bool can_be_pooled(const Times& times) {
  const auto often = std::count_if(
      times.begin(), times.end(), [](const auto& at) { return at.second.size() >= kFewestPooled; });
  return 2 * static_cast<std::size_t>(often) >= times.size();
}

Result<std::vector<Estimate>> pooled_means(const Times& times, double confidence, Scope scope) {
  std::vector<std::vector<double>> groups;
  for (const auto& [workers, samples] : times) groups.push_back(samples);
  const Result<NoisePool> pool = pool_noise(groups);
  if (!pool) return fail(pool.error());
  std::vector<Estimate> means;
  for (const std::vector<double>& samples : groups) {
    const Result<Estimate> mean = estimate_pooled_mean(samples, *pool, confidence, scope);
    if (!mean) return fail(mean.error());
    means.push_back(*mean);
  }
  return means;
}

Result<std::vector<Estimate>> pooled_ratios(const Times& before, const Times& after,
                                            double confidence, Scope before_scope,
                                            Scope after_scope) {
  const auto denominators = pooled_means(before, confidence, before_scope);
  if (!denominators) return fail(denominators.error());
  const auto numerators = pooled_means(after, confidence, after_scope);
  if (!numerators) return fail(numerators.error());
  std::vector<Estimate> ratios;
  for (std::size_t i = 0; i < numerators->size(); ++i) {
    const Result<Estimate> ratio = estimate_ratio((*numerators)[i], (*denominators)[i], confidence);
    if (!ratio) return fail(ratio.error());
    ratios.push_back(*ratio);
  }
  return ratios;
}

Scope common_scope(Scope before, Scope after) {
  return before == after ? before : Scope::kOneSession;
}

}  // namespace

Times times_of(const Study& study) {
  Times times;
  for (const Run& run : study.runs) {
    if (run.role == Role::kParallel && counts(run)) times[run.workers].push_back(*steady_time(run));
  }
  return times;
}

std::set<int> common_workers(const Times& before, const Times& after) {
  std::set<int> workers;
  for (const auto& [k, samples] : before) {
    if (after.contains(k)) workers.insert(k);
  }
  return workers;
}

Study restricted(const Study& study, const std::set<int>& workers) {
  Study part = study;
  std::erase_if(part.runs, [&](const Run& run) {
    return run.role == Role::kParallel && !workers.contains(run.workers);
  });
  std::erase_if(part.header.workload, [&](const Workload& workload) {
    return workload.workers && !workers.contains(*workload.workers);
  });
  return part;
}

Result<std::vector<Estimate>> time_ratios(const Times& before, const Times& after,
                                          double confidence, Scope before_scope,
                                          Scope after_scope) {
  if (can_be_pooled(before) && can_be_pooled(after)) {
    return pooled_ratios(before, after, confidence, before_scope, after_scope);
  }
  const RatioOptions options{.method = IntervalMethod::kWelchLogEffective,
                             .confidence = confidence,
                             .scope = common_scope(before_scope, after_scope)};
  std::vector<Estimate> ratios;
  for (const auto& [workers, samples] : before) {
    const Result<Estimate> ratio = estimate_ratio(after.at(workers), samples, options);
    if (!ratio) return fail(ratio.error());
    ratios.push_back(*ratio);
  }
  return ratios;
}

}  // namespace kstar::comparing
