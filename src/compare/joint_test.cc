#include "compare/joint_test.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "compare/evidence.h"
#include "kstar/stats.h"

// Huber, Robust estimation of a location parameter, Annals of Mathematical Statistics 35 (1964);
// the variance of his estimate is that of the clipped residuals over the squared share that is not
// clipped. Patterson and Thompson, Recovery of inter-block information when block sizes are
// unequal, Biometrika 58 (1971), for the likelihood of residuals.
namespace kstar::comparing {

namespace {

using Values = std::vector<double>;

constexpr double kClip = 1.5;
/// Of the error that may be: what all K together get, the rest each K alone.
constexpr double kShareOfAll = 0.17;
/// The largest of several K finds the runs whose correlation was seen as too small.
constexpr double kMarginEach = 0.92, kMarginAll = 0.15;
constexpr double kClippedVariance = 0.7784;  // of a standard normal value, clipped there

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

  /// What a clipped residual is worth, in logarithms.
  double unit() const { return scale / inside; }

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

/// Of one run, in logarithms, where runs are correlated by r.
double run_variance(Groups& groups, double r) {
  const double unit = groups.unit();
  double expected = 0;
  groups.each([&](Group& group) {
    expected += static_cast<double>(group.logs.size()) - inflation(group.logs.size(), r);
  });
  return unit * unit * groups.squares / (expected * groups.share_left());
}

/// Of the location, for each unit of that.
double location_variance(const Group& group, double r) {
  return inflation(group.logs.size(), r) / static_cast<double>(group.logs.size());
}

/// How likely each correlation of a run with the next of its K is. Runs resemble their neighbours,
/// and locations differ the more from side to side: by the residuals of all groups, and by how the
/// changes at single K lie around their median. Some may be changes of their own, and say nothing.
class Correlation {
 public:
  explicit Correlation(Groups& groups) : changes_(groups.before.size()) {
    for (int i = 0; i < kGrid; ++i) {
      Likelihood sum;
      groups.each([&](Group& group) { add_likelihood(group.clipped, at(i), sum); });
      logs_[index(i)] = -sum.determinants / 2 - groups.residuals() / 2 * std::log(sum.squares);
    }
    runs_ = logs_;
    add_changes(groups);
  }

  /// Of all K together: changes that differ may be changes, and do not raise it.
  double estimate_of_all(double margin) const {
    return std::min(estimate_of(logs_, margin), estimate_of(runs_, margin));
  }

  /// 0 or more, `margin` standard deviations above its mean: few runs hardly show it. Without what
  /// the change at that place says: whether it is one is the question.
  double estimate(double margin, std::optional<std::size_t> without = std::nullopt) const {
    Grid logs = logs_;
    if (without) {
      for (std::size_t i = 0; i < logs.size(); ++i) logs[i] -= changes_[*without][i];
    }
    return estimate_of(logs, margin);
  }

 private:
  static constexpr int kGrid = 25;
  static constexpr double kSmallest = -0.4, kLargest = 0.8;
  using Grid = std::array<double, kGrid>;

  static double at(int i) { return kSmallest + (kLargest - kSmallest) * i / (kGrid - 1); }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  static double estimate_of(const Grid& logs, double margin) {
    const double most = *std::max_element(logs.begin(), logs.end());
    double total = 0, mean = 0, square = 0;
    for (int i = 0; i < kGrid; ++i) {
      const double weight = std::exp(logs[index(i)] - most);
      total += weight;
      mean += weight * at(i);
      square += weight * at(i) * at(i);
    }
    mean /= total;
    const double deviation = std::sqrt(std::max(0.0, square / total - mean * mean));
    return std::clamp(mean + margin * deviation, 0.0, kLargest);
  }

  /// A change at one K, and the variance that it has by chance, for each unit of a run's.
  struct Change {
    double value = 0;
    const Group* first = nullptr;
    const Group* second = nullptr;

    double variance(double r) const {
      return location_variance(*first, r) + location_variance(*second, r);
    }
  };

  void add_changes(Groups& groups) {
    constexpr std::size_t kFewest = 3;
    const std::size_t count = groups.before.size();
    for (Grid& grid : changes_) grid.fill(0);
    if (count < kFewest) return;
    Values values;
    for (std::size_t k = 0; k < count; ++k) {
      values.push_back(groups.after[k].location - groups.before[k].location);
    }
    const double middle = median_of(values);
    std::vector<Change> changes;
    for (std::size_t k = 0; k < count; ++k) {
      changes.push_back({values[k] - middle, &groups.before[k], &groups.after[k]});
    }
    const double left = 1 - 1 / static_cast<double>(count);  // by the median
    const double usual = run_variance(groups, 0);
    const double share = share_changed(changes, left * run_variance(groups, kLargest), usual);
    for (int i = 0; i < kGrid; ++i) {
      const double run = left * run_variance(groups, at(i));
      for (std::size_t k = 0; k < count; ++k) {
        const double log = std::log(by_chance(changes[k], at(i), run, share) +
                                    by_change(changes[k], usual, share));
        changes_[k][index(i)] = log;
        logs_[index(i)] += log;
      }
    }
  }

