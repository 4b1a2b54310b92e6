#include "analysis/verdict/doubts.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/number.h"

namespace kstar {

namespace {

using Doubts = std::vector<Doubt>;

Doubt doubt(const char* code, NoteValues values, bool questions_verdict = false) {
  return {{.severity = Severity::kWarning, .what = code, .values = std::move(values)},
          questions_verdict};
}

Doubt doubt_of(const Suspicion& suspicion, const Analysis& analysis) {
  NoteValues values = {{"regime", name_of(suspicion.regime)},
                       {"workers", suspicion.workers},
                       {"value", suspicion.value}};
  if (suspicion.kind == SuspicionKind::kBusyMachine) values["cpus"] = suspicion.cpus;
  if (suspicion.own) values["own"] = true;
  if (suspicion.step) {
    values["from"] = suspicion.step->from;
    values["to"] = suspicion.step->to;
    values["factor"] = suspicion.step->factor;
  }
  if (suspicion.kind == SuspicionKind::kSuperlinear && analysis.superlinear) {
    values["likely_cause"] = analysis.superlinear->likely_cause;
    values["measurement"] = analysis.superlinear->measurement;
  }
  return {{.severity = Severity::kWarning,
           .what = std::string(name_of(suspicion.kind)),
           .values = std::move(values)},
          questions_the_reading(suspicion)};
}

int largest_workers(const ScalingTable& table) {
  return table.points.empty() ? 1 : table.points.back().workers;
}

/// Whether a suspicion speaks of the same step.
bool is_suspected(const Analysis& analysis, const CurveChange& change) {
  return std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                     [&](const Suspicion& one) { return one.step && one.step->to == change.to; });
}

/// T of the points against T of any model.
void add_misfit(const Analysis& analysis, Doubts& doubts) {
  const ModelFit& fit = *analysis.models;
  if (const auto& change = fit.goodness.change; change && !is_suspected(analysis, *change)) {
    doubts.push_back(doubt("step", {{"from", change->from},
                                    {"to", change->to},
                                    {"factor", change->factor},
                                    {"probability", change->probability}}));
  } else if (!change && fit.goodness.beyond_errors) {
    doubts.push_back(doubt("misfit", {{"drift", fit.goodness.drift}}, has_jumps(analysis)));
  }
  if (const auto& off = fit.goodness.disturbed) {
    doubts.push_back(doubt(
        "disturbed",
        {{"workers", off->workers}, {"factor", off->factor}, {"probability", off->probability}}));
  }
  if (fit.hindcast && !fit.hindcast->held) {
    doubts.push_back(doubt("hindcast", {{"workers", fit.hindcast->workers},
                                        {"predicted", fit.hindcast->predicted.point},
                                        {"low", fit.hindcast->predicted.low},
                                        {"high", fit.hindcast->predicted.high},
                                        {"observed", fit.hindcast->observed},
                                        {"largest", largest_workers(analysis.table)}}));
  }
}

std::vector<std::string> workers_with(const std::vector<PredictedWorkers>& predictions,
                                      bool PredictedWorkers::*which) {
  std::vector<std::string> workers;
  for (const PredictedWorkers& at : predictions) {
    if (at.*which) workers.push_back(significant(at.workers, 9));
  }
  return workers;
}

/// What a prediction far from all data rests on.
void add_reach(const Analysis& analysis, Doubts& doubts) {
  const std::vector<PredictedWorkers>& predictions = analysis.models->predictions;
  if (auto node = workers_with(predictions, &PredictedWorkers::leaves_node); !node.empty()) {
    doubts.push_back(doubt("one-node", {{"workers", std::move(node)}}));
  }
  if (auto far = workers_with(predictions, &PredictedWorkers::far); !far.empty()) {
    doubts.push_back(
        doubt("far", {{"workers", std::move(far)}, {"largest", largest_workers(analysis.table)}}));
  }
  const bool above =
      std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(),
                  [](const Suspicion& one) { return one.kind == SuspicionKind::kSuperlinear; });
  if (above && !workers_with(predictions, &PredictedWorkers::extrapolated).empty()) {
    doubts.push_back(doubt("continued-above-1", {}));
  }
}

