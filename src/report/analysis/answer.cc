#include "report/analysis/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/limits.h"
#include "kstar/words.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

std::string unit_of(const TimeToTrain& train) {
  return train.unit.empty() ? "units of work" : train.unit;
}

/// "0.62", or as many digits as a small one needs.
std::string factor_text(double factor) {
  return factor < 0.1 ? significant(factor, 2) : fixed(factor, 2);
}

/// "1.6x as many", "as many", "0.9x as many": to the second digit behind the point.
std::string times_as_many(double ratio) {
  return std::fabs(ratio - 1) < 0.005 ? "as many" : fixed(ratio, 2) + "x as many";
}

const TrainingPoint& base_of(const TimeToTrain& train) {
  return train.points.front();
}
const TrainingPoint& last_of(const TimeToTrain& train) {
  return train.points.back();
}

std::string algorithm_words(const TimeToTrain& train) {
  const TrainingPoint &base = base_of(train), &last = last_of(train);
  const std::string needed = fmt::format(
      "{} {} to converge", times_as_many(last.work.point / base.work.point), unit_of(train));
  if (!base.batch || !last.batch) return needed + "; the batch is not known";
  const double growth = *last.batch / *base.batch;
  return growth == 1 ? needed + ", at the same batch"
                     : fmt::format("{}, at {}x the batch", needed, significant(growth, 3));
}

std::string system_words(const TimeToTrain& train) {
  const TrainingPoint &base = base_of(train), &last = last_of(train);
  return fmt::format("{}x the {} per second from {}x the workers",
                     significant(last.throughput.point / base.throughput.point, 3), unit_of(train),
                     significant(static_cast<double>(last.workers) / base.workers, 3));
}

double fixed_share(const TrainingPoint& point) {
  return point.fixed->point / point.time.point;
}

std::string fixed_words(const TimeToTrain& train) {
  return fmt::format("{} of the time is not training (evaluation, checkpoints), at the base {}",
                     percent(fixed_share(last_of(train)), 1),
                     percent(fixed_share(base_of(train)), 1));
}

/// The parts of the last K's efficiency, each with what it says.
Items parts_of(const TimeToTrain& train) {
  const TrainingPoint& last = last_of(train);
  Items items{
      fmt::format("E({}) = {}, relative to K = {}, is the product of", last.workers,
                  efficiency_words(last.efficiency), base_of(train).workers),
      {fmt::format("algorithm {}: {}", efficiency_words(last.algorithm), algorithm_words(train)),
       fmt::format("system {}: {}", efficiency_words(last.system), system_words(train))}};
  items.items.push_back(
      last.training
          ? fmt::format("fixed time {}: {}", efficiency_words(*last.training), fixed_words(train))
          : "fixed time (evaluation, checkpoints) is unknown, and included in the system's factor");
  return items;
}

bool has_batches(const TimeToTrain& train) {
  return std::any_of(train.points.begin(), train.points.end(),
                     [](const TrainingPoint& point) { return point.batch.has_value(); });
}

