#pragma once

#include <span>
#include <string>

#include "kstar/chart.h"
#include "kstar/dag.h"
#include "kstar/document.h"
#include "kstar/export.h"

/// What a graph of tasks allows, as people and programs read it.
namespace kstar {

struct DagView {
  bool full = false;        ///< all sections; else one screen
  bool chart = false;       ///< the width over time
  bool all_charts = false;  ///< also the speedup and the critical path
};

KSTAR_EXPORT Document to_document(const DagAnalysis& analysis, const DagView& view);

/// The rows: K, greedy T, its bounds, S and E.
KSTAR_EXPORT std::string to_csv(const DagAnalysis& analysis);

/// Everything but the single tasks, as schema/dag.schema.json describes it.
KSTAR_EXPORT std::string to_json(const DagAnalysis& analysis);

/// One line per task: time, earliest start, slack, whether it is on the critical path.
KSTAR_EXPORT std::string tasks_csv(const DagAnalysis& analysis);

/// One line per task: worker, start, end.
KSTAR_EXPORT std::string schedule_csv(const TaskGraph& graph,
                                      std::span<const TaskPlacement> placed);

/// How many tasks run at a time.
KSTAR_EXPORT Chart width_chart(const DagAnalysis& analysis);
/// S of greedy schedules, between its bounds.
KSTAR_EXPORT Chart speedup_chart(const DagAnalysis& analysis);
/// The tasks of the critical path, one after the other.
KSTAR_EXPORT Chart path_chart(const DagAnalysis& analysis);

}  // namespace kstar
