#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "exec/program.h"
#include "exec/spawn.h"
#include "exec/to_outcome.h"
#include "kstar/executor.h"
#include "kstar/inside.h"
#include "kstar/measure.h"
#include "kstar/placeholders.h"
#include "launch/launch_at.h"

namespace kstar {

namespace {

/// 0, or why chdir(2) would refuse.
int folder_problem(const std::string& folder) {
  struct stat facts {};
  if (::stat(folder.c_str(), &facts) != 0) return errno;
  if (!S_ISDIR(facts.st_mode)) return ENOTDIR;
  return ::access(folder.c_str(), X_OK) == 0 ? 0 : errno;
}

/// At one K: it may be in a program's name. What is started here is asked for: of a job on ranks it
/// is the launcher, and what that can start on its nodes is not known here.
Result<void> check_commands(const MeasureSpec& spec, std::int64_t workers) {
  for (const Role role : {Role::kParallel, Role::kBaseline}) {
    if (role == Role::kBaseline && spec.baseline.empty()) continue;
    const Result<Launch> launch = launch_at(spec, role, workers);
    if (!launch) return fail(launch.error());
    if (Result<void> can = check_program_can_start(launch->plan); !can) return can;
  }
  if (spec.check_command.empty()) return {};
  Result<std::vector<std::string>> check = expand_check(spec, workers);
  if (!check) return fail(check.error());
  return check_program_can_start({.command = std::move(*check)});
}

}  // namespace

Result<void> check_program_can_start(const LaunchPlan& plan) {
  if (!plan.folder.empty()) {
    if (const int problem = folder_problem(plan.folder); problem != 0) {
      return fail(start_error(plan, StartStep::kFolder, problem));
    }
  }
  const int problem = program_problem(PreparedJob(plan).program, plan.folder);
  if (problem == 0) return {};
  return fail(start_error(plan, StartStep::kProgram, problem));
}

Result<void> check_programs_can_start(const MeasureSpec& spec) {
  for (const std::int64_t k : spec.workers) {
    if (Result<void> can = check_commands(spec, k); !can) return can;
  }
  if (spec.inside > 0) {
    if (const Result<std::string> library = inside_library(); !library) {
      return fail(library.error());
    }
  }
  return {};
}

}  // namespace kstar
