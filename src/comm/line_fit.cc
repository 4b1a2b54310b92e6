#include "comm/line_fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

/// Gauss-Newton on r_i = log t_i - log(alpha + beta n_i) with Huber's weights (P. J. Huber, Annals
/// of Mathematical Statistics 35, 1964); a parameter that would become negative is held at zero.
namespace kstar::comm {

namespace {

constexpr double kHuber = 1.345;

/// Sums of a weighted regression on two columns, 1 and n / n_max.
struct Normal {
  double aa = 0, ab = 0, bb = 0, ar = 0, br = 0;
};

struct Scaled {
  std::span<const CommSample> sizes;
  double largest;

  double x(std::size_t i) const { return sizes[i].bytes / largest; }
  double cost(double a, double b, double scale) const {
    double sum = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      sum += huber_cost(std::log(sizes[i].seconds / (a + b * x(i))), scale);
    }
    return sum;
  }
  /// Of the linearised residuals around a, b.
  Normal normal(double a, double b, double scale) const {
    Normal sums;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double fitted = a + b * x(i), residual = std::log(sizes[i].seconds / fitted);
      const double weight = huber_weight(residual, scale);
      const double da = 1 / fitted, db = x(i) / fitted;
      sums.aa += weight * da * da, sums.ab += weight * da * db, sums.bb += weight * db * db;
      sums.ar += weight * da * residual, sums.br += weight * db * residual;
    }
    return sums;
  }
};

/// Relative least squares: sum of ((a + b x) / t - 1)^2, not negative.
void start_values(const Scaled& data, double& a, double& b) {
  Normal sums;
  for (std::size_t i = 0; i < data.sizes.size(); ++i) {
    const double da = 1 / data.sizes[i].seconds, db = data.x(i) / data.sizes[i].seconds;
    sums.aa += da * da, sums.ab += da * db, sums.bb += db * db, sums.ar += da, sums.br += db;
  }
  const double determinant = sums.aa * sums.bb - sums.ab * sums.ab;
  a = determinant > 0 ? (sums.ar * sums.bb - sums.br * sums.ab) / determinant : 0;
  b = determinant > 0 ? (sums.aa * sums.br - sums.ab * sums.ar) / determinant : 0;
  if (!(a > 0) || !std::isfinite(a)) a = 0, b = sums.bb > 0 ? sums.br / sums.bb : 0;
  if (!(b > 0) || !std::isfinite(b)) b = 0, a = sums.ar / sums.aa;
}

/// One step from a, b; what would become negative stays at zero and the other moves alone.
void next_values(const Scaled& data, double scale, double& a, double& b) {
  const Normal sums = data.normal(a, b, scale);
  const double determinant = sums.aa * sums.bb - sums.ab * sums.ab;
  double step_a = determinant > 0 ? (sums.ar * sums.bb - sums.br * sums.ab) / determinant : 0;
  double step_b = determinant > 0 ? (sums.aa * sums.br - sums.ab * sums.ar) / determinant : 0;
  if (!(determinant > 1e-14 * sums.aa * sums.bb)) {
    step_a = a > 0 && sums.aa > 0 ? sums.ar / sums.aa : 0;
    step_b = a > 0 ? 0 : sums.br / sums.bb;
  }
  if (a + step_a < 0) {
    step_a = -a;
    step_b = sums.bb > 0 ? (sums.br - sums.ab * step_a) / sums.bb : 0;
  } else if (b + step_b < 0) {
    step_b = -b;
    step_a = sums.aa > 0 ? (sums.ar - sums.ab * step_b) / sums.aa : 0;
  }
  const double before = data.cost(a, b, scale);
  for (double share = 1; share > 1e-3; share /= 2) {
    const double to_a = std::max(0.0, a + share * step_a), to_b = std::max(0.0, b + share * step_b);
    if (!(to_a + to_b > 0)) continue;
    if (to_a == 0 && data.x(0) == 0) continue;  // a message of 0 bytes takes time
    const double now = data.cost(to_a, to_b, scale);
    if (!(now < before)) continue;
    a = to_a, b = to_b;
    return;
  }
}

}  // namespace

double huber_cost(double residual, double scale) {
  const double reach = kHuber * scale, size = std::abs(residual);
  return size <= reach ? residual * residual : reach * (2 * size - reach);
}

double huber_weight(double residual, double scale) {
  const double reach = kHuber * scale, size = std::abs(residual);
  return size <= reach ? 1 : reach / size;
}

LineFit fit_line(std::span<const CommSample> sizes, double scale) {
  const Scaled data{sizes, std::max(1.0, sizes.back().bytes)};
  double a = 0, b = 0;
  start_values(data, a, b);
  if (a == 0 && data.x(0) == 0) a = sizes[0].seconds;
  double cost = data.cost(a, b, scale);
  constexpr int kMostSteps = 25;
  for (int i = 0; i < kMostSteps; ++i) {
    next_values(data, scale, a, b);
    const double now = data.cost(a, b, scale);
    const bool done = !(now < cost * (1 - 1e-9));
    cost = now;
    if (done) break;
  }
  const Normal sums = data.normal(a, b, scale);
  const double determinant = sums.aa * sums.bb - sums.ab * sums.ab;
  LineFit fit{.alpha = a, .beta = b / data.largest, .cost = cost};
  if (determinant > 1e-14 * sums.aa * sums.bb) {
    fit.alpha_error = std::sqrt(sums.bb / determinant);
    fit.beta_error = std::sqrt(sums.aa / determinant) / data.largest;
  } else {
    fit.alpha_error = sums.aa > 0 ? 1 / std::sqrt(sums.aa) : 0;
    fit.beta_error = sums.bb > 0 ? 1 / std::sqrt(sums.bb) / data.largest : 0;
  }
  return fit;
}

double neighbour_noise(std::span<const CommSample> sizes) {
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < sizes.size(); ++i) {
    const double low = std::log(std::max(1.0, sizes[i - 1].bytes));
    const double high = std::log(std::max(1.0, sizes[i + 1].bytes));
    const double here = std::log(std::max(1.0, sizes[i].bytes));
    const double share = high > low ? (here - low) / (high - low) : 0.5;
    const double line =
        (1 - share) * std::log(sizes[i - 1].seconds) + share * std::log(sizes[i + 1].seconds);
    off.push_back(std::abs(std::log(sizes[i].seconds) - line));
  }
  constexpr double kLeast = 0.005, kMost = 0.5, kUsual = 0.05;
  if (off.empty()) return kUsual;
  std::nth_element(off.begin(), off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2),
                   off.end());
  constexpr double kMad = 1.4826, kThree = 1.2247;  // a size and half of two neighbours
  return std::clamp(kMad * off[off.size() / 2] / kThree, kLeast, kMost);
}

}  // namespace kstar::comm
