#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "dag/read/source.h"

namespace kstar::dag {

/// Something that a thread did, in microseconds.
struct TraceSlice {
  std::uint32_t thread = 0;
  double start = 0, end = 0;
  std::string_view name;
  std::string_view detail;  ///< args.detail, as clang writes it
};

struct TraceFlowEnd {
  std::uint32_t thread = 0;
  double at = 0;
  bool next = false;  ///< of the next slice of the thread, where there is none at the moment
};
struct TraceFlow {
  TraceFlowEnd from, to;
};

struct TraceEvents {
  std::vector<TraceSlice> slices;  ///< X, and B with E; threads are counted from 0
  std::vector<TraceFlow> flows;    ///< from s to t, from t to t, from t to f
  std::size_t open_flows = 0;      ///< that begin or end nowhere
  std::size_t endless = 0;         ///< slices without an end, or with one before their start
  bool cut_off = false;            ///< a list without its end, which Chrome allows
  std::deque<std::string> kept;    ///< the names
};

/// {"traceEvents": [...]} or the list alone.
Result<TraceEvents> read_trace_events(const Source& source);

}  // namespace kstar::dag
