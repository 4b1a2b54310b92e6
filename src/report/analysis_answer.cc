#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "report/analysis_blocks.h"
#include "report/analysis_words.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// Why there is no K* to speak of; empty where there is one.
std::string no_answer(const ScalingTable& table) {
  if (!table.regime) {
    return "What stays fixed while K grows is not known: there is no speedup without a --regime.";
  }
  if (*table.regime == Regime::kMixed) {
    return "The problem changes with K in a way that is neither strong nor weak: no speedup is "
           "shown.";
  }
  if (!has_speedup(table)) return "The base has no time that counts: no speedup is shown.";
  if (points_beside_base(table) == 0) {
    return "Only one K has times that count: nothing can be said about scaling.";
  }
  return "";
}

std::string recommendation(const Analysis& analysis) {
  const WorkersAdvice& advice = analysis.recommendation;
  const std::string threshold = significant(analysis.table.threshold, 3);
  if (analysis.bend && !analysis.bend->last_good) {
    return fmt::format("No K measured has an efficiency of {}.", threshold);
  }
  const std::string range =
      advice.low < advice.high ? fmt::format(" ({} to {})", advice.low, advice.high) : "";
  if (advice.open) {
    return fmt::format("K* = {} or more{}: efficiency stays at {} or more at every K measured.",
                       advice.workers, range, threshold);
  }
  return fmt::format("K* = {}{}: the most workers with an efficiency of {} or more.",
                     advice.workers, range, threshold);
}

std::string bend(const Analysis& analysis) {
  std::string regime(name_of(*analysis.table.regime));
  regime[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(regime[0])));
  std::string text = fmt::format(" {} scaling from K = {}, bend at {}", regime,
                                 analysis.table.base_workers, bend_words(analysis.bend));
  if (const Estimate* continuous = continuous_bend(analysis)) {
    text += std::isfinite(continuous->point)
                ? fmt::format(", of the fitted curve at {} ({})", significant(continuous->point, 3),
                              range_words(*continuous, 3))
                : ", the fitted curve never bends";
  }
  return text + ".";
}

/// The first of the causes: what takes most.
std::string cause(const Diagnosis& diagnosis) {
  if (diagnosis.causes.empty()) return "";
  const Cause& first = diagnosis.causes[0];
  if (first.kind == CauseKind::kNone) {
    return fmt::format(" At K = {} {} takes efficiency.", diagnosis.workers, cause_words(first));
  }
  const char* why = first.confidence == Confidence::kMeasured ? "Why" : "Why, by its shape alone";
  std::string text = fmt::format(" {}: {} takes {} of the loss at K = {}", why, cause_words(first),
                                 percent(first.share.point, 0), diagnosis.workers);
  if (is_bounded(first.share)) text += fmt::format(" ({})", share_range_words(first.share));
  if (first.worker) {
    text += fmt::format("; it is always worker {}{}", *first.worker,
                        first.host.empty() ? "" : " on " + first.host);
  }
  return text + ".";
}

std::string ceiling(const Analysis& analysis) {
  if (!analysis.models || !analysis.models->ceiling) return "";
  const Estimate& most = *analysis.models->ceiling;
  if (!std::isfinite(most.point)) return " The fitted curve has no ceiling.";
  return fmt::format(" No number of workers gives more than {}x ({}), by the models.",
                     significant(most.point, 3), range_words(most, 3));
}

/// The K that a goal of speed alone would take. A single K has no other beside it.
std::string fastest(const Analysis& analysis) {
  const int workers = analysis.recommendation.least_time_workers;
  const bool said = has_speedup(analysis.table) && workers == analysis.recommendation.workers;
  if (said || analysis.table.points.size() < 2) return "";
  return fmt::format(" Of the K measured, {} {}.", workers,
                     analysis.table.regime == Regime::kWeak ? "does the most work a second"
                                                            : "takes the least time");
}

}  // namespace

std::string answer_text(const Analysis& analysis) {
  if (const std::string none = no_answer(analysis.table); !none.empty()) {
    return none + fastest(analysis);
  }
  return recommendation(analysis) + bend(analysis) + cause(analysis.diagnosis) + ceiling(analysis) +
         fastest(analysis);
}

const Estimate* continuous_bend(const Analysis& analysis) {
  if (analysis.bend && analysis.bend->continuous) return &*analysis.bend->continuous;
  if (analysis.models && analysis.models->bend) return &*analysis.models->bend;
  return nullptr;
}

double confidence_of(const Analysis& analysis) {
  return analysis.table.points.empty() ? 0.95 : analysis.table.points[0].time.confidence;
}

}  // namespace kstar
