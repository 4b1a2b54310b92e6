#include "exec/to_outcome.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace kstar {

namespace {

std::string reason_text(int number) {
  return std::error_code(number, std::generic_category()).message();
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Error start_error(const LaunchPlan& plan, StartStep step, int reason) {
  const std::string program = plan.command.empty() ? "" : printable(plan.command[0]);
  Error error{.where = program, .message = fmt::format("cannot start: {}", reason_text(reason))};
  if (step == StartStep::kFolder) {
    error.message = fmt::format("cannot start in the folder '{}': {}", printable(plan.folder),
                                reason_text(reason));
  } else if (step == StartStep::kCpus) {
    error.message = fmt::format("cannot bind to the CPUs {}: {}", fmt::join(plan.cpus, ","),
                                reason_text(reason));
    error.hint = "a cpuset or a container may not allow these CPUs; try without binding";
  } else if (reason == ENOENT && program.find('/') == std::string::npos) {
    error.hint = "there is no such program in PATH; one in this folder is called ./" + program;
  } else if (reason == ENOENT) {
    error.hint = "the program is not there, or the interpreter named in its first line is not";
  } else if (reason == EACCES) {
    error.hint = "it is not executable: chmod +x makes it so";
  } else if (reason == ENOEXEC) {
    error.hint = "a script needs a first line such as #!/bin/sh, or a shell to run it";
  }
  return error;
}

Result<Outcome> to_outcome(const LaunchPlan& plan, RunReport report) {
  const RunFacts& facts = report.facts;
  if (facts.failed != StartStep::kNone) {
    return fail(start_error(plan, facts.failed, facts.reason));
  }
  Outcome outcome;
  outcome.start = facts.start;
  outcome.clock = facts.clock;
  outcome.wall = facts.wall;
  if (facts.ended && WIFEXITED(facts.status)) outcome.exit_status = WEXITSTATUS(facts.status);
  if (facts.ended && WIFSIGNALED(facts.status)) outcome.signal = WTERMSIG(facts.status);
  outcome.timed_out = facts.timed_out;
  outcome.interrupted = facts.interrupted;
  outcome.stragglers = facts.stragglers;
  if (const int left = facts.unended + (facts.ended ? 0 : 1); left > 0) {
    outcome.trouble = fmt::format("{} of its processes could not be ended", left);
  }
  outcome.cpu_user = seconds(facts.usage.ru_utime);
  outcome.cpu_system = seconds(facts.usage.ru_stime);
  if (facts.usage.ru_maxrss > facts.memory_floor) {
    outcome.peak_memory = facts.usage.ru_maxrss * 1024;
  }
  outcome.minor_faults = facts.usage.ru_minflt;
  outcome.major_faults = facts.usage.ru_majflt;
  outcome.voluntary_switches = facts.usage.ru_nvcsw;
  outcome.involuntary_switches = facts.usage.ru_nivcsw;
  outcome.load = facts.surroundings.load;
  outcome.cpu_others = facts.surroundings.cpu_others;
  outcome.cpu_stolen = facts.surroundings.cpu_stolen;
  outcome.migrations = facts.surroundings.migrations;
  outcome.output = std::move(report.output.text);
  outcome.output_left_out = report.output.left_out;
  outcome.error_output = std::move(report.error_output.text);
  outcome.error_left_out = report.error_output.left_out;
  return outcome;
}

}  // namespace kstar
