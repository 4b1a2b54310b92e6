#include "report/analysis/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/words.h"
#include "report/analysis/explanation.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// "Run on 8 workers once they no longer fail (3 of 4 runs did)".
std::string what_to_do(const Analysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  return fmt::format("Run on {}{}{}{}", verdict.state == VerdictState::kAbout ? "about " : "",
                     count_text(static_cast<std::size_t>(*verdict.workers), "worker"),
                     failing_text(analysis, *verdict.workers),
                     verdict.state == VerdictState::kOrMore ? ", perhaps more" : "");
}

/// "K = 12 is good again (E = 0.74).": behind the bend, and so not advised.
std::string good_again(const Analysis& analysis) {
  const std::optional<int> workers = analysis.recommendation.good_again;
  if (!workers) return "";
  const ScalingPoint* point = point_at(analysis.table, Role::kParallel, *workers);
  return fmt::format(" K = {} is good again{}.", *workers,
                     point != nullptr && point->efficiency
                         ? fmt::format(" (E = {})", fixed(point->efficiency->point, 2))
                         : "");
}

/// The rule of kstar dag, in its words.
std::string scheduled_text(const Analysis& analysis) {
  const int workers = analysis.recommendation.workers;
  const std::string threshold = significant(analysis.table.threshold, 3);
  const ScalingPoint* best = point_at(analysis.table, Role::kParallel, workers);
  const std::string there =
      best != nullptr && best->efficiency
          ? fmt::format(": {}, E = {}",
                        analysis.table.relative_times ? significant(best->time.point, 4) + " T(1)"
                                                      : time_text(best->time.point),
                        fixed(best->efficiency->point, 2))
          : "";
  const std::string condition = text_value(analysis.notes.front(), "if");
  std::string text = fmt::format(
      "{} on {} for the least time with an efficiency of {} or more{}. The times are those of "
      "schedules of a graph (kstar dag), not measured.",
      condition.empty() ? "Run" : fmt::format("If {}, run", condition),
      count_text(static_cast<std::size_t>(workers), "worker"), threshold, there);
  if (!analysis.bend || analysis.bend->first_bad > workers) return text;
  return text +
         fmt::format(" E is below {} at K = {} and not at {}: with whole tasks T falls in steps.",
                     threshold, analysis.bend->first_bad, workers);
}

std::string recommendation(const Analysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  if (verdict.computed) return scheduled_text(analysis);
  if (verdict.reason == VerdictReason::kNoneEfficient) {
    return verdict_words(verdict) + good_again(analysis);
  }
  if (verdict.reason != VerdictReason::kDecided) return verdict_words(verdict);
  const std::string threshold = significant(verdict.threshold, 3);
  if (verdict.state == VerdictState::kOrMore) {
    return fmt::format(
        "{}: K* = {} or more{}, E is {} or more at every measured K.", what_to_do(analysis),
        *verdict.workers,
        verdict.low < verdict.workers ? fmt::format(" (at least {})", *verdict.low) : "",
        threshold);
  }
  return fmt::format("{}: K* = {}{}, the last measured K before E falls below {}.",
                     what_to_do(analysis), *verdict.workers,
                     verdict.low < verdict.high
                         ? fmt::format(" ({} to {})", *verdict.low, *verdict.high)
                         : "",
                     threshold) +
         good_again(analysis);
}

/// How far single values can be trusted, before anything rests on them.
std::string single_values(const Analysis& analysis) {
  if (!analysis.models || !analysis.models->single_values) return "";
  const GoodnessOfFit& goodness = analysis.models->goodness;
  if (goodness.disturbed && analysis.verdict.reason != VerdictReason::kStandsApart) {
    return fmt::format(
        " T({0}) stands apart from the other K, and nothing was repeated: repeat it "
        "first.",
        significant(goodness.disturbed->workers, 9));
  }
  return "";
}

