#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/result.h"

/// The table that torch's key_averages() prints: totals by name, the poor relative of a trace. It
/// does not say what ran at the same time, so there are bounds only.
namespace kstar {

struct TraceTotals {
  struct Row {
    std::string name;
    double seconds = 0;
    std::int64_t calls = 0;  ///< 0: not said
  };
  std::string device;        ///< CUDA, XPU ...; CPU where the table has no other
  double total = 0;          ///< seconds of all operations there, the sum over all of them
  double communication = 0;  ///< of it, in the rows of the table
  double unlisted = 0;       ///< of it, in rows that the table leaves out
  std::vector<Row> rows;     ///< of communication, the longest first
  double steps_seconds = 0;  ///< of all steps (ProfilerStep*) on the host; 0: not said
  std::int64_t steps = 0;
  std::size_t tables = 1;  ///< in the file; the first was read
};

/// Exposed communication as a share of the step: not less, and not more.
struct TraceTotalsBounds {
  double low = 0, high = 1;
};
KSTAR_EXPORT TraceTotalsBounds exposed_bounds(const TraceTotals& totals);

/// Nothing where the text has no such table. `rules` is a file of rules before the built-in ones.
KSTAR_EXPORT Result<std::optional<TraceTotals>> read_trace_totals(std::string_view text,
                                                                  const std::string& rules);

/// The same from a file; nothing, too, where it is something else: a trace, or packed.
KSTAR_EXPORT Result<std::optional<TraceTotals>> load_trace_totals(const std::string& path,
                                                                  const std::string& rules);

}  // namespace kstar
