#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"

namespace kstar {

namespace {

/// The last K and the one before it.
std::pair<int, int> last_two(const ScalingTable& table) {
  const std::size_t count = table.points.size();
  return {table.points[count - 2].workers, table.points[count - 1].workers};
}

/// The K from which on T does nothing but rise.
int rises_from(const ScalingTable& table) {
  std::size_t first = table.points.size() - 1;
  while (first > 0 && table.points[first - 1].role == Role::kParallel &&
         table.points[first - 1].time.point < table.points[first].time.point) {
    --first;
  }
  return table.points[first].workers;
}

/// Of a largest K that is worse than the one before it.
std::string falls_text(const Analysis& analysis, int before, int last) {
  const int best = analysis.recommendation.least_time_workers;
  if (analysis.table.regime == Regime::kWeak) {
    return fmt::format(" K = {} does less work per second than K = {}.", last, before);
  }
  if (analysis.table.regime == Regime::kThroughput) {
    return fmt::format(" The rate is largest at K = {}, and falls from K = {} to {}.", best, before,
                       last);
  }
  const int from = std::min(before, rises_from(analysis.table));
  return fmt::format(" T is least at K = {}, and rises from K = {} to {}.", best, from, last);
}

/// What the largest K did for the speedup, where it is not plain that more would do more. A model
/// without draws does not tell.
std::string end_text(const Analysis& analysis) {
  if (analysis.models->bend_chances.empty()) return "";
  const auto [before, last] = last_two(analysis.table);
  const bool weak = analysis.table.regime == Regime::kWeak;
  switch (analysis.models->ends) {
    case CurveEnd::kLoses:
      return falls_text(analysis, before, last);
    case CurveEnd::kFlat:
      return fmt::format(" From K = {} to {} {} hardly grows.", before, last,
                         weak ? "the scaled speedup" : "S");
    case CurveEnd::kUnclear:
      return fmt::format(" Whether {} still grows at K = {} is unclear.",
                         weak ? "the scaled speedup" : "S", last);
    case CurveEnd::kGains:
      break;
  }
  return "";
}

/// "12.4x (9.92 to 14.9)".
std::string ceiling_value(const Analysis& analysis) {
  const Estimate& most = *analysis.models->ceiling;
  return fmt::format("{}x ({}){}", significant(most.point, 3), range_words(most, 3),
                     analysis.table.base_role == Role::kBaseline
                         ? ", relative to the program's own smallest K"
                         : "");
}

/// Whether every other K takes longer for the same work.
bool is_base_fastest(const Analysis& analysis) {
  return analysis.table.base_role == Role::kParallel && analysis.table.regime != Regime::kWeak &&
         analysis.recommendation.least_time_workers == analysis.table.base_workers;
}

/// Where end_text() has said it.
bool is_least_time_said(const Analysis& analysis) {
  return analysis.models && analysis.models->ends == CurveEnd::kLoses &&
         analysis.table.regime != Regime::kWeak && !ceiling_text(analysis).empty();
}

}  // namespace

bool is_superlinear(const Analysis& analysis) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [](const Suspicion& one) { return one.kind == SuspicionKind::kSuperlinear; });
}

std::string ceiling_text(const Analysis& analysis) {
  if (!analysis.models || !analysis.models->ceiling || analysis.table.points.size() < 2) return "";
  const Estimate& most = *analysis.models->ceiling;
  const CurveEnd ends = analysis.models->ends;
  if (ends == CurveEnd::kLoses) return end_text(analysis);
  if (is_superlinear(analysis)) return "";
  if (is_base_fastest(analysis)) {
    return fmt::format(" No larger K is faster than K = {}.", analysis.table.base_workers);
  }
  if (std::isfinite(most.high)) {
    return end_text(analysis) + fmt::format(" By the models, the ceiling of the speedup is {}.",
                                            ceiling_value(analysis));
  }
  const int largest = analysis.table.points.back().workers;
  if (ends != CurveEnd::kGains) {
    return end_text(analysis) + fmt::format(" A limit beyond K = {} cannot be excluded.", largest);
  }
  return fmt::format(
      " No ceiling of the {}speedup up to K = {}; a limit beyond it cannot be excluded.",
      analysis.table.regime == Regime::kWeak ? "scaled " : "", largest);
}

std::string fastest_text(const Analysis& analysis) {
  const int workers = analysis.recommendation.least_time_workers;
  const bool efficient = has_efficiency(analysis.table) || analysis.time_to_train;
  const bool said = efficient && workers == analysis.recommendation.workers;
  if (said || analysis.table.points.size() < 2 || is_least_time_said(analysis)) return "";
  const std::optional<Regime> regime = analysis.table.regime;
  const bool is_fixed_work = regime != Regime::kWeak && regime != Regime::kThroughput;
  return fmt::format(" Of the measured K, {} {}.", workers,
                     is_fixed_work ? "takes the least time" : "does the most work per second");
}

}  // namespace kstar
