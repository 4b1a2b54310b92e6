#include "compare/gate_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/number.h"
#include "compare/changes.h"
#include "compare/evidence.h"

namespace kstar::comparing {

namespace {

const RatioChange* change_of(const Gate& gate, const WorkersChange& point) {
  if (gate.quantity == GateQuantity::kTime) return &point.time;
  return point.efficiency ? &*point.efficiency : nullptr;
}

/// Whether a ratio is a larger change than allowed, in the gate's direction.
bool is_beyond(const Gate& gate, double ratio) {
  return gate.rises ? ratio > 1 + gate.limit : ratio < 1 - gate.limit;
}

/// Of the interval, in the gate's direction.
double end_of(const Gate& gate, const RatioChange& change) {
  return gate.rises ? change.ratio.high : change.ratio.low;
}

GateVerdict verdict_on(const Gate& gate, const RatioChange& change, double confidence) {
  if (is_beyond(gate, change.ratio.point) && is_evident(change, confidence)) {
    return GateVerdict::kFailed;
  }
  const bool ruled_out =
      !is_beyond(gate, end_of(gate, change)) && !is_beyond(gate, change.ratio.point);
  return ruled_out ? GateVerdict::kPassed : GateVerdict::kUndecided;
}

/// The failed before the undecided before the passed.
int rank(GateVerdict verdict) {
  return verdict == GateVerdict::kFailed ? 2 : verdict == GateVerdict::kUndecided ? 1 : 0;
}

const char* letter_of(GateQuantity quantity) {
  return quantity == GateQuantity::kTime ? "T" : quantity == GateQuantity::kSpeedup ? "S" : "E";
}

std::string evidence_text(const Gate& gate, const RatioChange& change, int workers) {
  const Estimate& ratio = change.ratio;
  std::string text = fmt::format("{}({}) after / before is {}", letter_of(gate.quantity), workers,
                                 fixed(ratio.point, 3));
  if (!is_bounded(ratio)) return text + ", and one run a side gives no interval";
  return text + fmt::format(", {} to {}, adjusted p = {}", fixed(ratio.low, 3),
                            fixed(ratio.high, 3), significant(change.adjusted_p, 2));
}

std::string workers_list(const Comparison& comparison) {
  std::string text;
  for (const WorkersChange& point : comparison.points) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", point.workers);
  }
  return text;
}

std::string place_of(const Gate& gate) {
  return fmt::format("gate '{}'", gate.text);
}

Result<GateOutcome> judge_ratio(const Gate& gate, const Comparison& comparison) {
  if (gate.quantity == GateQuantity::kTime && !comparison.times_compared) {
    return fail(
        {.where = place_of(gate),
         .message = "T is not compared: the seconds before and after are of different things",
         .hint = "S and E are: as in \"E(any) drops 5%\""});
  }
  GateOutcome outcome{.gate = gate, .verdict = GateVerdict::kPassed, .evidence = {}};
  std::pair<int, double> worst;  // of any K: the verdict, and then how far the interval reaches
  for (const WorkersChange& point : comparison.points) {
    if (gate.workers && point.workers != *gate.workers) continue;
    const RatioChange* change = change_of(gate, point);
    if (change == nullptr) continue;
    const GateVerdict verdict = verdict_on(gate, *change, comparison.confidence);
    const std::pair place{rank(verdict),
                          gate.rises ? end_of(gate, *change) : -end_of(gate, *change)};
    if (!outcome.evidence.empty() && place <= worst) continue;
    worst = place;
    outcome.verdict = verdict;
    outcome.evidence = evidence_text(gate, *change, point.workers);
  }
  if (!outcome.evidence.empty()) return outcome;
  const bool compared =
      std::any_of(comparison.points.begin(), comparison.points.end(),
                  [&](const WorkersChange& point) { return point.workers == gate.workers; });
  if (compared || !gate.workers) {
    return fail(
        {.where = place_of(gate), .message = "there is no S and E to compare in this regime"});
  }
  return fail(expected(place_of(gate),
                       fmt::format("one of the K compared ({})", workers_list(comparison)),
                       std::to_string(*gate.workers)));
}

/// The bend or K* moved from one K to another.
GateOutcome judge_place(const Gate& gate, const WorkersRange& before, const WorkersRange& after,
                        bool clear, const char* name) {
  const bool moved = gate.rises ? after.point > before.point : after.point < before.point;
  const bool may_have = gate.rises ? after.high > before.low : after.low < before.high;
  const GateVerdict verdict = moved && clear      ? GateVerdict::kFailed
                              : moved || may_have ? GateVerdict::kUndecided
                                                  : GateVerdict::kPassed;
  return {
      .gate = gate,
      .verdict = verdict,
      .evidence = fmt::format("{} was {}, and is {}", name, range_text(before), range_text(after))};
}

}  // namespace

Result<GateOutcome> judge(const Gate& gate, const Comparison& comparison) {
  const bool place =
      gate.quantity == GateQuantity::kBend || gate.quantity == GateQuantity::kBestWorkers;
  if (place && !compares_efficiency(comparison)) {
    return fail({.where = place_of(gate),
                 .message = "there is no S and E to compare, and so no bend and no K*"});
  }
  const std::vector<int> workers = workers_of(comparison);
  const BendChange& bend = comparison.bend;
  if (gate.quantity == GateQuantity::kBend) {
    return judge_place(gate, bend_range(bend.before, bend.advice_before, workers),
                       bend_range(bend.after, bend.advice_after, workers), bend.bend_clear,
                       "The bend");
  }
  if (gate.quantity == GateQuantity::kBestWorkers) {
    return judge_place(gate, advice_range(bend.advice_before), advice_range(bend.advice_after),
                       bend.advice_clear, "K*");
  }
  return judge_ratio(gate, comparison);
}

}  // namespace kstar::comparing
