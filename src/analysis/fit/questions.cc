#include "analysis/fit/questions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "analysis/fit/mixture.h"

namespace kstar::curves {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// No machine has so many times the workers that were measured: what happens beyond is "never".
constexpr double kDoublings = 16;

/// A speedup that gains less with a doubling is at its ceiling.
constexpr double kGains = 0.1;

/// All of one draw.
class DrawnCurve {
 public:
  DrawnCurve(const Draws& draws, const Draw& draw, const Question& asked)
      : draws_(draws),
        draw_(draw),
        asked_(asked),
        base_(draws.log_time_at(draw, draws.spot_of(smallest()))) {}

  double log_speedup(const Spot& spot) const {
    return base_ - draws_.log_form_at(draw_, spot) + work(spot.place.workers);
  }
  double log_speedup_drifting(const Spot& spot) const {
    return base_ - draws_.log_time_at(draw_, spot) + work(spot.place.workers);
  }
  double log_efficiency(const Spot& spot) const {
    return log_speedup_drifting(spot) - std::log(spot.place.workers / smallest());
  }
  double log_efficiency(double workers) const { return log_efficiency(draws_.spot_of(workers)); }
  double smallest() const { return draws_.samples().front().workers; }

 private:
  double work(double workers) const { return std::log(asked_.work.at(workers)); }

  const Draws& draws_;
  const Draw& draw_;
  const Question& asked_;
  double base_;
};

std::vector<Spot> spots_of(const Draws& draws) {
  std::vector<Spot> spots;
  for (const Sample& sample : draws.samples()) spots.push_back(draws.spot_of(sample.workers));
  return spots;
}

/// The number of the first sample below the threshold; as many as there are where none is.
std::size_t first_below(const DrawnCurve& curve, const std::vector<Spot>& spots,
                        double log_threshold) {
  std::size_t i = 0;
  while (i < spots.size() && curve.log_efficiency(spots[i]) >= log_threshold) ++i;
  return i;
}

/// Between the two samples that it lies between, or beyond all.
double bend_of_one(const DrawnCurve& curve, const std::vector<Spot>& spots, double threshold) {
  const double wanted = std::log(threshold);
  const std::size_t bad = first_below(curve, spots, wanted);
  if (bad == 0) return curve.smallest();
  double low = std::log2(spots[bad - 1].place.workers);
  double high = bad < spots.size() ? std::log2(spots[bad].place.workers) : low + kDoublings;
  if (curve.log_efficiency(std::exp2(high)) >= wanted) return kInfinite;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (curve.log_efficiency(std::exp2(middle)) >= wanted ? low : high) = middle;
  }
  return std::exp2((low + high) / 2);
}

struct Peak {
  double workers = 1;
  double log_speedup = 0;
  bool grows = false;  ///< still at the end
};

/// At the samples, between those that are far apart, and beyond them at half doublings. On a
/// plateau the first K of it: rounding must not decide.
std::vector<Spot> far_spots(const Draws& draws) {
  constexpr double kFarApart = 1.4;
  std::vector<Spot> spots;
  double before = 0;
  for (const Sample& sample : draws.samples()) {
    if (before > 0 && sample.workers > kFarApart * before) {
      spots.push_back(draws.spot_of(std::sqrt(before * sample.workers)));
    }
    spots.push_back(draws.spot_of(sample.workers));
    before = sample.workers;
  }
  const double largest = draws.samples().back().workers;
  for (int i = 1; i <= static_cast<int>(2 * kDoublings); ++i) {
    spots.push_back(draws.spot_of(largest * std::exp2(0.5 * i)));
  }
  return spots;
}

Peak peak_of(const DrawnCurve& curve, const std::vector<Spot>& spots) {
  constexpr double kNoDraw = 1e-9;
  Peak peak{curve.smallest(), 0, false};
  std::vector<double> values;
  for (const Spot& spot : spots) {
    values.push_back(curve.log_speedup(spot));
    if (values.back() > peak.log_speedup + kNoDraw) peak = {spot.place.workers, values.back()};
  }
  peak.grows = values.back() - values[values.size() - 3] > kGains;
  return peak;
}

