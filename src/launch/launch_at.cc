#include "launch/launch_at.h"

#include "base/try.h"
#include "kstar/placeholders.h"
#include "spec/hosts.h"

namespace kstar {

namespace {

/// A plain K on this machine has no factors: what the program makes of it is its own affair.
bool has_factors(const MeasureSpec& spec) {
  return !starts_threads(spec.launcher) || !spec.shapes.empty();
}

/// What the spec asks its launcher for at one point: the one place where the two meet.
Result<LaunchRequest> request_at(const MeasureSpec& spec, Role role, std::int64_t workers) {
  const bool baseline = role == Role::kBaseline;
  KSTAR_TRY(std::vector<std::string> command,
            baseline ? expand_baseline(spec) : expand(spec, workers));
  KSTAR_TRY(auto variables, expand_variables(spec, workers));
  KSTAR_TRY(std::vector<std::string> hosts, resolve_hosts(spec.hosts));
  LaunchRequest request;
  request.command = std::move(command);
  request.shape = baseline ? Shape{} : shape_at(spec, workers);
  request.bind = spec.bind;
  request.gpus = spec.gpus;
  request.hosts = std::move(hosts);
  request.options = spec.launcher_options;
  request.program = spec.launcher_program;
  request.variables = std::move(variables);  // whatever must reach every rank stands here
  request.marks = spec.time_from == TimeFrom::kMarks;
  request.baseline = baseline;
  return request;
}

}  // namespace

Result<Launch> launch_at(const MeasureSpec& spec, Role role, std::int64_t workers,
                         const std::vector<std::pair<std::string, std::string>>& more) {
  const Result<Launcher> launcher = find_launcher(spec.launcher, spec.launchers);
  if (!launcher) return fail(launcher.error());
  KSTAR_TRY(LaunchRequest request, request_at(spec, role, workers));
  request.variables.insert(request.variables.end(), more.begin(), more.end());
  Result<Launch> launch = launcher->launch(request);
  if (!launch) return launch;
  // What the user sets wins over what the launcher sets.
  launch->plan.variables.insert(launch->plan.variables.end(), request.variables.begin(),
                                request.variables.end());
  launch->plan.time_limit = spec.time_limit;
  if (has_factors(spec)) {
    launch->nodes = request.shape.nodes;
    launch->ranks = request.shape.ranks;
    launch->threads = request.shape.threads;
  }
  return launch;
}

}  // namespace kstar
