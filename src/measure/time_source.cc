#include "kstar/time_source.h"

#include <fmt/format.h>

#include "measure/time_source_output.h"

namespace kstar {

namespace {

class ProcessTime : public TimeSource {
 public:
  Result<void> read(const Outcome& outcome, const std::string&, Run& run) const override {
    run.wall = outcome.wall;
    return {};
  }
  std::string setup() const override { return "nothing: the whole process counts"; }
  std::string setup_method() const override { return "none"; }
};

class MarkedTime : public TimeSource {
 public:
  explicit MarkedTime(MarkReader reader) : reader_(std::move(reader)) {}

  Result<void> read(const Outcome& outcome, const std::string& folder, Run& run) const override {
    run.wall = outcome.wall;
    Result<Run> marked = reader_(outcome, folder);
    if (!marked) return fail(marked.error());
    if (marked->steps.empty()) {
      return fail(
          {.message = "it marked no step",
           .hint = "call kstar_mark_step_begin and kstar_mark_step_end, or use --time process"});
    }
    run.setup = marked->setup;
    run.steps = std::move(marked->steps);
    run.warm_up_steps = marked->warm_up_steps;
    run.per_worker = std::move(marked->per_worker);
    return {};
  }
  std::string setup() const override { return "what the program marks as setup"; }
  std::string setup_method() const override { return "marks in the program"; }

 private:
  MarkReader reader_;
};

Result<void> check_rate(const MeasureSpec& spec) {
  const bool from_output =
      spec.time_from == TimeFrom::kPattern || spec.time_from == TimeFrom::kJson;
  if (spec.time_is_rate && !from_output) {
    return fail({.where = "--rate",
                 .message = "expected rates in the output",
                 .hint = "say where: --time-regex or --time-json"});
  }
  if (spec.time_work && !spec.time_is_rate) {
    return fail({.where = "--work",
                 .message = "expected rates in the output, got times",
                 .hint = "--rate says that they are rates"});
  }
  if (spec.time_is_rate && spec.regime == Regime::kWeak && !spec.time_work && !spec.batch) {
    return fail({.where = "--rate",
                 .message = "weak scaling needs the work of a step to turn a rate into a time",
                 .hint = "say --work or --batch: of one worker"});
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TimeSource>> make_time_source(const MeasureSpec& spec, MarkReader marks) {
  if (const Result<void> checked = check_rate(spec); !checked) return fail(checked.error());
  switch (spec.time_from) {
    case TimeFrom::kPattern:
      return pattern_time(spec);
    case TimeFrom::kJson:
      return json_time(spec);
    case TimeFrom::kMarks:
      if (!marks) return fail({.where = "--time marks", .message = "nothing here reads marks"});
      return std::make_unique<MarkedTime>(std::move(marks));
    case TimeFrom::kProcess:
      break;
  }
  return std::make_unique<ProcessTime>();
}

Result<void> check_time_source(const MeasureSpec& spec) {
  const auto any_marks = [](const Outcome&, const std::string&) -> Result<Run> { return Run{}; };
  const Result<std::unique_ptr<TimeSource>> made = make_time_source(spec, any_marks);
  if (!made) return fail(made.error());
  return {};
}

}  // namespace kstar