Estimate exactly_one(double confidence) {
  return {1, 0, 1, 1, confidence, 0, IntervalMethod::kPosterior};
}

void set_ratios(const Estimate& times, double growth, const Question& asked,
                PredictedWorkers& predicted) {
  predicted.speedup = scaled(times, asked.work.at(predicted.workers));
  predicted.efficiency = scaled(predicted.speedup, 1 / growth);
}

/// How often each answer was drawn, as a median with its interval.
template <typename Answer>
Estimate over_draws(const Draws& draws, const Question& asked, const Answer& answer) {
  std::vector<double> values;
  for (const Draw& draw : draws.all()) values.push_back(answer(DrawnCurve(draws, draw, asked)));
  return estimate_of(std::move(values), asked.confidence);
}

template <typename Holds>
double share_of_draws(const Draws& draws, const Question& asked, const Holds& holds) {
  double count = 0;
  for (const Draw& draw : draws.all()) count += holds(DrawnCurve(draws, draw, asked)) ? 1 : 0;
  return count / static_cast<double>(draws.all().size());
}

}  // namespace

Work::Work(const Curve& curve) {
  if (curve.regime != Regime::kWeak) return;
  for (const CurvePoint& point : curve.points) {
    points_.emplace_back(point.workers, point.work > 0 ? point.work : point.workers);
  }
  std::sort(points_.begin(), points_.end());
  const double base = points_.front().second;
  for (auto& [workers, work] : points_) work /= base;
}

double Work::at(double workers) const {
  if (points_.empty()) return 1;
  auto behind = std::upper_bound(points_.begin() + 1, points_.end() - 1, workers,
                                 [](double k, const auto& point) { return k < point.first; });
  const auto& [k1, w1] = *behind;
  const auto& [k0, w0] = *(behind - 1);
  constexpr double kLeast = 1e-9;  // below the smallest K nothing may be left
  return std::max(kLeast, w0 + (w1 - w0) * (workers - k0) / (k1 - k0));
}

PredictedWorkers predicted_at(const Posterior& posterior, double workers, const Question& asked) {
  const Sample& base = posterior.samples.points.front();
  const Place place = place_of(workers);
  std::vector<double> forms;
  for (const Candidate& candidate : posterior.candidates) {
    forms.push_back(log_time(posterior, candidate, place));
  }
  std::vector<State> states(posterior.walks.size());
  std::vector<Component> times, ratios;
  for (const Node& node : posterior.nodes) {
    State& state = states[node.walk];
    if (state.weights.empty()) state = posterior.walks.at(node.walk, workers);
    const std::vector<double>& residuals = posterior.candidates[node.candidate].residuals;
    double mean = forms[node.candidate];
    for (std::size_t i = 0; i < residuals.size(); ++i) mean += state.weights[i] * residuals[i];
    const double deviation = std::sqrt(state.variance);
    const double base_error = std::sqrt(posterior.walks.error_variance(node.walk, 0));
    // Where the errors are unknown, what is predicted is one more such value, with its error.
    const double own = std::hypot(deviation, std::sqrt(posterior.walks[node.walk].errors.added));
    times.push_back({mean, std::hypot(own, asked.common_error), node.weight});
    ratios.push_back({mean, std::hypot(own, base_error), node.weight});
  }
  PredictedWorkers predicted;
  predicted.workers = workers;
  predicted.extrapolated = workers > posterior.range.largest.workers;
  predicted.time = Mixture(times).estimate(asked.confidence);
  const Estimate faster = workers == base.workers
                              ? exactly_one(asked.confidence)
                              : Mixture(ratios).estimate(asked.confidence, -1, base.log_time);
  set_ratios(faster, workers / base.workers, asked, predicted);
  return predicted;
}

