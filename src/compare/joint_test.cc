#include "compare/joint_test.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "compare/evidence.h"

// Huber, Robust estimation of a location parameter, Annals of Mathematical Statistics 35 (1964);
// the variance of his estimate is that of the clipped residuals over the squared share that is not
// clipped. Patterson and Thompson, Recovery of inter-block information when block sizes are
// unequal, Biometrika 58 (1971), for the likelihood of residuals.
namespace kstar::comparing {

namespace {

using Values = std::vector<double>;

constexpr double kClip = 1.5;
/// Of the error that may be: what all K together get, the rest each K alone.
constexpr double kShareOfAll = 0.25;
/// The largest of several K finds the runs whose correlation was seen as too small.
constexpr double kMarginEach = 0.65, kMarginAll = 0;
constexpr double kClippedVariance = 0.7784;  // of a standard normal value, clipped there

double median_of(Values values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double location_of(const Values& values, double scale) {
  constexpr int kSteps = 30;
  double place = median_of(values);
  for (int step = 0; step < kSteps; ++step) {
    double sum = 0;
    std::size_t inside = 0;
    for (const double value : values) {
      const double residual = (value - place) / scale;
      sum += std::clamp(residual, -kClip, kClip);
      inside += std::fabs(residual) < kClip ? 1 : 0;
    }
    const double move = scale * sum / static_cast<double>(std::max<std::size_t>(inside, 1));
    place += move;
    if (std::fabs(move) < 1e-12 * scale) break;
  }
  return place;
}

/// The runs of one K on one side, as logarithms.
struct Group {
  Values logs;
  double location = 0;
  Values clipped;  ///< residuals in units of the common scale
};

/// All of them, before and after, in the order of K.
struct Groups {
  std::vector<Group> before, after;
  double scale = 0;
  double degrees = 0;
  double squares = 0;  ///< of all clipped residuals
  double inside = 1;   ///< the share of residuals that was not clipped
  double runs = 0;

  /// The degrees of freedom that the runs have around their locations.
  double residuals() const { return runs - static_cast<double>(before.size() + after.size()); }

  /// The share of them that is left by effects which were taken away before.
  double share_left() const { return degrees / residuals(); }

  template <typename Visit>
  void each(Visit visit) {
    for (Group& group : before) visit(group);
    for (Group& group : after) visit(group);
  }
};

/// Without the zeros that medians leave.
double first_scale(Groups& groups) {
  Values distances;
  groups.each([&](Group& group) {
    const double middle = median_of(group.logs);
    for (const double log : group.logs) distances.push_back(std::fabs(log - middle));
  });
  std::sort(distances.begin(), distances.end(), std::greater<>());
  distances.resize(static_cast<std::size_t>(groups.degrees));
  constexpr double kOfNormal = 1.33;
  return kOfNormal * median_of(std::move(distances));
}

/// Huber's proposal 2 over all groups: the scale at which clipped residuals have the variance of
/// clipped normal ones.
void fit(Groups& groups) {
  constexpr int kSteps = 8;
  groups.scale = first_scale(groups);
  for (int step = 0; step < kSteps && groups.scale > 0; ++step) {
    groups.squares = 0;
    double inside = 0, count = 0;
    groups.each([&](Group& group) {
      group.location = location_of(group.logs, groups.scale);
      group.clipped.clear();
      for (const double log : group.logs) {
        const double residual = (log - group.location) / groups.scale;
        group.clipped.push_back(std::clamp(residual, -kClip, kClip));
        groups.squares += group.clipped.back() * group.clipped.back();
        inside += std::fabs(residual) < kClip ? 1 : 0;
        ++count;
      }
    });
    groups.inside = inside / count;
    groups.scale *= std::sqrt(groups.squares / groups.degrees / kClippedVariance);
  }
}

/// A run that far above the typical one is a slow one, which is counted apart, and not in the
/// location; one as far below counts as one at that distance.
constexpr double kSlow = 2.75;

void leave_out_slow(Groups& groups) {
  constexpr int kSteps = 10;
  const auto weighed = [&](const Group& group, double log) {
    const double residual = (log - group.location) / groups.scale;
    return residual > kSlow ? 0 : std::max(residual, -kSlow);
  };
  groups.squares = 0;
  double inside = 0, count = 0;
  groups.each([&](Group& group) {
    const auto is_inside = [&](double log) {
      return std::fabs(log - group.location) <= kSlow * groups.scale;
    };
    for (int step = 0; step < kSteps; ++step) {
      double sum = 0;
      for (const double log : group.logs) sum += weighed(group, log);
      const auto near = std::count_if(group.logs.begin(), group.logs.end(), is_inside);
      group.location += groups.scale * sum / static_cast<double>(std::max<std::ptrdiff_t>(near, 1));
    }
    group.clipped.clear();
    for (const double log : group.logs) {
      group.clipped.push_back(weighed(group, log));
      groups.squares += group.clipped.back() * group.clipped.back();
      inside += is_inside(log) ? 1 : 0;
      ++count;
    }
  });
  groups.inside = inside / count;
}

std::optional<Groups> groups_of(const Times& before, const Times& after, double shared_degrees) {
  constexpr double kFewestDegrees = 4;
  Groups groups;
  const auto add = [](const Times& times, std::vector<Group>& to) {
    for (const auto& [workers, samples] : times) {
      Group& group = to.emplace_back();
      for (const double time : samples) group.logs.push_back(std::log(time));
    }
  };
  add(before, groups.before);
  add(after, groups.after);
  groups.each([&](Group& group) {
    groups.runs += static_cast<double>(group.logs.size());
    groups.degrees += static_cast<double>(group.logs.size()) - 1;
  });
  groups.degrees -= shared_degrees;
  if (groups.degrees < kFewestDegrees) return std::nullopt;
  fit(groups);
  if (!(groups.scale > 0)) return std::nullopt;
  leave_out_slow(groups);
  if (!(groups.scale > 0) || !(groups.squares > 0)) return std::nullopt;
  return groups;
}

/// u' R^-1 v for the correlations of AR(1), up to a factor 1 / (1 - r^2) that the first has not.
double product(const Values& u, const Values& v, double r) {
  double sum = 0;
  for (std::size_t i = 1; i < u.size(); ++i) sum += (u[i] - r * u[i - 1]) * (v[i] - r * v[i - 1]);
  return u[0] * v[0] + sum / (1 - r * r);
}

/// Of the residuals, at one correlation: the sum of squares, and the logarithms of determinants.
struct Likelihood {
  double squares = 0;
  double determinants = 0;
};

void add_likelihood(Values residuals, double r, Likelihood& sum) {
  const Values ones(residuals.size(), 1.0);
  const double weight = product(ones, ones, r);
  const double mean = product(ones, residuals, r) / weight;
  for (double& residual : residuals) residual -= mean;
  sum.squares += product(residuals, residuals, r);
  sum.determinants +=
      static_cast<double>(residuals.size() - 1) * std::log1p(-r * r) + std::log(weight);
}

/// Of a run with the next of its K: 0 or more. Few runs hardly show it: `margin` standard
/// deviations are added.
double correlation_of(Groups& groups, double margin) {
  constexpr int kGrid = 25;
  constexpr double kSmallest = -0.4, kLargest = 0.8;
  std::array<double, kGrid> logs{};
  const auto at = [](int i) { return kSmallest + (kLargest - kSmallest) * i / (kGrid - 1); };
  for (int i = 0; i < kGrid; ++i) {
    Likelihood sum;
    groups.each([&](Group& group) { add_likelihood(group.clipped, at(i), sum); });
    logs[static_cast<std::size_t>(i)] =
        -sum.determinants / 2 - groups.residuals() / 2 * std::log(sum.squares);
  }
  const double most = *std::max_element(logs.begin(), logs.end());
  double total = 0, mean = 0, square = 0;
  for (int i = 0; i < kGrid; ++i) {
    const double weight = std::exp(logs[static_cast<std::size_t>(i)] - most);
    total += weight;
    mean += weight * at(i);
    square += weight * at(i) * at(i);
  }
  mean /= total;
  const double deviation = std::sqrt(std::max(0.0, square / total - mean * mean));
  return std::clamp(mean + margin * deviation, 0.0, kLargest);
}

/// n times the variance of the mean of n correlated values of variance 1.
double inflation(std::size_t runs, double r) {
  double sum = 1, power = 1;
  for (std::size_t lag = 1; lag < runs; ++lag) {
    power *= r;
    if (power < 1e-12) break;
    sum += 2 * (1 - static_cast<double>(lag) / static_cast<double>(runs)) * power;
  }
  return sum;
}

/// The variance of the mean over all K.
struct AllError {
  double independent = 0;  ///< were all runs independent
  double squares = 0;      ///< of sums over blocks, in units of what independent runs would give
  double degrees = 0;      ///< of freedom of these
};

/// The error of location estimates, in logarithms.
class Errors {
 public:
  Errors(Groups& groups, double margin) : correlation_(correlation_of(groups, margin)) {
    const double unit = groups.scale / groups.inside;
    unit_variance_ = unit * unit;
    double expected = 0;
    groups.each([&](Group& group) {
      const auto runs = static_cast<double>(group.logs.size());
      expected += runs - inflation(group.logs.size(), correlation_);
    });
    run_variance_ = unit_variance_ * groups.squares / (expected * groups.share_left());
  }

  double variance_of(const Group& group) const {
    const std::size_t runs = group.logs.size();
    return run_variance_ * inflation(runs, correlation_) / static_cast<double>(runs);
  }

  /// Of the mean over all K of one side: by the runs alone, and by sums over blocks.
  void add_all(const std::vector<Group>& side, AllError& sum) const {
    std::size_t blocks = 0;
    double runs = 0, independent = 0;
    for (const Group& group : side) {
      const auto count = static_cast<double>(group.logs.size());
      blocks = std::max(blocks, group.logs.size());
      runs += count;
      independent += count * count * variance_of(group);
    }
    sum.independent += independent / (runs * runs);
    if (blocks < 2) return;
    double squares = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      double total = 0;
      for (const Group& group : side) total += i < group.clipped.size() ? group.clipped[i] : 0;
      squares += total * total;
    }
    const double grown = inflation(blocks, correlation_);
    const auto count = static_cast<double>(blocks);
    const double by_blocks = unit_variance_ * squares / (count - grown) * grown * count;
    sum.squares += (count - 1) * by_blocks / independent;
    sum.degrees += count - 1;
  }

 private:
  double correlation_;
  double unit_variance_ = 0;
  double run_variance_ = 0;
};

/// By how much the noise that runs of a block share multiplies the variance of the mean over all K:
/// few blocks hardly show it, and every factor counts by its likelihood. Half of the belief before
/// is that there is none.
class SharedNoise {
 public:
  SharedNoise(const AllError& error, double run_degrees)
      : variance_(error.independent), degrees_(run_degrees) {
    constexpr double kStep = 1.25, kNone = 21;  // as likely as the 21 others together
    double total = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      factors_[i] = std::pow(kStep, static_cast<double>(i));
      const bool possible = i == 0 || error.degrees > 0;
      weights_[i] = (i == 0     ? kNone
                     : possible ? 1
                                : 0) *
                    std::exp(-error.squares / (2 * factors_[i]) + error.squares / 2 -
                             error.degrees / 2 * std::log(factors_[i]) - cap(error));
      total += weights_[i];
    }
    for (double& weight : weights_) weight /= total;
  }

