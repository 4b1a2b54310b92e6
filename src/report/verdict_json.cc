#include "report/verdict_json.h"

#include <cmath>

#include "kstar/words.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

Json doubt_json(const Doubt& doubt) {
  Json values = Json::object();
  for (const auto& [name, value] : doubt.note.values) {
    std::visit([&](const auto& each) { values[name] = each; }, value.value);
  }
  return {{"code", doubt.note.what},
          {"severity", name_of(doubt.note.severity)},
          {"questions_verdict", doubt.questions_verdict},
          {"where", doubt.note.where},
          {"values", std::move(values)},
          {"text", doubt_words(doubt)}};
}

Json larger_json(const LargerWorkers& larger) {
  return {{"workers", larger.workers},
          {"speedup", to_json(larger.speedup)},
          {"efficiency", to_json(larger.efficiency)},
          {"gain", larger.gain},
          {"cost", larger.cost}};
}

Json loss_json(const LossReason& reason) {
  return {{"cause", name_of(reason.cause)},
          {"measured", reason.measured},
          {"share", to_json(reason.share)},
          {"probability", reason.probability}};
}

Json next_json(const Verdict& verdict) {
  const NextStep& next = verdict.next;
  if (next.code == NextStepCode::kNone) return nullptr;
  return {{"code", name_of(next.code)},
          {"workers", next.workers},
          {"runs", next.runs},
          {"command", next.command.empty() ? Json() : Json(next.command)},
          {"text", next_step_words(verdict)}};
}

}  // namespace

Json to_json(const NetworkVerdict& verdict) {
  return {{"role", name_of(verdict.role)},
          {"text", network_words(verdict)},
          {"workers", verdict.workers},
          {"seconds", verdict.spent},
          {"with_waiting", verdict.waits},
          {"expected",
           {{"point", verdict.expected.point},
            {"low", verdict.expected.low},
            {"high", std::isfinite(verdict.expected.high) ? Json(verdict.expected.high) : Json()}}},
          {"collective", verdict.collective},
          {"bytes", verdict.bytes},
          {"from", verdict.from}};
}

Json to_json(const Verdict& verdict) {
  return {{"state", name_of(verdict.state)},
          {"reason", name_of(verdict.reason)},
          {"text", verdict_words(verdict)},
          {"workers", verdict.workers},
          {"low", verdict.low},
          {"high", verdict.high},
          {"probability", verdict.probability},
          {"threshold", verdict.threshold},
          {"basis", verdict.computed      ? "computed"
                    : verdict.by_training ? "training"
                                          : "times"},
          {"regime", verdict.regime ? Json(name_of(*verdict.regime)) : Json()},
          {"regime_source", name_of(verdict.regime_source)},
          {"problem_grows", verdict.problem_grows},
          {"base_workers", verdict.base_workers},
          {"base_role", name_of(verdict.base_role)},
          {"bends_at", verdict.bends_at},
          {"likeliest", verdict.likeliest},
          {"largest_workers", verdict.largest_workers},
          {"machine_workers", verdict.machine_workers},
          {"good_again", verdict.good_again},
          {"least_time_workers", verdict.least_time_workers},
          {"larger", optional_of(verdict.larger, larger_json)},
          {"loss_at", verdict.loss_at},
          {"loss", list_of(verdict.loss, loss_json)},
          {"doubts", list_of(verdict.doubts, doubt_json)},
          {"next", next_json(verdict)}};
}

}  // namespace kstar
