#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "report/predict/answer.h"
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

/// Twice the work is a larger problem, and hiding has its limit: what the table does not say.
Items change_notes(const Prediction& prediction) {
  std::string names;
  for (const Change& change : prediction.changes.best) {
    names += (names.empty() ? "" : ", ") + change.name;
  }
  Items notes{"The single change that helps most", {}};
  notes.items.push_back(names.empty()
                            ? "no single change helps"
                            : names + (prediction.changes.best.size() > 1 ? " (alike)" : ""));
  notes.items.push_back(fmt::format(
      "limits are work per second, relative to the job as it is at K = {}; twice the work is a "
      "larger problem: an option only if yours may grow",
      workers_cell(prediction.instance.model.base_workers)));
  const bool hiding =
      std::any_of(prediction.changes.list.begin(), prediction.changes.list.end(),
                  [](const Change& change) { return change.kind == ChangeKind::kHideHalf; });
  if (hiding && prediction.instance.model.regime == Regime::kStrong) {
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

std::string side_by_side_heading(std::span<const Prediction> predictions, Quantity quantity) {
  const std::string floor = significant(predictions[0].options.floor, 4);
  const std::string names[] = {"Time T(K)",
                               "Speedup S(K)",
                               "Efficiency E(K)",
                               "Worker-time per work, K T(K)",
                               fmt::format("The largest serial fraction for E >= {}", floor),
                               fmt::format("The work per worker for E >= {}", floor)};
  const std::string shared = shared_parameters(predictions);
  return fmt::format("{}{}{}", names[static_cast<int>(quantity)], shared.empty() ? "" : ": ",
                     shared);
}

void add_tables(std::span<const Prediction> predictions, const PredictionView& view,
                Document& document) {
  if (view.side_by_side) {
    document.blocks.emplace_back(Heading{side_by_side_heading(predictions, *view.side_by_side)});
    document.blocks.emplace_back(side_by_side_table(predictions, *view.side_by_side));
    return;
  }
  for (const Prediction& prediction : predictions) {
    document.blocks.emplace_back(Heading{heading_of(prediction)});
    document.blocks.emplace_back(Paragraph{run_on(prediction)});
    document.blocks.emplace_back(Paragraph{why_not_more(prediction)});
    document.blocks.emplace_back(Paragraph{introduction(prediction)});
    document.blocks.emplace_back(point_table(prediction, true));
    document.blocks.emplace_back(parts_table(prediction));
    if (prediction.step) document.blocks.emplace_back(step_notes(prediction));
  }
  document.blocks.emplace_back(Paragraph{definitions(predictions)});
}

Document all_sections(std::span<const Prediction> predictions, const PredictionView& view) {
  Document document;
  add_tables(predictions, view, document);
  if (view.chart) document.blocks.emplace_back(to_chart(predictions, view));
  document.blocks.emplace_back(answer_table(predictions));
  for (const Prediction& prediction : predictions) {
    if (predictions.size() > 1) {
      document.blocks.emplace_back(Heading{heading_of(prediction), true});
    }
    document.blocks.emplace_back(change_table(prediction));
    document.blocks.emplace_back(change_notes(prediction));
  }
  document.blocks.emplace_back(Items{"Assumptions", all_assumptions(predictions)});
  return document;
}

/// Of very many K: those evenly spread over their logarithms, the last good and the first bad, and
/// the ends. The others are behind --full.
Prediction shortened(Prediction prediction) {
  constexpr std::size_t kMost = 12, kSpread = 9;
  std::vector<PredictedPoint>& points = prediction.points;
  if (points.size() <= kMost) return prediction;
  const double first = points.front().workers, last = points.back().workers;
  const double step = std::log(last / first) / kSpread;
  double next = 0;
  std::erase_if(points, [&](const PredictedPoint& point) {
    const bool told = point.workers == last ||
                      point.workers == prediction.answers.last_good.exact ||
                      point.workers == prediction.answers.first_below.exact;
    const double at = std::log(point.workers / first);
    if (at < next) return !told;
    next = at + step;
    return false;
  });
  return prediction;
}

std::string footer(std::size_t rows, std::size_t all) {
  return fmt::format("{}--full shows what the time goes into, all answers and the assumptions.",
                     rows < all ? fmt::format("{} of {} K. ", rows, all) : "");
}

void add_one(const Prediction& prediction, const PredictionView& view, Document& document) {
  const Prediction some = shortened(prediction);
  document.blocks.emplace_back(Heading{heading_of(prediction)});
  document.blocks.emplace_back(Paragraph{run_on(prediction)});
  document.blocks.emplace_back(Paragraph{why_not_more(prediction)});
  if (Items items = what_would_help(prediction); !items.items.empty()) {
    document.blocks.emplace_back(std::move(items));
  }
  document.blocks.emplace_back(how_to_confirm(prediction));
  document.blocks.emplace_back(point_table(some, false));
  if (!view.page) {
    document.blocks.emplace_back(Paragraph{footer(some.points.size(), prediction.points.size())});
  }
  if (view.chart) document.blocks.emplace_back(to_chart({&prediction, 1}, view));
}

std::string several_heading(std::span<const Prediction> predictions) {
  std::string text;
  const Law* last = nullptr;
  for (const Prediction& prediction : predictions) {
    if (prediction.instance.law == last) continue;
    last = prediction.instance.law;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", last->title);
  }
  const std::string shared = shared_parameters(predictions);
  return fmt::format("{}{}{}", text, shared.empty() ? "" : ": ", shared);
}

/// One line or one column for each curve.
void add_several(std::span<const Prediction> predictions, const PredictionView& view,
                 Document& document) {
  constexpr std::size_t kMost = 24;
  const std::size_t shown = std::min(predictions.size(), kMost);
  std::vector<Prediction> some;
  for (const Prediction& prediction : predictions) some.push_back(shortened(prediction));
  document.blocks.emplace_back(Heading{several_heading(predictions)});
  document.blocks.emplace_back(Paragraph{run_on_each(predictions)});
  if (view.side_by_side) {
    document.blocks.emplace_back(
        Heading{side_by_side_heading(predictions, *view.side_by_side), true});
    document.blocks.emplace_back(side_by_side_table(some, *view.side_by_side));
  } else {
    document.blocks.emplace_back(curve_answers(predictions.first(shown)));
  }
  const std::string curves =
      shown < predictions.size() ? fmt::format("{} of {} curves. ", shown, predictions.size()) : "";
  const std::string more = view.page ? ""
                                     : footer(some[0].points.size(),
                                              view.side_by_side ? predictions[0].points.size() : 0);
  if (!curves.empty() || !more.empty()) document.blocks.emplace_back(Paragraph{curves + more});
  if (view.chart) document.blocks.emplace_back(to_chart(predictions, view));
}

Document brief(std::span<const Prediction> predictions, const PredictionView& view) {
  Document document;
  if (predictions.size() == 1 && !view.side_by_side) {
    add_one(predictions[0], view, document);
  } else {
    add_several(predictions, view, document);
  }
  return document;
}

/// The answer, then all that there is, a section for each curve.
Document page_sections(std::span<const Prediction> predictions, PredictionView view) {
  view.chart = true;
  Document document = brief(predictions, view);
  view.chart = false;
  Document all = all_sections(predictions, view);
  document.blocks.emplace_back(Heading{.text = "All numbers", .folded = true});
  for (Block& block : all.blocks) {
    if (auto* heading = std::get_if<Heading>(&block)) heading->part = true;
    document.blocks.push_back(std::move(block));
  }
  return document;
}

}  // namespace

Document to_document(std::span<const Prediction> predictions, const PredictionView& view) {
  if (view.page) return page_sections(predictions, view);
  return view.brief ? brief(predictions, view) : all_sections(predictions, view);
}

}  // namespace kstar