  /// The chance of a mean as far from 0.
  double beyond(double log) const {
    double p = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      p += weights_[i] * student_t_beyond(log / std::sqrt(factors_[i] * variance_), degrees_);
    }
    return p;
  }

  double error() const {
    double mean = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) mean += weights_[i] * factors_[i];
    return std::sqrt(mean * variance_);
  }

  /// The distance that only 1 - confidence lies beyond.
  double reach(double confidence) const {
    double low = 0, high = std::sqrt(variance_);
    while (beyond(high) > 1 - confidence) high *= 2;
    for (int step = 0; step < 50; ++step) {
      const double middle = (low + high) / 2;
      (beyond(middle) > 1 - confidence ? low : high) = middle;
    }
    return high;
  }

 private:
  /// Keeps the exponents small.
  static double cap(const AllError& error) {
    if (error.degrees <= 0) return 0;
    const double best = std::max(1.0, error.squares / error.degrees);
    return -error.squares / (2 * best) + error.squares / 2 - error.degrees / 2 * std::log(best);
  }

  double variance_;
  double degrees_;
  std::array<double, 22> factors_{};
  std::array<double, 22> weights_{};
};

Estimate ratio_of(double log, double error, double degrees, double confidence) {
  const double reach = std::exp(student_t_reach(confidence, degrees) * error);
  const double point = std::exp(log);
  return {.point = point,
          .standard_error = error * point,
          .low = point / reach,
          .high = point * reach,
          .confidence = confidence,
          .method = IntervalMethod::kWelchLogEffective,
          .degrees = degrees};
}

