#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/analysis.h"
#include "kstar/words.h"

namespace kstar {

namespace {

using Doubts = std::vector<Doubt>;

/// What is written as a part of a sentence, as one.
std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return capitalized(std::move(text));
}

/// Inside another sentence.
std::string lower_first(std::string text) {
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

void add_suspicions(const Analysis& analysis, Doubts& doubts) {
  for (const Suspicion& suspicion : analysis.suspicions) {
    std::string text = suspicion_words(suspicion);
    if (suspicion.kind == SuspicionKind::kSuperlinear && analysis.superlinear) {
      text += fmt::format(" {} {}", sentence(analysis.superlinear->likely_cause),
                          sentence(analysis.superlinear->measurement));
    }
    doubts.push_back({std::move(text), std::string(name_of(suspicion.kind))});
  }
}

int largest_workers(const ScalingTable& table) {
  return table.points.empty() ? 1 : table.points.back().workers;
}

/// Whether a suspicion speaks of the same step.
bool is_told(const Analysis& analysis, const CurveChange& change) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [&](const Suspicion& one) { return one.step && one.step->to == change.to; });
}

/// T of the points against T of any model.
void add_misfit(const Analysis& analysis, Doubts& doubts) {
  const ModelFit& fit = *analysis.models;
  const int largest = largest_workers(analysis.table);
  if (const auto& change = fit.goodness.change; change && !is_told(analysis, *change)) {
    doubts.push_back(
        {fmt::format("Between K = {} and {} T steps to {}x of what the models expect ({} sure): "
                     "something else changes there (a node, a socket, a setting).",
                     significant(change->from, 9), significant(change->to, 9),
                     significant(change->factor, 3), chance_words(change->probability)),
         "step"});
  } else if (!change && fit.goodness.beyond_errors) {
    doubts.push_back(
        fmt::format("No model fits these times within their errors: they differ by {} per "
                    "doubling of K. Predictions are widened by it.",
                    percent(fit.goodness.drift, 0)));
  }
  if (const auto& off = fit.goodness.disturbed) {
    doubts.push_back(fmt::format(
        "T({0}) is {1}x what the other K suggest ({2} sure): a disturbed run, or something else "
        "changes at K = {0}. Repeat it.",
        significant(off->workers, 9), significant(off->factor, 3), chance_words(off->probability)));
  }
  if (fit.hindcast && !fit.hindcast->held) {
    doubts.push_back(fmt::format(
        "The hindcast failed: from the smaller K the models predict T({}) = {}, measured was {}. "
        "Do not rely on predictions beyond K = {}.",
        significant(fit.hindcast->workers, 9), time_value_text(fit.hindcast->predicted),
        time_text(fit.hindcast->observed), largest));
  }
}

/// "The prediction for K = 64 rests", "Predictions for K = 20 to 64 rest"; empty where there is
/// none.
std::string predictions_rest(const std::vector<PredictedWorkers>& predictions,
                             bool PredictedWorkers::*which) {
  std::vector<std::string> workers;
  for (const PredictedWorkers& at : predictions) {
    if (at.*which) workers.push_back(significant(at.workers, 9));
  }
  if (workers.empty()) return "";
  if (workers.size() == 1) return fmt::format("The prediction for K = {} rests", workers[0]);
  constexpr std::size_t kListed = 3;
  return fmt::format("Predictions for K = {} rest",
                     workers.size() <= kListed
                         ? fmt::format("{}", fmt::join(workers, ", "))
                         : fmt::format("{} to {}", workers.front(), workers.back()));
}

/// What a prediction far from all data rests on.
void add_reach(const Analysis& analysis, Doubts& doubts) {
  const std::vector<PredictedWorkers>& predictions = analysis.models->predictions;
  const int largest = largest_workers(analysis.table);
  const std::string node = predictions_rest(predictions, &PredictedWorkers::leaves_node);
  if (!node.empty()) {
    doubts.push_back(fmt::format(
        "Only one node was measured: {} on the assumption that more nodes cost nothing more.",
        lower_first(node)));
  }
  const std::string far = predictions_rest(predictions, &PredictedWorkers::far);
  if (!far.empty()) {
    doubts.push_back(fmt::format(
        "{} on the models alone: more than 4 times the largest measured K, {}.", far, largest));
  }
  const bool above =
      std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                  [](const Suspicion& one) { return one.kind == SuspicionKind::kSuperlinear; });
  if (above && !predictions_rest(predictions, &PredictedWorkers::extrapolated).empty()) {
    doubts.emplace_back(
        "Predictions beyond the largest measured K continue an efficiency above 1: do not rely on "
        "them.");
  }
}

