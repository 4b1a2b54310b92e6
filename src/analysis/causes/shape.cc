#include "analysis/causes/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/causes/registry.h"
#include "analysis/causes/scatter.h"
#include "analysis/causes/shape_evidence.h"
#include "analysis/fit/measured_curve.h"
#include "base/number.h"
#include "kstar/estimate_words.h"

namespace kstar::causes {

namespace {

/// The points of the program above the base that have an efficiency.
ScaledPoints scaled_points(const ScalingTable& table) {
  ScaledPoints points;
  for (const ScalingPoint& point : table.points) {
    const bool scaled = point.role == Role::kParallel && point.workers > table.base_workers;
    if (scaled && point.efficiency && point.efficiency->point > 0) points.push_back(&point);
  }
  return points;
}

/// A guess leaves so much to what no model has.
constexpr double kUnmodelled = 0.05;
/// A guess below this is less likely than all others together: nothing is told by it.
constexpr double kLikelier = 0.5;
/// Guesses below this are not listed.
constexpr double kListed = 0.05;

int place_of(const ShapePlaces& places, Mechanism mechanism, bool weak) {
  switch (mechanism) {
    case Mechanism::kConstant:
      return places.constant;
    case Mechanism::kGrowing:
      return weak ? places.weak_growing : places.growing;
    case Mechanism::kLimit:
      return places.limit;
    case Mechanism::kShare:
      return places.share;
    case Mechanism::kWaiting:
      return places.waiting;
    case Mechanism::kFilling:
      return places.weak_filling;
    case Mechanism::kNone:
      break;
  }
  return 0;
}

using Kinds = std::vector<CauseKind>;

bool is_one_process(const ScalingPoint& point) {
  return point.shape && point.shape->tasks() == 1 && point.shape->threads > 1;
}

/// What the mechanism suggests, the most likely first. Threads of one process share memory and
/// locks, and send nothing; stragglers that are the more likely the more workers there are come
/// and go from run to run.
Kinds kinds_of(Mechanism mechanism, bool weak, const ScaledPoints& points) {
  std::map<int, CauseKind> by_place;
  for (const CauseEntry* cause : kCauses) {
    const int place = place_of(cause->suggested, mechanism, weak);
    if (place > 0) by_place.emplace(place, cause->about.kind);
  }
  Kinds kinds;
  for (const auto& [place, kind] : by_place) kinds.push_back(kind);
  if (mechanism != Mechanism::kGrowing) return kinds;
  if (is_one_process(*points.back())) std::swap(kinds.at(0), kinds.at(1));
  const bool steady = std::all_of(points.begin(), points.end(),
                                  [](const ScalingPoint* point) { return is_steady(*point); });
  if (steady) std::erase(kinds, CauseKind::kStraggler);
  return kinds;
}

const char* mechanism_words(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kConstant:
      return "a time that stays the same at every K";
    case Mechanism::kGrowing:
      return "a time that grows with K";
    case Mechanism::kLimit:
      return "a limit below which T does not fall";
    case Mechanism::kShare:
      return "work that is divided, but takes longer the less each worker has";
    case Mechanism::kWaiting:
      return "waiting for the slowest of K workers";
    case Mechanism::kFilling:
      return "a time that rises at first and then stays";
    case Mechanism::kNone:
      break;
  }
  return "no loss";
}

/// It has no share of the loss: T(K) is one number per K.
Estimate unknown_share(double confidence) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return {.point = kNone, .standard_error = kNone, .low = 0, .high = 1, .confidence = confidence};
}

Cause nothing(std::string why, double confidence) {
  Cause none;
  none.confidence = Confidence::kShape;
  none.share = unknown_share(confidence);
  none.factor = {.point = 1, .low = 1, .high = 1, .confidence = confidence};
  none.evidence.push_back(std::move(why));
  return none;
}

bool loses(const Estimate& efficiency) {
  return is_bounded(efficiency) ? efficiency.high < 1 - kNegligible : efficiency.point < 1 - kPlain;
}

/// The models of the same curve: those that are known, or fitted here.
std::optional<ModelFit> fitted(const Study& study, const ScalingTable& table, double confidence) {
  const Curve curve = measured_curve(table, group_runs(study));
  if (curve.points.size() < 2) return std::nullopt;
  Result<ModelFit> fit = fit_models(curve, {.confidence = confidence});
  return fit ? std::optional(std::move(*fit)) : std::nullopt;
}

