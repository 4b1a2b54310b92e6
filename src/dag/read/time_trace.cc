#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/read/trace_events.h"

// clang -ftime-trace: one compilation, on one thread. Its parts follow one another: the frontend
// (parsing, templates), the backend (optimisation, code), and the rest.
namespace kstar::dag {

namespace {

constexpr double kSecond = 1e-6;

/// The time of all slices of that name that lie in no other such.
double total(const TraceEvents& events, std::string_view name) {
  std::vector<const TraceSlice*> slices;
  for (const TraceSlice& slice : events.slices) {
    if (slice.name == name) slices.push_back(&slice);
  }
  std::sort(slices.begin(), slices.end(), [](const TraceSlice* a, const TraceSlice* b) {
    return a->start != b->start ? a->start < b->start : a->end > b->end;
  });
  double sum = 0, last = -1;
  for (const TraceSlice* slice : slices) {
    if (slice->start < last) continue;
    sum += slice->end - slice->start;
    last = slice->end;
  }
  return sum * kSecond;
}

/// The headers that take longest, each with all that it includes.
std::string longest_headers(const TraceEvents& events) {
  std::vector<const TraceSlice*> sources;
  for (const TraceSlice& slice : events.slices) {
    if (slice.name == "Source" && !slice.detail.empty()) sources.push_back(&slice);
  }
  std::sort(sources.begin(), sources.end(), [](const TraceSlice* a, const TraceSlice* b) {
    return a->end - a->start > b->end - b->start;
  });
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, sources.size()); ++i) {
    const std::string_view path = sources[i]->detail;
    text +=
        fmt::format("{}{} {} s", i == 0 ? "" : ", ",
                    printable(path.substr(path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1)),
                    significant((sources[i]->end - sources[i]->start) * kSecond, 3));
  }
  return text;
}

std::string stem_of(std::string_view name) {
  name = name.substr(name.rfind('/') == name.npos ? 0 : name.rfind('/') + 1);
  if (name.ends_with(".json")) name.remove_suffix(5);
  return std::string(name);
}

}  // namespace

Result<TaskGraph> read_time_trace(const Source& source, const GraphReadOptions&) {
  KSTAR_TRY(const TraceEvents events, read_trace_events(source));
  const double all = total(events, "ExecuteCompiler");
  const double frontend = total(events, "Frontend"), backend = total(events, "Backend");
  if (frontend + backend <= 0) {
    return fail({.where = printable(source.name),
                 .message = "expected slices 'Frontend' and 'Backend' of clang -ftime-trace"});
  }
  TaskGraph graph;
  std::vector<Edge> edges;
  const auto add = [&](const char* part, double time) {
    if (time <= 0) return;
    graph.names.push_back(fmt::format("{}: {}", stem_of(source.name), part));
    graph.times.push_back(time);
    const auto number = static_cast<std::uint32_t>(graph.size() - 1);
    if (number > 0) edges.push_back({number - 1, number});
  };
  add("frontend", frontend);
  add("backend", backend);
  add("rest", all - frontend - backend);
  set_edges(graph, edges);
  if (const std::string headers = longest_headers(events); !headers.empty()) {
    graph.facts.push_back(fmt::format("{}: the longest headers, with what they include: {}",
                                      stem_of(source.name), headers));
  }
  return graph;
}

}  // namespace kstar::dag
