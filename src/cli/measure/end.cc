#include "cli/measure/end.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/words.h"

namespace kstar {

namespace {

bool is_known(const MeasurePoint& point) {
  return point.verdict && std::isfinite(point.verdict->relative_half_width);
}

/// "K = 4: +-3.1%": the points that are not as precise as asked.
std::string reached(const MeasureSpec& spec, const MeasureResult& result) {
  if (spec.runs) return "";
  std::string text;
  for (const MeasurePoint& point : result.points) {
    if (!is_known(point) || point.verdict->precise) continue;
    text += fmt::format(
        "{}{}: +-{}", text.empty() ? "; reached " : ", ",
        point.role == Role::kBaseline ? "baseline" : fmt::format("K = {}", point.workers),
        percent(point.verdict->relative_half_width, 1));
  }
  return text;
}

std::string reason_words(MeasureEnd end) {
  switch (end) {
    case MeasureEnd::kPrecise:
      return "";
    case MeasureEnd::kLimit:
      return "stopped at the limit of runs or failures: not every K has the requested precision";
    case MeasureEnd::kBudget:
      return "the budget is used up: not every K has the requested precision";
    case MeasureEnd::kInterrupted:
      return "interrupted; --resume continues";
  }
  return "";
}

/// The runs that the widest K would need; 0 where none needs more.
int runs_needed(const MeasureSpec& spec, const MeasureResult& result) {
  constexpr int kStep = 10;
  double most = 0;
  for (const MeasurePoint& point : result.points) {
    if (!is_known(point) || point.verdict->precise || point.given_up) continue;
    const double ratio = point.verdict->relative_half_width / spec.precision;
    most = std::max(most, static_cast<double>(point.times.size()) * ratio * ratio);
  }
  constexpr double kLargest = 1e6;
  return static_cast<int>(std::ceil(std::min(most, kLargest) / kStep)) * kStep;
}

/// The budget twice.
std::string doubled_budget(const MeasureSpec& spec) {
  std::string text;
  if (spec.budget_seconds) text = duration_text(2 * *spec.budget_seconds);
  if (spec.budget_worker_hours) {
    text += fmt::format("{}{}wh", text.empty() ? "" : ",", shortest(2 * *spec.budget_worker_hours));
  }
  return text;
}

/// Without a flag that is said anew; its value may stand in the next word.
void leave_out(std::vector<std::string>& flags, const std::string& flag, bool has_value) {
  for (auto word = flags.begin(); word != flags.end();) {
    const bool alone = *word == flag;
    if (!alone && !word->starts_with(flag + "=")) {
      ++word;
      continue;
    }
    const auto count = std::min<std::ptrdiff_t>(alone && has_value ? 2 : 1, flags.end() - word);
    word = flags.erase(word, word + count);
  }
}

}  // namespace

std::string end_words(const MeasureSpec& spec, const MeasureResult& result) {
  const std::string reason = reason_words(result.end);
  return reason.empty() ? "" : reason + reached(spec, result);
}

std::string next_command(const MeasureSpec& spec, const MeasureResult& result,
                         const Arguments& arguments) {
  const auto dashes = std::find(arguments.words.begin(), arguments.words.end(), "--");
  std::vector<std::string> flags(arguments.words.begin(), dashes);
  leave_out(flags, "--force", false);
  leave_out(flags, "--resume", false);
  std::vector<std::string> more = {"--resume"};
  if (result.end == MeasureEnd::kBudget) {
    leave_out(flags, "--budget", true);
    more.insert(more.end(), {"--budget", doubled_budget(spec)});
  } else if (result.end == MeasureEnd::kLimit) {
    const int runs = runs_needed(spec, result);
    if (spec.runs || runs <= spec.max_runs) return "";
    leave_out(flags, "--max-runs", true);
    more.insert(more.end(), {"--max-runs", std::to_string(runs)});
  } else if (result.end == MeasureEnd::kPrecise) {
    return "";
  }
  if (!arguments.has("output") && !arguments.has("spec")) {
    more.insert(more.end(), {"-o", spec.output});
  }
  flags.insert(flags.begin() + (flags.empty() ? 0 : 1), more.begin(), more.end());
  flags.insert(flags.end(), dashes, arguments.words.end());
  return "kstar " + join_words(flags);
}

}  // namespace kstar
