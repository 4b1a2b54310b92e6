#include "report/analysis/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/limits.h"
#include "kstar/words.h"
#include "report/analysis/explanation.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// Why there is no K* to speak of; empty where there is one.
std::string no_answer(const Analysis& analysis) {
  const ScalingTable& table = analysis.table;
  if (is_by_training(analysis)) return "";
  if (!table.regime) {
    return "What stays fixed while K grows is unknown: there is no speedup without --regime.";
  }
  if (*table.regime == Regime::kMixed) {
    return "The problem changes with K in a way that is neither strong nor weak: no speedup is "
           "shown.";
  }
  if (!has_efficiency(table)) return "The base has no usable time: no speedup is shown.";
  if (points_besides_base(table) == 0) {
    return "Only one K has usable times: nothing can be said about scaling.";
  }
  return "";
}

/// Whether resamples or the fitted curve say how sure K* is. Otherwise its interval is all that was
/// measured.
bool has_scatter(const Analysis& analysis) {
  const auto& points = analysis.table.points;
  const bool repeated = std::all_of(points.begin(), points.end(), [](const ScalingPoint& point) {
    return !point.efficiency || is_bounded(*point.efficiency);
  });
  if (is_by_training(analysis)) {
    const auto& parts = analysis.time_to_train->points;
    return std::all_of(parts.begin(), parts.end(),
                       [](const TrainingPoint& point) { return is_bounded(point.efficiency); });
  }
  return repeated || (analysis.table.base_role == Role::kParallel && analysis.models &&
                      !analysis.models->bend_chances.empty());
}

bool is_on_busy_machine(const Analysis& analysis) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [](const Suspicion& one) { return one.kind == SuspicionKind::kBusyMachine; });
}

/// By kstar dag: there was no run. Null where there was.
const Note* scheduled_note(const Analysis& analysis) {
  const auto found = std::find_if(analysis.notes.begin(), analysis.notes.end(),
                                  [](const Note& note) { return note.what == "scheduled"; });
  return found == analysis.notes.end() ? nullptr : &*found;
}
bool is_scheduled(const Analysis& analysis) {
  return scheduled_note(analysis) != nullptr;
}

/// The runs behind the first found its work done.
bool has_cached_work(const Analysis& analysis) {
  return std::any_of(analysis.notes.begin(), analysis.notes.end(),
                     [](const Note& note) { return note.what == "cached-work"; });
}

/// Already the base takes hardly longer than starting a process: T(K) is that of the start.
bool has_short_runs(const Analysis& analysis) {
  constexpr double kShort = 0.005;  // seconds
  const ScalingPoint* base = point_at(analysis.table, Role::kParallel, analysis.table.base_workers);
  return base != nullptr && base->time.point < kShort &&
         std::any_of(analysis.notes.begin(), analysis.notes.end(),
                     [](const Note& note) { return note.what == "short-runs"; });
}

/// "Run on 8 workers", or what the numbers would say if they are what they are read as.
std::string what_to_do(const Analysis& analysis, const WorkersAdvice& advice) {
  if (has_cached_work(analysis)) return "Undecided, with cached work:";
  if (is_on_busy_machine(analysis)) return "Undecided, with other jobs on the machine:";
  if (has_short_runs(analysis)) return "Undecided, with runs that hardly do more than start:";
  if (is_in_question(analysis)) {
    return fmt::format("Read as {} scaling,", name_of(*analysis.table.regime));
  }
  constexpr double kLikely = 0.5;
  const bool unsure = analysis.bend && analysis.bend->agreement < kLikely;
  return fmt::format("Run on {}{}{}{}:", unsure ? "about " : "",
                     count_text(static_cast<std::size_t>(advice.workers), "worker"),
                     failing_text(analysis, advice.workers), advice.open ? ", perhaps more" : "");
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

/// The most likely bend by all K together, where that is not the one that was measured: a single K
/// that stands apart decides nothing. As many as there are K: none of them.
std::optional<std::size_t> likelier_bend(const Analysis& analysis) {
  constexpr double kUnlikely = 0.2;
  if (!analysis.bend || !(analysis.bend->agreement < kUnlikely) || !analysis.models) return {};
  const std::vector<double>& chances = analysis.models->bend_chances;
  if (chances.size() < 3 || analysis.table.base_role != Role::kParallel) return {};
  const auto most = std::max_element(chances.begin(), chances.end());
  return static_cast<std::size_t>(most - chances.begin());
}

std::string unlikely_bend(const Analysis& analysis, std::size_t bend) {
  std::vector<int> workers;
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.role == Role::kParallel) workers.push_back(point.workers);
  }
  const int seen = analysis.bend->first_bad;
  return fmt::format(
      "Undecided: E falls below {0} at K = {1}, but by all K together that bend has {2} of the "
      "evidence; {3}. Repeat K = {1} first.",
      significant(analysis.table.threshold, 3), seen, chance_words(analysis.bend->agreement),
      bend < workers.size() && bend > 0
          ? fmt::format("the most likely K* is {}", workers[bend - 1])
          : fmt::format("most likely it does not bend up to K = {}", workers.back()));
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
  const std::string condition = text_value(*scheduled_note(analysis), "if");
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

