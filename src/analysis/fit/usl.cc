#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/try.h"
#include "kstar/models.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

using Vector = Eigen::Vector3d;  // contention, coherency, rate

double throughput(const Vector& at, double k) {
  return at[2] * k / (1 + at[0] * (k - 1) + at[1] * k * (k - 1));
}

/// By contention, coherency and rate.
Vector slope(const Vector& at, double k) {
  const double x = throughput(at, k);
  const double below = 1 + at[0] * (k - 1) + at[1] * k * (k - 1);
  return {-x * (k - 1) / below, -x * k * (k - 1) / below, k / below};
}

struct Normal {
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();  ///< J'J
  Vector gradient = Vector::Zero();                   ///< J'r
  double misses = 0;                                  ///< r'r
};

class Problem {
 public:
  Problem(std::span<const double> workers, std::span<const double> throughputs)
      : workers_(workers), throughputs_(throughputs) {}

  Normal normal_at(const Vector& at) const {
    Normal normal;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const double miss = throughputs_[i] - throughput(at, workers_[i]);
      const Vector row = slope(at, workers_[i]);
      normal.squares += row * row.transpose();
      normal.gradient += row * miss;
      normal.misses += miss * miss;
    }
    return normal;
  }

  /// For given contention and coherency the best rate is a division.
  Vector with_best_rate(double contention, double coherency) const {
    const Vector one(contention, coherency, 1);
    double with = 0, squares = 0;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const double x = throughput(one, workers_[i]);
      with += x * throughputs_[i];
      squares += x * x;
    }
    return {contention, coherency, std::max(0.0, with / squares)};
  }

  /// The surface has long valleys: start where a coarse grid is lowest.
  Vector start() const {
    Vector best = with_best_rate(0, 0);
    double least = normal_at(best).misses;
    for (double contention = 0.001; contention < 1; contention *= 2) {
      for (double coherency = 1e-8; coherency < 1; coherency *= 4) {
        for (const Vector& at : {with_best_rate(contention, coherency),
                                 with_best_rate(contention, 0), with_best_rate(0, coherency)}) {
          const double misses = normal_at(at).misses;
          if (misses < least) {
            least = misses;
            best = at;
          }
        }
      }
    }
    return best;
  }

 private:
  std::span<const double> workers_;
  std::span<const double> throughputs_;
};

Vector inside(Vector at) {
  at[0] = std::clamp(at[0], 0.0, 1.0);
  at[1] = std::clamp(at[1], 0.0, 1.0);
  at[2] = std::max(at[2], 0.0);
  return at;
}

/// A parameter on its bound, pulled outwards, does not move in this step.
bool held(const Vector& at, const Vector& gradient, int i) {
  const bool low = at[i] <= 0 && gradient[i] < 0;
  const bool high = i < 2 && at[i] >= 1 && gradient[i] > 0;
  return low || high;
}

/// Levenberg and Marquardt's step, projected into the bounds. Scaled by the diagonal: the
/// parameters differ by eight orders of magnitude.
Vector step_from(const Vector& at, const Normal& normal, double damping) {
  Eigen::Matrix3d matrix = normal.squares;
  Vector right = normal.gradient;
  matrix.diagonal() *= 1 + damping;
  for (int i = 0; i < 3; ++i) {
    if (!held(at, normal.gradient, i)) continue;
    matrix.row(i).setZero();
    matrix.col(i).setZero();
    matrix(i, i) = 1;
    right[i] = 0;
  }
  return inside(at + matrix.ldlt().solve(right));
}

Vector minimum_of(const Problem& problem) {
  Vector at = problem.start();
  Normal normal = problem.normal_at(at);
  double damping = 1e-3;
  for (int i = 0; i < 500 && damping < 1e12; ++i) {
    const Vector next = step_from(at, normal, damping);
    const Normal there = problem.normal_at(next);
    if (!(there.misses < normal.misses)) {
      damping *= 4;
      continue;
    }
    at = next;
    normal = there;
    damping = std::max(damping / 8, 1e-14);
  }
  return at;
}

Result<void> check_rates(std::span<const double> workers, std::span<const double> throughputs) {
  constexpr std::size_t kFewest = 3;
  if (workers.size() != throughputs.size() || workers.size() < kFewest) {
    return fail(expected("--model usl", "three worker counts or more, each with a throughput",
                         fmt::format("{}", workers.size())));
  }
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (!(workers[i] > 0) || !std::isfinite(workers[i])) {
      return fail(expected("--model usl", "worker counts above 0", fmt::format("{}", workers[i])));
    }
    if (!(throughputs[i] > 0) || !std::isfinite(throughputs[i])) {
      return fail(
          expected("--model usl", "throughputs above 0", fmt::format("{}", throughputs[i])));
    }
  }
  return {};
}

}  // namespace

Result<UslFit> fit_usl(std::span<const double> workers, std::span<const double> throughputs,
                       double confidence) {
  KSTAR_CHECK(check_rates(workers, throughputs));
  const Problem problem(workers, throughputs);
  const Vector at = minimum_of(problem);
  const Normal normal = problem.normal_at(at);
  UslFit fit;
  fit.degrees = workers.size() - 3;
  const double variance = fit.degrees > 0 ? normal.misses / static_cast<double>(fit.degrees)
                                          : std::numeric_limits<double>::quiet_NaN();
  fit.residual_error = std::sqrt(variance);
  const Eigen::Matrix3d covariance = normal.squares.inverse() * variance;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      fit.covariance[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = covariance(i, j);
    }
  }
  const double t = fit.degrees > 0 ? student_t_reach(confidence, static_cast<double>(fit.degrees))
                                   : std::numeric_limits<double>::infinity();
  const auto estimate = [&](int i) {
    const double error = std::sqrt(covariance(i, i));
    const double reach = fit.degrees > 0 ? t * error : std::numeric_limits<double>::infinity();
    return Estimate{.point = at[i],
                    .standard_error = error,
                    .low = std::max(0.0, at[i] - reach),
                    .high = at[i] + reach,
                    .confidence = confidence,
                    .n = workers.size(),
                    .method = IntervalMethod::kStudentT};
  };
  fit.contention = estimate(0);
  fit.coherency = estimate(1);
  fit.rate = estimate(2);
  if (at[1] > 0) {
    // By the delta method: d peak / d a = -1 / (2 b peak), d peak / d b = -peak / (2 b).
    const double peak = std::sqrt((1 - at[0]) / at[1]);
    const double by_a = -1 / (2 * at[1] * peak), by_b = -peak / (2 * at[1]);
    const double error = std::sqrt(by_a * by_a * covariance(0, 0) + by_b * by_b * covariance(1, 1) +
                                   2 * by_a * by_b * covariance(0, 1));
    fit.peak_workers = Estimate{.point = peak,
                                .standard_error = error,
                                .low = std::max(1.0, peak - t * error),
                                .high = peak + t * error,
                                .confidence = confidence,
                                .n = workers.size(),
                                .method = IntervalMethod::kStudentT};
  }
  return fit;
}

}  // namespace kstar
