#include "kstar/analysis_report.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/number.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/document.h"
#include "report/analysis/processor_time.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/scaling_blocks.h"
#include "report/verdict_json.h"

namespace kstar {

namespace {

using kstar::to_json;

constexpr int kSchemaVersion = 2;

/// Whole numbers of workers are written as such.
Json workers(double value) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  const bool whole = std::fabs(value) < kMostExact && value == std::floor(value);
  return whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
}

Json to_json(const TrainingPoint& point) {
  return {{"workers", point.workers},
          {"runs", point.runs},
          {"batch", point.batch},
          {"work", to_json(point.work)},
          {"throughput", to_json(point.throughput)},
          {"fixed", to_json(point.fixed)},
          {"efficiency", to_json(point.efficiency)},
          {"algorithm", to_json(point.algorithm)},
          {"system", to_json(point.system)},
          {"training", to_json(point.training)}};
}

Json to_json(const TimeToTrain& train) {
  return {{"unit", train.unit},
          {"base_workers", train.points.front().workers},
          {"fixed_known", train.fixed_known},
          {"points", list_of(train.points, to_json)}};
}

/// What the baseline program has, too.
Json times_of(const ScalingPoint& point) {
  return {{"workers", point.workers},
          {"shape", point.shape ? Json(shape_text(*point.shape)) : Json()},
          {"runs", point.times.n},
          {"failed", point.failed},
          {"warm_up", point.warm_up},
          {"time", to_json(point.time)},
          {"std", point.times.standard_deviation},
          {"min", point.times.min},
          {"max", point.times.max},
          {"median", point.times.median},
          {"setup", point.setup},
          {"cpu_use", point.cpu_use},
          {"peak_memory", point.peak_memory}};
}

Json to_json(const ScalingPoint& point) {
  Json json = times_of(point);
  json["speedup"] = to_json(point.speedup);
  json["efficiency"] = to_json(point.efficiency);
  json["karp_flatt"] = to_json(point.karp_flatt);
  json["verdict"] = point.efficiency ? Json(verdict(point)) : Json();
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
          {"variation", step.variation},
          {"slowest", step.slowest},
          {"drift", to_json(step.drift)}};
}

Json to_json(const SuperlinearQuestion& question) {
  return {{"workers", question.workers},
          {"likely_cause", question.likely_cause},
          {"measurement", question.measurement}};
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
  return {{"time", other.time},
          {"efficiency", std::move(efficiency)},
          {"bend", optional_of(other.bend, to_json)}};
}

Json to_json(const FittedTerm& term) {
  return {{"name", term.name},
          {"formula", term.formula},
          {"cost", to_json(term.cost)},
          {"unit", term.time ? Json("s") : Json()},
          {"share", term.time ? to_json(term.share) : Json()},
          {"merged", term.merged}};
}

Json to_json(const FittedModel& model) {
  return {{"name", model.name},
          {"formula", model.formula},
          {"weight", model.weight},
          {"terms", list_of(model.terms, to_json)}};
}

/// Null where there is no such quantity: a mixed regime has no speedup.
Json where_known(const Estimate& estimate) {
  return std::isnan(estimate.point) ? Json() : to_json(estimate);
}

Json to_json(const PredictedWorkers& at) {
  return {{"workers", workers(at.workers)},     {"time", to_json(at.time)},
          {"speedup", where_known(at.speedup)}, {"efficiency", where_known(at.efficiency)},
          {"extrapolated", at.extrapolated},    {"far", at.far},
          {"leaves_node", at.leaves_node}};
}

Json to_json(const ModelHindcast& hindcast) {
  return {{"workers", workers(hindcast.workers)},
          {"predicted", to_json(hindcast.predicted)},
          {"observed", hindcast.observed},
          {"error", hindcast.error},
          {"held", hindcast.held}};
}

const char* name_of(CurveEnd end) {
  switch (end) {
    case CurveEnd::kGains:
      return "gains";
    case CurveEnd::kFlat:
      return "flat";
    case CurveEnd::kLoses:
      return "loses";
    case CurveEnd::kUnclear:
      return "unclear";
  }
  return "";
}

Json to_json(const CurveChange& change) {
  return {{"from", workers(change.from)},
          {"to", workers(change.to)},
          {"factor", change.factor},
          {"probability", change.probability}};
}

Json to_json(const DisturbedValue& value) {
  return {{"workers", workers(value.workers)},
          {"factor", value.factor},
          {"probability", value.probability}};
}

/// Null without models.
Json goodness_of(const Analysis& analysis) {
  if (!analysis.models) return nullptr;
  const ModelFit& fit = *analysis.models;
  return {{"drift", fit.goodness.drift},
          {"beyond_errors", fit.goodness.beyond_errors},
          {"change", optional_of(fit.goodness.change, to_json)},
          {"disturbed", optional_of(fit.goodness.disturbed, to_json)},
          {"ends", name_of(fit.ends)},
          {"limit_chance", fit.limit_chance}};
}

Json to_json(const SpeedStep& step) {
  return {{"from", step.from}, {"to", step.to}, {"factor", step.factor}};
}

