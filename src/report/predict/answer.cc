#include "report/predict/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "report/predict/tables.h"

namespace kstar {

namespace {

bool is_fixed(const Prediction& prediction) {
  return prediction.instance.model.work_growth == WorkGrowth::kFixed;
}

/// K* is a number that somebody could have.
bool has_limit(const Prediction& prediction) {
  const double workers = prediction.recommendation.workers;
  return workers >= 1 && workers <= kLargestAnswer;
}

/// "K* = 8".
std::string best_workers_text(double workers) {
  if (std::isinf(workers)) return "no limit of K";
  return workers > kLargestAnswer ? "no limit below 1e6" : "K* = " + workers_cell(workers);
}

std::string threshold_text(const Prediction& prediction) {
  return significant(prediction.options.threshold, 4);
}

/// How sure: a law has no noise, its parameters have errors.
std::string if_wrong(const Prediction& prediction) {
  const Sensitivity& s = prediction.sensitivity;
  if (!s.halved || !s.doubled || !has_limit(prediction)) return "";
  return fmt::format(" If {} is half as large, K* is {}; if twice, {}.", s.parameter,
                     answer_cell(*s.halved), answer_cell(*s.doubled));
}

/// "the serial part is 34%, exposed communication 21%": what the time at the first K that is no
/// longer usable goes into, apart from divided work.
std::string losses(const Prediction& prediction) {
  const CostParts& parts = prediction.recommendation.next_parts;
  const double imbalance = prediction.instance.model.imbalance;
  const bool usl = prediction.instance.model.regime == Regime::kThroughput;
  const std::pair<const char*, double> named[] = {
      {usl ? "contention" : "the serial part", parts.serial},
      {usl ? "coherency" : "exposed communication", parts.exposed()},
      {"waiting for stragglers", parts.straggler},
      {"uneven load", parts.parallel * imbalance / (1 + imbalance)}};
  std::string text;
  for (const auto& [name, time] : named) {
    if (time < 0.005 * parts.total()) continue;
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", name, text.empty() ? " is" : "",
                        percent(time / parts.total(), 0));
  }
  return text;
}

std::string losses_text(const Prediction& prediction) {
  const std::string why = has_limit(prediction) ? losses(prediction) : "";
  if (why.empty()) return "";
  return fmt::format(" Why not more: of the time at K = {} {}.",
                     workers_cell(prediction.recommendation.next_workers), why);
}

std::string overtakes_text(const Prediction& prediction) {
  const std::optional<double>& from = prediction.answers.communication_overtakes;
  if (!from || *from > kLargestAnswer) return "";
  const bool usl = prediction.instance.model.regime == Regime::kThroughput;
  return fmt::format(" From K = {} on {} takes longer than parallel computation.",
                     workers_cell(*from), usl ? "coherency" : "communication");
}

std::string doubling_text(const Prediction& prediction) {
  const Recommendation& best = prediction.recommendation;
  const std::string to =
      fmt::format(" Doubling from {} to {} workers", workers_cell(best.doubled_from),
                  workers_cell(2 * best.doubled_from));
  const std::string efficiency = percent(best.doubled_efficiency, 1);
  if (clearly_less(best.doubled_gain, 1)) {
    return fmt::format("{} makes it slower ({}x as fast, E = {}).", to, fixed(best.doubled_gain, 2),
                       efficiency);
  }
  if (!clearly_less(1, best.doubled_gain)) return to + " gains nothing.";
  return fmt::format("{} {} {}x (E = {}).", to,
                     is_fixed(prediction) ? "speeds it up" : "raises the work per second",
                     fixed(best.doubled_gain, 2), efficiency);
}

std::string ceiling_text(const Prediction& prediction) {
  const PredictionAnswers& answers = prediction.answers;
  if (!answers.ceiling.bounded() || answers.ceiling.speedup > kLargestAnswer) {
    return is_fixed(prediction) ? " The speedup has no ceiling below 1e6." : "";
  }
  std::string text = fmt::format(" No K gives more than {}", ceiling_cell(answers.ceiling));
  if (answers.ceiling.workers) text += ", at K = " + answer_cell(*answers.ceiling.workers);
  if (answers.reaches_share.exact) {
    text += fmt::format("; {} of that takes K = {}", percent(prediction.options.share, 0),
                        answer_cell(*answers.reaches_share.exact));
  }
  const std::optional<double>& turns_up = answers.least.turns_up;
  const bool rises = is_fixed(prediction) && turns_up && *turns_up <= kLargestAnswer;
  return text +
         (rises ? fmt::format(". From K = {} on time rises again.", workers_cell(*turns_up)) : ".");
}

/// A base that is inefficient itself makes every E look good.
std::string base_text(const Prediction& prediction) {
  const double base = prediction.instance.model.base_workers;
  if (base <= 1) return "";
  const double share = prediction.step ? prediction.step->serial_share : 0;
  const bool lossy = share > 1 - prediction.options.threshold;
  return fmt::format(" S and E are relative to K = {}{}.", workers_cell(base),
                     lossy ? fmt::format(", where {} of the step is communication already: "
                                         "profile fewer workers, they may do",
                                         percent(share, 0))
                           : "");
}

std::string limit_text(const Prediction& prediction, double limit, double at_largest) {
  if (prediction.changes.by_ceiling) return "at most " + limit_cell(limit);
  return fmt::format("{}x at K = {}", significant(at_largest, 4),
                     workers_cell(prediction.points.back().workers));
}

bool changes_nothing(const Prediction& prediction, const Change& change) {
  const bool same_limit =
      prediction.changes.by_ceiling
          ? !clearly_less(prediction.answers.ceiling.speedup, change.limit)
          : !clearly_less(prediction.points.back().speedup, change.rate_at_largest);
  return same_limit && change.last_good <= prediction.recommendation.workers;
}

std::string change_text(const Prediction& prediction, const Change& change) {
  const bool larger = change.kind == ChangeKind::kDoubleWork;
  return fmt::format("{}{}: {}, {}{}", change.name, larger ? ", if the problem may grow" : "",
                     limit_text(prediction, change.limit, change.rate_at_largest),
                     best_workers_text(change.last_good),
                     changes_nothing(prediction, change) ? ": no gain" : "");
}

/// Half of K*, K* and twice K*, and the base.
std::vector<double> confirming_workers(const Prediction& prediction) {
  const double best =
      has_limit(prediction) ? prediction.recommendation.workers : prediction.points.back().workers;
  std::set<double> workers = {prediction.instance.model.base_workers, std::ceil(best / 2), best};
  if (has_limit(prediction)) workers.insert(2 * best);
  return {workers.begin(), workers.end()};
}

std::string ceiling_at(const Prediction& prediction) {
  const Ceiling& ceiling = prediction.answers.ceiling;
  if (!ceiling.bounded()) return "";
  return ceiling.workers ? answer_cell(*ceiling.workers) : "infinity";
}

std::string curve_name(const Prediction& prediction, std::span<const Prediction> all) {
  const std::string name = column_name(prediction, all);
  return name.empty() ? prediction.instance.label() : name;
}

/// A column of the table of several curves; one that is empty for all of them is left out.
struct CurveColumn {
  TableColumn head;
  std::string (*cell)(const Prediction&);
};

std::vector<CurveColumn> curve_columns(const PredictionOptions& options) {
  return {
      {{.name = "K*"}, [](const Prediction& p) { return answer_cell(p.recommendation.workers); }},
      {{.name = "S(K*)"},
       [](const Prediction& p) { return has_limit(p) ? fixed(p.recommendation.speedup, 2) : ""; }},
      {{.name = "2x buys"},
       [](const Prediction& p) { return fixed(p.recommendation.doubled_gain, 2) + "x"; }},
      {{.name = "communication overtakes"},
       [](const Prediction& p) { return answer_cell(p.answers.communication_overtakes, ""); }},
      {{.name = "ceiling", .new_group = true},
       [](const Prediction& p) { return ceiling_cell(p.answers.ceiling); }},
      {{.name = "at K"}, ceiling_at},
      {{.name = fmt::format("{} of it", percent(options.share, 0))},
       [](const Prediction& p) { return answer_cell(p.answers.reaches_share.exact, ""); }}};
}

std::string advice(const Prediction& prediction) {
  const Recommendation& best = prediction.recommendation;
  const std::string threshold = threshold_text(prediction);
  if (best.workers < 1) {
    return fmt::format("K* = none: no K has an efficiency of {}.", threshold);
  }
  if (!has_limit(prediction) && prediction.at_most) {
    return fmt::format("How many workers cannot be told: {} if the network stays as fast.",
                       best_workers_text(best.workers));
  }
  if (!has_limit(prediction)) {
    return fmt::format(
        "Run on as many workers as you have{}: {}; efficiency stays at {} or more ({} at K = {}).",
        is_fixed(prediction) ? "" : ", if the problem grows with them",
        best_workers_text(best.workers), threshold, percent(prediction.points.back().efficiency, 1),
        workers_cell(prediction.points.back().workers));
  }
  return fmt::format(
      "Run on {6}{0} worker{1}: K* = {0}{7}, the last K with an efficiency of {2} or more "
      "(S = {3}, E = {4}).{5}",
      workers_cell(best.workers), best.workers > 1 ? "s" : "", threshold,
      significant(best.speedup, 4), percent(best.efficiency, 1), if_wrong(prediction),
      prediction.at_most ? "at most " : "", prediction.at_most ? " or less" : "");
}

}  // namespace

