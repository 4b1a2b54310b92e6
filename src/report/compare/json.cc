#include "kstar/compare_report.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

using json_parts::estimate;
using json_parts::Json;
using json_parts::number;

constexpr int kSchemaVersion = 1;

Json json_of(const RatioChange& change) {
  return {{"ratio", estimate(change.ratio)},
          {"p", number(change.p)},
          {"adjusted_p", number(change.adjusted_p)}};
}

Json json_of(const WorkersChange& point) {
  return {{"workers", point.workers},
          {"runs_before", point.runs_before},
          {"runs_after", point.runs_after},
          {"time_before", estimate(point.before)},
          {"time_after", estimate(point.after)},
          {"time", json_of(point.time)},
          {"verdict", name_of(point.verdict)},
          {"settled", point.settled},
          {"more_runs", point.more_runs ? Json(*point.more_runs) : Json(nullptr)},
          {"efficiency_before", estimate(point.efficiency_before)},
          {"efficiency_after", estimate(point.efficiency_after)},
          {"efficiency", point.efficiency ? json_of(*point.efficiency) : Json(nullptr)}};
}

Json json_of(const std::optional<Bend>& bend) {
  return bend ? json_parts::bend(*bend) : Json(nullptr);
}

Json json_of(const WorkersAdvice& advice) {
  return {{"workers", advice.workers},
          {"low", advice.low},
          {"high", advice.high},
          {"open", advice.open},
          {"least_time_workers", advice.least_time_workers}};
}

Json models_of(const Comparison& comparison) {
  if (comparison.form.empty()) return nullptr;
  Json parts = Json::array();
  for (const PartChange& part : comparison.parts) {
    parts.push_back({{"name", part.name},
                     {"seconds", part.time},
                     {"before", estimate(part.before)},
                     {"after", estimate(part.after)},
                     {"clear", part.clear}});
  }
  return {{"form", comparison.form},
          {"weight_before", number(comparison.form_weight_before)},
          {"weight_after", number(comparison.form_weight_after)},
          {"parts", std::move(parts)}};
}

Json json_of(const CauseChange& cause) {
  Json others = Json::array();
  for (const CauseKind other : cause.or_else) others.push_back(name_of(other));
  return {{"name", name_of(cause.kind)},
          {"or_else", std::move(others)},
          {"before", estimate(cause.before)},
          {"after", estimate(cause.after)}};
}

Json json_of(const GateOutcome& outcome) {
  return {{"gate", outcome.gate.text},
          {"verdict", name_of(outcome.verdict)},
          {"evidence", outcome.evidence}};
}

template <typename T>
Json list(const std::vector<T>& values) {
  Json all = Json::array();
  for (const T& value : values) all.push_back(json_of(value));
  return all;
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  const BendChange& bend = comparison.bend;
  Json json = {{"kstar", "comparison"},
               {"schema", kSchemaVersion},
               {"before", comparison.before},
               {"after", comparison.after},
               {"confidence", comparison.confidence},
               {"smallest", comparison.smallest},
               {"threshold", comparison.threshold},
               {"regime", comparison.regime ? Json(name_of(*comparison.regime)) : Json(nullptr)},
               {"base_workers", comparison.base_workers},
               {"times_compared", comparison.times_compared},
               {"passed", comparison.passed},
               {"gates", list(comparison.gates)},
               {"points", list(comparison.points)}};
  json["bend"] = {
      {"before", json_of(bend.before)}, {"after", json_of(bend.after)}, {"clear", bend.bend_clear}};
  json["recommendation"] = {{"before", json_of(bend.advice_before)},
                            {"after", json_of(bend.advice_after)},
                            {"clear", bend.advice_clear}};
  json["models"] = models_of(comparison);
  json["causes"] = {{"workers_before", comparison.causes_at_before},
                    {"workers_after", comparison.causes_at_after},
                    {"list", list(comparison.causes)}};
  json["notes"] = Json::array();
  for (const Note& note : comparison.notes) json["notes"].push_back(json_parts::note(note));
  return json_parts::text(json);
}

}  // namespace kstar