/// The typical distance of a run from the middle of its group, and from how many it is known.
struct Distances {
  Values all;
  double degrees = 0;

  void add(const Values& samples) {
    Values logs;
    for (const double time : samples) logs.push_back(std::log(time));
    const double middle = median_of(logs);
    for (const double log : logs) all.push_back(std::fabs(log - middle));
    degrees += static_cast<double>(samples.size()) - 1;
  }
  /// Without the zeros that medians leave; none where too few are known.
  std::optional<double> typical() const {
    if (degrees < 1) return std::nullopt;
    Values largest = all;
    std::sort(largest.begin(), largest.end(), std::greater<>());
    largest.resize(static_cast<std::size_t>(degrees));
    const double middle = median_of(std::move(largest));
    return middle > 0 ? std::optional(std::log(middle)) : std::nullopt;
  }
};

/// Whether the runs at this K vary more, or less, than those at all others: then they say nothing
/// about each other's noise. A median of n distances varies by 1.17 / sqrt(n) of itself.
bool varies_otherwise(const Times& before, const Times& after, int workers) {
  constexpr double kSure = 2, kOfMedian = 1.17;
  Distances own, others;
  for (const Times* side : {&before, &after}) {
    for (const auto& [k, samples] : *side) (k == workers ? own : others).add(samples);
  }
  const std::optional<double> here = own.typical(), there = others.typical();
  if (!here || !there) return false;
  const double error = kOfMedian * std::sqrt(1 / own.degrees + 1 / others.degrees);
  return std::fabs(*here - *there) > kSure * error;
}