  /// How many of the K changed by themselves: one in twenty, if the changes do not say otherwise
  /// that are too large for any correlation (Dempster, Laird and Rubin's algorithm).
  static double share_changed(const std::vector<Change>& changes, double run, double usual) {
    constexpr double kBelieved = 0.05, kWeight = 5;  // as many K as that belief is worth
    constexpr int kSteps = 10;
    double share = kBelieved;
    for (int step = 0; step < kSteps; ++step) {
      double changed = kBelieved * kWeight;
      for (const Change& change : changes) {
        const double own = by_change(change, usual, share);
        const double both = own + by_chance(change, kLargest, run, share);
        changed += both > 0 ? own / both : 1;
      }
      share = changed / (kWeight + static_cast<double>(changes.size()));
    }
    return share;
  }

  static double density(double value, double variance) {
    return std::exp(-value * value / 2 / variance) / std::sqrt(variance);
  }
  static double by_chance(const Change& change, double r, double run, double share) {
    return (1 - share) * density(change.value, run * change.variance(r));
  }
  /// Anything; what is far away is not zero.
  static double by_change(const Change& change, double usual, double share) {
    constexpr double kFar = 5, kLeast = 1e-12;
    const double variance = usual * change.variance(0);
    return share * (density(change.value, kFar * kFar * variance) + kLeast / std::sqrt(variance));
  }

