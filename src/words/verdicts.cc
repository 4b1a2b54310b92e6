#include <fmt/format.h>

#include <cmath>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/words.h"

namespace kstar {

namespace {

std::string stands_apart(const Verdict& verdict) {
  const bool bends = *verdict.likeliest < verdict.largest_workers;
  return fmt::format(
      "Undecided: E falls below {0} at K = {1}, but by all K together that bend has {2} of the "
      "evidence; {3}. Repeat K = {1} first.",
      significant(verdict.threshold, 3), *verdict.bends_at, chance_words(*verdict.probability),
      bends ? fmt::format("the most likely K* is {}", *verdict.likeliest)
            : fmt::format("most likely it does not bend up to K = {}", *verdict.likeliest));
}

}  // namespace

std::string verdict_words(const Verdict& verdict) {
  switch (verdict.reason) {
    case VerdictReason::kDecided:
      return fmt::format("Run on {}{}{}.", verdict.state == VerdictState::kAbout ? "about " : "",
                         count_text(static_cast<std::size_t>(*verdict.workers), "worker"),
                         verdict.computed                         ? ", by computed schedules"
                         : verdict.state == VerdictState::kOrMore ? ", perhaps more"
                                                                  : "");
    case VerdictReason::kGap:
      return fmt::format(
          "Run on {} to {} workers: efficiency falls below {} somewhere between, and nothing was "
          "measured there.",
          *verdict.workers, *verdict.high, significant(verdict.threshold, 3));
    case VerdictReason::kJumps:
      return "Undecided: these single values jump, and no model fits them; repeat every K first.";
    case VerdictReason::kBusyMachine:
      return "Undecided: other jobs slowed these runs.";
    case VerdictReason::kCachedWork:
      return "Undecided: the runs found work done before.";
    case VerdictReason::kShortRuns:
      return "Undecided: the runs hardly do more than start.";
    case VerdictReason::kDoubtfulReading:
      return fmt::format("Undecided: it is not clear that these numbers show {} scaling.",
                         name_of(*verdict.regime));
    case VerdictReason::kStandsApart:
      return stands_apart(verdict);
    case VerdictReason::kAnyWorkers:
      return fmt::format("Undecided: K* is anywhere from {} to {}{}.", *verdict.low,
                         verdict.high.value_or(verdict.largest_workers),
                         verdict.high ? "" : " or beyond");
    case VerdictReason::kUnknownRegime:
      return "What stays fixed while K grows is unknown: there is no speedup without --regime.";
    case VerdictReason::kMixedRegime:
      return "The problem changes with K in a way that is neither strong nor weak: no speedup is "
             "shown.";
    case VerdictReason::kNoBaseTime:
      return "The base has no usable time: no speedup is shown.";
    case VerdictReason::kOneK:
      return "Only one K has usable times: nothing can be said about scaling.";
    case VerdictReason::kNoneEfficient:
      break;
  }
  return fmt::format("No measured K has an efficiency of {}.", significant(verdict.threshold, 3));
}

std::string verdict_place(const Verdict& verdict) {
  std::string text = verdict.workers ? fmt::format("K = {}", *verdict.workers)
                     : verdict.state == VerdictState::kUndecided ? "undecided"
                                                                 : "none";
  if (!verdict.high) {
    const int named = verdict.workers.value_or(0);
    if (verdict.low && *verdict.low != named) text += fmt::format(" ({} or more)", *verdict.low);
    return verdict.workers ? text + " or more" : text;
  }
  return verdict.low < verdict.high
             ? fmt::format("{} ({} to {})", text, *verdict.low, *verdict.high)
             : text;
}

std::string network_words(const NetworkVerdict& verdict) {
  const Estimate& expected = verdict.expected;
  const std::string should = std::isinf(expected.high)
                                 ? "at least " + time_text(expected.point)
                                 : fmt::format("{} ({} to {})", time_text(expected.point),
                                               time_text(expected.low), time_text(expected.high));
  std::string role;
  switch (verdict.role) {
    case NetworkRole::kNotKnown:
      role = "whether the network is to blame cannot be told: measure it on that K";
      break;
    case NetworkRole::kNotNetwork:
      role = fmt::format(
          "{}x as long: waiting, more or smaller messages, or a slower algorithm than measured; "
          "not "
          "the network",
          significant(verdict.spent / expected.point, 2));
      break;
    case NetworkRole::kLess:
      role = "less than that: the rest is hidden, or fewer bytes are sent";
      break;
    case NetworkRole::kNetwork:
      role = "as long as the network allows: send less, hide it, or use a faster network";
      break;
  }
  return fmt::format(
      "At K = {} communication{} takes {} per step. The network should take {} for {} of {} ({}): "
      "{}.",
      significant(verdict.workers, 7), verdict.waits ? " and waiting" : "",
      time_text(verdict.spent), should, verdict.collective, size_text(verdict.bytes), verdict.from,
      role);
}

std::string next_step_words(const Verdict& verdict) {
  const NextStep& next = verdict.next;
  const int last = next.workers.empty() ? 1 : next.workers.back();
  switch (next.code) {
    case NextStepCode::kNone:
      break;
    case NextStepCode::kTellWeak:
      return "If the work grows with K, say so:";
    case NextStepCode::kTellStrong:
      return "If the problem is the same at every K, say so:";
    case NextStepCode::kFreeMachine:
      return "Stop the other jobs, or wait, and measure again:";
    case NextStepCode::kLookAtCommand:
      return "Look at the command that runs at each K:";
    case NextStepCode::kUndoWork:
      return "Undo the work of a run before the next:";
    case NextStepCode::kSeeFailure:
      return fmt::format("See why K = {} fails:", last);
    case NextStepCode::kMoreWorkers:
      return "Measure more K:";
    case NextStepCode::kSplitTraining:
      return "See the split into algorithm, system and fixed time at every K:";
    case NextStepCode::kRepeat:
      return "Repeat the runs, to see their noise:";
    case NextStepCode::kRepeatOne:
      return fmt::format("Repeat K = {}, beside the base:", last);
    case NextStepCode::kDecide:
      return "Measure where it is decided:";
    case NextStepCode::kSeeEnd:
      return "See where it ends:";
    case NextStepCode::kNarrow:
      return "Narrow K*:";
    case NextStepCode::kWholeMachine:
      return fmt::format("{} workers are the whole machine: there are no more to measure.", last);
    case NextStepCode::kLookInside:
      return "To find the cause, look inside the ranks:";
    case NextStepCode::kMarkWork:
      return "To find the cause, mark compute, communicate and wait in the program:";
    case NextStepCode::kChange:
      return capitalized(next.advice) + ". Then compare:";
  }
  return "";
}

}  // namespace kstar