/// A T that rises rules out what only keeps it from falling.
std::vector<MechanismChance> chances_of(const ModelFit& fit, bool rising) {
  if (rising) return {{Mechanism::kGrowing, 1}};
  std::vector<MechanismChance> chances;
  double sum = 0;
  for (const MechanismChance& one : fit.mechanisms) {
    if (one.mechanism == Mechanism::kNone) continue;
    chances.push_back(one);
    sum += one.chance;
  }
  for (MechanismChance& one : chances) one.chance /= sum;
  return chances;
}

struct ShapeFacts {
  const ScalingTable& table;
  const ScaledPoints& points;
  double confidence;

  bool weak() const { return table.regime == Regime::kWeak; }
  const ScalingPoint& last() const { return *points.back(); }
};

Cause guess_of(const MechanismChance& one, const ShapeFacts& facts) {
  const Kinds kinds = kinds_of(one.mechanism, facts.weak(), facts.points);
  Cause cause;
  cause.confidence = Confidence::kShape;
  cause.kind = kinds.front();
  cause.or_else.assign(kinds.begin() + 1, kinds.end());
  cause.share = unknown_share(facts.confidence);
  cause.factor = *facts.last().efficiency;
  cause.probability = (1 - kUnmodelled) * one.chance;
  return cause;
}

/// What scatter explains is the stragglers'; the rest is divided as before.
void add_stragglers(const ScatterGrowth& scatter, const ShapeFacts& facts,
                    std::vector<Cause>& guesses) {
  const auto is_straggler = [](const Cause& one) { return one.kind == CauseKind::kStraggler; };
  if (std::none_of(guesses.begin(), guesses.end(), is_straggler)) {
    guesses.push_back(guess_of({Mechanism::kWaiting, 0}, facts));
  }
  for (Cause& one : guesses) {
    *one.probability *= 1 - scatter.explains;
    if (!is_straggler(one)) continue;
    *one.probability += (1 - kUnmodelled) * scatter.explains;
    one.evidence.insert(one.evidence.begin(), scatter.text);
  }
}

void sort_and_cut(std::vector<Cause>& guesses) {
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const Cause& a, const Cause& b) { return *a.probability > *b.probability; });
  std::erase_if(guesses, [&](const Cause& one) {
    return &one != &guesses.front() && *one.probability < kListed;
  });
}

/// "communication 41%, the serial part 38%".
std::string guesses_text(const std::vector<Cause>& guesses) {
  std::string text;
  for (const Cause& one : guesses) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", about(one.kind).brief,
                        chance_words(*one.probability));
  }
  return text;
}

void add_evidence(const ShapeFacts& facts, bool rising, Cause& first) {
  const std::optional<std::string> flat =
      facts.weak() || rising ? std::nullopt : flat_text(facts.points);
  const auto growth = growth_of(facts.points, facts.table.base_workers, facts.confidence);
  for (const std::optional<std::string>& text : {flat, karp_flatt_text(facts.points)}) {
    if (text) first.evidence.push_back(*text);
  }
  if (growth && !rising && !flat) first.evidence.push_back(growth_text(*growth));
  first.advice =
      "measure what each worker does before changing anything: T(K) alone does not tell "
      "these causes apart";
}

/// Why no guess is made; none where one may be.
std::optional<std::string> no_guess_text(const ModelFit& fit, const ShapeFacts& facts,
                                         bool rising) {
  constexpr std::size_t kFewest = 3;
  if (facts.points.size() < kFewest && !rising) {
    return fmt::format("E is {} at K = {}; there are too few K to say why",
                       factor_words(*facts.last().efficiency), facts.last().workers);
  }
  const GoodnessOfFit& goodness = fit.goodness;
  if (goodness.beyond_errors || goodness.change || goodness.disturbed || fit.mechanisms.empty()) {
    return "No model fits T(K), so that its shape suggests no cause";
  }
  return std::nullopt;
}

