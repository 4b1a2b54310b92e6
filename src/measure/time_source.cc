#include "kstar/time_source.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "base/number.h"
#include "base/pattern.h"
#include "base/text.h"
#include "base/try.h"
#include "exec/captured_output.h"
#include "kstar/placeholders.h"
#include "spec/workload.h"

namespace kstar {

namespace {

/// The numbers found in one stream, as they stand there.
using FoundNumbers = Result<std::vector<double>>;

/// What is common to times from a program's output: a subclass finds the numbers.
class OutputTime : public TimeSource {
 public:
  explicit OutputTime(const MeasureSpec& spec);

  Result<void> read(const Outcome& outcome, const std::string& marks_folder,
                    Run& run) const override;
  std::string setup() const override;
  std::string setup_method() const override;

 protected:
  /// None is no error; a number that cannot be read is one.
  virtual FoundNumbers find(std::string_view stream) const = 0;
  /// For messages: "the pattern 'x'".
  virtual std::string described() const = 0;

 private:
  /// The numbers as seconds of steps at K.
  Result<std::vector<double>> seconds_of(const std::vector<double>& numbers, int workers) const;
  /// Whether a rate's work is known, so that its steps are seconds of the clock.
  bool has_work() const { return spec_.time_work || spec_.batch; }

  MeasureSpec spec_;
  double unit_ = 1;  // seconds
};

/// Printed times are rounded and may overlap the clock's edges a little; beyond this they are not
/// times of this run.
constexpr double kSlackShare = 1.1, kSlackSeconds = 0.1;

Error more_than_wall(double sum, double wall) {
  return {.message = fmt::format("the times it printed add up to {} s, but it ran for {} s",
                                 significant(sum, 4), significant(wall, 4)),
          .hint =
              "check --time-unit, whether every worker prints its own times, and whether totals "
              "are among them"};
}

/// Of what was cut out nobody knows how many times there were.
Error may_lack_times(std::size_t found, std::size_t left_out) {
  return {.message = fmt::format("its times may be incomplete: {} {} found{}", found,
                                 found == 1 ? "was" : "were", but_left_out(left_out)),
          .hint = "make it print less, or write its log to a file"};
}

OutputTime::OutputTime(const MeasureSpec& spec)
    : spec_(spec), unit_(seconds_in_unit(spec.time_unit).value_or(1)) {}

Result<void> OutputTime::read(const Outcome& outcome, const std::string&, Run& run) const {
  run.wall = outcome.wall;
  FoundNumbers numbers = find(outcome.output);
  std::size_t left_out = outcome.output_left_out;
  if (numbers && numbers->empty()) {
    numbers = find(outcome.error_output);
    left_out = outcome.error_left_out;
  }
  if (!numbers) return fail(numbers.error());
  if (numbers->empty()) {
    return fail({.message = fmt::format(
                     "it printed no time: nothing in its output matches {}{}", described(),
                     but_left_out(outcome.output_left_out + outcome.error_left_out))});
  }
  if (left_out > 0) return fail(may_lack_times(numbers->size(), left_out));
  KSTAR_TRY(std::vector<double> steps, seconds_of(*numbers, run.workers));
  if (!spec_.time_is_rate || has_work()) {
    const double sum = std::accumulate(steps.begin(), steps.end(), 0.0);
    if (sum > kSlackShare * outcome.wall + kSlackSeconds) {
      return fail(more_than_wall(sum, outcome.wall));
    }
    run.setup = std::max(0.0, outcome.wall - sum);
  }
  run.steps = std::move(steps);
  return {};
}

Result<std::vector<double>> OutputTime::seconds_of(const std::vector<double>& numbers,
                                                   int workers) const {
  std::vector<double> seconds;
  double work = 1;
  if (spec_.time_is_rate) {
    if (spec_.batch) work = static_cast<double>(global_batch(spec_, workers));
    if (spec_.time_work) work = *spec_.time_work * size_factor(spec_, workers);
  }
  for (const double number : numbers) {
    if (number < 0 || (spec_.time_is_rate && number == 0)) {
      return fail({.message = fmt::format("it printed a {} of {}",
                                          spec_.time_is_rate ? "rate" : "time", number)});
    }
    seconds.push_back(spec_.time_is_rate ? work / number * unit_ : number * unit_);
    if (!std::isfinite(seconds.back())) {
      return fail({.message = fmt::format("it printed a {} of {}, which is no time that can be",
                                          spec_.time_is_rate ? "rate" : "time", number)});
    }
  }
  if (*std::max_element(seconds.begin(), seconds.end()) <= 0) {
    return fail({.message = "it printed only times of 0",
                 .hint = "make it print more digits or a smaller unit"});
  }
  return seconds;
}

std::string OutputTime::setup() const {
  if (spec_.time_is_rate && !has_work()) {
    return "whatever the program excludes from the rates it prints; how long that takes is unknown";
  }
  return "everything outside the times that the program prints: start, loading, shutdown";
}

std::string OutputTime::setup_method() const {
  if (spec_.time_is_rate && !has_work()) return fmt::format("rates from {}", described());
  return fmt::format("wall time minus the sum of the steps from {}", described());
}

using simdjson::dom::element;

/// The element at a path, or nothing. A key that holds dots itself is taken before a path.
std::optional<element> element_at(const element& root, std::string_view path) {
  element found;
  if (root.at_key(path).get(found) == simdjson::SUCCESS) return found;
  found = root;
  for (const std::string_view part : split(path, '.')) {
    element next;
    const auto place = parse_integer(part);
    const bool listed = found.is_array() && place && *place >= 0;
    const auto problem = listed ? found.at(static_cast<std::size_t>(*place)).get(next)
                                : found.at_key(part).get(next);
    if (problem != simdjson::SUCCESS) return std::nullopt;
    found = next;
  }
  return found;
}

class JsonTime : public OutputTime {
 public:
  explicit JsonTime(const MeasureSpec& spec) : OutputTime(spec), path_(spec.time_key) {}

