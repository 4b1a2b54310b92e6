#include "compare/joint_test.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/hypergeometric.hpp>
#include <cmath>
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

std::optional<Groups> groups_of(const Times& before, const Times& after) {
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
  groups.each([&](Group& group) { groups.degrees += static_cast<double>(group.logs.size()) - 1; });
  if (groups.degrees < kFewestDegrees) return std::nullopt;
  fit(groups);
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

/// Of a run with the next of its K: 0 or more.
double correlation_of(Groups& groups) {
  constexpr int kGrid = 17;
  constexpr double kLargest = 0.8, kUsual = 0.3, kMargin = 0.5;
  std::array<double, kGrid> logs{};
  const auto at = [](int i) { return kLargest * i / (kGrid - 1); };
  for (int i = 0; i < kGrid; ++i) {
    Likelihood sum;
    groups.each([&](Group& group) { add_likelihood(group.clipped, at(i), sum); });
    logs[static_cast<std::size_t>(i)] =
        -sum.determinants / 2 - groups.degrees / 2 * std::log(sum.squares) - at(i) / kUsual;
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
  return mean + kMargin * std::sqrt(std::max(0.0, square / total - mean * mean));
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

/// The error of location estimates, in logarithms.
class Errors {
 public:
  explicit Errors(Groups& groups) : correlation_(correlation_of(groups)) {
    const double unit = groups.scale / groups.inside;
    unit_variance_ = unit * unit;
    double expected = 0;
    groups.each([&](Group& group) {
      const auto runs = static_cast<double>(group.logs.size());
      expected += runs - inflation(group.logs.size(), correlation_);
    });
    run_variance_ = unit_variance_ * groups.squares / expected;
  }

  double variance_of(const Group& group) const {
    const std::size_t runs = group.logs.size();
    return run_variance_ * inflation(runs, correlation_) / static_cast<double>(runs);
  }

  /// Of the mean over all K of one side.
  double variance_of_all(const std::vector<Group>& side) const {
    std::size_t blocks = 0;
    double runs = 0, independent = 0;
    for (const Group& group : side) {
      const auto count = static_cast<double>(group.logs.size());
      blocks = std::max(blocks, group.logs.size());
      runs += count;
      independent += count * count * variance_of(group);
    }
    if (blocks < 2) return independent / (runs * runs);
    double squares = 0;
    for (std::size_t i = 0; i < blocks; ++i) {
      double sum = 0;
      for (const Group& group : side) sum += i < group.clipped.size() ? group.clipped[i] : 0;
      squares += sum * sum;
    }
    const double grown = inflation(blocks, correlation_);
    const auto count = static_cast<double>(blocks);
    const double by_blocks = unit_variance_ * squares / (count - grown) * grown * count;
    return std::max(independent, by_blocks) / (runs * runs);
  }

 private:
  double correlation_;
  double unit_variance_ = 0;
  double run_variance_ = 0;
};

double degrees_of_blocks(const Groups& groups) {
  double degrees = 0;
  for (const auto* side : {&groups.before, &groups.after}) {
    std::size_t blocks = 1;
    for (const Group& group : *side) blocks = std::max(blocks, group.logs.size());
    degrees += 2 * (static_cast<double>(blocks) - 1);
  }
  return std::max(degrees, 1.0);
}

Estimate ratio_of(double log, double error, double degrees, double confidence) {
  const double reach = std::exp(student_t_reach(confidence, degrees) * error);
  const double point = std::exp(log);
  return {.point = point,
          .standard_error = error * point,
          .low = point / reach,
          .high = point * reach,
          .confidence = confidence,
          .degrees = degrees};
}

}  // namespace

std::optional<JointTest> joint_test(const Times& before, const Times& after, double confidence) {
  std::optional<Groups> groups = groups_of(before, after);
  if (!groups) return std::nullopt;
  const Errors errors(*groups);
  JointTest test;
  double sum = 0;
  for (std::size_t i = 0; i < groups->before.size(); ++i) {
    const Group &first = groups->before[i], &second = groups->after[i];
    const double log = second.location - first.location;
    const double error = std::sqrt(errors.variance_of(first) + errors.variance_of(second));
    sum += log;
    test.at.push_back({.ratio = ratio_of(log, error, groups->degrees, confidence),
                       .p = student_t_beyond(log / error, groups->degrees)});
  }
  const double tests = before.size() > 1 ? 2 : 1;
  std::vector<RatioChange*> each;
  for (RatioChange& change : test.at) each.push_back(&change);
  adjust(each);
  for (RatioChange& change : test.at) change.adjusted_p = std::min(1.0, tests * change.adjusted_p);
  const double error =
      std::sqrt(errors.variance_of_all(groups->before) + errors.variance_of_all(groups->after));
  const double degrees = degrees_of_blocks(*groups), all = sum / static_cast<double>(before.size());
  test.all.ratio = ratio_of(all, error, degrees, confidence);
  test.all.p = std::min(1.0, tests * student_t_beyond(all / error, degrees));
  if (test.all.p < 1 - confidence) {
    test.all.verdict = all > 0 ? ChangeVerdict::kWorse : ChangeVerdict::kBetter;
  }
  return test;
}

std::optional<SlowRuns> slow_runs(const Times& before, const Times& after) {
  constexpr double kFar = 4;  // scales: 1 of 30,000 normal runs
  std::optional<Groups> groups = groups_of(before, after);
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
