#include "kstar/communication_terms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/try.h"

/// Relative least squares with coefficients that are not negative: of three terms, the best of the
/// seven sets whose plain solution has none below zero is the solution.
namespace kstar {

namespace {

constexpr std::array kGrowths = {Growth::kRing, Growth::kLog2, Growth::kOthers};

struct TermPoint {
  double workers = 0;
  double seconds = 0;
  double error = 1;  ///< half of its interval, as a logarithm: what was measured counts most
  bool beyond = false;
};

/// Gauss on up to three unknowns; false where they cannot be told apart.
bool solve(std::array<std::array<double, 4>, 3> rows, std::size_t n, std::array<double, 3>& x) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < n; ++j) {
      if (std::abs(rows[j][i]) > std::abs(rows[pivot][i])) pivot = j;
    }
    std::swap(rows[i], rows[pivot]);
    if (std::abs(rows[i][i]) < 1e-12) return false;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const double factor = rows[j][i] / rows[i][i];
      for (std::size_t k = i; k < 4; ++k) rows[j][k] -= factor * rows[i][k];
    }
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = rows[i][3] / rows[i][i];
  return true;
}

struct TermFit {
  std::vector<Communication> terms;
  double squares = std::numeric_limits<double>::infinity();
  double worst = 0, beyond = 0;
};

double terms_at(const std::vector<Communication>& terms, double workers) {
  double sum = 0;
  for (const Communication& term : terms) sum += term.cost * growth_at(term.growth, workers);
  return sum;
}

TermFit fit_set(const std::vector<TermPoint>& points, unsigned set) {
  std::vector<Growth> chosen;
  for (std::size_t i = 0; i < kGrowths.size(); ++i) {
    if ((set >> i & 1U) != 0) chosen.push_back(kGrowths[i]);
  }
  TermFit fit;
  if (chosen.size() > points.size()) return fit;
  std::array<std::array<double, 4>, 3> rows{};
  // Every column in its own scale, so that pivots are comparable.
  for (const TermPoint& point : points) {
    const double weight = 1 / (point.error * point.error);
    const double scale = points[0].seconds / point.seconds;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const double a =
          growth_at(chosen[i], point.workers) / growth_at(chosen[i], points.back().workers);
      for (std::size_t j = 0; j < chosen.size(); ++j) {
        const double b =
            growth_at(chosen[j], point.workers) / growth_at(chosen[j], points.back().workers);
        rows[i][j] += a * b * weight * scale * scale;
      }
      rows[i][3] += a * weight * scale;
    }
  }
  std::array<double, 3> x{};
  if (!solve(rows, chosen.size(), x)) return fit;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (x[i] < 0) return fit;
    fit.terms.push_back(
        {chosen[i], x[i] * points[0].seconds / growth_at(chosen[i], points.back().workers)});
  }
  fit.squares = 0;
  for (const TermPoint& point : points) {
    const double miss = terms_at(fit.terms, point.workers) / point.seconds - 1;
    fit.squares += miss * miss / (point.error * point.error);
    double& worst = point.beyond ? fit.beyond : fit.worst;
    worst = std::max(worst, std::abs(miss));
  }
  return fit;
}

}  // namespace

Result<CommunicationTerms> communication_terms(const Network& network, Collective collective,
                                               double bytes, double first, double last) {
  CommunicationTerms result;
  first = std::max(2.0, first);
  last = std::max(first, last);
  std::vector<TermPoint> points;
  for (double k = first;; k = std::min(last, 2 * k)) {
    KSTAR_TRY(const CollectiveCost cost, collective_cost(network, collective, bytes, k));
    if (points.empty()) result.at_first = cost;
    result.at_last = cost;
    constexpr double kSurest = 0.03, kUnsure = 3;
    const double error = std::log(cost.seconds.high / cost.seconds.low) / 2;
    points.push_back({k, std::max(1e-12, cost.seconds.point), std::clamp(error, kSurest, kUnsure),
                      cost.basis >= CostBasis::kBeyond});
    if (k >= last) break;
  }
  TermFit best;
  constexpr unsigned kSets = 8;
  for (unsigned set = 1; set < kSets; ++set) {
    TermFit fit = fit_set(points, set);
    if (fit.squares < best.squares - 1e-9) best = std::move(fit);
  }
  if (best.terms.empty()) best = fit_set(points, 1);
  result.terms = std::move(best.terms);
  result.worst = best.worst;
  result.beyond = best.beyond;
  return result;
}

}  // namespace kstar
