#include "stats/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "kstar/distributions.h"

namespace kstar::stats {

namespace {

namespace policies = boost::math::policies;

// Doubles are computed as doubles, and what cannot be computed is NaN or infinity, not an
// exception.
using Policy = policies::policy<
    policies::promote_double<false>, policies::domain_error<policies::ignore_error>,
    policies::pole_error<policies::ignore_error>, policies::overflow_error<policies::ignore_error>,
    policies::evaluation_error<policies::ignore_error>>;

}  // namespace

double student_t_critical(double confidence, double degrees) {
  const boost::math::students_t_distribution<double, Policy> student(degrees);
  return boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2));
}

double student_t_tail(double t, double degrees) {
  const boost::math::students_t_distribution<double, Policy> student(degrees);
  return boost::math::cdf(boost::math::complement(student, t));
}

double normal_critical(double confidence) {
  const boost::math::normal_distribution<double, Policy> normal(0, 1);
  return boost::math::quantile(boost::math::complement(normal, (1 - confidence) / 2));
}

double fair_coin_cdf(std::size_t k, std::size_t n) {
  const boost::math::binomial_distribution<double, Policy> coin(static_cast<double>(n), 0.5);
  return boost::math::cdf(coin, static_cast<double>(k));
}

}  // namespace kstar::stats

namespace kstar {

double binomial_below(double k, double trials, double probability) {
  if (k < 0) return 0;
  if (k >= trials) return 1;
  return boost::math::ibetac(k + 1, trials - k, probability, stats::Policy());
}

double chi_squared_beyond(double x, double degrees) {
  return boost::math::gamma_q(degrees / 2, x / 2, stats::Policy());
}

double poisson_below(double k, double mean) {
  if (k < 0) return 0;
  return mean <= 0 ? 1 : boost::math::gamma_q(k + 1, mean, stats::Policy());
}

}  // namespace kstar
