#include "report/analysis_words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/number.h"

namespace kstar {

namespace {

std::string between(const std::string& low, const std::string& high) {
  if (low.empty() && high.empty()) return "no interval";
  if (low.empty()) return "up to " + high;
  return high.empty() ? low + " or more" : fmt::format("{} to {}", low, high);
}

}  // namespace

std::string cause_words(CauseKind kind) {
  switch (kind) {
    case CauseKind::kCommunication:
      return "communication";
    case CauseKind::kStraggler:
      return "a straggler";
    case CauseKind::kLoadImbalance:
      return "load imbalance";
    case CauseKind::kComputationScaling:
      return "computation that itself slows";
    case CauseKind::kSerial:
      return "the serial part";
    case CauseKind::kNone:
      return "nothing beyond the noise";
  }
  return {};
}

std::string cause_words(const Cause& cause) {
  std::string text = cause_words(cause.kind);
  for (const CauseKind other : cause.or_else) text += " or " + cause_words(other);
  return text;
}

std::string range_words(const Estimate& estimate, int digits) {
  const auto end = [&](double value) {
    return std::isfinite(value) ? significant(value, digits) : std::string();
  };
  return between(end(estimate.low), end(estimate.high));
}

std::string share_range_words(const Estimate& share) {
  const auto end = [](double value) {
    return std::isfinite(value) ? percent(value, 0) : std::string();
  };
  return between(end(share.low), end(share.high));
}

std::string bend_words(const std::optional<Bend>& bend) {
  if (!bend) return "no K measured";
  std::string more;
  if (!bend->high) {
    more = fmt::format("{} or more", bend->low);
  } else if (bend->low != *bend->high) {
    more = fmt::format("{} to {}", bend->low, *bend->high);
  }
  if (std::isfinite(bend->agreement)) {
    more += fmt::format("{}{} of resamples agree", more.empty() ? "" : "; ",
                        percent(bend->agreement, 0));
  }
  return fmt::format("K = {}{}", bend->first_bad, more.empty() ? "" : fmt::format(" ({})", more));
}

}  // namespace kstar
