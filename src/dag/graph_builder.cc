#include "dag/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kstar::dag {

void set_edges(TaskGraph& graph, const std::vector<Edge>& edges, const std::vector<double>& costs) {
  graph.first.assign(graph.size() + 1, 0);
  for (const Edge& edge : edges) ++graph.first[edge.from + 1];
  for (std::size_t i = 1; i < graph.first.size(); ++i) graph.first[i] += graph.first[i - 1];
  std::vector<std::uint32_t> at(graph.first.begin(), graph.first.end() - 1);
  graph.next.resize(edges.size());
  graph.costs.resize(costs.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::uint32_t place = at[edges[i].from]++;
    graph.next[place] = edges[i].to;
    if (!costs.empty()) graph.costs[place] = costs[i];
  }
}

void doubt_missing_times(TaskGraph& graph, std::size_t missing, std::size_t all) {
  constexpr std::size_t kTenth = 10;
  if (kTenth * missing <= all) return;
  graph.undecided = fmt::format("the times of {} of {} tasks are missing", missing, all);
}

bool GraphBuilder::has_time(std::uint32_t task) const {
  return task < times_.size() && !std::isnan(times_[task]);
}

bool GraphBuilder::set_time(std::uint32_t task, double time) {
  if (has_time(task)) return false;
  if (times_.size() <= task) times_.resize(task + 1, std::nan(""));
  times_[task] = time;
  return true;
}

void GraphBuilder::reserve_edges(std::size_t count) {
  edges_.reserve(count);
}

void GraphBuilder::add_edge(std::uint32_t from, std::uint32_t to, double cost) {
  if (cost != 0 && costs_.empty()) costs_.resize(edges_.size(), 0);
  edges_.push_back({from, to});
  if (!costs_.empty() || cost != 0) costs_.push_back(cost);
}

void GraphBuilder::add_edges(std::span<const std::string_view> names,
                             std::span<const double> costs) {
  numbers_.resize(names.size());
  names_.number_all(names, numbers_);
  for (std::size_t i = 0; i < costs.size(); ++i) {
    add_edge(numbers_[2 * i], numbers_[2 * i + 1], costs[i]);
  }
}

void GraphBuilder::append_edges(const GraphBuilder& other) {
  std::vector<std::uint32_t> numbers(other.size());
  constexpr std::size_t kAtOnce = 128;
  for (std::size_t i = 0; i < numbers.size(); i += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, numbers.size() - i);
    names_.number_all(other.names_.all().subspan(i, count), std::span(numbers).subspan(i, count));
  }
  reserve_edges(edges_.size() + other.edges_.size());
  for (std::size_t i = 0; i < other.edges_.size(); ++i) {
    const Edge& edge = other.edges_[i];
    add_edge(numbers[edge.from], numbers[edge.to], other.costs_.empty() ? 0 : other.costs_[i]);
  }
}

TaskGraph GraphBuilder::finish(double otherwise) {
  TaskGraph graph;
  graph.names.reserve(names_.size());
  for (std::uint32_t i = 0; i < names_.size(); ++i) graph.names.emplace_back(names_.name(i));
  graph.times = std::move(times_);
  graph.times.resize(names_.size(), std::nan(""));
  for (double& time : graph.times) {
    if (std::isnan(time)) time = otherwise;
  }
  set_edges(graph, edges_, costs_);
  return graph;
}

}  // namespace kstar::dag
