#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/number.h"
#include "report/prediction_cells.h"
#include "report/prediction_tables.h"

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

std::string least_cell(const Prediction& p) {
  const LeastTime& least = p.answers.least;
  return least.workers ? workers_cell(*least.workers) : "none, T falls";
}

std::string halved_doubled(const Prediction& p) {
  const Sensitivity& s = p.sensitivity;
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
      {fmt::format("bend: first K with E < {}", threshold),
       [](const Prediction& p) { return workers_cell(p.answers.first_below.exact, "never"); }},
      {"  among the listed K",
       [](const Prediction& p) { return workers_cell(p.answers.first_below.listed, "none"); }},
      {fmt::format("usable K: last with E >= {}", threshold),
       [](const Prediction& p) {
         const auto& below = p.answers.first_below.exact;
         return below ? workers_cell(*below - 1) : "all";
       }},
      {fmt::format("  if {} is halved / doubled", parameter), halved_doubled},
      {fmt::format("  elasticity to {}", parameter),
       [](const Prediction& p) {
         const auto& elasticity = p.sensitivity.elasticity;
         return elasticity ? fixed(*elasticity, 2) : "";
       }},
      {"K of least time", least_cell},
      {"  among the listed K",
       [](const Prediction& p) {
         return workers_cell(p.answers.least_listed, "none") +
                (p.answers.sweep_met_least || !p.answers.least.workers ? "" : " (not met)");
       }},
      {"  time rises again from K =",
       [](const Prediction& p) { return workers_cell(p.answers.least.turns_up, "never"); }},
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
