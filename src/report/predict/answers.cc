#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/number.h"
#include "report/predict/cells.h"
#include "report/predict/tables.h"

namespace kstar {

namespace {

/// A question and its answer for one curve; an empty answer means that the question does not arise.
struct Question {
  std::string text;
  std::function<std::string(const Prediction&)> answer;
};

std::string where_of(const Ceiling& ceiling) {
  if (!ceiling.bounded()) return "";
  return ceiling.workers ? "K = " + workers_cell(*ceiling.workers) : "K -> infinity";
}

std::string bend_cell(const Prediction& p) {
  const bool never = std::isinf(*p.answers.last_good.exact);
  return workers_cell(p.answers.first_below.exact, never ? "never" : "> 9e15");
}

/// A problem that grows with K has no K of least time worth asking for.
bool grows(const Prediction& p) {
  return p.instance.model.work_growth != WorkGrowth::kFixed;
}

std::string least_cell(const Prediction& p) {
  const LeastTime& least = p.answers.least;
  if (grows(p)) return "";
  if (!least.workers) return "none, T falls";
  // Neighbours may tie: T(9) = T(10).
  const bool tie = least.turns_up && *least.turns_up > *least.workers + 1;
  return workers_cell(*least.workers) + (tie ? " to " + workers_cell(*least.turns_up - 1) : "");
}

std::string least_listed_cell(const Prediction& p) {
  const LeastTime& least = p.answers.least;
  if (grows(p)) return "";
  const std::string listed = workers_cell(p.answers.least_listed, "none");
  const bool met = p.answers.sweep_met_least || !least.workers;
  return met ? listed : fmt::format("{} ({} is not listed)", listed, workers_cell(*least.workers));
}

std::string halved_doubled(const Prediction& p) {
  const Sensitivity& s = p.sensitivity;
  if (!s.halved) return "";
  return fmt::format("{} / {}", workers_cell(s.halved, "-"), workers_cell(s.doubled, "-"));
}

std::vector<Question> questions(std::span<const Prediction> predictions) {
  const PredictionOptions& options = predictions[0].options;
  const std::string threshold = significant(options.threshold, 4);
  std::string parameter(predictions[0].instance.law->sensitive_to);
  for (const Prediction& other : predictions) {
    const std::string_view name = other.instance.law->sensitive_to;
    if (parameter.find(name) == std::string::npos) parameter += fmt::format(" ({})", name);
  }
  std::vector<Question> list = {
      {"ceiling: the largest speedup",
       [](const Prediction& p) { return ceiling_cell(p.answers.ceiling); }},
      {"  reached at", [](const Prediction& p) { return where_of(p.answers.ceiling); }},
      {fmt::format("  share of it at K = {}", options.workers.back()),
       [](const Prediction& p) {
         const auto& share = p.points.back().share_of_ceiling;
         return share ? percent(*share, 1) : "";
       }},
      {fmt::format("  smallest K with {} of it", percent(options.share, 0)),
       [](const Prediction& p) {
         return p.answers.ceiling.bounded() ? workers_cell(p.answers.reaches_share.exact, "none")
                                            : "";
       }},
      {fmt::format("bend: first K with E < {}", threshold), bend_cell},
      {"  among the listed K",
       [](const Prediction& p) { return workers_cell(p.answers.first_below.listed, "none"); }},
      {fmt::format("usable K: last with E >= {}", threshold),
       [](const Prediction& p) { return workers_cell(*p.answers.last_good.exact); }},
      {fmt::format("  if {} is halved / doubled", parameter), halved_doubled},
      {fmt::format("  elasticity to {}", parameter),
       [](const Prediction& p) {
         const auto& elasticity = p.sensitivity.elasticity;
         return elasticity ? fixed(*elasticity, 2) : "";
       }},
      {"K of least time", least_cell},
      {"  among the listed K", least_listed_cell},
      {"  time rises again from K =",
       [](const Prediction& p) {
         return grows(p) ? "" : workers_cell(p.answers.least.turns_up, "never");
       }},
  };
  return list;
}

}  // namespace

Table answer_table(std::span<const Prediction> predictions) {
  Table table;
  table.columns.push_back({.name = "question", .left = true});
  for (const Prediction& prediction : predictions) {
    table.columns.push_back({.name = column_name(prediction, predictions)});
  }
  for (const Question& question : questions(predictions)) {
    std::vector<std::string> row = {question.text};
    bool answered = false;
    for (const Prediction& prediction : predictions) {
      row.push_back(question.answer(prediction));
      answered = answered || !row.back().empty();
    }
    if (answered) table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace kstar
