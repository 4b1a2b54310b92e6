#include "kstar/bend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/fit/efficiency_curve.h"

namespace kstar {

namespace {

/// What a set of efficiencies, by K, says: the first bad one, their number where there is none, and
/// the last good one, -1 where there is none.
struct Reading {
  std::size_t first_bad = 0;
  std::ptrdiff_t last_good = -1;
};

template <typename Efficiency>
Reading read(std::size_t count, double threshold, const Efficiency& efficiency) {
  Reading reading{.first_bad = count, .last_good = -1};
  for (std::size_t i = 0; i < count; ++i) {
    if (efficiency(i) >= threshold) {
      reading.last_good = static_cast<std::ptrdiff_t>(i);
    } else {
      reading.first_bad = std::min(reading.first_bad, i);
    }
  }
  return reading;
}

/// How often each place came out, and the places at both ends of the middle part of `confidence`.
class Places {
 public:
  explicit Places(std::size_t count) : counts_(count, 0) {}
  void add(std::size_t place) {
    ++counts_[place];
    ++all_;
  }
  double share(std::size_t place) const {
    return static_cast<double>(counts_[place]) / static_cast<double>(all_);
  }
  std::size_t quantile(double probability) const {
    const double wanted = probability * static_cast<double>(all_);
    double below = 0;
    for (std::size_t place = 0; place + 1 < counts_.size(); ++place) {
      below += static_cast<double>(counts_[place]);
      if (below > wanted) return place;
    }
    return counts_.size() - 1;
  }

 private:
  std::vector<std::size_t> counts_;
  std::size_t all_ = 0;
};

struct Resampled {
  Places bends;      ///< the last place: beyond the largest K
  Places advisable;  ///< the first place: none
};

Resampled resample(const EfficiencyCurve& curve, const JointErrors& joint,
                   const BendOptions& options) {
  const std::size_t count = curve.points.size();
  Resampled places{Places(count + 1), Places(count + 1)};
  JointDraws draws(joint.errors, joint.correlations, options.seed);
  for (std::size_t i = 0; i < options.resamples; ++i) {
    const auto errors = draws.next();
    const Reading reading = read(count, options.threshold, [&](std::size_t k) {
      return curve.points[k].efficiency.point * std::exp(errors[k]);
    });
    places.bends.add(reading.first_bad);
    places.advisable.add(static_cast<std::size_t>(reading.last_good + 1));
  }
  return places;
}

void set_bend(const EfficiencyCurve& curve, std::size_t place, BendAnswer& answer) {
  const auto& points = curve.points;
  if (place == points.size()) return;
  Bend& bend = answer.bend.emplace();
  bend.first_bad = points[place].workers;
  if (place > 0) bend.last_good = points[place - 1].workers;
  bend.low = points.front().workers;
  bend.agreement = std::numeric_limits<double>::quiet_NaN();
}

void set_scatter(const EfficiencyCurve& curve, const Resampled& places, std::size_t place,
                 double confidence, BendAnswer& answer) {
  const auto& points = curve.points;
  const double tail = (1 - confidence) / 2;
  // The smallest K stands for "none is good" as well.
  const auto advised = [&](double probability) {
    const std::size_t at = places.advisable.quantile(probability);
    return points[at == 0 ? 0 : at - 1].workers;
  };
  answer.resampled = true;
  answer.advice.low = std::min(advised(tail), answer.advice.workers);
  answer.advice.high = std::max(advised(1 - tail), answer.advice.workers);
  if (!answer.bend) return;
  answer.bend->agreement = places.bends.share(place);
  // A bend that was seen is somewhere: beyond the largest K is no low end.
  answer.bend->low = points[std::min(places.bends.quantile(tail), place)].workers;
  const std::size_t high = std::max(places.bends.quantile(1 - tail), place);
  if (high < points.size()) answer.bend->high = points[high].workers;
}

}  // namespace

EfficiencyCurve curve_of(const ScalingTable& table, const SampleGroups& groups) {
  EfficiencyCurve curve;
  for (const ScalingPoint& point : table.points) {
    if (!point.efficiency || point.role == Role::kBaseline) continue;
    curve.points.push_back({.workers = point.workers,
                            .efficiency = *point.efficiency,
                            .samples = &groups.at({true, point.workers})});
  }
  if (curve.points.empty()) return curve;
  curve.base = &groups.at({table.base_role == Role::kParallel, table.base_workers});
  for (const ScalingPoint& point : table.points) {
    if (point.role != table.base_role || point.workers != table.base_workers) continue;
    curve.base_error = point.time.standard_error / point.time.point;
  }
  return curve;
}

BendAnswer find_bend(const EfficiencyCurve& curve, const BendOptions& options) {
  const auto& points = curve.points;
  const Reading reading = read(points.size(), options.threshold,
                               [&](std::size_t k) { return points[k].efficiency.point; });
  BendAnswer answer;
  set_bend(curve, reading.first_bad, answer);
  WorkersAdvice& advice = answer.advice;
  advice.workers =
      points[static_cast<std::size_t>(std::max<std::ptrdiff_t>(reading.last_good, 0))].workers;
  advice.low = points.front().workers;
  advice.high = points.back().workers;
  advice.open = reading.first_bad == points.size();
  if (const auto joint = joint_errors(curve); joint && options.resamples > 0) {
    set_scatter(curve, resample(curve, *joint, options), reading.first_bad, options.confidence,
                answer);
  }
  return answer;
}

}  // namespace kstar