/// The change at one K.
struct Shift {
  double log = 0;
  double error = 0;
  double degrees = 0;
};

Shift shift_of(const Group& first, const Group& second, const Errors& errors, double degrees) {
  return {second.location - first.location,
          std::sqrt(errors.variance_of(first) + errors.variance_of(second)), degrees};
}

/// By the runs of this K alone; none where they are too few.
std::optional<Shift> shift_alone(const Times& before, const Times& after, int workers) {
  std::optional<Groups> own =
      groups_of({{workers, before.at(workers)}}, {{workers, after.at(workers)}}, 0);
  if (!own) return std::nullopt;
  const Errors errors(*own, kMarginEach);
  return shift_of(own->before[0], own->after[0], errors, own->degrees);
}

/// The K whose noise differs from that of the others, by themselves.
std::map<int, std::optional<Shift>> shifts_apart(const Times& before, const Times& after) {
  std::map<int, std::optional<Shift>> apart;
  for (const auto& [workers, samples] : before) {
    if (before.size() > 1 && varies_otherwise(before, after, workers)) {
      apart.emplace(workers, shift_alone(before, after, workers));
    }
  }
  return apart;
}

Times without(Times times, const std::map<int, std::optional<Shift>>& apart) {
  for (const auto& [workers, shift] : apart) times.erase(workers);
  return times;
}

/// Where one K is known too badly to be compared at all, nothing is said of it.
RatioChange untold(double confidence) {
  constexpr double kEnd = std::numeric_limits<double>::infinity();
  return {.ratio = {.point = 1, .low = 0, .high = kEnd, .confidence = confidence}, .p = 1};
}

RatioChange ratio_change(const Shift& shift, double confidence) {
  return {.ratio = ratio_of(shift.log, shift.error, shift.degrees, confidence),
          .p = student_t_beyond(shift.log / shift.error, shift.degrees)};
}

/// Welch's degrees of freedom of the mean over all K.
Shift mean_of(const std::vector<Shift>& shifts) {
  Shift mean;
  double variance = 0, fourth = 0;
  for (const Shift& shift : shifts) {
    const double square = shift.error * shift.error;
    mean.log += shift.log;
    variance += square;
    fourth += square * square / shift.degrees;
  }
  const auto count = static_cast<double>(shifts.size());
  mean.log /= count;
  mean.error = std::sqrt(variance) / count;
  mean.degrees = variance * variance / fourth;
  return mean;
}