  Grid logs_{};
  Grid runs_{};                ///< by the runs alone
  std::vector<Grid> changes_;  ///< what each K adds to them
};

/// A location with its error: `unit` is what its residuals are measured in.
struct Located {
  const Group* group = nullptr;
  double variance = 0;
  double unit = 0;
};

/// The variance of the mean over all K.
struct AllError {
  double independent = 0;  ///< were all runs independent
  double squares = 0;      ///< of sums over blocks, in units of what independent runs would give
  double degrees = 0;      ///< of freedom of these
};

/// Of one side, whose runs are correlated by r: by the runs alone, and by sums over blocks.
void add_all(const std::vector<Located>& side, double r, AllError& sum) {
  std::size_t blocks = 0;
  double variances = 0, independent = 0;
  for (const Located& one : side) {
    const auto count = static_cast<double>(one.group->logs.size());
    blocks = std::max(blocks, one.group->logs.size());
    variances += one.variance;
    independent += count * count * one.variance;
  }
  sum.independent += variances / static_cast<double>(side.size() * side.size());
  if (blocks < 2) return;
  double squares = 0;
  for (std::size_t i = 0; i < blocks; ++i) {
    double total = 0;
    for (const Located& one : side) {
      total += i < one.group->clipped.size() ? one.unit * one.group->clipped[i] : 0;
    }
    squares += total * total;
  }
  const double grown = inflation(blocks, r);
  const auto count = static_cast<double>(blocks);
  const double by_blocks = squares / (count - grown) * grown * count;
  sum.squares += (count - 1) * by_blocks / independent;
  sum.degrees += count - 1;
}

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

/// The noise of the runs at one K: squares of their residuals, in which a slow run counts as one
/// at the distance of slow runs.
struct OwnNoise {
  double squares = 0;
  double degrees = 0;
};

/// The K whose runs vary more, or less, than those at all others: these say nothing about each
/// other's noise. The logarithm of a standard deviation with d degrees of freedom varies by
/// 1 / sqrt(2 d).
std::set<int> varying_otherwise(const Times& before, const Times& after) {
  constexpr double kSureNoisier = 2.3, kSureQuieter = 3.2;  // a quiet K finds what is not there
  std::set<int> found;
  std::optional<Groups> groups = before.size() > 1 ? groups_of(before, after, 0) : std::nullopt;
  if (!groups) return found;
  std::vector<OwnNoise> own(before.size());
  OwnNoise all;
  for (const std::vector<Group>* side : {&groups->before, &groups->after}) {
    for (std::size_t k = 0; k < side->size(); ++k) {
      const Group& group = (*side)[k];
      for (const double log : group.logs) {
        const double residual = std::clamp((log - group.location) / groups->scale, -kSlow, kSlow);
        own[k].squares += residual * residual;
        all.squares += residual * residual;
      }
      own[k].degrees += static_cast<double>(group.logs.size()) - 1;
      all.degrees += static_cast<double>(group.logs.size()) - 1;
    }
  }
  std::size_t k = 0;
  for (const auto& [workers, samples] : before) {
    const OwnNoise& here = own[k++];
    const OwnNoise others{all.squares - here.squares, all.degrees - here.degrees};
    if (here.degrees < 1 || others.degrees < 1) continue;
    const double ratio = here.squares / here.degrees / (others.squares / others.degrees);
    const double error = std::sqrt((1 / here.degrees + 1 / others.degrees) / 2);
    const double sure = std::log(ratio) / 2 / error;
    if (sure > kSureNoisier || sure < -kSureQuieter) found.insert(workers);
  }
  return found;
}

/// The change at one K.
struct Shift {
  double log = 0;
  double error = 0;
  double degrees = 0;
};

Times without(Times times, const std::set<int>& apart) {
  for (const int workers : apart) times.erase(workers);
  return times;
}

/// All changes, and what the error of their mean is made of.
struct Shifts {
  std::vector<std::optional<Shift>> at;  ///< by K; none where its runs are too few
  std::vector<Located> before, after;
};

void add_shift(Groups& groups, std::size_t k, double r, double r_of_all, Shifts& shifts) {
  const Group &first = groups.before[k], &second = groups.after[k];
  const double variance =
      run_variance(groups, r) * (location_variance(first, r) + location_variance(second, r));
  shifts.at.push_back(Shift{second.location - first.location, std::sqrt(variance), groups.degrees});
  const double run = run_variance(groups, r_of_all);
  shifts.before.push_back({&first, run * location_variance(first, r_of_all), groups.unit()});
  shifts.after.push_back({&second, run * location_variance(second, r_of_all), groups.unit()});
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
double degrees_of_mean(const Shifts& shifts) {
  double variance = 0, fourth = 0;
  for (const std::optional<Shift>& shift : shifts.at) {
    if (!shift) continue;
    const double square = shift->error * shift->error;
    variance += square;
    fourth += square * square / shift->degrees;
  }
  return variance * variance / fourth;
}

void judge_all(double log, double confidence, JointChange& all) {
  if (all.p >= 1 - confidence) return;
  all.verdict = log > 0 ? ChangeVerdict::kWorse : ChangeVerdict::kBetter;
}

/// Of some runs, how many are slow, and by what factor, as logarithms.
struct SlowSide {
  unsigned slow = 0;
  unsigned runs = 0;
  Values logs = {};
};

struct SlowCount {
  SlowSide before, after;
};

void count_slow(const Group& group, double scale, SlowSide& side) {
  constexpr double kFar = 4;  // scales: 1 of 30,000 normal runs
  for (const double log : group.logs) {
    ++side.runs;
    if (log - group.location <= kFar * scale) continue;
    ++side.slow;
    side.logs.push_back(log - group.location);
  }
}

/// Two-sided: twice the smaller tail.
double fishers_chance(const SlowSide& before, const SlowSide& after) {
  const boost::math::hypergeometric_distribution<double> drawn(before.slow + after.slow, after.runs,
                                                               before.runs + after.runs);
  const double fewer = boost::math::cdf(drawn, after.slow);
  const double more = boost::math::cdf(boost::math::complement(drawn, after.slow)) +
                      boost::math::pdf(drawn, after.slow);
  return std::min(1.0, 2 * std::min(fewer, more));
}

SlowRuns tested(const SlowCount& count) {
  const SlowSide &first = count.before, &second = count.after;
  const bool rose =
      std::uint64_t{second.slow} * first.runs > std::uint64_t{first.slow} * second.runs;
  const Values& logs = rose ? second.logs : first.logs;
  return {.before = first.slow,
          .runs_before = first.runs,
          .after = second.slow,
          .runs_after = second.runs,
          .p = fishers_chance(first, second),
          .factor = logs.empty() ? 1 : std::exp(median_of(logs))};
}

void adjust_slow(std::vector<std::optional<SlowRuns>>& at) {
  std::vector<RatioChange> changes;
  for (const std::optional<SlowRuns>& slow : at) {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    changes.push_back({.ratio = {}, .p = slow ? slow->p : kNothing});
  }
  std::vector<RatioChange*> each;
  for (RatioChange& change : changes) each.push_back(&change);
  adjust(each);
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k]) at[k]->adjusted_p = changes[k].adjusted_p;
  }
}

}  // namespace

