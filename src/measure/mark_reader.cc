#include "kstar/time_source.h"
#include "measure/direct_blocks.h"
#include "measure/marks.h"

namespace kstar {

MarkReader mark_reader() {
  return [](const Outcome& outcome, const std::string& folder) -> Result<Run> {
    const Result<std::vector<WorkerMarks>> marks = read_marks(folder);
    if (!marks) return fail(marks.error());
    const Moment spawn{outcome.clock, outcome.start, read_clocks().clock};
    MarkedRun marked = combine_marks(*marks, spawn);
    if (marked.steps.empty()) {
      return fail({.where = "marks",
                   .message = marks->empty() ? "the program left no marks"
                                             : "no step was marked by every worker"});
    }
    Run run;
    run.setup = marked.setup;
    run.steps = std::move(marked.steps);
    run.warm_up_steps = marked.warm_up_steps;
    run.per_worker.emplace() = std::move(marked.per_worker);
    return run;
  };
}

}  // namespace kstar