void judge_all(double log, double confidence, JointChange& all) {
  if (all.p >= 1 - confidence) return;
  all.verdict = log > 0 ? ChangeVerdict::kWorse : ChangeVerdict::kBetter;
}

}  // namespace

std::optional<JointTest> joint_test(const Times& before, const Times& after, double confidence,
                                    const BlocksTaken& taken) {
  const std::map<int, std::optional<Shift>> apart = shifts_apart(before, after);
  std::optional<Groups> groups =
      groups_of(without(before, apart), without(after, apart), taken.degrees);
  if (!groups && apart.empty()) return std::nullopt;
  JointTest test;
  std::vector<Shift> shifts;
  std::optional<Errors> errors;
  if (groups) errors.emplace(*groups, kMarginEach);
  std::size_t next = 0;
  for (const auto& [workers, samples] : before) {
    const auto alone = apart.find(workers);
    std::optional<Shift> shift;
    if (alone != apart.end()) {
      shift = alone->second;
    } else if (groups) {
      shift = shift_of(groups->before[next], groups->after[next], *errors, groups->degrees);
      ++next;
    }
    test.at.push_back(shift ? ratio_change(*shift, confidence) : untold(confidence));
    if (shift) shifts.push_back(*shift);
  }
  if (shifts.empty()) return std::nullopt;
  const bool two = before.size() > 1;  // tests
  std::vector<RatioChange*> each;
  for (RatioChange& change : test.at) each.push_back(&change);
  adjust(each);
  for (RatioChange& change : test.at) {
    change.adjusted_p = std::min(1.0, change.adjusted_p / (two ? 1 - kShareOfAll : 1));
  }
  if (!apart.empty()) {  // what blocks share is not asked where K differ in noise
    const Shift mean = mean_of(shifts);
    const RatioChange whole = ratio_change(mean, confidence);
    test.all.ratio = whole.ratio;
    test.all.p = std::min(1.0, whole.p / (two ? kShareOfAll : 1));
    judge_all(mean.log, confidence, test.all);
    return test;
  }
  const Errors errors_of_all(*groups, taken.common ? kMarginEach : kMarginAll);
  const double sum = std::accumulate(shifts.begin(), shifts.end(), 0.0,
                                     [](double all, const Shift& one) { return all + one.log; });
  AllError error;
  errors_of_all.add_all(groups->before, error);
  errors_of_all.add_all(groups->after, error);
  if (taken.common) error.squares = error.degrees = 0;
  const SharedNoise noise(error, groups->degrees);
  const double all = sum / static_cast<double>(before.size());
  const double reach = std::exp(noise.reach(confidence));
  test.all.ratio = ratio_of(all, noise.error(), groups->degrees, confidence);
  test.all.ratio.low = test.all.ratio.point / reach;
  test.all.ratio.high = test.all.ratio.point * reach;
  test.all.p = std::min(1.0, noise.beyond(all) / (two ? kShareOfAll : 1));
  judge_all(all, confidence, test.all);
  return test;
}

std::optional<SlowRuns> slow_runs(const Times& before, const Times& after) {
  constexpr double kFar = 4;  // scales: 1 of 30,000 normal runs
  const std::map<int, std::optional<Shift>> apart = shifts_apart(before, after);
  std::optional<Groups> groups = groups_of(without(before, apart), without(after, apart), 0);
  if (!groups) return std::nullopt;
  const auto count = [&](const std::vector<Group>& side, std::size_t& slow, std::size_t& runs) {
    for (const Group& group : side) {
      runs += group.logs.size();
      for (const double log : group.logs) {
        if (log - group.location > kFar * groups->scale) ++slow;
      }
    }
  };
  SlowRuns found;
  count(groups->before, found.before, found.runs_before);
  count(groups->after, found.after, found.runs_after);
  const auto slow = static_cast<unsigned>(found.before + found.after);
  const boost::math::hypergeometric_distribution<double> drawn(
      slow, static_cast<unsigned>(found.runs_after),
      static_cast<unsigned>(found.runs_before + found.runs_after));
  const auto seen = static_cast<unsigned>(found.after);
  const double fewer = boost::math::cdf(drawn, seen);
  const double more =
      boost::math::cdf(boost::math::complement(drawn, seen)) + boost::math::pdf(drawn, seen);
  found.p = std::min(1.0, 2 * std::min(fewer, more));
  return found;
}

}  // namespace kstar::comparing
