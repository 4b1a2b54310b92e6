#include "analysis/causes/cause_shares.h"

#include <algorithm>
#include <cmath>

namespace kstar::causes {

double loss(double factor) {
  return factor > 0 ? std::max(0.0, -std::log(factor)) : 0;
}

Estimate share_of(const Estimate& factor, double whole) {
  const double others = std::max(0.0, whole - loss(factor.point));
  const auto share = [others](double one) { return one > 0 ? one / (one + others) : 0.0; };
  Estimate estimate = factor;
  estimate.point = share(loss(factor.point));
  if (!is_bounded(factor)) return estimate;
  estimate.low = share(loss(factor.high));
  estimate.high = factor.low > 0 ? share(loss(factor.low)) : 1;
  estimate.standard_error = factor.standard_error / factor.point / whole;
  return estimate;
}

}  // namespace kstar::causes
