#include "kstar/compare_report.h"

#include <fmt/format.h>

#include "report/csv.h"
#include "report/json_parts.h"
#include "report/verdict_json.h"

namespace kstar {

namespace {

using kstar::to_json;

constexpr int kSchemaVersion = 2;

Json to_json(const RatioChange& change) {
  return {{"ratio", to_json(change.ratio)}, {"p", change.p}, {"adjusted_p", change.adjusted_p}};
}

Json to_json(const SlowRuns& slow) {
  return {{"before", slow.before}, {"runs_before", slow.runs_before},
          {"after", slow.after},   {"runs_after", slow.runs_after},
          {"p", slow.p},           {"adjusted_p", slow.adjusted_p},
          {"factor", slow.factor}};
}

Json to_json(const WorkersChange& point) {
  return {{"workers", point.workers},
          {"runs_before", point.runs_before},
          {"runs_after", point.runs_after},
          {"time_before", to_json(point.before)},
          {"time_after", to_json(point.after)},
          {"time", to_json(point.time)},
          {"typical", optional_of(point.typical, to_json)},
          {"verdict", name_of(point.verdict)},
          {"slow_runs", optional_of(point.slow_runs, to_json)},
          {"by_slow_runs", point.by_slow_runs},
          {"settled", point.settled},
          {"more_runs", point.more_runs},
          {"efficiency_before", to_json(point.efficiency_before)},
          {"efficiency_after", to_json(point.efficiency_after)},
          {"efficiency", optional_of(point.efficiency, to_json)}};
}

Json to_json(const JointChange& joint) {
  return {{"ratio", to_json(joint.ratio)}, {"p", joint.p}, {"verdict", name_of(joint.verdict)}};
}

Json to_json(const PartChange& part) {
  return {{"name", part.name},
          {"seconds", part.time},
          {"before", to_json(part.before)},
          {"after", to_json(part.after)},
          {"clear", part.clear}};
}

Json models_of(const Comparison& comparison) {
  if (comparison.form.empty()) return nullptr;
  return {{"form", comparison.form},
          {"weight_before", comparison.form_weight_before},
          {"weight_after", comparison.form_weight_after},
          {"parts", list_of(comparison.parts, to_json)}};
}

Json to_json(const CauseChange& cause) {
  return {{"name", name_of(cause.kind)},
          {"or_else", names_of(cause.or_else)},
          {"before", to_json(cause.before)},
          {"after", to_json(cause.after)}};
}

Json to_json(const GateOutcome& outcome) {
  return {{"gate", outcome.gate.text},
          {"verdict", name_of(outcome.verdict)},
          {"evidence", outcome.evidence}};
}

void add_cells(std::initializer_list<double> values, std::string& line) {
  for (const double value : values) line += "," + csv_number(value);
}

void add_cells(const RatioChange& change, std::string& line) {
  add_cells({change.ratio.point, change.ratio.low, change.ratio.high, change.p, change.adjusted_p},
            line);
}

std::string line_of(const WorkersChange& point) {
  std::string line = fmt::format("{},{},{}", point.workers, point.runs_before, point.runs_after);
  add_cells({point.before.point, point.after.point}, line);
  add_cells(point.time, line);
  line += fmt::format(",{},{},", name_of(point.verdict), point.settled ? "yes" : "no");
  if (point.more_runs) line += std::to_string(*point.more_runs);
  if (point.efficiency) add_cells(*point.efficiency, line);
  if (!point.efficiency) line += ",,,,,";
  if (point.typical) add_cells(*point.typical, line);
  return line + (point.typical ? "\n" : ",,,,,\n");
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
               {"regime", comparison.regime ? Json(name_of(*comparison.regime)) : Json()},
               {"base_workers", comparison.base_workers},
               {"times_compared", comparison.times_compared},
               {"passed", comparison.passed},
               {"gates", list_of(comparison.gates, to_json)},
               {"points", list_of(comparison.points, to_json)}};
  json["joint"] = optional_of(comparison.joint, to_json);
  json["slow_runs"] = optional_of(comparison.slow_runs, to_json);
  const SessionEvidence& sessions = comparison.sessions;
  json["sessions"] = {{"interleaved", sessions.interleaved},
                      {"none", sessions.none},
                      {"before", sessions.before},
                      {"after", sessions.after},
                      {"deviation", sessions.deviation}};
  json["busy_machine"] = comparison.busy_machine;
  json["next_command"] = comparison.next_command.empty() ? Json() : Json(comparison.next_command);
  json["bend"] = {{"before", optional_of(bend.before, to_json)},
                  {"after", optional_of(bend.after, to_json)},
                  {"clear", bend.bend_clear}};
  json["verdict"] = {{"before", to_json(bend.verdict_before)},
                     {"after", to_json(bend.verdict_after)},
                     {"clear", bend.verdict_clear}};
  json["models"] = models_of(comparison);
  json["causes"] = {{"workers_before", comparison.causes_at_before},
                    {"workers_after", comparison.causes_at_after},
                    {"list", list_of(comparison.causes, to_json)}};
  json["notes"] = list_of(comparison.notes, to_json);
  return file_text(json);
}

std::string to_csv(const Comparison& comparison) {
  std::string text =
      "workers,runs_before,runs_after,time_before,time_after,ratio,ratio_low,ratio_high,p,"
      "adjusted_p,verdict,settled,more_runs,efficiency_ratio,efficiency_ratio_low,"
      "efficiency_ratio_high,efficiency_p,efficiency_adjusted_p,typical_ratio,typical_ratio_low,"
      "typical_ratio_high,typical_p,typical_adjusted_p\n";
  for (const WorkersChange& point : comparison.points) text += line_of(point);
  return text;
}

}  // namespace kstar
