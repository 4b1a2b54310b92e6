#include "measure/time_source_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "exec/captured_output.h"
#include "kstar/placeholders.h"
#include "spec/batch.h"

namespace kstar {

namespace {

/// Printed times are rounded and may overlap the clock's edges a little; beyond this they are not
/// times of this run.
constexpr double kSlackShare = 1.1, kSlackSeconds = 0.1;

Error more_than_wall(double sum, double wall) {
  return {.message = fmt::format("the times it printed add up to {} s, and it ran for {} s",
                                 significant(sum, 4), significant(wall, 4)),
          .hint = "is --time-unit right? does every worker print its own? are totals among them?"};
}

/// One time in all that was kept is the one that the program prints; of several, nobody knows how
/// many there were.
Error may_lack_times(std::size_t found, std::size_t left_out) {
  return {.message = fmt::format("its times may not be complete: {} were found{}", found,
                                 but_left_out(left_out)),
          .hint = "let it print less, or its log go to a file"};
}

}  // namespace

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
    return fail(
        {.message = fmt::format("it printed no time: nothing in its output fits {}{}", described(),
                                but_left_out(outcome.output_left_out + outcome.error_left_out))});
  }
  if (left_out > 0 && numbers->size() > 1) return fail(may_lack_times(numbers->size(), left_out));
  Result<std::vector<double>> steps = seconds_of(*numbers, run.workers);
  if (!steps) return fail(steps.error());
  if (!spec_.time_is_rate || has_work()) {
    const double sum = std::accumulate(steps->begin(), steps->end(), 0.0);
    if (sum > kSlackShare * outcome.wall + kSlackSeconds) {
      return fail(more_than_wall(sum, outcome.wall));
    }
    if (left_out == 0) run.setup = std::max(0.0, outcome.wall - sum);
  }
  run.steps = std::move(*steps);
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
  }
  if (*std::max_element(seconds.begin(), seconds.end()) <= 0) {
    return fail({.message = "it printed nothing but times of 0",
                 .hint = "let it print more digits or a smaller unit"});
  }
  return seconds;
}

std::string OutputTime::setup() const {
  if (spec_.time_is_rate && !has_work()) {
    return "whatever the program leaves out of the rates it prints; how long that takes is unknown";
  }
  return "everything outside the times that the program prints: start, loading, shutdown";
}

std::string OutputTime::setup_method() const {
  if (spec_.time_is_rate && !has_work()) return fmt::format("rates from {}", described());
  return fmt::format("wall less the sum of the steps from {}", described());
}

}  // namespace kstar
