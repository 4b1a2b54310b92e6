#include <cmath>

#include "kstar/analysis_report.h"
#include "report/analysis/blocks.h"
#include "report/analysis/training_json.h"
#include "report/json_parts.h"
#include "report/scaling_blocks.h"
#include "report/scaling_cells.h"

namespace kstar {

namespace {

using json_parts::Json;
using json_parts::number;

constexpr int kSchemaVersion = 1;

/// Whole numbers of workers are written as such.
Json workers(double value) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  const bool whole = std::fabs(value) < kMostExact && value == std::floor(value);
  return whole ? Json(static_cast<std::int64_t>(value)) : number(value);
}

// Declared before the templates, which find no others.
Json to_json(const Estimate&);
Json to_json(const ScalingPoint&);
Json to_json(const GrowthStep&);
Json to_json(const StepStability&);
Json to_json(const SuperlinearQuestion&);
Json to_json(const Bend&);
Json to_json(const FittedTerm&);
Json to_json(const FittedModel&);
Json to_json(const PredictedWorkers&);
Json to_json(const ModelHindcast&);
Json to_json(const NextMeasurement&);
Json to_json(const FactorPoint&);
Json to_json(const Cause&);
Json to_json(const Note&);

template <typename T>
Json optional(const std::optional<T>& value) {
  return value ? to_json(*value) : Json(nullptr);
}

Json optional(const std::optional<int>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename T>
Json list(const std::vector<T>& values) {
  Json all = Json::array();
  for (const T& value : values) all.push_back(to_json(value));
  return all;
}

Json to_json(const Estimate& estimate) {
  return json_parts::estimate(estimate);
}

/// What the baseline program has, too.
Json times_of(const ScalingPoint& point) {
  return {{"workers", point.workers},
          {"shape", point.shape ? Json(shape_text(*point.shape)) : Json(nullptr)},
          {"runs", point.times.n},
          {"failed", point.failed},
          {"warm_up", point.warm_up},
          {"time", to_json(point.time)},
          {"std", number(point.times.standard_deviation)},
          {"min", number(point.times.min)},
          {"max", number(point.times.max)},
          {"median", number(point.times.median)},
          {"setup", point.setup ? number(*point.setup) : Json(nullptr)}};
}

Json to_json(const ScalingPoint& point) {
  Json json = times_of(point);
  json["speedup"] = optional(point.speedup);
  json["efficiency"] = optional(point.efficiency);
  json["karp_flatt"] = optional(point.karp_flatt);
  json["verdict"] = point.efficiency ? Json(verdict(point)) : Json(nullptr);
  return json;
}

const char* name_of(NodeGrowth growth) {
  switch (growth) {
    case NodeGrowth::kInsideNode:
      return "inside_node";
    case NodeGrowth::kMoreNodes:
      return "more_nodes";
    case NodeGrowth::kBoth:
      return "both";
  }
  return "";
}

Json to_json(const GrowthStep& step) {
  return {{"from", step.from},
          {"to", step.to},
          {"growth", name_of(step.growth)},
          {"kept", to_json(step.kept)}};
}

Json to_json(const StepStability& step) {
  return {{"workers", step.workers},
          {"runs", step.runs},
          {"variation", number(step.variation)},
          {"slowest", number(step.slowest)},
          {"drift", optional(step.drift)}};
}

Json to_json(const SuperlinearQuestion& question) {
  return {{"workers", question.workers},
          {"likely_cause", question.likely_cause},
          {"measurement", question.measurement}};
}

Json to_json(const Bend& bend) {
  return json_parts::bend(bend);
}

/// Its efficiencies go with the points; that of a baseline program has no point.
Json baseline_of(const Analysis& analysis, const std::optional<OtherBaseline>& baseline) {
  if (!baseline) return nullptr;
  const OtherBaseline& other = *baseline;
  Json efficiency = Json::array();
  for (std::size_t i = 0; i < other.efficiency.size(); ++i) {
    const auto& points = analysis.table.points;
    const bool is_baseline = i < points.size() && points[i].role == Role::kBaseline;
    if (!is_baseline) efficiency.push_back(to_json(other.efficiency[i]));
  }
  return {{"time", number(other.time)},
          {"efficiency", std::move(efficiency)},
          {"bend", optional(other.bend)}};
}

/// Without an efficiency the only rule left is the least time.
Json recommendation_of(const Analysis& analysis) {
  const WorkersAdvice& advice = analysis.recommendation;
  const bool efficient = has_speedup(analysis.table) || analysis.time_to_train;
  return {{"workers", efficient ? advice.workers : advice.least_time_workers},
          {"low", advice.low},
          {"high", advice.high},
          {"rule", efficient ? "largest_efficient" : "least_time"},
          {"open", advice.open},
          {"least_time_workers", advice.least_time_workers}};
}

Json to_json(const FittedTerm& term) {
  return {{"name", term.name},
          {"formula", term.formula},
          {"cost", to_json(term.cost)},
          {"unit", term.time ? Json("s") : Json(nullptr)},
          {"share", term.time ? to_json(term.share) : Json(nullptr)},
          {"merged", term.merged}};
}

Json to_json(const FittedModel& model) {
  return {{"name", model.name},
          {"formula", model.formula},
          {"weight", number(model.weight)},
          {"terms", list(model.terms)}};
}

/// Null where there is no such quantity: a mixed regime has no speedup.
Json where_known(const Estimate& estimate) {
  return std::isnan(estimate.point) ? Json(nullptr) : to_json(estimate);
}

Json to_json(const PredictedWorkers& at) {
  return {{"workers", workers(at.workers)},
          {"time", to_json(at.time)},
          {"speedup", where_known(at.speedup)},
          {"efficiency", where_known(at.efficiency)},
          {"extrapolated", at.extrapolated}};
}

Json to_json(const ModelHindcast& hindcast) {
  return {{"workers", workers(hindcast.workers)},
          {"predicted", to_json(hindcast.predicted)},
          {"observed", number(hindcast.observed)},
          {"error", number(hindcast.error)},
          {"held", hindcast.held}};
}

Json to_json(const NextMeasurement& next) {
  return {{"workers", workers(next.workers)},
          {"narrows", number(next.narrows)},
          {"worker_seconds", number(next.worker_seconds)},
          {"why", next.why}};
}

Json to_json(const FactorPoint& point) {
  return {{"workers", point.workers},
          {"runs", point.runs},
          {"parallel", to_json(point.parallel)},
          {"load_balance", to_json(point.load_balance)},
          {"communication", to_json(point.communication)},
          {"transfer", optional(point.transfer)},
          {"serialization", optional(point.serialization)},
          {"computation", optional(point.computation)}};
}

Json to_json(const Cause& cause) {
  Json others = Json::array();
  for (const CauseKind other : cause.or_else) others.push_back(kstar::name_of(other));
  return {{"name", kstar::name_of(cause.kind)},
          {"share", number(cause.share.point)},
          {"share_interval", to_json(cause.share)},
          {"factor", to_json(cause.factor)},
          {"known_from", name_of(cause.confidence)},
          {"evidence", cause.evidence},
          {"advice", cause.advice},
          {"worker", optional(cause.worker)},
          {"host", cause.host.empty() ? Json(nullptr) : Json(cause.host)},
          {"or_else", std::move(others)}};
}

Json to_json(const Note& note) {
  return json_parts::note(note);
}

/// The parallel program's points, and apart from them the baseline program's.
void put_table(const ScalingTable& table, Json& json) {
  json["baseline"] = nullptr;
  json["points"] = Json::array();
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kBaseline) {
      json["baseline"] = times_of(point);
    } else {
      json["points"].push_back(to_json(point));
    }
  }
  json["growth"] = list(table.steps);
}

