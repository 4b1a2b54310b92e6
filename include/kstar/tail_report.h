#pragma once

#include <string>

#include "kstar/chart.h"
#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/tail.h"

/// Latencies as people and programs read them: pure functions from results to text and charts.
namespace kstar {

struct TailView {
  bool full = false;   ///< all sections; else one screen
  bool chart = false;  ///< with the charts that there are
};

KSTAR_EXPORT Document to_document(const Tail& tail, const TailView& view);

/// A row per file and percentile.
KSTAR_EXPORT std::string to_csv(const Tail& tail);

/// Everything, as schema/tail.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Tail& tail);

/// Latency over 1 - p, on a logarithmic scale.
KSTAR_EXPORT Chart percentile_chart(const Tail& tail);
/// Latency over load; only where files are levels of load.
KSTAR_EXPORT Chart load_chart(const Tail& tail);
/// The slowest of K over K.
KSTAR_EXPORT Chart fan_out_chart(const Tail& tail);

}  // namespace kstar
