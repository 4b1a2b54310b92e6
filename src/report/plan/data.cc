#include <cmath>

#include "base/number.h"
#include "kstar/plan_report.h"
#include "report/csv.h"
#include "report/json_parts.h"
#include "report/verdict_json.h"

namespace kstar {

namespace {

using kstar::to_json;

constexpr int kPlanSchema = 2;

std::string_view doubling_name(DoublingKind kind) {
  switch (kind) {
    case DoublingKind::kGains:
      return "gains";
    case DoublingKind::kNothing:
      return "nothing";
    case DoublingKind::kSlower:
      break;
  }
  return "slower";
}

Json to_json(const PlanPoint& point) {
  return {{"workers", point.workers},
          {"time", point.time},
          {"time_low", point.time_low},
          {"time_high", point.time_high},
          {"cost", point.cost},
          {"cost_low", point.cost_low},
          {"cost_high", point.cost_high},
          {"efficiency", point.efficiency},
          {"idle_workers", point.idle},
          {"worker_hours", point.worker_hours},
          {"energy_kwh", point.energy},
          {"cost_per_result", point.result_cost},
          {"memory", point.memory},
          {"fits_memory", point.fits},
          {"beyond_measured", point.beyond}};
}

Json to_json(const Doubling& next) {
  return {{"buys", doubling_name(next.kind)},
          {"saved", next.saved},
          {"cost", next.cost},
          {"cost_per_hour", next.per_hour},
          {"slower_from", next.slower_from}};
}

Json to_json(const PlanRow& row) {
  Json json = to_json(row.point);
  json["next_doubling"] = optional_of(row.next, to_json);
  return json;
}

Json to_json(const PlanAnswer& answer) {
  const bool limit = answer.goal.limit > 0;
  return {{"goal", name_of(answer.goal.kind)},
          {"limit", limit ? Json(answer.goal.limit) : Json()},
          {"best", optional_of(answer.best, to_json)},
          {"nearest", optional_of(answer.nearest, to_json)},
          {"untried", optional_of(answer.untried, to_json)},
          {"low", answer.low},
          {"high", answer.high},
          {"probability", answer.probability},
          {"kept", answer.kept},
          {"open", answer.open},
          {"no_gain", answer.no_gain},
          {"least_workers_for_memory", answer.limited_by_memory},
          {"next_doubling", optional_of(answer.next, to_json)}};
}

Json to_json(const LargerProblem& larger) {
  return {{"workers", larger.workers},
          {"time", larger.time},
          {"size", larger.size},
          {"efficiency", larger.efficiency}};
}

Json to_json(const ManyJobs& many) {
  return {{"jobs", many.jobs},
          {"pool", many.pool},
          {"wide", {{"workers", many.wide_workers}, {"time", many.wide_time}}},
          {"best",
           {{"workers", many.workers}, {"side_by_side", many.side_by_side}, {"time", many.time}}}};
}

Json to_json(const Checkpoints& all) {
  return {{"workers", all.workers},
          {"between_interruptions", all.between},
          {"young_interval", all.young},
          {"daly_interval", all.daly},
          {"overhead", all.overhead}};
}

}  // namespace

std::string to_json(const Plan& plan) {
  const CostRates& rates = plan.options.rates;
  const Json json = {
      {"kstar", "plan"},
      {"schema", kPlanSchema},
      {"title", plan.title},
      {"source", plan.law ? "law" : "study"},
      {"time_unit", plan.seconds ? "s" : "T(1)"},
      {"cost_unit", rates.price    ? rates.currency
                    : plan.seconds ? "worker-hours"
                                   : "T(1)"},
      {"price_per_worker_hour", rates.price},
      {"work", plan.work},
      {"sure", plan.options.sure},
      {"confidence", plan.options.confidence},
      {"result", plan.options.result},
      {"largest_measured", plan.largest_measured > 0 ? Json(plan.largest_measured) : Json()},
      {"doubt", plan.doubt},
      {"verdict", optional_of(plan.verdict, to_json)},
      {"answers", list_of(plan.answers, to_json)},
      {"rows", list_of(plan.rows, to_json)},
      {"many_jobs", optional_of(plan.many, to_json)},
      {"larger_problem", list_of(plan.larger, to_json)},
      {"checkpoints", optional_of(plan.checkpoints, to_json)},
      {"notes", plan.notes}};
  return file_text(json);
}

std::string to_csv(const Plan& plan) {
  std::string text = "K,time,cost,efficiency,next_saves,next_costs\n";
  for (const PlanRow& row : plan.rows) {
    text += shortest(row.point.workers) + "," + csv_number(row.point.time) + "," +
            csv_number(row.point.cost) + "," + csv_number(row.point.efficiency) + "," +
            (row.next ? csv_number(row.next->saved) : "") + "," +
            (row.next ? csv_number(row.next->cost) : "") + "\n";
  }
  return text;
}

}  // namespace kstar