/// The same keys with and without models.
void put_models(const Analysis& analysis, Json& json) {
  const ModelFit none;
  const ModelFit& fit = analysis.models ? *analysis.models : none;
  json["models"] = list(fit.models);
  json["curve"] = list(fit.fitted);
  json["predictions"] = list(fit.predictions);
  json["hindcast"] = optional(fit.hindcast);
  json["best_workers"] = optional(fit.best_workers);
  json["ceiling"] = optional(fit.ceiling);
  json["next"] = list(fit.next);
  json["assumptions"] = fit.assumptions;
}

void put_diagnosis(const Diagnosis& diagnosis, Json& json) {
  json["causes"] = list(diagnosis.causes);
  json["diagnosis"] = {{"workers", diagnosis.workers},
                       {"efficiency", optional(diagnosis.efficiency)},
                       {"factors", list(diagnosis.factors)},
                       {"next", diagnosis.next}};
}

}  // namespace

std::string to_json(const Analysis& analysis) {
  const ScalingTable& table = analysis.table;
  const Estimate* continuous = continuous_bend(analysis);
  Json json = {{"kstar", "analysis"},
               {"schema", kSchemaVersion},
               {"confidence", confidence_of(analysis)},
               {"threshold", table.threshold},
               {"regime", table.regime ? Json(name_of(*table.regime)) : Json(nullptr)},
               {"base_workers", table.base_workers},
               {"base_role", name_of(table.base_role)}};
  put_table(table, json);
  json["bend"] = optional(analysis.bend);
  json["continuous_bend"] = continuous != nullptr ? to_json(*continuous) : Json(nullptr);
  json["recommendation"] = recommendation_of(analysis);
  json["other_baseline"] = baseline_of(analysis, analysis.other_baseline);
  json["own_baseline"] = baseline_of(analysis, analysis.own_baseline);
  json["time_to_train"] =
      analysis.time_to_train ? kstar::to_json(*analysis.time_to_train) : Json(nullptr);
  json["superlinear"] = optional(analysis.superlinear);
  json["steps"] = list(analysis.steps);
  put_models(analysis, json);
  put_diagnosis(analysis.diagnosis, json);
  json["notes"] = list(all_notes(analysis));
  return json_parts::text(json);
}

}  // namespace kstar
