#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "analysis/fit/parts.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

using Steps = std::span<const double>;

constexpr std::size_t kFewestSteps = 3;  // one in each third

Steps steady_steps(const Run& run) {
  const auto warm = static_cast<std::size_t>(std::max(0, run.warm_up_steps.value_or(0)));
  return warm < run.steps.size() ? Steps(run.steps).subspan(warm) : Steps();
}

/// The first and the last third of the steps of each run.
struct Thirds {
  std::vector<double> first;
  std::vector<double> last;
};

/// What drifts does so inside a run, and runs repeat it: they are the pairs. The steps of a single
/// run stand for themselves, and resemble their neighbours.
std::optional<Estimate> drift_of(const std::vector<Steps>& runs, double confidence) {
  Thirds thirds;
  for (const Steps steps : runs) {
    const std::size_t third = steps.size() / 3;
    const Steps first = steps.first(third), last = steps.last(third);
    if (runs.size() == 1) {
      thirds.first.assign(first.begin(), first.end());
      thirds.last.assign(last.begin(), last.end());
    } else {
      thirds.first.push_back(mean_of(first));
      thirds.last.push_back(mean_of(last));
    }
  }
  const IntervalMethod method =
      runs.size() == 1 ? IntervalMethod::kWelchLogEffective : IntervalMethod::kPaired;
  const Result<Estimate> ratio =
      estimate_ratio(thirds.last, thirds.first, {.method = method, .confidence = confidence});
  return ratio ? std::optional(*ratio) : std::nullopt;
}

StepStability stability_of(int workers, const std::vector<Steps>& runs, double confidence) {
  StepStability stability{.workers = workers, .runs = runs.size(), .slowest = 0};
  for (const Steps steps : runs) {
    const Summary summary = *summarize(steps);
    stability.variation += summary.standard_deviation / summary.mean;
    stability.slowest += summary.max / summary.median;
  }
  const auto count = static_cast<double>(runs.size());
  stability.variation /= count;
  stability.slowest /= count;
  stability.drift = drift_of(runs, confidence);
  return stability;
}

}  // namespace

std::vector<StepStability> step_stability(const Study& study, double confidence) {
  std::map<int, std::vector<Steps>> by_workers;
  for (const Run& run : study.runs) {
    if (run.role != Role::kParallel || !counts(run)) continue;
    const Steps steps = steady_steps(run);
    const bool positive =
        std::all_of(steps.begin(), steps.end(), [](double step) { return step > 0; });
    if (steps.size() >= kFewestSteps && positive) by_workers[run.workers].push_back(steps);
  }
  std::vector<StepStability> all;
  for (const auto& [workers, runs] : by_workers) {
    all.push_back(stability_of(workers, runs, confidence));
  }
  return all;
}

}  // namespace kstar
