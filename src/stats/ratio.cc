#include "stats/ratio.h"

#include <algorithm>
#include <string>

#include "base/number.h"
#include "stats/check.h"
#include "stats/interval.h"

namespace kstar {

namespace {

constexpr std::size_t kFewestResamples = 100;

using Samples = std::span<const double>;

Result<void> check_positive_mean(std::string_view where, double mean) {
  if (mean > 0) return {};
  return fail(expected(where, "samples with a mean above zero", shortest(mean)));
}

/// What every method needs of both sides.
Result<void> check_sides(Samples a, Samples b, double confidence) {
  if (auto checked = stats::check_samples("numerator", a); !checked) return checked;
  if (auto checked = stats::check_samples("denominator", b); !checked) return checked;
  return stats::check_confidence(confidence);
}

Result<void> check_blocks(Samples a, Samples b) {
  if (a.size() == b.size()) return {};
  return fail(expected("denominator", std::to_string(a.size()) + " samples, one a block",
                       std::to_string(b.size())));
}

Result<void> check_bootstrap(Samples a, Samples b, std::size_t resamples) {
  if (auto checked = stats::check_positive("numerator", a); !checked) return checked;
  if (auto checked = stats::check_positive("denominator", b); !checked) return checked;
  if (resamples >= kFewestResamples) return {};
  return fail(expected("resamples", "at least " + std::to_string(kFewestResamples),
                       std::to_string(resamples)));
}

/// What the one method needs.
Result<void> check_method(Samples a, Samples b, double mean_a, double mean_b,
                          const RatioOptions& options) {
  switch (options.method) {
    case IntervalMethod::kBootstrap:
      return check_bootstrap(a, b, options.resamples);
    case IntervalMethod::kFieller:
      if (mean_b != 0) return {};
      return fail(expected("denominator", "samples whose mean is not zero", "0"));
    case IntervalMethod::kPaired:
    case IntervalMethod::kPairedEffective:
      if (auto checked = check_blocks(a, b); !checked) return checked;
      [[fallthrough]];
    case IntervalMethod::kWelchLog:
    case IntervalMethod::kWelchLogEffective:
      if (auto checked = check_positive_mean("numerator", mean_a); !checked) return checked;
      return check_positive_mean("denominator", mean_b);
    default:
      return fail(expected(
          "method",
          "welch_log, welch_log_effective, fieller, paired, paired_effective or bootstrap for a "
          "ratio",
          to_string(options.method)));
  }
}

stats::Side side_of(Samples samples, const stats::Moments& moments, IntervalMethod method) {
  const bool correlated = method == IntervalMethod::kWelchLogEffective;
  return {moments.mean, correlated ? stats::correlated_spread(samples, moments)
                                   : stats::independent_spread(moments)};
}

Estimate interval_of(Samples a, Samples b, const stats::Side& side_a, const stats::Side& side_b,
                     const RatioOptions& options) {
  switch (options.method) {
    case IntervalMethod::kFieller:
      return stats::fieller_ratio(side_a, side_b, options.confidence);
    case IntervalMethod::kPaired:
      return stats::paired_ratio(a, b, false, options.confidence);
    case IntervalMethod::kPairedEffective:
      return stats::paired_ratio(a, b, true, options.confidence);
    case IntervalMethod::kBootstrap:
      return stats::bootstrap_ratio(a, b, options);
    default:
      return stats::welch_log_ratio(side_a, side_b, options.confidence);
  }
}

}  // namespace

Result<Estimate> estimate_ratio(std::span<const double> numerator,
                                std::span<const double> denominator, const RatioOptions& options) {
  if (auto checked = check_sides(numerator, denominator, options.confidence); !checked) {
    return fail(checked.error());
  }
  const stats::Moments a = stats::moments(numerator);
  const stats::Moments b = stats::moments(denominator);
  if (auto checked = check_method(numerator, denominator, a.mean, b.mean, options); !checked) {
    return fail(checked.error());
  }
  const std::size_t n = std::min(a.n, b.n);
  if (n == 1) return stats::no_interval(a.mean / b.mean, n, options.confidence, options.scope);
  Estimate estimate = interval_of(numerator, denominator, side_of(numerator, a, options.method),
                                  side_of(denominator, b, options.method), options);
  estimate.confidence = options.confidence;
  estimate.n = n;
  estimate.method = options.method;
  estimate.scope = options.scope;
  return estimate;
}

}  // namespace kstar