PredictedWorkers drawn_at(const Draws& draws, double workers, const Question& asked) {
  const Spot spot = draws.spot_of(workers);
  const Spot base = draws.spot_of(draws.samples().front().workers);
  std::vector<double> times, ratios;
  for (const Draw& draw : draws.all()) {
    const double log_time = draws.log_time_at(draw, spot);
    times.push_back(std::exp(log_time));
    ratios.push_back(std::exp(draws.log_time_at(draw, base) - log_time));
  }
  PredictedWorkers predicted;
  predicted.workers = workers;
  predicted.extrapolated = spot.beyond > 0;
  predicted.time = estimate_of(std::move(times), asked.confidence);
  set_ratios(estimate_of(std::move(ratios), asked.confidence),
             workers / draws.samples().front().workers, asked, predicted);
  return predicted;
}

Estimate bend_of(const Draws& draws, const Question& asked) {
  const std::vector<Spot> spots = spots_of(draws);
  return over_draws(draws, asked, [&](const DrawnCurve& curve) {
    return bend_of_one(curve, spots, asked.threshold);
  });
}

std::vector<double> low_chances(const Draws& draws, const Question& asked) {
  std::vector<double> chances;
  for (const Spot& spot : spots_of(draws)) {
    chances.push_back(share_of_draws(draws, asked, [&](const DrawnCurve& curve) {
      return curve.log_efficiency(spot) < std::log(asked.threshold);
    }));
  }
  return chances;
}

std::vector<double> first_bad_chances(const Draws& draws, const Question& asked) {
  const std::vector<Spot> spots = spots_of(draws);
  std::vector<double> chances(spots.size() + 1, 0);
  for (const Draw& draw : draws.all()) {
    chances[first_below(DrawnCurve(draws, draw, asked), spots, std::log(asked.threshold))] += 1;
  }
  for (double& chance : chances) chance /= static_cast<double>(draws.all().size());
  return chances;
}

Estimate best_workers_of(const Draws& draws, const Question& asked) {
  Question time = asked;
  time.work = Work();  // of least time: the speedup of fixed work
  const std::vector<Spot> spots = far_spots(draws);
  return over_draws(draws, time, [&](const DrawnCurve& curve) {
    const Peak peak = peak_of(curve, spots);
    return peak.workers == spots.back().place.workers ? kInfinite : peak.workers;
  });
}

Estimate ceiling_of(const Draws& draws, const Question& asked, CurveEnd ends) {
  const std::vector<Spot> spots = far_spots(draws);
  const bool over = ends == CurveEnd::kFlat || ends == CurveEnd::kLoses;
  std::vector<double> values;
  for (const Draw& draw : draws.all()) {
    const Peak peak = peak_of(DrawnCurve(draws, draw, asked), spots);
    if (peak.grows && over) continue;
    values.push_back(peak.grows ? kInfinite : std::exp(peak.log_speedup));
  }
  if (values.empty()) values.push_back(kInfinite);
  return estimate_of(std::move(values), asked.confidence);
}

CurveEnd end_of(const Draws& draws, const Question& asked) {
  constexpr double kSure = 0.95, kLikely = 0.5;
  const std::vector<Spot> spots = spots_of(draws);
  const Spot &last = spots.back(), &before = spots[spots.size() - 2];
  const double doublings = std::log2(last.place.workers / before.place.workers);
  const auto share_above = [&](double gain) {
    return share_of_draws(draws, asked, [&](const DrawnCurve& curve) {
      return curve.log_speedup(last) - curve.log_speedup(before) > gain * doublings;
    });
  };
  if (share_above(0) < 1 - kSure) return CurveEnd::kLoses;
  if (share_above(kGains) > kSure) return CurveEnd::kGains;
  return share_above(kGains) < kLikely ? CurveEnd::kFlat : CurveEnd::kUnclear;
}

double limit_chance(const Draws& draws, const Question& asked) {
  const Spot last = spots_of(draws).back();
  const Spot far = draws.spot_of(4 * last.place.workers);
  return share_of_draws(draws, asked, [&](const DrawnCurve& curve) {
    return curve.log_speedup_drifting(far) - curve.log_speedup(last) < std::numbers::ln2;
  });
}

}  // namespace kstar::curves
