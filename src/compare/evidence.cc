#include "compare/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kstar/stats.h"

namespace kstar::comparing {

namespace {

double log_error(const Estimate& ratio) {
  return ratio.standard_error / ratio.point;
}

/// Whether that many runs on each side would do.
bool enough(double runs, double runs_now, const Estimate& ratio, double target,
            const RunsAsked& asked) {
  constexpr double kPower = 0.8416;  // the normal quantile of 4 in 5
  const double confidence = 1 - (1 - asked.confidence) / static_cast<double>(asked.compared);
  const double degrees = std::max(ratio.degrees, 1.0) * std::max(runs / runs_now, 1.0);
  const double error = log_error(ratio) * std::sqrt(runs_now / runs);
  return (student_t_reach(confidence, degrees) + kPower) * error <= target;
}

}  // namespace

double chance_of(const Estimate& ratio) {
  const double error = log_error(ratio);
  if (ratio.method == IntervalMethod::kNone || !std::isfinite(error)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double distance = std::fabs(std::log(ratio.point));
  if (error == 0) return distance == 0 ? 1 : 0;  // runs that were all equal
  return student_t_beyond(distance / error, std::max(ratio.degrees, 1.0));
}

void adjust(std::span<RatioChange* const> changes) {
  std::vector<RatioChange*> sorted;
  for (RatioChange* change : changes) {
    change->adjusted_p = change->p;
    if (!std::isnan(change->p)) sorted.push_back(change);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const RatioChange* a, const RatioChange* b) { return a->p < b->p; });
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    largest = std::max(largest, static_cast<double>(sorted.size() - i) * sorted[i]->p);
    sorted[i]->adjusted_p = std::min(1.0, largest);
  }
}

bool is_evident(const RatioChange& change, double confidence) {
  return change.adjusted_p < 1 - confidence;  // false for NaN
}

bool is_settled(const Estimate& ratio, double smallest) {
  return ratio.low > 1 / (1 + smallest) && ratio.high < 1 + smallest;
}

std::optional<std::size_t> more_runs(const Estimate& ratio, const RunsAsked& asked) {
  constexpr std::size_t kMost = 1000000;
  if (!std::isfinite(log_error(ratio)) || ratio.method == IntervalMethod::kNone) return {};
  const double target = std::max(std::fabs(std::log(ratio.point)), std::log1p(asked.smallest));
  const std::size_t fewest = std::min(asked.runs_before, asked.runs_after);
  // The error is that of both sides: as if each had the harmonic mean of their runs.
  const double now =
      2 / (1 / static_cast<double>(asked.runs_before) + 1 / static_cast<double>(asked.runs_after));
  const auto would_do = [&](std::size_t more) {
    return enough(static_cast<double>(fewest + more), now, ratio, target, asked);
  };
  std::size_t high = 1;
  while (high < kMost && !would_do(high)) high *= 2;
  std::size_t low = high / 2;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (would_do(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace kstar::comparing