std::string run_on(const Prediction& prediction) {
  if (prediction.caveat.empty()) return advice(prediction);
  return fmt::format("{} {}.", advice(prediction), capitalized(prediction.caveat));
}

std::string why_not_more(const Prediction& prediction) {
  const std::string text = losses_text(prediction) + overtakes_text(prediction) +
                           doubling_text(prediction) + ceiling_text(prediction) +
                           base_text(prediction);
  return text.substr(1);
}

Items what_would_help(const Prediction& prediction) {
  Items items{fmt::format("What would help (now {}, relative to K = {})",
                          limit_text(prediction, prediction.answers.ceiling.speedup,
                                     prediction.points.back().speedup),
                          workers_cell(prediction.instance.model.base_workers)),
              {}};
  for (const Change& change : prediction.changes.list) {
    items.items.push_back(change_text(prediction, change));
  }
  if (prediction.changes.best.empty()) items.items.clear();
  return items;
}

Paragraph how_to_confirm(const Prediction& prediction) {
  std::string list;
  for (const double workers : confirming_workers(prediction)) {
    list += (list.empty() ? "" : ",") + workers_cell(workers);
  }
  return {"This is the law's arithmetic; to confirm it:",
          fmt::format("kstar measure --workers {} -o study.jsonl -- ./prog {{K}}", list)};
}

