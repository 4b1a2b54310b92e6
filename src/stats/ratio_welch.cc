#include <cmath>

#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/ratio.h"

// log(a/b) +- t sqrt(v_a + v_b),  v = (s / m)^2 / n by the delta method, and back by exp. The
// degrees of freedom of t are
//   (v_a + v_b)^2 / (v_a^2 / (n_a - 1) + v_b^2 / (n_b - 1)).
// Welch, The generalization of Student's problem when several different population variances are
// involved, Biometrika 34 (1947); Satterthwaite, Biometrics Bulletin 2 (1946).
namespace kstar::stats {

namespace {

/// The variance of log(mean).
double log_variance(const Moments& moments) {
  const double relative = std::sqrt(moments.variance) / moments.mean;
  return relative * relative / moments.count();
}

}  // namespace

double welch_degrees(double variance_a, std::size_t n_a, double variance_b, std::size_t n_b) {
  const double total = variance_a + variance_b;
  const double degrees_a = static_cast<double>(n_a) - 1;
  const double degrees_b = static_cast<double>(n_b) - 1;
  // No scatter at all: any number does, for it is multiplied by zero.
  if (total == 0) return degrees_a + degrees_b;
  const double share = variance_a / total;  // shares, so that no square underflows
  return 1 / (share * share / degrees_a + (1 - share) * (1 - share) / degrees_b);
}

Estimate welch_log_ratio(const Moments& a, const Moments& b, double confidence) {
  const double variance_a = log_variance(a);
  const double variance_b = log_variance(b);
  const double degrees = welch_degrees(variance_a, a.n, variance_b, b.n);
  return log_interval(a.mean / b.mean, std::sqrt(variance_a + variance_b),
                      student_t_critical(confidence, degrees));
}

}  // namespace kstar::stats
