#include "kstar/curve_draws.h"

#include <algorithm>
#include <cmath>

#include "analysis/fit/draws.h"
#include "analysis/fit/measured_curve.h"
#include "base/random.h"
#include "base/try.h"

namespace kstar {

namespace {

/// The relative variance of one run around its T, over all K: what repeats show.
double run_variance(const Curve& curve) {
  double sum = 0, degrees = 0;
  for (const CurvePoint& point : curve.points) {
    if (point.runs < 2 || !std::isfinite(point.relative_error)) continue;
    const auto runs = static_cast<double>(point.runs);
    sum += (runs - 1) * runs * point.relative_error * point.relative_error;
    degrees += runs - 1;
  }
  return degrees > 0 ? sum / degrees : 0;
}

std::vector<double> times_of(const curves::Draws& draws, const curves::Draw& draw,
                             std::span<const curves::Spot> spots, double factor) {
  std::vector<double> times;
  times.reserve(spots.size());
  for (const curves::Spot& spot : spots) {
    times.push_back(factor * std::exp(draws.log_time_at(draw, spot)));
  }
  return times;
}

}  // namespace

Result<CurveDraws> draw_curves(const Curve& curve, std::span<const double> workers,
                               std::size_t count) {
  KSTAR_TRY(const curves::CurveSamples samples, curves::samples_of(curve));
  std::vector<const curves::Form*> forms;
  for (const curves::Form& form : curve.regime == Regime::kWeak ? curves::forms_of_growing_work()
                                                                : curves::forms_of_fixed_work()) {
    forms.push_back(&form);
  }
  const curves::Posterior posterior = curves::posterior_of(forms, samples);
  const curves::Draws draws(posterior, count);
  std::vector<curves::Spot> spots;
  for (const double k : workers) spots.push_back(draws.spot_of(k));

  constexpr std::uint64_t kSeed = 2;
  Random random(kSeed);
  const double variance = run_variance(curve);
  CurveDraws drawn{.workers = {workers.begin(), workers.end()}, .times = {}, .run_factors = {}};
  for (const curves::Draw& draw : draws.all()) {
    const double common = std::exp(curve.common_error * random.normal());
    drawn.times.push_back(times_of(draws, draw, spots, common));
    drawn.run_factors.push_back(
        std::exp(std::sqrt(variance + draw.own_variance) * random.normal()));
  }
  return drawn;
}

Curve measured_curve(const Study& study, const ScalingTable& table) {
  return measured_curve(table, group_runs(study));
}

}  // namespace kstar