/// A bend somewhere in a wide gap: K* may be far above the last K before it.
void add_gap(const Analysis& analysis, Doubts& doubts) {
  constexpr int kWide = 3;
  if (!analysis.bend || !analysis.bend->last_good) return;
  const int from = *analysis.bend->last_good, to = analysis.bend->first_bad;
  if (to < kWide * from) return;
  doubts.push_back(doubt("gap",
                         {{"from", from}, {"to", to}, {"threshold", analysis.table.threshold}},
                         has_wide_gap(analysis)));
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
  doubts.push_back(doubt("equal-runs", {{"equal", equal}, {"repeated", repeated}}));
}

/// Where they failed; the notes say how many and why.
void add_failed(const ScalingTable& table, Doubts& doubts) {
  std::vector<std::string> workers;
  for (const ScalingPoint& point : table.points) {
    if (point.failed == 0) continue;
    workers.push_back(point.role == Role::kBaseline ? "baseline" : std::to_string(point.workers));
  }
  if (!workers.empty()) doubts.push_back(doubt("failed", {{"workers", std::move(workers)}}));
}

/// Whether the sentence names the place itself.
bool names_place(const Note& note) {
  return note.where == "regime" || note.where == "every K" || note.where == "command" ||
         note.what == "children-left";
}

void add_notes(const Analysis& analysis, Doubts& doubts) {
  std::set<std::pair<std::string, std::string>> known;
  for (Note note : analysis.notes) {
    if (!is_doubt(note)) continue;
    if (names_place(note)) note.where.clear();
    // Several sessions or several K say the same.
    if (!known.insert({note.what, note.where}).second) continue;
    const bool questions =
        note.what == "cached-work" || (note.what == "short-runs" && has_short_runs(analysis));
    doubts.push_back({std::move(note), questions});
  }
}

}  // namespace

bool is_doubt(const Note& note) {
  constexpr std::array<std::string_view, 12> kCodes = {
      "regime-assumed", "regime-contradicted", "one-value",   "not-monotone",
      "children-left",  "oversubscribed",      "cpu-quota",   "load",
      "same-command",   "program-changed",     "cached-work", "short-runs"};
  return std::find(kCodes.begin(), kCodes.end(), note.what) != kCodes.end();
}

bool has_note(const Analysis& analysis, std::string_view code) {
  return std::any_of(analysis.notes.begin(), analysis.notes.end(),
                     [&](const Note& note) { return note.what == code; });
}

const Note* scheduled_note(const Analysis& analysis) {
  const auto found = std::find_if(analysis.notes.begin(), analysis.notes.end(),
                                  [](const Note& note) { return note.what == "scheduled"; });
  return found == analysis.notes.end() ? nullptr : &*found;
}

bool has_wide_gap(const Analysis& analysis) {
  constexpr int kVeryWide = 8;
  return analysis.bend && analysis.bend->last_good &&
         analysis.bend->first_bad >= kVeryWide * *analysis.bend->last_good;
}

bool has_jumps(const Analysis& analysis) {
  if (!analysis.models || !analysis.models->single_values) return false;
  const GoodnessOfFit& goodness = analysis.models->goodness;
  return goodness.beyond_errors && !goodness.change;
}

bool has_short_runs(const Analysis& analysis) {
  constexpr double kShort = 0.005;  // seconds: what starting a process takes, and a little
  const ScalingPoint* base = point_at(analysis.table, Role::kParallel, analysis.table.base_workers);
  return base != nullptr && base->time.point < kShort && has_note(analysis, "short-runs");
}

std::vector<Doubt> find_doubts(const Analysis& analysis) {
  Doubts doubts;
  if (scheduled_note(analysis) != nullptr) return doubts;
  for (const Suspicion& suspicion : analysis.suspicions) {
    doubts.push_back(doubt_of(suspicion, analysis));
  }
  const bool in_question =
      std::any_of(analysis.suspicions.begin(), analysis.suspicions.end(), questions_the_reading);
  if (analysis.models && !in_question) add_misfit(analysis, doubts);
  add_gap(analysis, doubts);
  add_equal_runs(analysis.table, doubts);
  add_failed(analysis.table, doubts);
  for (const Note& note : analysis.table.notes) {
    if (note.what == "no-times") doubts.push_back({note, false});
  }
  add_notes(analysis, doubts);
  if (analysis.models && !in_question) add_reach(analysis, doubts);
  std::stable_partition(doubts.begin(), doubts.end(),
                        [](const Doubt& one) { return one.questions_verdict; });
  return doubts;
}

}  // namespace kstar
