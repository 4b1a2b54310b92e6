#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kstar/dag_graph.h"

/// Which tasks of a log ran in the same run of the tool: a log that is kept over many runs has the
/// last time of each task, and these do not belong together.
namespace kstar::dag {

/// One time of one task. Times count from the start of the session, or from any other moment.
struct TimedTask {
  std::uint32_t task = 0;
  double start = 0;
  double end = 0;
};

inline constexpr std::uint32_t kNoSession = 0xFFFFFFFF;

/// Of tasks whose times are on one clock: nothing runs between two sessions for half a minute.
std::vector<std::uint32_t> sessions_by_gaps(const std::vector<TimedTask>& tasks);

/// Of tasks in the order of their ends: they begin again with every session.
std::vector<std::uint32_t> sessions_by_order(const std::vector<TimedTask>& tasks);

/// Where a task's times count from the start of its session: that start lies somewhere from `low`
/// to `high`, on a clock. Tasks of one session have a moment in common. Unknown: low above high.
struct Origin {
  double low = 1;
  double high = 0;
};
std::vector<std::uint32_t> sessions_by_origin(const std::vector<Origin>& origins);

/// The session with the most work becomes the graph's record; the notes say of how many it is one.
/// `what` is a "build" or a "run".
void set_record(TaskGraph& graph, const std::vector<TimedTask>& tasks,
                const std::vector<std::uint32_t>& sessions, const std::string& what);

}  // namespace kstar::dag
