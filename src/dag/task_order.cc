#include <algorithm>
#include <cmath>
#include <numeric>

#include "dag/schedule.h"

namespace kstar {

std::string_view name_of(Priority priority) {
  switch (priority) {
    case Priority::kCriticalPath:
      return "critical-path";
    case Priority::kRecorded:
      return "recorded";
    case Priority::kFile:
      break;
  }
  return "file";
}

}  // namespace kstar

namespace kstar::dag {

namespace {

struct Keyed {
  double key;
  std::uint32_t task;
  bool operator<(const Keyed& other) const {
    return key != other.key ? key < other.key : task < other.task;
  }
};

double key_of(const TaskGraph& graph, const Levels& levels, Priority priority, std::size_t task) {
  if (priority == Priority::kCriticalPath) return -levels.behind[task];
  const double start = graph.record.start.empty() ? 0 : graph.record.start[task];
  return std::isnan(start) ? levels.earliest[task] : start;
}

}  // namespace

std::vector<std::uint32_t> task_order(const TaskGraph& graph, const Levels& levels,
                                      Priority priority) {
  std::vector<std::uint32_t> order(graph.size());
  std::iota(order.begin(), order.end(), 0U);
  if (priority == Priority::kFile) return order;
  std::vector<Keyed> keyed(graph.size());
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    keyed[i] = {key_of(graph, levels, priority, i), i};
  }
  std::sort(keyed.begin(), keyed.end());
  for (std::size_t i = 0; i < keyed.size(); ++i) order[i] = keyed[i].task;
  return order;
}

}  // namespace kstar::dag
