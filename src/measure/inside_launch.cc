#include "measure/inside_launch.h"

#include <fmt/format.h>

#include <filesystem>

#include "kstar/inside.h"
#include "kstar/placeholders.h"
#include "launch/launch_at.h"

namespace kstar {

Result<Launch> launch_inside(const MeasureSpec& spec, std::int64_t workers,
                             const std::string& library, const std::string& folder) {
  auto variables = inside_variables(library, folder);
  const auto own = expand_variables(spec, workers);
  if (!own) return fail(own.error());
  for (const auto& [name, value] : *own) {  // the job's own preload stays in front
    if (name == "LD_PRELOAD" && !value.empty())
      variables[name] = fmt::format("{}:{}", value, library);
  }
  return launch_at(spec, Role::kParallel, workers, {variables.begin(), variables.end()});
}

void look_inside(const std::string& folder, Run& run) {
  std::error_code ignored;
  const bool none = std::filesystem::is_empty(folder, ignored);
  const Result<InsideRun> found = read_inside(folder);
  if (found) {
    run.inside.emplace() = inside_record(*found);
    run.per_worker.emplace() = inside_per_worker(*found);
    return;
  }
  const std::string why =
      none ? "no rank was looked into: the program made no MPI call, is statically linked, or the "
             "launcher did not pass LD_PRELOAD on"
           : fmt::format("what its ranks left cannot be read: {}", found.error().message);
  if (failed(run)) {
    run.inside.emplace().notes.push_back(why);
  } else {
    run.failure = why;
  }
}

}  // namespace kstar
