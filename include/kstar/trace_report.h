#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/trace.h"
#include "kstar/trace_totals.h"

/// Analyses of traces as people and programs read them: pure functions from results to text.
namespace kstar {

struct TraceView {
  bool full = false;          ///< all sections; else one screen
  bool chart = false;         ///< pictures, for a page
  bool unclassified = false;  ///< the names that no rule knows
  std::optional<TraceSlowdown> slowdown{};
  std::string study;  ///< the file that the study was written to
};

KSTAR_EXPORT Document to_document(const std::vector<TraceAnalysis>& analyses,
                                  const TraceView& view);

/// A row per K, step and rank.
KSTAR_EXPORT std::string to_csv(const std::vector<TraceAnalysis>& analyses);

/// Everything, as schema/trace.schema.json describes it.
KSTAR_EXPORT std::string to_json(const std::vector<TraceAnalysis>& analyses);

/// HolisticTraceAnalysis's quantities.
KSTAR_EXPORT Document hta_document(const std::vector<TraceAnalysis>& analyses);
KSTAR_EXPORT std::string hta_json(const std::vector<TraceAnalysis>& analyses);
KSTAR_EXPORT std::string hta_csv(const std::vector<TraceAnalysis>& analyses);

/// Totals of a table.
KSTAR_EXPORT Document to_document(const TraceTotals& totals);
KSTAR_EXPORT std::string to_json(const TraceTotals& totals);
KSTAR_EXPORT std::string to_csv(const TraceTotals& totals);

/// What of a step every rank spends on what.
KSTAR_EXPORT Chart breakdown_chart(const TraceAnalysis& analysis);

/// Who waits for whom. Nothing where waiting could not be told apart, or there are too many ranks.
KSTAR_EXPORT std::optional<Chart> wait_chart(const TraceAnalysis& analysis);

/// What the streams of a step did, one beside the other. Nothing where no step is the same on all
/// ranks.
KSTAR_EXPORT std::optional<Chart> lane_chart(const TraceAnalysis& analysis);

}  // namespace kstar
