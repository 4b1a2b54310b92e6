#include "report/trace/words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "base/text.h"

namespace kstar::tracing {

std::string Times::cell(double seconds) const {
  const double value = seconds / unit_.seconds;
  if (value == 0) return "0";
  return fixed(value, value >= 100 ? 0 : (value >= 10 ? 1 : (value >= 0.995 ? 2 : 3)));
}

std::string rank_name(const TraceRank& rank) {
  return rank.title.empty() ? fmt::format("{}", rank.rank) : printable(rank.title);
}

std::string bytes_cell(std::int64_t bytes) {
  if (bytes <= 0) return "-";
  constexpr double kStep = 1000;
  double value = static_cast<double>(bytes);
  for (const char* unit : {"B", "kB", "MB", "GB"}) {
    if (value < kStep) return fmt::format("{} {}", significant(value, 3), unit);
    value /= kStep;
  }
  return fmt::format("{} TB", significant(value, 3));
}

std::string speed_text(double speedup) {
  if (!std::isfinite(speedup)) return "no limit";
  return fmt::format("{}x", significant(speedup, speedup >= 1000 ? 3 : 4));
}

std::string workers_number(double workers) {
  constexpr double kLargest = 1e6;
  return workers >= kLargest ? "over 1e6" : fixed(workers, 0);
}

}  // namespace kstar::tracing