std::string bend(const Analysis& analysis) {
  const std::string regime = capitalized(std::string(name_of(*analysis.table.regime)));
  const std::string base = analysis.table.base_role == Role::kBaseline
                               ? "the baseline program"
                               : fmt::format("K = {}", analysis.table.base_workers);
  std::string text =
      fmt::format(" {} scaling from {} bends at {}", regime, base, bend_words(analysis.bend));
  // The models know the program's own base only, and nothing of what lies beyond the largest K.
  const Estimate* curve =
      analysis.table.base_role == Role::kParallel ? continuous_bend(analysis) : nullptr;
  if (curve == nullptr || !analysis.bend || !std::isfinite(curve->point)) {
    return text + "." + each_alone_text(analysis);
  }
  return text +
         fmt::format(", the fitted curve at {} ({}).", significant(curve->point, 3),
                     range_words(*curve, 3)) +
         each_alone_text(analysis);
}

/// The same where the efficiency is that of time to train, and what it is made of.
std::string training(const Analysis& analysis) {
  const TimeToTrain& train = *analysis.time_to_train;
  return fmt::format(" Time to train from K = {} bends at {}. {}.", train.points.front().workers,
                     bend_words(analysis.bend), training_text(train));
}

/// What the shape of T(K) alone says, the likeliest first, and what would say more.
std::string guesses(const std::vector<Cause>& causes) {
  std::string text = " The cause is a guess from the shape of T(K): ";
  const Cause& first = causes.front();
  for (const Cause& cause : causes) {
    const bool said =
        std::find(first.or_else.begin(), first.or_else.end(), cause.kind) != first.or_else.end();
    if (!is_guess(cause) || said) continue;
    text += &cause == &first ? cause_words(cause) : ", " + cause_words(cause.kind);
    if (cause.probability) text += fmt::format(" {}", percent(*cause.probability, 0));
  }
  return text +
         ". To find out, measure what each worker does (kstar measure --time marks, or --inside).";
}

/// "29% (27% to 31%; always worker 3 on n7)".
std::string share_text(const Cause& cause) {
  std::string more = is_bounded(cause.share) ? share_range_words(cause.share) : "";
  if (cause.worker) {
    more += fmt::format("{}always worker {}{}", more.empty() ? "" : "; ", *cause.worker,
                        cause.host.empty() ? "" : " on " + cause.host);
  }
  return percent(cause.share.point, 0) + (more.empty() ? "" : fmt::format(" ({})", more));
}

/// Where the causes found are not most of the loss.
std::string unexplained_text(const Diagnosis& diagnosis) {
  constexpr double kMuch = 0.25;
  double rest = 1;
  for (const Cause& cause : diagnosis.causes) {
    if (!is_guess(cause)) rest -= cause.share.point;
  }
  return rest >= kMuch ? fmt::format(" The rest, {}, is not explained.", percent(rest, 0)) : "";
}

/// A loss that is there, though none of its causes stands out of the noise.
std::string untold_loss(const Analysis& analysis) {
  const Diagnosis& diagnosis = analysis.diagnosis;
  return fmt::format(
      " At K = {0} a loss is there (E = {1}), and the noise of these runs hides its cause. To find "
      "out, repeat K = {2} and {0} with more runs.",
      diagnosis.workers, interval_words(*diagnosis.efficiency, 3), analysis.table.base_workers);
}

/// The first of the causes and what else takes much: those that a remedy must be about.
std::string measured_causes(const Diagnosis& diagnosis) {
  constexpr double kMuch = 0.10;
  std::string text;
  for (const Cause& cause : diagnosis.causes) {
    if (&cause == &diagnosis.causes.front()) {
      text = fmt::format(" Cause at K = {}: {}, {} of the loss", diagnosis.workers,
                         cause_words(cause), share_text(cause));
    } else if (cause.share.point >= kMuch && !is_guess(cause)) {
      text += fmt::format(", {} {}", cause_words(cause), share_text(cause));
    }
  }
  text += "." + unexplained_text(diagnosis);
  const Cause& first = diagnosis.causes.front();
  const bool told =
      first.confidence == Confidence::kCounted || first.kind == CauseKind::kMemoryBandwidth;
  if (!told || first.evidence.empty()) return text;
  return text + " " + capitalized(first.evidence.front()) + ".";
}

