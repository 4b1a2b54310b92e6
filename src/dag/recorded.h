#pragma once

#include <optional>

#include "kstar/dag.h"

namespace kstar::dag {

/// Where the recorded run stands; nothing where none was recorded. Where it is known on how many
/// cores it was, the schedule of its tasks shares them.
std::optional<RecordedStanding> recorded_standing(const TaskGraph& graph,
                                                  const std::vector<std::uint32_t>& order,
                                                  const DagOptions& options);

/// The times that the recorded tasks would have taken alone: with w tasks at a time on c < w cores,
/// each had c/w of a core.
void take_off_load(TaskGraph& graph, double cores);

/// The graph in which every task waits for all that had ended when it started.
TaskGraph in_recorded_order(const TaskGraph& graph);

}  // namespace kstar::dag
