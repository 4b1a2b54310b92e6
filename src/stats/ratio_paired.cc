#include <cmath>
#include <vector>

#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/ratio.h"

// log(a/b) +- t sqrt(v),  t with n - 1 degrees of freedom and, by the delta method,
//   v = (s_a^2 / m_a^2 + s_b^2 / m_b^2 - 2 s_ab / (m_a m_b)) / n.
// That is the variance of d_i = a_i / m_a - b_i / m_b, over n: computed so, nothing cancels.
// Cochran, Sampling Techniques (3rd edition, 1977), section 6.3, on ratios of paired means.
namespace kstar::stats {

Estimate paired_ratio(std::span<const double> a, std::span<const double> b, double confidence) {
  const double mean_a = moments(a).mean;
  const double mean_b = moments(b).mean;
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] / mean_a - b[i] / mean_b;
  const Spread spread = independent_spread(moments(differences));
  return log_interval(mean_a / mean_b, std::sqrt(spread.variance),
                      student_t_critical(confidence, spread.degrees));
}

}  // namespace kstar::stats
