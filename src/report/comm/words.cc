#include "report/comm/words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"

namespace kstar::comm_words {

std::string workers(double count) {
  return significant(count, 7);
}

std::string subject(const CommFit& fit) {
  std::string text(name_of(fit.collective));
  if (fit.workers >= 2) text += fmt::format(", {} workers", workers(fit.workers));
  if (fit.nodes >= 1 && fit.workers >= 2) {
    text += fmt::format(" on {}", count_text(static_cast<std::size_t>(fit.nodes), "node"));
  }
  return text;
}

std::string evidence(const CommFit& fit) {
  std::string text =
      fmt::format("{}, {}", printable(fit.tool), count_text(fit.points.size(), "size"));
  if (fit.points.size() > 1) {
    text += fmt::format(" {} to {}", size_text(fit.points.front().bytes),
                        size_text(fit.points.back().bytes));
  }
  if (fit.sweeps > 1) text += fmt::format(", {}", count_text(fit.sweeps, "sweep"));
  return text;
}

std::string gigabytes(double per_second) {
  constexpr double kGiga = 1e9;
  return significant(per_second / kGiga, 3);
}

std::string time(double seconds) {
  if (std::isinf(seconds)) return "?";
  if (seconds == 0) return "0";
  const TimeUnit unit = time_unit_for(seconds);
  return fmt::format("{} {}", significant(seconds / unit.seconds, 3), unit.name);
}

std::string range(const Bounded& value) {
  if (std::isinf(value.high)) return fmt::format("({} or more)", time(value.low));
  if (value.low == value.high) return "";
  const TimeUnit unit = time_unit_for(value.point > 0 ? value.point : value.high);
  return fmt::format("({}..{}{})", significant(value.low / unit.seconds, 3),
                     significant(value.high / unit.seconds, 3),
                     value.point > 0 ? "" : fmt::format(" {}", unit.name));
}

}  // namespace kstar::comm_words