std::vector<Cause> guesses_of(const Study& study, const ModelFit& fit, const ShapeFacts& facts,
                              const std::string& measurement) {
  const std::optional<std::string> rising = facts.weak() ? std::nullopt : rising_text(facts.points);
  std::vector<Cause> guesses;
  const std::optional<std::string> none = no_guess_text(fit, facts, rising.has_value());
  if (!none) {
    for (const MechanismChance& one : chances_of(fit, rising.has_value())) {
      guesses.push_back(guess_of(one, facts));
      guesses.back().evidence.push_back(rising ? *rising
                                               : fmt::format("{}: {} by the models of T(K)",
                                                             mechanism_words(one.mechanism),
                                                             chance_words(one.chance)));
    }
  }
  for (const auto& scatter : {scatter_growth(facts.table, facts.last(), facts.confidence),
                              step_scatter(study, facts.table, facts.last(), facts.confidence)}) {
    if (scatter) add_stragglers(*scatter, facts, guesses);
  }
  if (!guesses.empty()) sort_and_cut(guesses);
  if (!guesses.empty() && *guesses.front().probability >= kLikelier) {
    add_evidence(facts, rising.has_value(), guesses.front());
    return guesses;
  }
  Cause unknown =
      nothing(none.value_or("T(K) alone does not tell the cause: " + guesses_text(guesses)),
              facts.confidence);
  unknown.evidence.front() += fmt::format("; {} would tell", measurement);
  return {unknown};
}

bool uses_mpi(const StudyHeader& header) {
  return header.launcher.find("mpi") != std::string::npos ||
         (!header.command.empty() && header.command[0].find("mpi") != std::string::npos);
}

/// The one that would tell, in a sentence.
std::string measurement_of(const StudyHeader& header) {
  return uses_mpi(header) ? "kstar measure --inside 3" : "kstar measure --time marks";
}

std::vector<std::string> next_steps(const Study& study, const ScaledPoints& points) {
  std::vector<std::string> next;
  next.push_back(uses_mpi(study.header)
                     ? "kstar measure --inside 3: useful time, waiting and transfer of every rank, "
                       "without changing the program"
                     : "marks in the program (kstar/mark.h, kstar_mark.py) and kstar measure "
                       "--time marks: what each worker computes, communicates and waits, step by "
                       "step; for an MPI program kstar measure --inside 3");
  constexpr std::size_t kFewK = 4;
  if (points.size() + 1 < kFewK) {
    next.push_back("more K (--workers 1,2,4,8): how the loss grows with K separates the causes");
  }
  const bool few = std::any_of(points.begin(), points.end(),
                               [](const ScalingPoint* point) { return point->times.n < 3; });
  if (few) next.push_back("at least three runs at each K: one run does not show the noise");
  return next;
}

/// Runs that scatter more and more hide the loss that they make: the interval of E is wide.
bool scatters(const Study& study, const ScalingTable& table, const ScalingPoint& last,
              double confidence) {
  return last.efficiency->point < 1 - kPlain &&
         (scatter_growth(table, last, confidence) || step_scatter(study, table, last, confidence));
}

/// An interval below 1 is a loss, be it too small to look for its cause.
std::string no_loss_text(const ScalingPoint& last) {
  const Estimate& efficiency = *last.efficiency;
  const bool lost = is_bounded(efficiency) && efficiency.high < 1;
  const bool open = efficiency.point < 1 - kNegligible;
  return fmt::format("E is {} at K = {}: {}", factor_words(efficiency), last.workers,
                     lost   ? "a loss that is too small to name a cause"
                     : open ? "too few runs to separate a loss from the noise"
                            : "no loss beyond the noise");
}

}  // namespace

Diagnosis diagnose_shape(const Study& study, const ScalingTable& table, double confidence,
                         const ModelFit* models) {
  Diagnosis diagnosis;
  const ScaledPoints points = scaled_points(table);
  diagnosis.next = next_steps(study, points);
  if (points.empty()) {
    if (!table.points.empty()) diagnosis.workers = table.base_workers;
    diagnosis.causes.push_back(nothing(
        "there is no efficiency to explain: it needs a regime and two K with times", confidence));
    return diagnosis;
  }
  const ScalingPoint& last = *points.back();
  diagnosis.workers = last.workers;
  diagnosis.efficiency = last.efficiency;
  if (!loses(*last.efficiency) && !scatters(study, table, last, confidence)) {
    diagnosis.causes.push_back(nothing(no_loss_text(last), confidence));
    return diagnosis;
  }
  const std::optional<ModelFit> own =
      models == nullptr ? fitted(study, table, confidence) : std::nullopt;
  const ModelFit none;
  const ModelFit& fit = models != nullptr ? *models : own ? *own : none;
  diagnosis.causes =
      guesses_of(study, fit, {table, points, confidence}, measurement_of(study.header));
  return diagnosis;
}

}  // namespace kstar::causes
