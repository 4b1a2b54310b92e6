#include "analysis/causes/words.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"

namespace kstar::causes {

std::string factor_text(const Estimate& factor) {
  if (!is_bounded(factor)) return fixed(factor.point, 2);
  return fmt::format("{} ({} to {})", fixed(factor.point, 2), fixed(factor.low, 2),
                     fixed(factor.high, 2));
}

std::string share_text(const Estimate& share) {
  if (!is_bounded(share)) return percent(share.point, 0);
  return fmt::format("{} ({}..{})", percent(share.point, 0), percent(std::max(0.0, share.low), 0),
                     percent(share.high, 0));
}

std::string seconds_text(double seconds) {
  if (seconds >= 1) return significant(seconds, 3) + " s";
  if (seconds >= 1e-3) return significant(seconds * 1e3, 3) + " ms";
  return significant(seconds * 1e6, 3) + " us";
}

}  // namespace kstar::causes
