#include "measure/beside.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/try.h"
#include "kstar/placeholders.h"

namespace kstar {

namespace {

std::string end_of(const Outcome& outcome) {
  if (outcome.signal) return fmt::format("was ended by signal {}", *outcome.signal);
  return fmt::format("returned {}", outcome.exit_status.value_or(-1));
}

/// The last lines of what it printed, its errors before its output.
std::string last_lines_of(const Outcome& outcome) {
  constexpr std::size_t kLines = 8;
  std::string_view text = trim(outcome.error_output);
  if (text.empty()) text = trim(outcome.output);
  const std::vector<std::string_view> lines = split(text, '\n');
  std::string shown;
  for (std::size_t i = lines.size() - std::min(lines.size(), kLines); i < lines.size(); ++i) {
    shown += "  " + printable(lines[i]) + "\n";
  }
  return text.empty() ? "" : shown;
}

}  // namespace

Result<double> BesideRuns::run(std::string_view flag, const std::vector<std::string>& words,
                               int workers, bool after_stop) {
  if (words.empty()) return 0;
  LaunchPlan plan;
  KSTAR_TRY(plan.command, expand_beside(spec_, words, workers, flag));
  KSTAR_TRY(plan.variables, expand_variables(spec_, workers));
  plan.variables.emplace_back("KSTAR_K", std::to_string(workers));
  plan.after_stop = after_stop;
  const Result<Outcome> outcome = executor_.run(plan);
  if (!outcome) {
    return fail({.where = std::string(flag),
                 .message = fmt::format("{}: {}", outcome.error().where, outcome.error().message)});
  }
  if (outcome->interrupted && !after_stop) {
    return fail({.message = "interrupted", .code = ExitCode::kInterrupted});
  }
  if (outcome->exit_status == 0 && outcome->trouble.empty()) return outcome->wall;
  const std::string line = shorten(fmt::format("{}", fmt::join(words, " ")), 60);
  return fail(
      {.where = std::string(flag),
       .message = fmt::format("'{}' at K = {} {}", printable(line), workers,
                              outcome->trouble.empty() ? end_of(*outcome) : outcome->trouble),
       .hint = "the runs before it are kept, and --resume continues them",
       .excerpt = last_lines_of(*outcome)});
}

Result<double> BesideRuns::before_run(int workers) {
  double seconds = 0;
  if (!begun_.contains(workers)) {
    KSTAR_TRY(seconds, run("--setup", spec_.setup, workers, false));
    begun_.insert(workers);
  }
  KSTAR_TRY(const double prepared, run("--prepare", spec_.prepare, workers, false));
  return seconds + prepared;
}

Result<void> BesideRuns::after_last() {
  Result<void> all;
  for (const int workers : begun_) {
    const Result<double> cleaned = run("--cleanup", spec_.cleanup, workers, true);
    if (!cleaned && all) all = fail(cleaned.error());
  }
  return all;
}

}  // namespace kstar