std::string cause(const Analysis& analysis) {
  const Diagnosis& diagnosis = analysis.diagnosis;
  if (diagnosis.causes.empty()) return "";
  const Cause& first = diagnosis.causes[0];
  if (first.kind == CauseKind::kNone && is_superlinear(analysis)) return "";
  if (first.kind == CauseKind::kNone && first.confidence == Confidence::kShape) {
    return first.evidence.empty() ? "" : fmt::format(" {}.", first.evidence[0]);
  }
  if (first.kind == CauseKind::kNone && diagnosis.efficiency && is_bounded(*diagnosis.efficiency) &&
      diagnosis.efficiency->high < 1) {
    return untold_loss(analysis);
  }
  if (first.kind == CauseKind::kNone) {
    return fmt::format(" At K = {} {} reduces efficiency.", diagnosis.workers, cause_words(first));
  }
  if (first.kind == CauseKind::kOneCore) return fmt::format(" {}.", first.evidence[0]);
  return is_guess(first) ? guesses(diagnosis.causes) : measured_causes(diagnosis);
}

/// What was asked with --machine is answered, whatever the answer; memory that is the cause was
/// named above.
std::string machine_text(const Analysis& analysis) {
  if (!analysis.options.machine) return "";
  if (!analysis.memory) {
    return fmt::format(
        " Whether it is the memory's bandwidth is not known: {} has none on one thread and on "
        "more, "
        "up to these K.",
        analysis.options.machine->source);
  }
  switch (analysis.memory->verdict) {
    case MemoryVerdict::kBound:
      return "";
    case MemoryVerdict::kNot:
      return fmt::format(" It is not the memory's bandwidth: {}.", analysis.memory->why);
    case MemoryVerdict::kUndecided:
      break;
  }
  return fmt::format(" Whether it is the memory's bandwidth is undecided: {}.",
                     analysis.memory->why);
}

}  // namespace

std::string failing_text(const Analysis& analysis, int workers) {
  const ScalingPoint* point = point_at(analysis.table, Role::kParallel, workers);
  if (point == nullptr || !is_failing(*point)) return "";
  return fmt::format(" once they no longer fail ({} of {} runs did)", point->failed,
                     point->failed + point->times.n);
}

std::string each_alone_text(const Analysis& analysis) {
  constexpr double kSure = 0.8;  // below, the text says that it is not
  if (!analysis.bend || !(analysis.bend->agreement >= kSure)) return "";
  const double threshold = analysis.table.threshold;
  const WorkersAdvice& advice = analysis.recommendation;
  int low = 0, high = 0;
  bool sure = true;
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.role != Role::kParallel) continue;
    if (!point.efficiency || !is_bounded(*point.efficiency)) return "";
    sure = sure && point.efficiency->low >= threshold;
    if (sure) low = point.workers;
    if (point.efficiency->high < threshold) break;
    high = point.workers;
  }
  if (low == 0 || (low >= advice.low && high <= advice.high)) return "";
  return fmt::format(" By the interval of E at each K alone, K* is {} to {}.", low, high);
}

std::string advice_text(const Analysis& analysis) {
  return recommendation(analysis);
}

std::string answer_text(const Analysis& analysis) {
  const Verdict& verdict = analysis.verdict;
  if (verdict.by_training) {
    return recommendation(analysis) + training(analysis) + fastest_text(analysis);
  }
  if (verdict.computed) return recommendation(analysis);
  switch (verdict.reason) {
    case VerdictReason::kUnknownRegime:
    case VerdictReason::kMixedRegime:
    case VerdictReason::kNoBaseTime:
    case VerdictReason::kOneK:
    case VerdictReason::kJumps:
      return recommendation(analysis) + fastest_text(analysis);
    case VerdictReason::kBusyMachine:
    case VerdictReason::kShortRuns:
    case VerdictReason::kDoubtfulReading:
      return recommendation(analysis);
    default:
      break;
  }
  return recommendation(analysis) + single_values(analysis) + bend(analysis) + cause(analysis) +
         machine_text(analysis) + phase_sentence(analysis) + ceiling_text(analysis) +
         fastest_text(analysis);
}

const Estimate* continuous_bend(const Analysis& analysis) {
  if (analysis.bend && analysis.bend->continuous) return &*analysis.bend->continuous;
  if (analysis.models && analysis.models->bend) return &*analysis.models->bend;
  return nullptr;
}

}  // namespace kstar
