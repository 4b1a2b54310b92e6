#include "report/analysis/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/processor_time.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// A share of efficiency, and half its interval in points of a hundredth.
void add_factor(const std::optional<Estimate>& factor, std::vector<std::string>& row) {
  row.push_back(factor ? percent(factor->point, 1) : "");
  row.push_back(!factor               ? ""
                : is_bounded(*factor) ? fixed((factor->high - factor->low) / 2 * 100, 1)
                                      : "?");
}

using OptionalFactor = std::optional<Estimate> FactorPoint::*;

bool any_factor(const std::vector<FactorPoint>& factors, OptionalFactor which) {
  return std::any_of(factors.begin(), factors.end(),
                     [which](const FactorPoint& point) { return (point.*which).has_value(); });
}

struct OptionalColumn {
  const char* name;
  OptionalFactor factor;
};

Table factor_table(const std::vector<FactorPoint>& factors) {
  std::vector<OptionalColumn> optional = {{"transfer", &FactorPoint::transfer},
                                          {"serialization", &FactorPoint::serialization},
                                          {"computation", &FactorPoint::computation}};
  optional.erase(
      std::remove_if(optional.begin(), optional.end(),
                     [&](const OptionalColumn& one) { return !any_factor(factors, one.factor); }),
      optional.end());
  Table table;
  table.columns = {{.name = "K"}, {.name = "runs"}};
  const auto add_columns = [&](const char* name) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
  };
  for (const char* name : {"parallel", "balance", "communi- cation"}) add_columns(name);
  for (const OptionalColumn& one : optional) add_columns(one.name);
  for (const FactorPoint& point : factors) {
    std::vector<std::string> row = {fmt::format("{}", point.workers),
                                    fmt::format("{}", point.runs)};
    for (const Estimate* factor : {&point.parallel, &point.load_balance, &point.communication}) {
      add_factor(*factor, row);
    }
    for (const OptionalColumn& one : optional) add_factor(point.*one.factor, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

bool any_interval(const std::vector<Cause>& causes) {
  return std::any_of(causes.begin(), causes.end(), [](const Cause& cause) {
    return is_bounded(cause.share) || is_bounded(cause.factor);
  });
}

Table cause_table(const std::vector<Cause>& causes) {
  const bool intervals = any_interval(causes);
  Table table;
  table.columns = {{.name = "cause", .left = true}, {.name = "share"}};
  if (intervals) table.columns.push_back({.name = "interval", .joined = true});
  table.columns.push_back({.name = "factor"});
  if (intervals) table.columns.push_back({.name = "interval", .joined = true});
  table.columns.push_back({.name = "from", .left = true});
  for (const Cause& cause : causes) {
    std::vector<std::string> row = {cause_words(cause.kind), percent(cause.share.point, 0)};
    if (intervals) row.push_back(share_range_words(cause.share));
    row.push_back(fixed(cause.factor.point, 3));
    if (intervals) row.push_back(interval_cell(cause.factor, 3));
    row.emplace_back(name_of(cause.confidence));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string who(const Cause& cause) {
  if (!cause.worker) return "";
  return fmt::format(" (worker {}{})", *cause.worker,
                     cause.host.empty() ? "" : " on " + cause.host);
}

std::string chance_of(const Cause& cause) {
  return cause.probability ? fmt::format(", {}", percent(*cause.probability, 0)) : "";
}

Items evidence_of(const Cause& cause) {
  Items items{cause_words(cause.kind) + who(cause), cause.evidence};
  if (is_guess(cause)) {
    items.title = cause.kind == CauseKind::kNone ? "No cause can be determined"
                                                 : fmt::format("From the shape of T(K) only: {}{}",
                                                               items.title, chance_of(cause));
  }
  if (!cause.or_else.empty()) {
    items.items.push_back("cannot be distinguished from: " + listed_words(cause.or_else));
  }
  if (!cause.advice.empty()) items.items.push_back("what to do: " + cause.advice);
  return items;
}

/// Whether the table has a line for it. A guess has no share of the loss.
bool has_share(const Cause& cause) {
  return cause.kind != CauseKind::kNone && !is_guess(cause);
}

/// What no cause explains; empty where that is next to nothing.
std::string rest_text(const std::vector<Cause>& causes) {
  constexpr double kLittle = 0.05;
  double rest = 1;
  for (const Cause& cause : causes) rest -= cause.share.point;
  if (rest < kLittle) return "";
  return fmt::format(" The rest of the loss, {}, has no cause beyond the noise.", percent(rest, 0));
}

std::string where_text(const Analysis& analysis) {
  const Diagnosis& diagnosis = analysis.diagnosis;
  // Behind the bend E may be good again.
  const bool bent = analysis.bend && (!diagnosis.efficiency ||
                                      diagnosis.efficiency->point < analysis.table.threshold);
  std::string text = fmt::format("{}, at K = {}", bent ? "Why it bends" : "What reduces efficiency",
                                 diagnosis.workers);
  if (diagnosis.efficiency) {
    constexpr double kSmall = 0.1;
    const int digits = diagnosis.efficiency->point < kSmall ? 5 : 3;
    text += fmt::format(", E = {}", fixed(diagnosis.efficiency->point, digits));
    if (is_bounded(*diagnosis.efficiency)) {
      text += fmt::format(" ({})", interval_words(*diagnosis.efficiency, digits));
    }
  }
  return text;
}

void add_cause_table(const std::vector<Cause>& all, Document& document) {
  std::vector<Cause> causes;
  std::copy_if(all.begin(), all.end(), std::back_inserter(causes), has_share);
  if (causes.empty()) return;
  document.blocks.emplace_back(cause_table(causes));
  document.blocks.emplace_back(
      Paragraph{"Shares of the loss, from the logarithms of the factors; a factor multiplies E." +
                rest_text(causes)});
}

/// Forms with less are counted and not listed.
constexpr double kLeastWeight = 0.03;

/// An exponent, contention, coherency and a rate are numbers; the other parts are seconds.
std::string cost_cell(const FittedTerm& term) {
  return term.time ? time_text(term.cost.point) : significant(term.cost.point, 4);
}

/// In the unit of the cost beside it, which stands there.
std::string cost_interval_cell(const FittedTerm& term) {
  return term.time ? time_interval_cell(term.cost) : range_cell(term.cost, 3);
}

/// "serial: s", "exponent: a".
std::string part_cell(const FittedTerm& term) {
  return fmt::format("{}{}{}", term.name, term.formula.empty() ? "" : ": ", term.formula);
}

/// "amdahl: p/K + s", and below it its parts.
void add_rows(const FittedModel& model, Table& table) {
  table.rows.push_back(
      {model.formula.empty() ? model.name : fmt::format("{}: {}", model.name, model.formula),
       percent(model.weight, 0), "", ""});
  for (const FittedTerm& term : model.terms) {
    table.rows.push_back({"  " + part_cell(term), "", cost_cell(term), cost_interval_cell(term)});
  }
}

Table form_table(const std::vector<FittedModel>& models) {
  Table table;
  table.columns = {{.name = "model and terms", .left = true},
                   {.name = "weight"},
                   {.name = "cost"},
                   {.name = "interval", .joined = true}};
  for (const FittedModel& model : models) {
    if (&model == &models.front() || model.weight >= kLeastWeight) add_rows(model, table);
  }
  return table;
}

/// How the average comes about, and what of it is not listed.
std::string form_text(const std::vector<FittedModel>& models) {
  if (models.size() == 1) return fmt::format("One model only: {}.", models[0].name);
  std::size_t hidden = 0;
  double weight = 0;
  for (const FittedModel& model : models) {
    if (&model == &models.front() || model.weight >= kLeastWeight) continue;
    ++hidden;
    weight += model.weight;
  }
  std::string text =
      fmt::format("{} models of T(K), averaged by how well each predicts a K that it has not seen.",
                  models.size());
  if (hidden > 0) {
    text += fmt::format(" {} of them, with {} of the weight in total, {} not listed.", hidden,
                        percent(weight, 0), hidden == 1 ? "is" : "are");
  }
  return text;
}

void add_answer(const char* question, const std::optional<Estimate>& answer, const char* none,
                Table& table) {
  if (!answer) return;
  const bool finite = std::isfinite(answer->point);
  table.rows.push_back({question, finite ? significant(answer->point, 3) : none,
                        finite || std::isfinite(answer->low) ? range_words(*answer, 3) : ""});
}

/// Without an upper end the point is a guess about what nobody has measured.
std::optional<Estimate> within_reach(std::optional<Estimate> answer) {
  if (answer && !std::isfinite(answer->high)) answer->point = answer->high;
  return answer;
}

/// The K of least time: a measured one where T falls no more.
std::optional<Estimate> best_within_reach(const ModelFit& fit) {
  const bool over = fit.ends == CurveEnd::kFlat || fit.ends == CurveEnd::kLoses;
  return over ? fit.best_workers : within_reach(fit.best_workers);
}

Table answer_table(const Analysis& analysis) {
  Table table;
  table.columns = {{.name = "from the models", .left = true},
                   {.name = "answer"},
                   {.name = "interval", .joined = true}};
  const Estimate* bend = continuous_bend(analysis);
  const std::string question =
      fmt::format("K where E falls below {}", significant(analysis.table.threshold, 3));
  add_answer(question.c_str(), bend != nullptr ? within_reach(*bend) : std::nullopt, "none found",
             table);
  if (analysis.table.regime != Regime::kWeak) {
    add_answer("K of least time", best_within_reach(*analysis.models), "none found", table);
  }
  add_answer("ceiling of the speedup", within_reach(analysis.models->ceiling), "none found", table);
  return table;
}

/// Times alone where the regime has no speedup.
Table prediction_table(const std::vector<PredictedWorkers>& predictions, bool weak) {
  const bool speedups =
      std::any_of(predictions.begin(), predictions.end(),
                  [](const PredictedWorkers& at) { return std::isfinite(at.speedup.point); });
  std::vector<std::string> quantities = {"T(K)"};
  if (speedups) quantities.insert(quantities.end(), {weak ? "scaled S" : "S(K)", "E(K)"});
  Table table;
  table.columns = {{.name = "K"}};
  for (const std::string& name : quantities) {
    table.columns.push_back({.name = name, .new_group = true});
    table.columns.push_back({.name = "interval", .joined = true});
  }
  for (const PredictedWorkers& at : predictions) {
    std::vector<std::string> row = {significant(at.workers, 9), time_text(at.time.point),
                                    time_interval_cell(at.time, true)};
    if (speedups) {
      const int decimals = efficiency_decimals(at.efficiency);
      row.insert(row.end(),
                 {significant(at.speedup.point, 3), range_cell(at.speedup, 3),
                  fixed(at.efficiency.point, decimals), interval_cell(at.efficiency, decimals)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// "K = 64 and 128 lie beyond the largest K measured": a prediction is never silent about that.
std::string beyond_text(const std::vector<PredictedWorkers>& predictions) {
  std::string workers;
  for (const PredictedWorkers& at : predictions) {
    if (!at.extrapolated) continue;
    workers += fmt::format("{}{}", workers.empty() ? "" : ", ", significant(at.workers, 9));
  }
  if (workers.empty()) return "";
  return fmt::format(
      "Extrapolated beyond the largest measured K: K = {}. A limit that only shows there "
      "(bandwidth, another node) cannot be excluded, and the interval does not cover it. ",
      workers);
}

std::string hindcast_text(const std::optional<ModelHindcast>& hindcast) {
  if (!hindcast) return "No hindcast: it needs four K or more.";
  return fmt::format(
      "Hindcast: fitted without K = {0}, the same method predicts T({0}) = {1}; measured was "
      "{2}, so the prediction was {3} too {4}, and the interval {5}.",
      significant(hindcast->workers, 9), time_value_text(hindcast->predicted),
      time_text(hindcast->observed), percent(std::fabs(hindcast->error), 1),
      hindcast->error < 0 ? "low" : "high", hindcast->held ? "included it" : "did not include it");
}

/// How far the points are from the models, and how likely many more workers give little. A model
/// without draws does not tell.
std::string fit_text(const Analysis& analysis) {
  const ModelFit& fit = *analysis.models;
  if (fit.bend_chances.empty()) return "";
  const double largest = analysis.table.points.back().workers;
  return fmt::format(
      " T differs from the models by {} per doubling of K, {} its errors. With a chance of {}, "
      "K = {} is less than twice as fast as K = {}.",
      percent(fit.goodness.drift, 0), fit.goodness.beyond_errors ? "beyond" : "within",
      chance_words(fit.limit_chance), significant(4 * largest, 9), significant(largest, 9));
}

/// The hindcast stands beside what is predicted, and speaks for the bend and the ceiling too.
void add_predictions(const Analysis& analysis, Document& document) {
  const ModelFit& fit = *analysis.models;
  add_prediction_table(analysis, document);
  if (!fit.hindcast && fit.predictions.empty()) return;
  std::string text = hindcast_text(fit.hindcast) + fit_text(analysis);
  if (analysis.table.base_role == Role::kBaseline) {
    text += " In the models, S and E are relative to the program's own smallest K.";
  }
  document.blocks.emplace_back(Paragraph{std::move(text)});
}

}  // namespace

void add_causes(const Analysis& analysis, Document& document) {
  const Diagnosis& diagnosis = analysis.diagnosis;
  // Without an efficiency in the table there is none to explain; time to train has said its part.
  const bool explains = diagnosis.efficiency || !analysis.time_to_train;
  if (diagnosis.causes.empty() || !explains) return;
  document.blocks.emplace_back(Heading{where_text(analysis)});
  add_cause_table(diagnosis.causes, document);
  for (const Cause& cause : diagnosis.causes) document.blocks.emplace_back(evidence_of(cause));
  if (diagnosis.cpu) add_processor_time(*diagnosis.cpu, document);
  if (diagnosis.factors.empty()) return;
  const bool said = diagnosis.causes.front().confidence == Confidence::kReported;
  document.blocks.emplace_back(Paragraph{
      fmt::format("{}: parallel = balance x communication; computation is useful time at the base "
                  "/ useful time here.",
                  said ? "From the factors written by another tool" : "From per-worker times")});
  document.blocks.emplace_back(factor_table(diagnosis.factors));
}

void add_prediction_table(const Analysis& analysis, Document& document) {
  if (!analysis.models || analysis.models->predictions.empty()) return;
  document.blocks.emplace_back(
      prediction_table(analysis.models->predictions, analysis.table.regime == Regime::kWeak));
  if (std::string beyond = beyond_text(analysis.models->predictions); !beyond.empty()) {
    beyond.pop_back();
    document.blocks.emplace_back(Paragraph{std::move(beyond)});
  }
}

void add_models(const Analysis& analysis, Document& document) {
  if (!analysis.models || analysis.models->models.empty()) return;
  const ModelFit& fit = *analysis.models;
  document.blocks.emplace_back(Heading{"Models"});
  document.blocks.emplace_back(Paragraph{form_text(fit.models)});
  document.blocks.emplace_back(form_table(fit.models));
  if (Table answers = answer_table(analysis); !answers.rows.empty()) {
    document.blocks.emplace_back(std::move(answers));
  }
  add_predictions(analysis, document);
  if (!fit.notes.empty())
    document.blocks.emplace_back(Items{"What the models cannot tell", fit.notes});
  if (!fit.assumptions.empty()) {
    document.blocks.emplace_back(Items{"Assumptions", fit.assumptions});
  }
}

}  // namespace kstar
