#include <cmath>

#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/ratio.h"

// log(a/b) +- t sqrt(v_a + v_b),  v = (s / m)^2 / n by the delta method, and back by exp. The
// degrees of freedom of t are, d the degrees of freedom of either side, n - 1,
//   (v_a + v_b)^2 / (v_a^2 / d_a + v_b^2 / d_b).
// Welch, The generalization of Student's problem when several different population variances are
// involved, Biometrika 34 (1947); Satterthwaite, Biometrics Bulletin 2 (1946).
namespace kstar::stats {

namespace {

/// The spread of log(mean): relative to the mean, by the delta method.
Spread log_spread(const Side& side) {
  const double relative = std::sqrt(side.spread.variance) / side.mean;
  return {.variance = relative * relative, .degrees = side.spread.degrees};
}

}  // namespace

double welch_degrees(const Spread& a, const Spread& b) {
  const double total = a.variance + b.variance;
  // No scatter at all: any number does, for it is multiplied by zero.
  if (total == 0) return a.degrees + b.degrees;
  const double share = a.variance / total;  // shares, so that no square underflows
  return 1 / (share * share / a.degrees + (1 - share) * (1 - share) / b.degrees);
}

Estimate welch_log_ratio(const Side& a, const Side& b, double confidence) {
  const Spread log_a = log_spread(a);
  const Spread log_b = log_spread(b);
  return log_interval(a.mean / b.mean, std::sqrt(log_a.variance + log_b.variance),
                      welch_degrees(log_a, log_b), confidence);
}

}  // namespace kstar::stats
