#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dag/name_table.h"
#include "kstar/dag_graph.h"

namespace kstar::dag {

/// One wait of `to` for `from`.
struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// The edges become the graph's, which has its tasks already. `costs` is empty, or has one for
/// each.
void set_edges(TaskGraph& graph, const std::vector<Edge>& edges,
               const std::vector<double>& costs = {});

/// What takes no time because nobody knows its time makes every answer too small: with more than a
/// tenth of all tasks nothing is recommended.
void doubt_missing_times(TaskGraph& graph, std::size_t missing, std::size_t all);

/// A graph whose tasks are named as they come, in any order. The names must outlive the builder.
class GraphBuilder {
 public:
  std::uint32_t task(std::string_view name) { return names_.number(name); }
  std::uint32_t find(std::string_view name) const { return names_.find(name); }
  std::size_t size() const { return names_.size(); }
  std::string_view name(std::uint32_t task) const { return names_.name(task); }

  /// False where it has one already.
  bool set_time(std::uint32_t task, double time);
  bool has_time(std::uint32_t task) const;
  void add_edge(std::uint32_t from, std::uint32_t to, double cost = 0);
  /// The same by name for many, fast: names[2 i] is before names[2 i + 1].
  void add_edges(std::span<const std::string_view> names, std::span<const double> costs);
  void reserve_edges(std::size_t count);
  /// The tasks and edges of another one, behind those that are there.
  void append_edges(const GraphBuilder& other);

  /// A task without a time takes `otherwise`.
  TaskGraph finish(double otherwise);

 private:
  NameTable names_;
  std::vector<double> times_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> numbers_;  ///< of add_edges(), kept for the next call
  std::vector<double> costs_;           ///< empty while all are 0
};

}  // namespace kstar::dag
