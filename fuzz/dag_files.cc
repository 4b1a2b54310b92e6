// Any bytes: a graph is read, or refused with a place and a reason; what is read can be scheduled,
// or has a cycle.
#include <string_view>

#include "fuzz/require.h"
#include "kstar/dag.h"
#include "kstar/dag_read.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const auto formats = kstar::graph_formats();
  const std::size_t which = data[0] % (formats.size() + 1);
  kstar::GraphReadOptions options;
  if (which < formats.size() && formats[which].name != "snakemake") {
    options.format = formats[which].name;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto graph = kstar::read_graph_text(text, "fuzz", options);
  if (!graph) {
    kstar::require_clear(graph.error());
    return 0;
  }
  constexpr std::size_t kSmall = 2000;
  if (graph->size() > kSmall) return 0;
  const auto analysis = kstar::analyze_graph(*graph, {.workers = {1, 2, 5}});
  if (!analysis) {
    kstar::require_clear(analysis.error());
    return 0;
  }
  for (const kstar::SchedulePoint& point : analysis->points) {
    kstar::require(point.time >= point.least * (1 - 1e-9) && point.time <= point.most * (1 + 1e-9));
  }
  return 0;
}