/// A bend somewhere in a wide gap: K* may be far above the last K before it.
void add_gap(const Analysis& analysis, Doubts& doubts) {
  constexpr int kWide = 3;
  if (!analysis.bend || !analysis.bend->last_good) return;
  const int from = *analysis.bend->last_good, to = analysis.bend->first_bad;
  if (to < kWide * from) return;
  doubts.push_back({fmt::format("Nothing was measured between K = {} and {}, where E falls below "
                                "{}: measure there.",
                                from, to, significant(analysis.table.threshold, 3)),
                    "gap"});
}

/// Rounded, or copied: the noise is below the digits, and intervals know nothing of it.
void add_equal_runs(const ScalingTable& table, Doubts& doubts) {
  std::size_t equal = 0, repeated = 0;
  for (const ScalingPoint& point : table.points) {
    if (point.times.n < 2) continue;
    ++repeated;
    equal += point.times.min == point.times.max ? 1U : 0U;
  }
  if (equal < 2 || 2 * equal < repeated) return;
  doubts.push_back({fmt::format("The runs of a K are equal to the last digit at {} of {} K: "
                                "rounded or copied values hide the noise, so intervals are too "
                                "narrow.",
                                equal, repeated),
                    "equal-runs"});
}

/// Where they failed; the notes say how many and why.
void add_failed(const ScalingTable& table, Doubts& doubts) {
  std::string workers;
  for (const ScalingPoint& point : table.points) {
    if (point.failed == 0) continue;
    workers += workers.empty() ? "" : ", ";
    workers += point.role == Role::kBaseline ? "baseline" : fmt::format("{}", point.workers);
  }
  if (workers.empty()) return;
  doubts.push_back({fmt::format("Runs failed at K = {}, and are not used.", workers), "failed"});
}

/// K that were tried and gave nothing: the answer does not know them.
void add_without_times(const ScalingTable& table, Doubts& doubts) {
  for (const Note& note : table.notes) {
    if (note.what != "no-times") continue;
    doubts.push_back({fmt::format("{} has no usable time.", note.where), note.what});
  }
}

}  // namespace

bool is_in_question(const Analysis& analysis) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(), questions_the_reading);
}

bool has_wide_gap(const Analysis& analysis) {
  constexpr int kVeryWide = 8;
  return analysis.bend && analysis.bend->last_good &&
         analysis.bend->first_bad >= kVeryWide * *analysis.bend->last_good;
}

bool is_doubt(const Note& note) {
  constexpr std::array<std::string_view, 12> kSaid = {
      "regime-assumed", "regime-contradicted", "one-value",   "not-monotone",
      "children-left",  "oversubscribed",      "cpu-quota",   "load",
      "same-command",   "program-changed",     "cached-work", "short-runs"};
  return std::find(kSaid.begin(), kSaid.end(), note.what) != kSaid.end();
}

std::vector<Doubt> named_doubts(const Analysis& analysis) {
  Doubts doubts;
  const auto is_scheduled = [](const Note& note) { return note.what == "scheduled"; };
  if (std::any_of(analysis.notes.begin(), analysis.notes.end(), is_scheduled)) return doubts;
  add_suspicions(analysis, doubts);
  if (analysis.models && !is_in_question(analysis)) {
    add_misfit(analysis, doubts);
    add_reach(analysis, doubts);
  }
  add_gap(analysis, doubts);
  add_equal_runs(analysis.table, doubts);
  add_failed(analysis.table, doubts);
  add_without_times(analysis.table, doubts);
  std::set<std::pair<std::string, std::string>> said;
  for (const Note& note : analysis.notes) {
    if (!is_doubt(note)) continue;
    const bool is_named = note.where.empty() || note.where == "regime" || note.where == "every K" ||
                          note.where == "command" || note.what == "children-left";
    // Several sessions or several K say the same.
    if (!said.insert({note.what, is_named ? "" : note.where}).second) continue;
    doubts.push_back(
        {sentence((is_named ? "" : note.where + ": ") + note_sentence(note)), note.what});
  }
  return doubts;
}

std::vector<std::string> doubts_of(const Analysis& analysis) {
  std::vector<std::string> texts;
  for (Doubt& doubt : named_doubts(analysis)) texts.push_back(std::move(doubt.text));
  return texts;
}

}  // namespace kstar
