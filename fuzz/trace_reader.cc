// Any bytes: a trace is analyzed, with times that add up, or refused with a reason; a part of one
// is read and merged, or refused; a table of totals gives bounds.
#include <cmath>
#include <string_view>

#include "fuzz/require.h"
#include "kstar/trace_report.h"
#include "trace/job.h"
#include "trace/part.h"

using kstar::require;

namespace {

void check(const kstar::TraceAnalysis& analysis) {
  require(analysis.workers >= 1 && !analysis.ranks.empty() && !analysis.steps.empty());
  for (const kstar::TraceRank& rank : analysis.ranks) {
    const kstar::TraceTimes& times = rank.times;
    const double sum = times.compute + times.exposed + times.copies + times.idle;
    require(std::fabs(sum - times.step) <= 1e-9 * (1 + std::fabs(times.step)));
    require(times.exposed <= times.communication * (1 + 1e-9));
  }
  require(!kstar::to_json({analysis}).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (kstar::is_trace_part(text)) {
    auto ranks = kstar::tracing::parse_part(text, "fuzz");
    if (!ranks) {
      kstar::require_clear(ranks.error());
    } else if (!ranks->empty()) {
      const auto all = kstar::tracing::analyze_ranks(std::move(*ranks), {});
      if (!all) kstar::require_clear(all.error());
    }
    return 0;
  }
  if (const auto totals = kstar::read_trace_totals(text, ""); totals && *totals) {
    const kstar::TraceTotalsBounds bounds = kstar::exposed_bounds(**totals);
    require(0 <= bounds.low && bounds.low <= bounds.high && bounds.high <= 1 + 1e-9);
    require(!kstar::to_json(**totals).empty());
  }
  const auto analysis = kstar::analyze_trace_text(text, {});
  if (!analysis) {
    kstar::require_clear(analysis.error());
    return 0;
  }
  check(*analysis);
  return 0;
}
