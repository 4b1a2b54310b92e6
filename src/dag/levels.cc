#include "dag/levels.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace kstar::dag {

namespace {

/// "a -> b -> c -> a" of the tasks that Kahn's algorithm could not take: each has one of them
/// before it, so that going back must come round.
std::string cycle_text(const TaskGraph& graph, const std::vector<std::uint32_t>& waits) {
  constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
  std::vector<std::uint32_t> before(graph.size(), kUnknown);
  std::uint32_t at = kUnknown;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    if (waits[task] == 0) continue;
    at = task;
    for (std::uint32_t i = graph.first[task]; i < graph.first[task + 1]; ++i) {
      before[graph.next[i]] = task;
    }
  }
  std::vector<bool> seen(graph.size());
  for (; !seen[at]; at = before[at]) seen[at] = true;
  std::vector<std::uint32_t> cycle = {at};
  for (std::uint32_t task = before[at]; task != at; task = before[task]) cycle.push_back(task);
  std::reverse(cycle.begin() + 1, cycle.end());  // it was walked against the edges
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(cycle.size(), kShown); ++i) {
    text += printable(graph.names[cycle[i]]) + " -> ";
  }
  if (cycle.size() > kShown) text += fmt::format("{} more -> ", cycle.size() - kShown);
  return text + printable(graph.names[at]);
}

}  // namespace

std::vector<std::uint32_t> waits_of(const TaskGraph& graph) {
  std::vector<std::uint32_t> waits(graph.size(), 0);
  for (const std::uint32_t task : graph.next) ++waits[task];
  return waits;
}

Result<std::vector<std::uint32_t>> topological_order(const TaskGraph& graph) {
  std::vector<std::uint32_t> waits = waits_of(graph);
  std::vector<std::uint32_t> order(graph.size() + 1);
  // Every task is written where the next one stands, and stays if it is ready: a branch would wait
  // for the memory of each.
  std::size_t taken = 0;
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    order[taken] = task;
    taken += static_cast<std::size_t>(waits[task] == 0);
  }
  for (std::size_t i = 0; i < taken; ++i) {
    for (std::uint32_t e = graph.first[order[i]]; e < graph.first[order[i] + 1]; ++e) {
      order[taken] = graph.next[e];
      taken += static_cast<std::size_t>(--waits[graph.next[e]] == 0);
    }
  }
  order.resize(graph.size());
  if (taken == graph.size()) return order;
  return fail({.where = printable(graph.name),
               .message = fmt::format("the tasks wait for each other in a cycle: {}",
                                      cycle_text(graph, waits))});
}

Levels levels_of(const TaskGraph& graph, std::vector<std::uint32_t> order) {
  Levels levels;
  levels.earliest.assign(graph.size(), 0);
  levels.behind.assign(graph.size(), 0);
  for (const std::uint32_t task : order) {
    const double end = levels.earliest[task] + graph.times[task];
    for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
      double& start = levels.earliest[graph.next[e]];
      start = std::max(start, end);
    }
  }
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    double longest = 0;
    for (std::uint32_t e = graph.first[*task]; e < graph.first[*task + 1]; ++e) {
      longest = std::max(longest, levels.behind[graph.next[e]]);
    }
    levels.behind[*task] = longest + graph.times[*task];
    levels.depth = std::max(levels.depth, levels.behind[*task]);
  }
  levels.order = std::move(order);
  return levels;
}

std::vector<PathTask> critical_path(const TaskGraph& graph, const Levels& levels) {
  std::vector<PathTask> path;
  if (graph.size() == 0) return path;
  const auto longer = [&](std::uint32_t a, std::uint32_t b) {
    return levels.behind[a] < levels.behind[b];
  };
  std::uint32_t task = *std::max_element(levels.order.begin(), levels.order.end(), longer);
  for (double start = 0;;) {
    if (graph.times[task] > 0) path.push_back({task, start, graph.times[task]});
    start += graph.times[task];
    const auto begin = graph.next.begin() + graph.first[task];
    const auto end = graph.next.begin() + graph.first[task + 1];
    if (begin == end) return path;
    task = *std::max_element(begin, end, longer);
  }
}

double largest_path_cost(const TaskGraph& graph, const std::vector<std::uint32_t>& order) {
  if (graph.costs.empty()) return 0;
  std::vector<double> behind(graph.size(), 0);
  double largest = 0;
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (std::uint32_t e = graph.first[*task]; e < graph.first[*task + 1]; ++e) {
      behind[*task] = std::max(behind[*task], behind[graph.next[e]] + graph.costs[e]);
    }
    largest = std::max(largest, behind[*task]);
  }
  return largest;
}

namespace {

/// Raises ranges of a list to at least a value; the list is read once, at the end. A range is the
/// union of two blocks of 2^k elements, as in a sparse table, so that a raise costs two steps.
class RaisedRanges {
 public:
  explicit RaisedRanges(std::size_t size) {
    do {
      blocks_.emplace_back(size, 0.0);
    } while ((std::size_t{1} << blocks_.size()) <= size);
  }

  /// Elements `from` to `to` - 1.
  void raise(std::size_t from, std::size_t to, double value) {
    if (from >= to) return;
    std::size_t k = 0;
    while ((std::size_t{2} << k) <= to - from) ++k;
    for (const std::size_t at : {from, to - (std::size_t{1} << k)}) {
      blocks_[k][at] = std::max(blocks_[k][at], value);
    }
  }

  std::vector<double> take() {
    for (std::size_t k = blocks_.size() - 1; k > 0; --k) {
      const std::size_t half = std::size_t{1} << (k - 1);
      for (std::size_t i = 0; i < blocks_[k].size(); ++i) {
        double& left = blocks_[k - 1][i];
        left = std::max(left, blocks_[k][i]);
        if (i + half >= blocks_[k].size()) continue;
        double& right = blocks_[k - 1][i + half];
        right = std::max(right, blocks_[k][i]);
      }
    }
    return std::move(blocks_[0]);
  }

 private:
  std::vector<std::vector<double>> blocks_;
};

}  // namespace

// A path that avoids the task at place p of a topological order jumps over p: by an edge, or by
// starting behind it, or by ending before it. So every edge is the longest path of its own for the
// tasks between its ends, and every task is for all before and all behind it.
std::vector<double> depths_without(const TaskGraph& graph, const Levels& levels,
                                   const std::vector<PathTask>& path) {
  // How many tasks of the path stand before each task in the order: they are in its order.
  std::vector<std::uint32_t> passed(graph.size());
  std::size_t before = 0;
  for (const std::uint32_t task : levels.order) {
    passed[task] = static_cast<std::uint32_t>(before);
    if (before < path.size() && path[before].task == task) ++before;
  }
  RaisedRanges longest(path.size());
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    const double end = levels.earliest[task] + graph.times[task];
    const std::size_t at = passed[task];
    const std::size_t behind = at < path.size() && path[at].task == task ? at + 1 : at;
    longest.raise(0, at, levels.behind[task]);
    longest.raise(behind, path.size(), end);
    for (std::uint32_t e = graph.first[task]; e < graph.first[task + 1]; ++e) {
      const std::uint32_t to = graph.next[e];
      if (passed[to] > behind) longest.raise(behind, passed[to], end + levels.behind[to]);
    }
  }
  return longest.take();
}

}  // namespace kstar::dag
