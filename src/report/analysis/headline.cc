#include "report/analysis/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

std::string workers_words(int workers) {
  return count_text(static_cast<std::size_t>(workers), "worker");
}

/// Of a page's first line, where a digit behind the percent says nothing but on which side of the
/// threshold it is.
std::string efficiency_percent(const Estimate& efficiency, double threshold) {
  const double share = efficiency.point;
  const bool close = share < threshold && std::round(100 * share) >= 100 * threshold;
  return percent(share, share < 0.095 || close ? 1 : 0);
}

/// How much more is done in the same time on `to` workers than on `from`.
std::optional<double> gain(const Analysis& analysis, int from, int to) {
  const Estimate* before = efficiency_at(analysis, from);
  const Estimate* after = efficiency_at(analysis, to);
  if (before == nullptr || after == nullptr) return std::nullopt;
  const double ratio = after->point * to / (before->point * from);
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

/// "; 16 would be 1.55x faster at 55% efficiency": what the first K behind the bend would give.
std::string next_words(const Analysis& analysis) {
  if (!analysis.bend) return "";
  const int next = analysis.bend->first_bad;
  const std::optional<double> ratio = gain(analysis, *analysis.verdict.workers, next);
  if (!ratio) return "";
  const std::optional<Regime> regime = analysis.table.regime;
  const bool is_fixed_work = regime != Regime::kWeak && regime != Regime::kThroughput;
  constexpr double kHardly = 0.005;
  const std::string at =
      fmt::format("at {} efficiency",
                  efficiency_percent(*efficiency_at(analysis, next), analysis.table.threshold));
  if (std::fabs(*ratio - 1) < kHardly) return fmt::format("; {} would not be faster, {}", next, at);
  if (!is_fixed_work) {
    return fmt::format("; {} would do {}x the work per second {}", next, fixed(*ratio, 2), at);
  }
  return *ratio > 1 ? fmt::format("; {} would be {}x faster {}", next, fixed(*ratio, 2), at)
                    : fmt::format("; {} would be {}x slower", next, fixed(1 / *ratio, 2));
}

/// "; 32 is good again, at 100%": a K behind the bend may be the better one.
std::string again_words(const Analysis& analysis) {
  const std::optional<int> workers = analysis.recommendation.good_again;
  const Estimate* efficiency = workers ? efficiency_at(analysis, *workers) : nullptr;
  if (efficiency == nullptr) return "";
  return fmt::format("; {} is good again, at {}", *workers,
                     efficiency_percent(*efficiency, analysis.table.threshold));
}

std::string clear_words(const Analysis& analysis) {
  const bool unsure = analysis.verdict.state == VerdictState::kAbout;
  const int workers = *analysis.verdict.workers;
  return fmt::format("Run on {}{}{}{}{}.", unsure ? "about " : "", workers_words(workers),
                     failing_text(analysis, workers), next_words(analysis), again_words(analysis));
}

std::string open_words(const Analysis& analysis) {
  const int workers = *analysis.verdict.workers;
  const Estimate* efficiency = efficiency_at(analysis, workers);
  if (efficiency == nullptr) {
    return fmt::format("Run on {}{}, perhaps more.", workers_words(workers),
                       failing_text(analysis, workers));
  }
  return fmt::format("Run on {}{}, perhaps more: efficiency is {}{} there.", workers_words(workers),
                     failing_text(analysis, workers), efficiency->point > 1 ? "" : "still ",
                     efficiency_percent(*efficiency, analysis.table.threshold));
}

/// Whether a K was tried and gave nothing.
bool lacks_times(const Analysis& analysis) {
  const std::vector<Note>& notes = analysis.table.notes;
  return std::any_of(notes.begin(), notes.end(),
                     [](const Note& note) { return note.what == "no-times"; });
}

std::string none_good_words(const Analysis& analysis) {
  const std::string threshold = significant(analysis.table.threshold, 3);
  const int least = analysis.recommendation.least_time_workers;
  const Estimate* efficiency = efficiency_at(analysis, least);
  const bool grows =
      analysis.table.regime == Regime::kWeak || analysis.table.regime == Regime::kThroughput;
  return fmt::format(
      "No measured K has an efficiency of {}{}.", threshold,
      efficiency == nullptr
          ? ""
          : fmt::format("; {} {}, at {}", least, grows ? "does the most work" : "is the fastest",
                        efficiency_percent(*efficiency, analysis.table.threshold)));
}

}  // namespace

const Estimate* efficiency_at(const Analysis& analysis, int workers) {
  if (analysis.verdict.by_training) {
    for (const TrainingPoint& point : analysis.time_to_train->points) {
      if (point.workers == workers) return &point.efficiency;
    }
    return nullptr;
  }
  const ScalingPoint* point = point_at(analysis.table, Role::kParallel, workers);
  return point != nullptr && point->efficiency ? &*point->efficiency : nullptr;
}

std::string headline_text(const Analysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  if (verdict.computed) return verdict_words(verdict);
  switch (verdict.reason) {
    case VerdictReason::kDecided:
      return verdict.state == VerdictState::kOrMore ? open_words(analysis) : clear_words(analysis);
    case VerdictReason::kNoneEfficient:
      return none_good_words(analysis);
    default:
      return advice_text(analysis);
  }
}

std::string sureness_text(const Analysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  if (!verdict.is_decided() || verdict.state == VerdictState::kBetween) return "";
  if (verdict.computed) return "Computed, not measured: it has no noise.";
  if (verdict.state == VerdictState::kOrMore) {
    return verdict.low < verdict.workers
               ? fmt::format("K* is at least {}.", *verdict.low)
               : fmt::format("Efficiency is {} or more at every {}.",
                             significant(verdict.threshold, 3),
                             lacks_times(analysis) ? "K that ran" : "measured K");
  }
  if (!verdict.probability) return "Single runs: nothing shows how sure this is.";
  return fmt::format(
      "K* = {}; {} of the evidence for the bend at K = {}.{}",
      verdict.low < verdict.high ? fmt::format("{} to {}", *verdict.low, *verdict.high)
                                 : fmt::format("{}", *verdict.workers),
      chance_words(*verdict.probability), *verdict.bends_at, each_alone_text(analysis));
}

}  // namespace kstar