/// What was counted, K by K.
Table quantities(const TimeToTrain& train) {
  Table table;
  table.columns = {{.name = "K"}};
  const bool batches = has_batches(train);
  if (batches) table.columns.push_back({.name = "batch"});
  const auto add = [&](const std::string& name) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
  };
  add(unit_of(train));
  add("per second");
  if (train.fixed_known) add("fixed time");
  for (const TrainingPoint& point : train.points) {
    std::vector<std::string> row = {fmt::format("{}", point.workers)};
    if (batches) row.push_back(point.batch ? significant(*point.batch, 6) : "?");
    row.insert(row.end(), {significant(point.work.point, 4), half_width(point.work),
                           significant(point.throughput.point, 4), half_width(point.throughput)});
    if (point.fixed) {
      row.insert(row.end(), {time_text(point.fixed->point), half_width(*point.fixed)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// A factor, and half its interval.
void add_loss_factor(const Estimate& factor, std::vector<std::string>& row) {
  row.push_back(fixed(factor.point, efficiency_decimals(factor)));
  row.push_back(is_bounded(factor)
                    ? fixed((factor.high - factor.low) / 2, efficiency_decimals(factor))
                    : "?");
}

Table factors(const TimeToTrain& train) {
  Table table;
  table.columns = {{.name = "K"}};
  std::vector<std::string> names = {"E", "algorithm", "system"};
  if (train.fixed_known) names.emplace_back("fixed");
  for (const std::string& name : names) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
  }
  for (const TrainingPoint& point : train.points) {
    std::vector<std::string> row = {fmt::format("{}", point.workers)};
    for (const Estimate* factor : {&point.efficiency, &point.algorithm, &point.system}) {
      add_loss_factor(*factor, row);
    }
    if (point.training) add_loss_factor(*point.training, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "From K = 8 to K = 512 its efficiency falls to 0.41 = 0.62 (algorithm: ...) x 0.66 (...)".
std::string training_text(const TimeToTrain& train) {
  const TrainingPoint &base = base_of(train), &last = last_of(train);
  std::string text = fmt::format(
      "From K = {} to K = {} its efficiency {} {} = {} (algorithm: {}) x {} (system: {})",
      base.workers, last.workers, last.efficiency.point < 1 ? "falls to" : "is",
      factor_text(last.efficiency.point), factor_text(last.algorithm.point), algorithm_words(train),
      factor_text(last.system.point), system_words(train));
  if (!last.training) return text;
  return text + fmt::format(" x {} (fixed time)", factor_text(last.training->point));
}

/// Whether the efficiency to speak of is that of time to train.
bool is_by_training(const Analysis& analysis) {
  return analysis.time_to_train && !has_efficiency(analysis.table);
}

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

/// "Run on 8 workers", or what the numbers would say if they are what they are read as.
std::string what_to_do(const Analysis& analysis, const WorkersAdvice& advice) {
  if (is_in_question(analysis)) {
    return fmt::format("Read as {} scaling,", name_of(*analysis.table.regime));
  }
  if (is_undecided(analysis)) return "Undecided:";
  constexpr double kLikely = 0.5;
  const bool unsure = analysis.bend && analysis.bend->agreement < kLikely;
  return fmt::format("Run on {}{}{}:", unsure ? "about " : "",
                     count_text(static_cast<std::size_t>(advice.workers), "worker"),
                     advice.open ? ", perhaps more" : "");
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

std::string recommendation(const Analysis& analysis) {
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

std::string bend(const Analysis& analysis) {
  std::string regime(name_of(*analysis.table.regime));
  regime[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(regime[0])));
  const std::string base = analysis.table.base_role == Role::kBaseline
                               ? "the baseline program"
                               : fmt::format("K = {}", analysis.table.base_workers);
  std::string text =
      fmt::format(" {} scaling from {} bends at {}", regime, base, bend_words(analysis.bend));
  // The models know the program's own base only, and nothing of what lies beyond the largest K.
  const Estimate* curve =
      analysis.table.base_role == Role::kParallel ? continuous_bend(analysis) : nullptr;
  if (curve == nullptr || !analysis.bend || !std::isfinite(curve->point)) return text + ".";
  return text + fmt::format(", the fitted curve at {} ({}).", significant(curve->point, 3),
                            range_words(*curve, 3));
}

/// The same where the efficiency is that of time to train, and what it is made of.
std::string training(const Analysis& analysis) {
  const TimeToTrain& train = *analysis.time_to_train;
  return fmt::format(" Time to train from K = {} bends at {}. {}.", train.points.front().workers,
                     bend_words(analysis.bend), training_text(train));
}

/// What the shape of T(K) alone says, and what would say more. A shape that no model has says
/// nothing.
std::string guess(const Cause& cause, bool fits) {
  std::string text = fits ? fmt::format(" The cause is a guess from the shape of T(K): {}",
                                        cause_words(cause.kind))
                          : " No cause can be guessed from the shape of T(K): no model fits it";
  if (fits && !cause.or_else.empty()) text += fmt::format("; or {}", listed_words(cause.or_else));
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
  return text + ".";
}

bool is_superlinear(const Analysis& analysis) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [](const Suspicion& one) { return one.kind == SuspicionKind::kSuperlinear; });
}

std::string cause(const Analysis& analysis) {
  const Diagnosis& diagnosis = analysis.diagnosis;
  if (diagnosis.causes.empty()) return "";
  const Cause& first = diagnosis.causes[0];
  if (first.kind == CauseKind::kNone && is_superlinear(analysis)) return "";
  if (first.kind == CauseKind::kNone && first.confidence == Confidence::kShape) {
    return first.evidence.empty() ? "" : fmt::format(" {}.", first.evidence[0]);
  }
  if (first.kind == CauseKind::kNone) {
    return fmt::format(" At K = {} {} reduces efficiency.", diagnosis.workers, cause_words(first));
  }
  return is_guess(first) ? guess(first, any_model_fits(analysis)) : measured_causes(diagnosis);
}

/// The last K and the one before it.
std::pair<int, int> last_two(const ScalingTable& table) {
  const std::size_t count = table.points.size();
  return {table.points[count - 2].workers, table.points[count - 1].workers};
}

/// What the largest K did for the speedup, where it is not plain that more would do more. A model
/// without draws does not tell.
std::string end_text(const Analysis& analysis) {
  if (analysis.models->bend_chances.empty()) return "";
  const auto [before, last] = last_two(analysis.table);
  const bool weak = analysis.table.regime == Regime::kWeak;
  switch (analysis.models->ends) {
    case CurveEnd::kLoses:
      return weak ? fmt::format(" K = {} does less work per second than K = {}.", last, before)
                  : fmt::format(" T is least at K = {}, and rises from K = {} to {}.",
                                analysis.recommendation.least_time_workers, before, last);
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

/// A ceiling without an upper end is a guess about what nobody has seen: only its lower end is
/// said. Nothing is said of what lies beyond an efficiency above 1.
std::string ceiling(const Analysis& analysis) {
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

/// Where ceiling() has said it.
bool is_least_time_said(const Analysis& analysis) {
  return ceiling(analysis).find("T is least") != std::string::npos;
}

/// The K that a goal of speed alone would take. A single K has no other beside it.
std::string fastest(const Analysis& analysis) {
  const int workers = analysis.recommendation.least_time_workers;
  const bool efficient = has_efficiency(analysis.table) || analysis.time_to_train;
  const bool said = efficient && workers == analysis.recommendation.workers;
  if (said || analysis.table.points.size() < 2 || is_least_time_said(analysis)) return "";
  const std::optional<Regime> regime = analysis.table.regime;
  const bool is_fixed_work = regime != Regime::kWeak && regime != Regime::kThroughput;
  return fmt::format(" Of the measured K, {} {}.", workers,
                     is_fixed_work ? "takes the least time" : "does the most work per second");
}

}  // namespace

void add_training(const Analysis& analysis, Document& document) {
  if (!analysis.time_to_train) return;
  const TimeToTrain& train = *analysis.time_to_train;
  document.blocks.emplace_back(Heading{"Time to train"});
  document.blocks.emplace_back(parts_of(train));
  document.blocks.emplace_back(factors(train));
  document.blocks.emplace_back(quantities(train));
  document.blocks.emplace_back(Paragraph{
      fmt::format("E = algorithm x system{0}, relative to K = {1}; T(K) = {2} to converge / {2} "
                  "per second{3}. The target quality is the same at every K, whatever the batch.",
                  train.fixed_known ? " x fixed" : "", base_of(train).workers, unit_of(train),
                  train.fixed_known ? " + fixed time" : "")});
}

bool is_undecided(const Analysis& analysis) {
  constexpr std::size_t kFewest = 3;
  const WorkersAdvice& advice = analysis.recommendation;
  const auto& points = analysis.table.points;
  return has_scatter(analysis) && points.size() >= kFewest &&
         advice.low <= points.front().workers && advice.high >= points.back().workers;
}

bool any_model_fits(const Analysis& analysis) {
  if (!analysis.models) return true;
  const GoodnessOfFit& goodness = analysis.models->goodness;
  return !goodness.beyond_errors && !goodness.change;
}

std::string advice_text(const Analysis& analysis) {
  const std::string none = no_answer(analysis);
  return none.empty() ? recommendation(analysis) : none;
}

std::string answer_text(const Analysis& analysis) {
  if (const std::string none = no_answer(analysis); !none.empty()) {
    return none + fastest(analysis);
  }
  if (is_by_training(analysis)) {
    return recommendation(analysis) + training(analysis) + fastest(analysis);
  }
  if (is_in_question(analysis)) return recommendation(analysis) + bend(analysis);
  return recommendation(analysis) + bend(analysis) + cause(analysis) + ceiling(analysis) +
         fastest(analysis);
}

const Estimate* continuous_bend(const Analysis& analysis) {
  if (analysis.bend && analysis.bend->continuous) return &*analysis.bend->continuous;
  if (analysis.models && analysis.models->bend) return &*analysis.models->bend;
  return nullptr;
}

}  // namespace kstar
