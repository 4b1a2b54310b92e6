#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "kstar/stats.h"
#include "stats/check.h"
#include "stats/distributions.h"
#include "stats/interval.h"
#include "stats/ratio.h"

// log(a/b) +- t sqrt(v_a + v_b) as in ratio_welch.cc, with the v and the degrees of freedom that
// the two estimates have already.
namespace kstar {

namespace {

Result<void> check_side(std::string_view where, const Estimate& estimate) {
  if (std::isfinite(estimate.point) && estimate.point > 0) return {};
  return fail(expected(where, "an estimate above zero", shortest(estimate.point)));
}

stats::Spread log_spread(const Estimate& estimate) {
  const double relative = estimate.standard_error / estimate.point;
  // No degrees: nothing is behind it that could be wrong, as a normal interval or an exact number.
  constexpr double kMany = 1e9;
  return {.variance = relative * relative,
          .degrees = estimate.degrees > 0 ? estimate.degrees : kMany};
}

Scope common_scope(const Estimate& a, const Estimate& b) {
  const bool several = a.scope == Scope::kSeveralSessions && b.scope == Scope::kSeveralSessions;
  return several ? Scope::kSeveralSessions : Scope::kOneSession;
}

}  // namespace

Result<Estimate> estimate_ratio(const Estimate& numerator, const Estimate& denominator,
                                double confidence) {
  if (auto checked = check_side("numerator", numerator); !checked) return fail(checked.error());
  if (auto checked = check_side("denominator", denominator); !checked) {
    return fail(checked.error());
  }
  if (auto checked = stats::check_confidence(confidence); !checked) return fail(checked.error());
  const double point = numerator.point / denominator.point;
  const std::size_t n = std::min(numerator.n, denominator.n);
  const Scope scope = common_scope(numerator, denominator);
  const stats::Spread a = log_spread(numerator), b = log_spread(denominator);
  if (!std::isfinite(a.variance + b.variance)) {
    return stats::no_interval(point, n, confidence, scope);
  }
  Estimate ratio = stats::log_interval(point, std::sqrt(a.variance + b.variance),
                                       stats::welch_degrees(a, b), confidence);
  ratio.confidence = confidence;
  ratio.n = n;
  ratio.method =
      numerator.method == denominator.method ? numerator.method : IntervalMethod::kWelchLog;
  ratio.scope = scope;
  return ratio;
}

double student_t_beyond(double t, double degrees) {
  return 2 * stats::student_t_tail(std::fabs(t), degrees);
}

}  // namespace kstar