/// Every measured K might be K*, or there is none near the bend, or the values jump.
std::string undecided_text(const Analysis& analysis) {
  if (has_jumps(analysis)) {
    return "Undecided: these single values jump, and no model fits them; repeat every K first.";
  }
  if (!is_undecided(analysis)) {
    return fmt::format("Undecided: K* is somewhere from {} to {}; nothing was measured between.",
                       *analysis.bend->last_good, analysis.bend->first_bad - 1);
  }
  const WorkersAdvice& advice = analysis.recommendation;
  return fmt::format("Undecided: K* is anywhere from {} to {}{}.", advice.low, advice.high,
                     advice.open ? " or beyond" : "");
}

std::string recommendation(const Analysis& analysis) {
  if (is_scheduled(analysis)) return scheduled_text(analysis);
  if (const auto bend = likelier_bend(analysis); bend && !is_in_question(analysis)) {
    return unlikely_bend(analysis, *bend);
  }
  if (answer_state(analysis) == AnswerState::kUndecided && !has_short_runs(analysis)) {
    return undecided_text(analysis);
  }
  WorkersAdvice best = analysis.recommendation;
  if (!has_scatter(analysis)) best.low = best.high = best.workers;
  const std::string threshold = significant(analysis.table.threshold, 3);
  if (analysis.bend && !analysis.bend->last_good) {
    return fmt::format("No measured K has an efficiency of {}.", threshold) + good_again(analysis);
  }
  const std::string range =
      best.low < best.high ? fmt::format(" ({} to {})", best.low, best.high) : "";
  if (best.open) {
    return fmt::format("{} K* = {} or more{}, E is {} or more at every measured K.",
                       what_to_do(analysis, best), best.workers,
                       best.low < best.workers ? fmt::format(" (at least {})", best.low) : "",
                       threshold);
  }
  return fmt::format("{} K* = {}{}, the last measured K before E falls below {}.",
                     what_to_do(analysis, best), best.workers, range, threshold) +
         good_again(analysis);
}

/// How far single values can be trusted, before anything rests on them.
std::string single_values(const Analysis& analysis) {
  if (!analysis.models || !analysis.models->single_values) return "";
  const GoodnessOfFit& goodness = analysis.models->goodness;
  if (has_jumps(analysis)) {
    return " These single values jump, and no model fits them: repeat every K first.";
  }
  if (goodness.disturbed && !likelier_bend(analysis)) {
    return fmt::format(
        " T({0}) stands apart from the other K, and nothing was repeated: repeat it "
        "first.",
        significant(goodness.disturbed->workers, 9));
  }
  return "";
}

std::string upper_first(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string bend(const Analysis& analysis) {
  const std::string regime = upper_first(std::string(name_of(*analysis.table.regime)));
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
  return text + " " + upper_first(first.evidence.front()) + ".";
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

bool is_by_training(const Analysis& analysis) {
  return analysis.time_to_train && !has_efficiency(analysis.table);
}

AnswerState answer_state(const Analysis& analysis) {
  if (!no_answer(analysis).empty()) return AnswerState::kNone;
  if (is_scheduled(analysis)) return AnswerState::kScheduled;
  if (has_cached_work(analysis)) return AnswerState::kCachedWork;
  if (is_on_busy_machine(analysis)) return AnswerState::kBusy;
  if (has_short_runs(analysis)) return AnswerState::kUndecided;
  if (is_in_question(analysis)) return AnswerState::kInQuestion;
  if (likelier_bend(analysis)) return AnswerState::kStandsApart;
  if (analysis.bend && !analysis.bend->last_good) return AnswerState::kNoneGood;
  if (is_undecided(analysis) || has_wide_gap(analysis) || has_jumps(analysis)) {
    return AnswerState::kUndecided;
  }
  return analysis.recommendation.open ? AnswerState::kOpen : AnswerState::kClear;
}

std::string failing_text(const Analysis& analysis, int workers) {
  const ScalingPoint* point = point_at(analysis.table, Role::kParallel, workers);
  if (point == nullptr || !is_failing(*point)) return "";
  return fmt::format(" once they no longer fail ({} of {} runs did)", point->failed,
                     point->failed + point->times.n);
}

bool is_undecided(const Analysis& analysis) {
  constexpr std::size_t kFewest = 2;
  const WorkersAdvice& advice = analysis.recommendation;
  const auto& points = analysis.table.points;
  return has_scatter(analysis) && points.size() >= kFewest &&
         advice.low <= points.front().workers && advice.high >= points.back().workers;
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

bool has_jumps(const Analysis& analysis) {
  if (!analysis.models || !analysis.models->single_values) return false;
  const GoodnessOfFit& goodness = analysis.models->goodness;
  return goodness.beyond_errors && !goodness.change;
}

std::string advice_text(const Analysis& analysis) {
  const std::string none = no_answer(analysis);
  return none.empty() ? recommendation(analysis) : none;
}

std::string answer_text(const Analysis& analysis) {
  if (const std::string none = no_answer(analysis); !none.empty()) {
    return none + fastest_text(analysis);
  }
  if (is_by_training(analysis)) {
    return recommendation(analysis) + training(analysis) + fastest_text(analysis);
  }
  if (is_scheduled(analysis)) return recommendation(analysis);
  if (is_on_busy_machine(analysis)) {  // how sure its bend is would be said of the other jobs
    return recommendation(analysis) + " These times are theirs as much as the job's.";
  }
  if (has_short_runs(analysis)) return recommendation(analysis);
  const bool undecided = answer_state(analysis) == AnswerState::kUndecided;
  if (undecided && has_jumps(analysis)) return recommendation(analysis) + fastest_text(analysis);
  if (is_in_question(analysis)) return recommendation(analysis) + bend(analysis);
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
