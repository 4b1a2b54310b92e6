#include "analysis/causes/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analysis/causes/noise_floor.h"
#include "analysis/causes/registry.h"
#include "base/duration.h"
#include "base/number.h"
#include "kstar/words.h"

namespace kstar::causes {

namespace {

/// The points of the program above the base that have an efficiency.
std::vector<const ScalingPoint*> scaled_points(const ScalingTable& table) {
  std::vector<const ScalingPoint*> points;
  for (const ScalingPoint& point : table.points) {
    const bool scaled = point.role == Role::kParallel && point.workers > table.base_workers;
    if (scaled && point.efficiency && point.efficiency->point > 0) points.push_back(&point);
  }
  return points;
}

/// log o against log (k - 1), weighted by how well each o is known.
struct Line {
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  std::size_t points = 0;

  void add(double at, double value, double error) {
    const double w = 1 / (error * error);
    weight += w;
    x += w * at;
    y += w * value;
    xx += w * at * at;
    xy += w * at * value;
    yy += w * value * value;
    ++points;
  }
};

/// Where one run per K gives no error, or a very small one, forms themselves are not that exact.
double log_error(const Estimate& efficiency, double overhead) {
  constexpr double kForm = 0.1;
  const double own =
      std::isfinite(efficiency.standard_error)
          ? efficiency.standard_error / (efficiency.point * efficiency.point * overhead)
          : 0;
  return std::hypot(kForm, own);
}

std::optional<OverheadGrowth> growth_of(const std::vector<const ScalingPoint*>& points, int base,
                                        double confidence) {
  constexpr std::size_t kFewest = 3;
  Line line;
  for (const ScalingPoint* point : points) {
    const double overhead = 1 / point->efficiency->point - 1;
    const double more = static_cast<double>(point->workers) / base - 1;
    if (overhead < kNegligible) continue;
    line.add(std::log(more), std::log(overhead), log_error(*point->efficiency, overhead));
  }
  const double spread = line.xx - line.x * line.x / line.weight;
  if (line.points < kFewest || !(spread > 0)) return std::nullopt;
  const double power = (line.xy - line.x * line.y / line.weight) / spread;
  const double left = line.yy - line.y * line.y / line.weight - power * power * spread;
  const double degrees = static_cast<double>(line.points) - 2;
  const double misfit = std::max(1.0, left / degrees);
  const double half = normal_quantile((1 + confidence) / 2) * std::sqrt(misfit / spread);
  return OverheadGrowth{power, power - half, power + half, line.points};
}

/// Between these powers the overhead is a constant time a step.
constexpr double kShareBelow = 0.5;
constexpr double kGrowsAbove = 1.2;
/// In weak scaling a constant time is no overhead that grows.
constexpr double kWeakGrows = 0.25;

int place_of(const ShapePlaces& places, double power, bool weak) {
  if (weak) return power > kWeakGrows ? places.weak_growing : places.weak_share;
  if (power < kShareBelow) return places.share;
  return power < kGrowsAbove ? places.constant : places.growing;
}

using Kinds = std::vector<CauseKind>;

/// The most likely first.
Kinds kinds_of(double power, bool weak) {
  std::map<int, CauseKind> by_place;
  for (const CauseEntry* cause : kCauses) {
    const int place = place_of(cause->suggested, power, weak);
    if (place > 0) by_place.emplace(place, cause->about.kind);
  }
  Kinds kinds;
  for (const auto& [place, kind] : by_place) kinds.push_back(kind);
  return kinds;
}

/// Those of the power itself, then those that its interval does not rule out.
Kinds candidates(const OverheadGrowth& growth, bool weak) {
  Kinds all;
  std::set<CauseKind> seen;
  for (const double power : {growth.power, growth.low, growth.high}) {
    for (const CauseKind kind : kinds_of(power, weak)) {
      if (seen.insert(kind).second) all.push_back(kind);
    }
  }
  return all;
}

std::string growth_text(const OverheadGrowth& growth, bool weak) {
  const std::string power =
      fmt::format("the loss grows as (K - 1)^{} ({} to {}) over {} K", fixed(growth.power, 2),
                  fixed(growth.low, 2), fixed(growth.high, 2), growth.points);
  if (weak) {
    return power + (growth.power > kWeakGrows ? ": some cost grows with the number of workers"
                                              : ": a share of the time that does not grow with K");
  }
  if (growth.power < kShareBelow) return power + ": a share of every worker's time";
  if (growth.power < kGrowsAbove) {
    return power +
           ": a constant time per step, as from a serial part, a ring all-reduce, a worker that is "
           "late by a fixed time, or saturated memory";
  }
  return power + ": a time that grows with K, as from communication or contention";
}

/// Whether a run's T scatters more at the largest K than at the base, beyond chance: logarithms of
/// variances have the variance 2 / (n - 1).
std::optional<std::string> spread_text(const ScalingPoint& base, const ScalingPoint& last,
                                       double confidence) {
  const auto relative = [](const ScalingPoint& point) {
    return point.times.standard_deviation / point.times.mean;
  };
  if (base.times.n < 3 || last.times.n < 3 || !(relative(base) > 0)) return std::nullopt;
  const double ratio = relative(last) / relative(base);
  const double error = std::sqrt(2 / static_cast<double>(base.times.n - 1) +
                                 2 / static_cast<double>(last.times.n - 1));
  const bool grows = 2 * std::log(ratio) > normal_quantile(confidence) * error;
  if (!grows || relative(last) < kNegligible) return std::nullopt;
  return fmt::format(
      "T varies by {} at K = {} and by {} at K = {}: some worker is late in some runs",
      percent(relative(last), 0), last.workers, percent(relative(base), 0), base.workers);
}

/// Likewise for the steps inside of runs: how much their mean is above a prompt one.
std::vector<double> planted_delay(const Study& study, int workers) {
  constexpr std::size_t kFewestSteps = 8;
  std::vector<double> shares;
  for (const Run& run : study.runs) {
    if (!counts(run) || run.workers != workers || run.role != Role::kParallel) continue;
    const auto skip = static_cast<std::size_t>(std::max(0, run.warm_up_steps.value_or(0)));
    if (run.steps.size() < skip + kFewestSteps) continue;
    const std::vector<double> steps(run.steps.begin() + static_cast<std::ptrdiff_t>(skip),
                                    run.steps.end());
    shares.push_back(1 - quantile_of(steps, 0.25) / mean_of(steps));
  }
  return shares;
}

std::optional<std::string> steps_text(const Study& study, int base, int last, double confidence) {
  const std::vector<double> before = planted_delay(study, base);
  const std::vector<double> now = planted_delay(study, last);
  if (before.size() < 2 || now.size() < 2) return std::nullopt;
  const double error =
      std::hypot(deviation_of(before) / std::sqrt(static_cast<double>(before.size())),
                 deviation_of(now) / std::sqrt(static_cast<double>(now.size())));
  const double more = mean_of(now) - mean_of(before);
  if (more - normal_quantile((1 + confidence) / 2) * error < kNegligible) return std::nullopt;
  return fmt::format(
      "the mean step is {} above a fast one at K = {} and {} at K = {}: single steps are delayed",
      percent(mean_of(now), 0), last, percent(mean_of(before), 0), base);
}

void suspect_straggler(const std::optional<std::string>& text, Cause& cause) {
  if (!text) return;
  cause.evidence.push_back(*text);
  const bool there = cause.kind == CauseKind::kStraggler ||
                     std::find(cause.or_else.begin(), cause.or_else.end(), CauseKind::kStraggler) !=
                         cause.or_else.end();
  if (!there) cause.or_else.push_back(CauseKind::kStraggler);
}

Estimate unknown_share(double confidence) {
  return {.point = 1,
          .standard_error = std::numeric_limits<double>::quiet_NaN(),
          .low = 0,
          .high = 1,
          .confidence = confidence};
}

Cause nothing(std::string why, double confidence) {
  Cause none;
  none.confidence = Confidence::kShape;
  none.share = unknown_share(confidence);
  none.factor = {.point = 1, .low = 1, .high = 1, .confidence = confidence};
  none.evidence.push_back(std::move(why));
  return none;
}

bool loses(const Estimate& efficiency) {
  return is_bounded(efficiency) ? efficiency.high < 1 - kNegligible : efficiency.point < 1 - kPlain;
}

/// T rises from the K of least time to the last one, beyond their intervals.
std::optional<std::string> rising_text(const std::vector<const ScalingPoint*>& points) {
  const ScalingPoint* least = points.front();
  for (const ScalingPoint* point : points) {
    if (point->time.point < least->time.point) least = point;
  }
  const ScalingPoint* last = points.back();
  const bool rises = is_bounded(least->time) && is_bounded(last->time)
                         ? last->time.low > least->time.high
                         : last->time.point > (1 + kPlain) * least->time.point;
  if (least == last || !rises) return std::nullopt;
  return fmt::format(
      "T rises from {} at K = {} to {} at K = {}: some cost grows with K faster than "
      "the work of each shrinks",
      time_text(least->time.point), least->workers, time_text(last->time.point), last->workers);
}

/// T does not fall any more over the last three K or more.
std::optional<std::string> flat_text(const std::vector<const ScalingPoint*>& points) {
  constexpr double kFlat = 0.03;
  const double last = points.back()->time.point;
  auto first = points.rbegin();
  while (first != points.rend() && std::fabs((*first)->time.point / last - 1) < kFlat) ++first;
  if (first - points.rbegin() < 3) return std::nullopt;
  const ScalingPoint& from = **(first - 1);
  return fmt::format(
      "T stays at {} from K = {} to {}: a constant time, as from a serial part, one task that is "
      "not divided, or a resource that all share",
      time_text(last), from.workers, points.back()->workers);
}

Cause shape_cause(const Study& study, const ScalingTable& table,
                  const std::vector<const ScalingPoint*>& points, double confidence) {
  const bool weak = table.regime == Regime::kWeak;
  const ScalingPoint& last = *points.back();
  std::optional<OverheadGrowth> growth = growth_of(points, table.base_workers, confidence);
  const std::optional<std::string> rising = weak ? std::nullopt : rising_text(points);
  if (!growth && !rising) {
    return nothing(fmt::format("E is {} at K = {}; there are too few K to say why",
                               factor_words(*last.efficiency), last.workers),
                   confidence);
  }
  // A T that rises rules out what only keeps it from falling.
  if (rising && growth) growth->power = std::max(growth->power, kGrowsAbove);
  if (rising && growth) growth->low = std::max(growth->low, kGrowsAbove);
  if (rising && growth) growth->high = std::max(growth->high, growth->power);
  const std::optional<std::string> flat = weak || rising ? std::nullopt : flat_text(points);
  if (flat && growth) growth = OverheadGrowth{1, 1, 1, growth->points};
  const Kinds kinds = growth ? candidates(*growth, weak) : kinds_of(kGrowsAbove, weak);
  Cause cause;
  cause.confidence = Confidence::kShape;
  cause.kind = kinds.front();
  cause.or_else.assign(kinds.begin() + 1, kinds.end());
  cause.share = unknown_share(confidence);
  cause.factor = *last.efficiency;
  if (rising || flat) {
    cause.evidence.push_back(rising ? *rising : *flat);
  } else {
    cause.evidence.push_back(growth_text(*growth, weak));
  }
  for (const ScalingPoint& point : table.points) {
    if (point.role != Role::kParallel || point.workers != table.base_workers) continue;
    suspect_straggler(spread_text(point, last, confidence), cause);
  }
  suspect_straggler(steps_text(study, table.base_workers, last.workers, confidence), cause);
  cause.advice =
      "measure what each worker does before changing anything: T(K) alone does not tell "
      "these causes apart";
  return cause;
}

std::vector<std::string> next_steps(const Study& study,
                                    const std::vector<const ScalingPoint*>& points) {
  std::vector<std::string> next;
  const bool mpi =
      study.header.launcher.find("mpi") != std::string::npos ||
      (!study.header.command.empty() && study.header.command[0].find("mpi") != std::string::npos);
  next.push_back(mpi ? "kstar measure --inside 3: useful time, waiting and transfer of every rank, "
                       "without changing the program"
                     : "marks in the program (kstar/mark.h, kstar_mark.py) and kstar measure "
                       "--time marks: what each worker computes, communicates and waits, step by "
                       "step; for an MPI program kstar measure --inside 3");
  constexpr std::size_t kFewK = 4;
  if (points.size() + 1 < kFewK) {
    next.push_back("more K (--workers 1,2,4,8): how the loss grows with K separates the causes");
  }
  const bool few = std::any_of(points.begin(), points.end(),
                               [](const ScalingPoint* point) { return point->times.n < 3; });
  if (few) next.push_back("at least three runs at each K: one run does not show the noise");
  return next;
}

std::string no_loss_text(const ScalingPoint& last) {
  const bool open = last.efficiency->point < 1 - kPlain;
  return fmt::format(
      "E is {} at K = {}: {}", factor_words(*last.efficiency), last.workers,
      open ? "too few runs to separate a loss from the noise" : "no loss beyond the noise");
}

}  // namespace

Diagnosis diagnose_shape(const Study& study, const ScalingTable& table, double confidence) {
  Diagnosis diagnosis;
  const std::vector<const ScalingPoint*> points = scaled_points(table);
  diagnosis.next = next_steps(study, points);
  if (points.empty()) {
    if (!table.points.empty()) diagnosis.workers = table.base_workers;
    diagnosis.causes.push_back(nothing(
        "there is no efficiency to explain: it needs a regime and two K with times", confidence));
    return diagnosis;
  }
  const ScalingPoint& last = *points.back();
  diagnosis.workers = last.workers;
  diagnosis.efficiency = last.efficiency;
  if (loses(*last.efficiency)) {
    diagnosis.causes.push_back(shape_cause(study, table, points, confidence));
  } else {
    diagnosis.causes.push_back(nothing(no_loss_text(last), confidence));
  }
  return diagnosis;
}

}  // namespace kstar::causes