Json to_json(const Suspicion& suspicion) {
  return {{"name", kstar::name_of(suspicion.kind)},
          {"workers", suspicion.workers},
          {"value", suspicion.value},
          {"step", optional_of(suspicion.step, to_json)},
          {"text", suspicion_words(suspicion)}};
}

Json to_json(const NextMeasurement& next) {
  return {{"workers", workers(next.workers)},
          {"narrows", next.narrows},
          {"worker_seconds", next.worker_seconds},
          {"why", next.why}};
}

Json to_json(const FactorPoint& point) {
  return {{"workers", point.workers},
          {"runs", point.runs},
          {"parallel", to_json(point.parallel)},
          {"load_balance", to_json(point.load_balance)},
          {"communication", to_json(point.communication)},
          {"transfer", to_json(point.transfer)},
          {"serialization", to_json(point.serialization)},
          {"computation", to_json(point.computation)}};
}

Json to_json(const Cause& cause) {
  return {{"name", kstar::name_of(cause.kind)},
          {"probability", cause.probability},
          {"share", cause.share.point},
          {"share_interval", to_json(cause.share)},
          {"factor", to_json(cause.factor)},
          {"known_from", name_of(cause.confidence)},
          {"evidence", cause.evidence},
          {"advice", cause.advice},
          {"worker", cause.worker},
          {"host", cause.host.empty() ? Json() : Json(cause.host)},
          {"or_else", names_of(cause.or_else)}};
}

Json to_json(const PhasePoint& point) {
  return {{"workers", point.workers},          {"runs", point.runs},
          {"time", to_json(point.time)},       {"share", point.share},
          {"speedup", to_json(point.speedup)}, {"efficiency", to_json(point.efficiency)}};
}

Json to_json(const PhaseScaling& phase) {
  return {{"name", phase.name},
          {"calls", phase.calls},
          {"bend", phase.bend},
          {"lost", phase.lost},
          {"points", list_of(phase.points, [](const PhasePoint& one) { return to_json(one); })}};
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
  json["growth"] = list_of(table.steps, to_json);
}

/// The same keys with and without models.
void put_models(const Analysis& analysis, Json& json) {
  const ModelFit none;
  const ModelFit& fit = analysis.models ? *analysis.models : none;
  json["models"] = list_of(fit.models, to_json);
  json["curve"] = list_of(fit.fitted, to_json);
  json["predictions"] = list_of(fit.predictions, to_json);
  json["hindcast"] = optional_of(fit.hindcast, to_json);
  json["best_workers"] = to_json(fit.best_workers);
  json["ceiling"] = to_json(fit.ceiling);
  json["goodness"] = goodness_of(analysis);
  json["next"] = list_of(fit.next, to_json);
  json["assumptions"] = fit.assumptions;
}

Json memory_point_json(const MemoryPoint& point) {
  return {{"workers", point.workers},
          {"slowdown", to_json(point.slowdown)},
          {"bandwidth_slowdown", point.bandwidth},
          {"compute_slowdown", point.compute},
          {"predicted_speedup", to_json(point.predicted)},
          {"bandwidth_used", to_json(point.used)}};
}

Json memory_json(const MemoryScaling& memory) {
  return {{"verdict", name_of(memory.verdict)},
          {"why", memory.why},
          {"memory_share", to_json(memory.share)},
          {"from_bytes", memory.from_bytes},
          {"bandwidth_used_up", memory.curve.used_up},
          {"ceiling", memory.ceiling > 0 ? Json(memory.ceiling) : Json()},
          {"points", list_of(memory.points, memory_point_json)}};
}

Json reach_json(const MachineReach& reach) {
  return {{"workers", reach.workers},
          {"flops_per_second", reach.flops},
          {"bytes_per_second", reach.bytes},
          {"flops_per_byte", reach.intensity},
          {"compute_share", to_json(reach.compute)},
          {"bandwidth_share", to_json(reach.bandwidth)}};
}

/// Only where the ceilings of its machine are given.
void put_machine(const Analysis& analysis, Json& json) {
  if (!analysis.options.machine) return;
  json["machine"] = {{"name", analysis.options.machine->name},
                     {"memory", optional_of(analysis.memory, memory_json)},
                     {"reach", optional_of(analysis.reach, reach_json)}};
}

void put_diagnosis(const Diagnosis& diagnosis, Json& json) {
  json["causes"] = list_of(diagnosis.causes, to_json);
  json["diagnosis"] = {{"workers", diagnosis.workers},
                       {"efficiency", to_json(diagnosis.efficiency)},
                       {"factors", list_of(diagnosis.factors, to_json)},
                       {"processor_time", optional_of(diagnosis.cpu, processor_time_json)},
                       {"next", diagnosis.next}};
}

void add(const std::optional<Estimate>& estimate, std::string& line) {
  if (!estimate) {
    line += ",,,";
    return;
  }
  for (const double value : {estimate->point, estimate->low, estimate->high}) {
    line += "," + csv_number(value);
  }
}

