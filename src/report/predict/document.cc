#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "report/predict/tables.h"

namespace kstar {

namespace {

std::string introduction(const Prediction& prediction) {
  const Law& law = *prediction.instance.law;
  std::string text = fmt::format("{}; what stays fixed: {}.", law.formula, law.holds_fixed);
  if (prediction.instance.model.base_workers > 1) {
    text += fmt::format(" Speedups are further speedups from K = {}.",
                        workers_cell(prediction.instance.model.base_workers));
  }
  if (prediction.instance.model.work_growth == WorkGrowth::kProportional) {
    text += " Efficiency is T(1)/T(K); the scaled speedup is K times that.";
  }
  if (prediction.instance.model.straggler.probability > 0) {
    text += " T includes the expected wait for stragglers, D (1 - (1-P)^K).";
  }
  if (prediction.instance.model.imbalance > 0) {
    text += " From K = 2 on the parallel part is (1 + imbalance) times its mean.";
  }
  return text;
}

/// "the serial part 34%, exposed communication 21%": what the time at the first K that is no longer
/// usable goes into, apart from divided work.
std::string losses(const Prediction& prediction) {
  const CostParts& parts = prediction.recommendation.next_parts;
  const double imbalance = prediction.instance.model.imbalance;
  const std::pair<const char*, double> named[] = {
      {"the serial part", parts.serial},
      {"exposed communication", parts.exposed()},
      {"waiting for stragglers", parts.straggler},
      {"uneven load", parts.parallel * imbalance / (1 + imbalance)}};
  std::string text;
  for (const auto& [name, time] : named) {
    if (time < 0.005 * parts.total()) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent(time / parts.total(), 0));
  }
  return text;
}

/// The answer before all others: how many workers, and why not more.
std::string answer_of(const Prediction& prediction) {
  const Recommendation& best = prediction.recommendation;
  const std::string threshold = significant(prediction.options.threshold, 4);
  if (std::isinf(best.workers)) {
    return fmt::format("K* = all: efficiency stays at {} or more.", threshold);
  }
  if (best.workers > kLargestAnswer) {
    return fmt::format("K*: no limit below 1e6; efficiency stays at {} or more.", threshold);
  }
  if (best.workers < 1) return fmt::format("K* = none: no K has an efficiency of {}.", threshold);
  const std::string why = losses(prediction);
  return fmt::format(
      "K* = {}: the most workers with an efficiency of {} or more (S = {}, E = {}).{}",
      workers_cell(best.workers), threshold, significant(best.speedup, 4),
      percent(best.efficiency, 1),
      why.empty()
          ? ""
          : fmt::format(" Of the time at K = {}: {}.", workers_cell(best.next_workers), why));
}

/// What the profile says, which curve is the wall clock's, and why the other one differs.
Items step_notes(const Prediction& prediction) {
  const StepProfile& step = *prediction.step;
  const double k0 = prediction.instance.model.base_workers;
  Items notes{"The profile", {}};
  if (step.step_time != step.profiled_time) {
    notes.items.push_back(fmt::format("the step of {} ms takes {} ms with the requested changes",
                                      significant(step.profiled_time, 6),
                                      significant(step.step_time, 6)));
  }
  notes.items.push_back(fmt::format(
      "s = {} of the step at K = {} does not shrink{}", significant(step.serial_share, 4),
      workers_cell(k0),
      step.serial_share > 0
          ? fmt::format("; if that time stays constant, the further speedup is at most 1/s = {}x",
                        fixed(step.amdahl_ceiling, 2))
          : ": all communication is hidden, or there is none"));
  notes.items.emplace_back(
      "time, speedup and efficiency are wall-clock values; \"Amdahl s(K)\" is not: it uses s(K), a "
      "share of the step on K workers, in Amdahl's formula as if it were a share of the step at "
      "the base, so that computation is divided by K twice");
  if (!step.effective_peak) return notes;
  const std::optional<double>& turns_up = prediction.answers.least.turns_up;
  notes.items.push_back(fmt::format(
      "that curve is highest at K = {}; the fall after it is an artefact, the wall-clock time {}",
      workers_cell(*step.effective_peak),
      turns_up ? fmt::format("itself rises again from K = {}", workers_cell(*turns_up))
               : "never rises again"));
  return notes;
}

std::string best_changes(const Prediction& prediction) {
  const Changes& changes = prediction.changes;
  std::string names;
  for (const Change& change : changes.best) names += (names.empty() ? "" : ", ") + change.name;
  if (names.empty()) return "no single change helps";
  return names + (changes.best.size() > 1 ? " (alike)" : "");
}

/// Which change to make, and a word on the one that disappoints.
Items change_notes(std::span<const Prediction> predictions) {
  Items notes{"The single change that helps most", {}};
  bool hiding = false, doubling = false;
  for (const Prediction& prediction : predictions) {
    const std::string of =
        predictions.size() > 1 ? column_name(prediction, predictions) + ": " : "";
    const std::string measure = prediction.changes.by_ceiling
                                    ? " (by its ceiling)"
                                    : fmt::format(" (by E({}): there is no ceiling)",
                                                  workers_cell(prediction.points.back().workers));
    notes.items.push_back(fmt::format("{}{}{}", of, best_changes(prediction), measure));
    const auto& best = prediction.changes.best;
    doubling = doubling || std::any_of(best.begin(), best.end(), [](const Change& change) {
                 return change.kind == ChangeKind::kDoubleWork;
               });
    hiding = hiding ||
             (prediction.changes.by_ceiling && !prediction.instance.model.communication.empty() &&
              prediction.instance.model.regime == Regime::kStrong);
  }
  if (doubling) {
    notes.items.emplace_back(
        "twice the work is a larger problem: an option only if yours may grow");
  }
  notes.items.emplace_back("each ceiling is relative to the changed job's own base");
  if (hiding) {
    notes.items.emplace_back(
        "communication can only be hidden behind computation, and each worker's computation "
        "shrinks as K grows");
  }
  return notes;
}

/// The columns that need explaining, as far as the tables have them.
std::string definitions(std::span<const Prediction> predictions) {
  const Prediction& first = predictions[0];
  const std::string floor = significant(first.options.floor, 4);
  std::string text;
  if (has_serial_column(first)) {
    const bool usl = first.instance.model.regime == Regime::kThroughput;
    text += fmt::format(
        "\"{} for E>={}\" is the largest {} with which K workers still have that efficiency. ",
        usl ? "a" : "s", floor, usl ? "contention" : "serial fraction");
  }
  return text +
         fmt::format(
             "\"work for E>={}\" is iso-efficiency: the parallel work that each of K workers needs "
             "for that efficiency, in {}, with the serial part and all overheads unchanged.",
             floor, first.step ? "ms" : "units of one worker's computation");
}

std::vector<std::string> all_assumptions(std::span<const Prediction> predictions) {
  std::vector<std::string> all;
  for (const Prediction& prediction : predictions) {
    for (const std::string& assumption : prediction.assumptions) {
      if (std::find(all.begin(), all.end(), assumption) == all.end()) all.push_back(assumption);
    }
  }
  return all;
}

std::string heading_of(const Prediction& prediction) {
  return fmt::format("{}: {}", prediction.instance.law->title, prediction.instance.label());
}

void add_tables(std::span<const Prediction> predictions, const PredictionView& view,
                Document& document) {
  if (view.side_by_side) {
    constexpr const char* kNames[] = {"Time T(K)", "Speedup S(K)", "Efficiency E(K)"};
    const std::string shared = shared_parameters(predictions);
    document.blocks.emplace_back(
        Heading{fmt::format("{}{}{}", kNames[static_cast<int>(*view.side_by_side)],
                            shared.empty() ? "" : ": ", shared)});
    document.blocks.emplace_back(side_by_side_table(predictions, *view.side_by_side));
    return;
  }
  for (const Prediction& prediction : predictions) {
    document.blocks.emplace_back(Heading{heading_of(prediction)});
    if (!view.brief) {
      document.blocks.emplace_back(Paragraph{answer_of(prediction)});
      document.blocks.emplace_back(Paragraph{introduction(prediction)});
    }
    document.blocks.emplace_back(point_table(prediction, !view.brief));
    if (prediction.step && !view.brief) document.blocks.emplace_back(step_notes(prediction));
  }
  if (!view.brief) document.blocks.emplace_back(Paragraph{definitions(predictions)});
}

}  // namespace

Document to_document(std::span<const Prediction> predictions, const PredictionView& view) {
  Document document;
  add_tables(predictions, view, document);
  if (view.chart) document.blocks.emplace_back(to_chart(predictions, view));
  if (view.brief) return document;
  document.blocks.emplace_back(answer_table(predictions));
  if (predictions.size() == 1) document.blocks.emplace_back(change_table(predictions[0]));
  document.blocks.emplace_back(change_notes(predictions));
  document.blocks.emplace_back(Items{"Assumptions", all_assumptions(predictions)});
  return document;
}

}  // namespace kstar