std::string run_on_each(std::span<const Prediction> predictions) {
  const auto [least, most] = std::minmax_element(
      predictions.begin(), predictions.end(), [](const Prediction& a, const Prediction& b) {
        return a.recommendation.workers < b.recommendation.workers;
      });
  const auto text = [&](const Prediction& p) {
    return fmt::format("{} ({})", best_workers_text(p.recommendation.workers),
                       curve_name(p, predictions));
  };
  const std::string threshold = threshold_text(predictions[0]);
  if (predictions.size() == 1) return run_on(*least);
  if (least->recommendation.workers == most->recommendation.workers) {
    return fmt::format("Run on the last K with an efficiency of {} or more: {} for every curve.",
                       threshold, best_workers_text(most->recommendation.workers));
  }
  return fmt::format("Run on the last K with an efficiency of {} or more: from {} to {}.",
                     threshold, text(*least), text(*most));
}

Table curve_answers(std::span<const Prediction> predictions) {
  Table table;
  table.columns.push_back({.name = "curve", .left = true});
  for (const Prediction& prediction : predictions) {
    table.rows.push_back({curve_name(prediction, predictions)});
  }
  for (const CurveColumn& column : curve_columns(predictions[0].options)) {
    const bool any = std::any_of(predictions.begin(), predictions.end(),
                                 [&](const Prediction& p) { return !column.cell(p).empty(); });
    if (!any) continue;
    table.columns.push_back(column.head);
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      table.rows[i].push_back(column.cell(predictions[i]));
    }
  }
  return table;
}

}  // namespace kstar
