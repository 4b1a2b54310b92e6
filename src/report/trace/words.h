#pragma once

#include <string>

#include "base/duration.h"
#include "kstar/trace.h"

namespace kstar::tracing {

/// Times of one table in one unit.
class Times {
 public:
  explicit Times(double typical) : unit_(time_unit_for(typical)) {}
  std::string cell(double seconds) const;
  std::string unit() const { return unit_.name; }

 private:
  TimeUnit unit_;
};

/// "of 8 ranks, 3 of which have a trace" and the like.
std::string rank_name(const TraceRank& rank);
std::string bytes_cell(std::int64_t bytes);
std::string speed_text(double speedup);
std::string workers_number(double workers);

}  // namespace kstar::tracing
