#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/causes/registry.h"
#include "base/number.h"
#include "kstar/estimate_words.h"

namespace kstar::causes {

namespace {

/// None where work is equal or not recorded.
std::optional<Estimate> imbalance_factor(const Findings& found) {
  if (!found.work.known) return std::nullopt;
  std::vector<double> balance;
  for (const WorkerTimes& run : *found.runs) balance.push_back(work_balance_of(run));
  // Work is known exactly; what is not is how much of it shows in time.
  const double log = std::log(factor_over(balance, found.confidence).point);
  const Estimate& slope = found.work.slope;
  const auto left = [log](double share) { return std::exp(log * std::clamp(share, 0.0, 1.0)); };
  return Estimate{.point = left(slope.point),
                  .standard_error = left(slope.point) * -log * slope.standard_error,
                  .low = left(slope.high),
                  .high = left(slope.low),
                  .confidence = found.confidence,
                  .n = balance.size(),
                  .method = slope.method};
}

/// Who has the most work, where it is the same one in all runs.
std::optional<int> most_loaded(const std::vector<WorkerTimes>& runs) {
  std::optional<int> same;
  for (const WorkerTimes& run : runs) {
    const auto place = std::max_element(run.work.begin(), run.work.end()) - run.work.begin();
    const int most = run.worker_at(static_cast<std::size_t>(place));
    if (same && *same != most) return std::nullopt;
    same = most;
  }
  return same;
}

void describe_imbalance(const Findings& found, Cause& cause) {
  cause.worker = most_loaded(*found.runs);
  cause.evidence.push_back(fmt::format(
      "{} {} times the mean work at K = {}, which alone would give a load balance of {}",
      cause.worker ? fmt::format("worker {} has", *cause.worker) : "the most loaded has",
      fixed(1 / std::max(cause.factor.point, 1e-9), 2), found.here.workers,
      factor_words(cause.factor)));
  cause.evidence.push_back(fmt::format(
      "time follows work: twice the work takes {} times as long ({} to {}); load balance is {}",
      fixed(std::exp2(found.work.slope.point), 2), fixed(std::exp2(found.work.slope.low), 2),
      fixed(std::exp2(found.work.slope.high), 2), factor_words(found.here.load_balance)));
  cause.advice =
      "divide the work evenly by its cost; if the cost is not known in advance, let workers fetch "
      "small pieces";
}

std::optional<Estimate> reported_imbalance(const ReportedFactors& reported) {
  return scaled(reported.here.load_balance, 1 / reported.base.load_balance.point);
}

void describe_reported_imbalance(const ReportedFactors& reported, Cause& cause) {
  cause.evidence.push_back(
      both_text("load balance", reported, reported.here.load_balance, reported.base.load_balance));
  cause.or_else = {CauseKind::kStraggler};
  cause.advice =
      "measure per-worker times (kstar measure --time marks, or --inside): do the slow ones have "
      "more work?";
}

}  // namespace

const CauseEntry kLoadImbalanceCause = {
    .about = {CauseKind::kLoadImbalance, "load_imbalance", "load imbalance", "load imbalance"},
    .measured = {imbalance_factor, describe_imbalance},
    .reported = {reported_imbalance, describe_reported_imbalance},
    .suggested = {.share = 1, .waiting = 2, .weak_filling = 2}};

}  // namespace kstar::causes