std::string line_of(const ScalingPoint& point) {
  std::string line = std::to_string(point.workers) + "," + std::string(name_of(point.role)) + "," +
                     csv_cell(point.shape ? shape_text(*point.shape) : "") + "," +
                     std::to_string(point.times.n);
  add(point.time, line);
  for (const double value :
       {point.times.standard_deviation, point.times.median, point.times.min, point.times.max}) {
    line += "," + csv_number(value);
  }
  for (const auto* estimate : {&point.speedup, &point.efficiency, &point.karp_flatt}) {
    add(*estimate, line);
  }
  const bool judged = point.efficiency && point.role == Role::kParallel;
  return line + "," + (judged ? verdict(point) : "");
}

constexpr std::string_view kTrainingColumns =
    ",batch,work,work_low,work_high,throughput,throughput_low,throughput_high,fixed,fixed_low,"
    "fixed_high,train_E,train_E_low,train_E_high,algorithm,algorithm_low,algorithm_high,system,"
    "system_low,system_high,training,training_low,training_high";

/// Empty cells where this K says nothing of it.
std::string training_of(const TimeToTrain& train, const ScalingPoint& at) {
  for (const TrainingPoint& point : train.points) {
    if (point.workers != at.workers || at.role == Role::kBaseline) continue;
    std::string line = "," + (point.batch ? csv_number(*point.batch) : "");
    add(point.work, line);
    add(point.throughput, line);
    add(point.fixed, line);
    add(point.efficiency, line);
    add(point.algorithm, line);
    add(point.system, line);
    add(point.training, line);
    return line;
  }
  const auto cells = std::count(kTrainingColumns.begin(), kTrainingColumns.end(), ',');
  return std::string(static_cast<std::size_t>(cells), ',');
}

/// Everything of one.
Json whole_of(const Analysis& analysis) {
  const ScalingTable& table = analysis.table;
  const Estimate* continuous = continuous_bend(analysis);
  Json json = {{"kstar", "analysis"},
               {"schema", kSchemaVersion},
               {"confidence", analysis.options.confidence},
               {"threshold", table.threshold},
               {"regime", table.regime ? Json(name_of(*table.regime)) : Json()},
               {"base_workers", table.base_workers},
               {"base_role", name_of(table.base_role)}};
  put_table(table, json);
  json["bend"] = optional_of(analysis.bend, to_json);
  json["continuous_bend"] = continuous != nullptr ? to_json(*continuous) : Json();
  json["verdict"] = to_json(analysis.verdict);
  json["network"] = optional_of(analysis.network, to_json);
  json["suspicions"] = list_of(analysis.suspicions, to_json);
  json["other_baseline"] = baseline_of(analysis, analysis.other_baseline);
  json["own_baseline"] = baseline_of(analysis, analysis.own_baseline);
  json["time_to_train"] = optional_of(analysis.time_to_train, to_json);
  json["superlinear"] = optional_of(analysis.superlinear, to_json);
  json["steps"] = list_of(analysis.steps, to_json);
  put_models(analysis, json);
  put_diagnosis(analysis.diagnosis, json);
  put_machine(analysis, json);
  const auto phase_json = [](const PhaseScaling& phase) { return to_json(phase); };
  json["phases"] = list_of(analysis.phases.phases, phase_json);
  json["notes"] = list_of(all_notes(analysis), to_json);
  return json;
}

std::string csv_head(bool trained) {
  std::string text =
      "K,role,shape,runs,T,T_low,T_high,T_std,T_median,T_min,T_max,S,S_low,S_high,E,E_low,E_high,"
      "karp_flatt,karp_flatt_low,karp_flatt_high,verdict";
  if (trained) text += kTrainingColumns;
  return text + "\n";
}

/// A line for each point, each after `before`; with `trained`, the cells of time to train.
std::string csv_lines(const Analysis& analysis, const std::string& before, bool trained) {
  const TimeToTrain none;
  const TimeToTrain& train = analysis.time_to_train ? *analysis.time_to_train : none;
  std::string text;
  for (const ScalingPoint& point : analysis.table.points) {
    text += before + line_of(point) + (trained ? training_of(train, point) : "") + "\n";
  }
  return text;
}

}  // namespace

std::string to_json(const Analysis& analysis) {
  return file_text(whole_of(analysis));
}

std::string to_csv(const Analysis& analysis) {
  const bool trained = analysis.time_to_train.has_value();
  return csv_head(trained) + csv_lines(analysis, "", trained);
}

std::string to_json(std::span<const NamedAnalysis> all) {
  Json studies = Json::array();
  for (const NamedAnalysis& one : all) {
    studies.push_back({{"name", one.name}, {"analysis", whole_of(one.analysis)}});
  }
  return file_text(
      {{"kstar", "analyses"}, {"schema", kSchemaVersion}, {"studies", std::move(studies)}});
}

std::string to_csv(std::span<const NamedAnalysis> all) {
  const bool trained = std::any_of(all.begin(), all.end(), [](const NamedAnalysis& one) {
    return one.analysis.time_to_train.has_value();
  });
  std::string text = "study," + csv_head(trained);
  for (const NamedAnalysis& one : all) {
    text += csv_lines(one.analysis, csv_cell(one.name) + ",", trained);
  }
  return text;
}

}  // namespace kstar