 protected:
  FoundNumbers find(std::string_view stream) const override {
    std::vector<double> numbers;
    simdjson::dom::parser parser;
    std::size_t line_number = 0;
    for (const std::string_view raw : split(stream, '\n')) {
      ++line_number;
      const std::string_view line = trim(raw);
      if (!line.starts_with('{')) continue;  // a log has other lines, too
      element root;
      if (parser.parse(line.data(), line.size()).get(root) != simdjson::SUCCESS) continue;
      const std::optional<element> at = element_at(root, path_);
      if (!at) continue;
      double number = 0;
      if (at->get(number) != simdjson::SUCCESS) {
        return fail(expected(fmt::format("line {} of its output", line_number),
                             fmt::format("a number at '{}'", printable(path_)),
                             simdjson::to_string(*at)));
      }
      numbers.push_back(number);
    }
    return numbers;
  }
  std::string described() const override {
    return fmt::format("JSON lines with the key '{}'", printable(path_));
  }

 private:
  std::string path_;
};

Result<std::unique_ptr<TimeSource>> json_time(const MeasureSpec& spec) {
  if (spec.time_key.empty()) {
    return fail({.where = "--time json",
                 .message = "missing key of the times in the output",
                 .hint = "use --time-json KEY"});
  }
  return std::make_unique<JsonTime>(spec);
}

class PatternTime : public OutputTime {
 public:
  PatternTime(const MeasureSpec& spec, Pattern pattern)
      : OutputTime(spec), pattern_(std::move(pattern)) {}

 protected:
  FoundNumbers find(std::string_view stream) const override {
    std::vector<double> numbers;
    for (const std::string_view text : pattern_.matches(stream)) {
      const std::optional<double> number = parse_double(trim(text));
      if (!number) return fail(expected("", "a number where the pattern matches a time", text));
      numbers.push_back(*number);
    }
    return numbers;
  }
  std::string described() const override {
    return fmt::format("the pattern '{}'", printable(pattern_.text()));
  }

 private:
  Pattern pattern_;
};

Result<std::unique_ptr<TimeSource>> pattern_time(const MeasureSpec& spec) {
  if (spec.time_pattern.empty()) {
    return fail({.where = "--time pattern",
                 .message = "missing pattern of the times in the output",
                 .hint = "use --time-regex 'REGEX'"});
  }
  KSTAR_TRY(Pattern pattern, Pattern::compile(spec.time_pattern, "--time-regex"));
  return std::make_unique<PatternTime>(spec, std::move(pattern));
}

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
                 .hint = "use --time-regex or --time-json"});
  }
  if (spec.time_work && !spec.time_is_rate) {
    return fail({.where = "--work",
                 .message = "expected rates in the output, got times",
                 .hint = "--rate declares them as rates"});
  }
  if (spec.time_is_rate && spec.regime == Regime::kWeak && !spec.time_work && !spec.batch) {
    return fail({.where = "--rate",
                 .message = "weak scaling needs the work of a step to turn a rate into a time",
                 .hint = "use --work or --batch: of one worker"});
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<TimeSource>> make_time_source(const MeasureSpec& spec, MarkReader marks) {
  KSTAR_CHECK(check_rate(spec));
  switch (spec.time_from) {
    case TimeFrom::kPattern:
      return pattern_time(spec);
    case TimeFrom::kJson:
      return json_time(spec);
    case TimeFrom::kMarks:
      if (!marks) return fail({.where = "--time marks", .message = "marks cannot be read here"});
      return std::make_unique<MarkedTime>(std::move(marks));
    case TimeFrom::kProcess:
      break;
  }
  return std::make_unique<ProcessTime>();
}

Result<void> check_time_source(const MeasureSpec& spec) {
  const auto any_marks = [](const Outcome&, const std::string&) -> Result<Run> { return Run{}; };
  KSTAR_TRY(const std::unique_ptr<TimeSource> made, make_time_source(spec, any_marks));
  return {};
}

}  // namespace kstar