std::optional<JointTest> joint_test(const Times& before, const Times& after, double confidence,
                                    const BlocksTaken& taken) {
  const std::set<int> apart = varying_otherwise(before, after);
  std::optional<Groups> groups =
      groups_of(without(before, apart), without(after, apart), taken.degrees);
  std::map<int, Groups> alone;
  for (const int workers : apart) {
    std::optional<Groups> own =
        groups_of({{workers, before.at(workers)}}, {{workers, after.at(workers)}}, 0);
    if (own) alone.emplace(workers, std::move(*own));
  }
  if (!groups && alone.empty()) return std::nullopt;
  // Runs that vary otherwise resemble their neighbours alike.
  const Correlation correlation(groups ? *groups : alone.begin()->second);
  const double of_all = correlation.estimate_of_all(taken.common ? kMarginEach : kMarginAll);
  const double of_others = correlation.estimate(kMarginEach);
  Shifts shifts;
  std::size_t next = 0;
  for (const auto& [workers, samples] : before) {
    if (const auto own = alone.find(workers); own != alone.end()) {
      add_shift(own->second, 0, of_others, of_all, shifts);
    } else if (groups && !apart.contains(workers)) {
      add_shift(*groups, next, correlation.estimate(kMarginEach, next), of_all, shifts);
      ++next;
    } else {
      shifts.at.emplace_back(std::nullopt);
    }
  }
  JointTest test;
  for (const std::optional<Shift>& shift : shifts.at) {
    test.at.push_back(shift ? ratio_change(*shift, confidence) : untold(confidence));
  }
  const bool two = before.size() > 1;  // tests
  std::vector<RatioChange*> each;
  for (RatioChange& change : test.at) each.push_back(&change);
  adjust(each);
  for (RatioChange& change : test.at) {
    change.adjusted_p = std::min(1.0, change.adjusted_p / (two ? 1 - kShareOfAll : 1));
  }
  AllError error;
  add_all(shifts.before, of_all, error);
  add_all(shifts.after, of_all, error);
  if (taken.common) error.squares = error.degrees = 0;
  const double degrees = apart.empty() ? groups->degrees : degrees_of_mean(shifts);
  const SharedNoise noise(error, degrees);
  double sum = 0;
  for (const std::optional<Shift>& shift : shifts.at) sum += shift ? shift->log : 0;
  const double all = sum / static_cast<double>(shifts.before.size());
  const double reach = std::exp(noise.reach(confidence));
  test.all.ratio = ratio_of(all, noise.error(), degrees, confidence);
  test.all.ratio.low = test.all.ratio.point / reach;
  test.all.ratio.high = test.all.ratio.point * reach;
  test.all.p = std::min(1.0, noise.beyond(all) / (two ? kShareOfAll : 1));
  judge_all(all, confidence, test.all);
  return test;
}

std::optional<SlowTest> slow_runs(const Times& before, const Times& after) {
  const std::set<int> apart = varying_otherwise(before, after);
  const std::optional<Groups> groups = groups_of(without(before, apart), without(after, apart), 0);
  SlowTest test;
  SlowCount all;
  std::size_t next = 0;
  for (const auto& [workers, samples] : before) {
    const bool own = apart.contains(workers);
    const std::optional<Groups> alone =
        own ? groups_of({{workers, samples}}, {{workers, after.at(workers)}}, 0) : std::nullopt;
    const std::optional<Groups>& used = own ? alone : groups;
    const std::size_t k = own ? 0 : next++;
    if (!used) {
      test.at.emplace_back(std::nullopt);
      continue;
    }
    SlowCount here;
    for (SlowCount* count : {&here, &all}) {
      count_slow(used->before[k], used->scale, count->before);
      count_slow(used->after[k], used->scale, count->after);
    }
    test.at.emplace_back(tested(here));
  }
  if (all.before.runs == 0) return std::nullopt;
  adjust_slow(test.at);
  test.all = tested(all);
  test.all.adjusted_p = test.all.p;
  return test;
}

std::optional<std::size_t> more_for_slow(const SlowRuns& seen, double confidence,
                                         std::size_t compared) {
  constexpr double kPower = 0.8416;  // the normal quantile of 4 in 5
  constexpr std::size_t kMost = 10000;
  const double first = static_cast<double>(seen.before) / static_cast<double>(seen.runs_before);
  const double second = static_cast<double>(seen.after) / static_cast<double>(seen.runs_after);
  const double less = std::min(first, second), more = std::max(first, second);
  const std::size_t now = std::min(seen.runs_before, seen.runs_after);
  for (std::size_t runs = now + 1; runs < now + kMost; ++runs) {
    const auto n = static_cast<double>(runs);
    const double fewer = std::round(n * less);
    const double spread = std::sqrt(n * (less * (1 - less) + more * (1 - more)));
    const double likely = std::floor(n * more - kPower * spread);
    if (likely <= fewer) continue;
    const double p = fishers_chance({static_cast<unsigned>(fewer), static_cast<unsigned>(runs)},
                                    {static_cast<unsigned>(likely), static_cast<unsigned>(runs)});
    if (p * static_cast<double>(compared) < 1 - confidence) return runs - now;
  }
  return std::nullopt;
}

}  // namespace kstar::comparing
