#include "network/curve.h"

#include <algorithm>
#include <cmath>
#include <vector>

/// Intervals come from sizes that are known: how far each is from the line between its neighbours
/// (noise, and what changes from size to size), and from the line of its piece.
/// bench/comm_public.cc leaves out one size in turn and counts how many the intervals hold.
namespace kstar::costs {

namespace {

constexpr double kLeastDoubt = 0.01;
constexpr double kTimesOff = 2;
constexpr double kTimesNoise = 3;

/// Between the sizes a and b.
double time_between(const NetworkCurve& curve, std::size_t a, std::size_t b, double bytes) {
  const double n0 = curve.bytes[a], n1 = curve.bytes[b];
  const double t0 = curve.seconds[a], t1 = curve.seconds[b];
  const double straight = t0 + (t1 - t0) * (bytes - n0) / (n1 - n0);
  const auto log_size = [](double at) { return std::log(std::max(1.0, at)); };
  const double wide = log_size(n1) - log_size(n0);
  const double share = wide > 0 ? (log_size(bytes) - log_size(n0)) / wide : 0;
  return std::sqrt(straight * t0 * std::pow(t1 / t0, std::clamp(share, 0.0, 1.0)));
}

/// The last size up to this one, which is in the curve.
std::size_t below(const NetworkCurve& curve, double bytes) {
  const auto above = std::upper_bound(curve.bytes.begin(), curve.bytes.end(), bytes);
  return static_cast<std::size_t>(above - curve.bytes.begin()) - 1;
}

/// How far a size is from the line between its neighbours, as a logarithm; 0 at the ends.
double off_neighbours(const NetworkCurve& curve, std::size_t i) {
  if (i == 0 || i + 1 >= curve.bytes.size()) return 0;
  return std::abs(std::log(curve.seconds[i] / time_between(curve, i - 1, i + 1, curve.bytes[i])));
}

/// The middle of that over all sizes; none where two sizes have no neighbours on both sides.
std::optional<double> curve_noise(const NetworkCurve& curve) {
  std::vector<double> off;
  for (std::size_t i = 1; i + 1 < curve.bytes.size(); ++i) off.push_back(off_neighbours(curve, i));
  if (off.empty()) return std::nullopt;
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::nth_element(off.begin(), middle, off.end());
  return *middle;
}

/// The piece of both sizes, where it has enough of them to say how far they are from its line.
const NetworkPiece* shared_piece(const NetworkSweep& sweep, std::size_t i) {
  constexpr std::ptrdiff_t kEnough = 6;
  const auto& sizes = sweep.curve.bytes;
  const NetworkPiece& piece = piece_at(sweep, sizes[i]);
  const auto inside = std::count_if(sizes.begin(), sizes.end(), [&](double bytes) {
    return bytes >= piece.from && bytes <= piece.to;
  });
  return &piece == &piece_at(sweep, sizes[i + 1]) && inside >= kEnough ? &piece : nullptr;
}

/// Between the sizes i and i + 1.
double doubt_between(const NetworkSweep& sweep, std::size_t i, double bytes, double seen,
                     double fitted) {
  const NetworkCurve& curve = sweep.curve;
  if (const NetworkPiece* piece = shared_piece(sweep, i)) {
    const auto off_line = [&](double size, double seconds) {
      return std::abs(std::log(seconds / (piece->alpha.point + piece->beta.point * size)));
    };
    return std::max(
        fitted,
        kTimesOff * std::max({off_line(bytes, seen), off_line(curve.bytes[i], curve.seconds[i]),
                              off_line(curve.bytes[i + 1], curve.seconds[i + 1])}));
  }
  const auto noise = curve_noise(curve);
  if (!noise) return fitted;
  return std::max(kTimesNoise * *noise,
                  kTimesOff * std::max(off_neighbours(curve, i), off_neighbours(curve, i + 1)));
}

/// Between two sizes whose times fall, or grow faster than bytes do, something changes at a size
/// that nobody knows: the interval holds both.
Bounded holding_jump(const NetworkCurve& curve, double bytes, Bounded time) {
  const auto above = std::upper_bound(curve.bytes.begin(), curve.bytes.end(), bytes);
  if (above == curve.bytes.begin() || above == curve.bytes.end()) return time;
  const auto i = static_cast<std::size_t>(above - curve.bytes.begin());
  if (curve.bytes[i - 1] == bytes || !(curve.bytes[i - 1] > 0)) return time;
  const double t0 = curve.seconds[i - 1], t1 = curve.seconds[i];
  constexpr double kNoise = 1.1;
  const bool jumps = t1 / t0 > kNoise * curve.bytes[i] / curve.bytes[i - 1] || t0 > kNoise * t1;
  if (!jumps) return time;
  return {time.point, std::min({time.low, t0, t1}), std::max({time.high, t0, t1})};
}

/// No farther than noise from the times of the two sizes on either side.
Bounded near_neighbours(const NetworkCurve& curve, std::size_t i, double noise, Bounded time) {
  const std::size_t first = i > 0 ? i - 1 : 0, last = std::min(i + 3, curve.bytes.size());
  const auto [low, high] =
      std::minmax_element(curve.seconds.begin() + static_cast<std::ptrdiff_t>(first),
                          curve.seconds.begin() + static_cast<std::ptrdiff_t>(last));
  const Bounded hull{time.point, *low * std::exp(-noise), *high * std::exp(noise)};
  return {time.point, std::max(time.low, hull.low), std::min(time.high, hull.high)};
}

/// Several measurements of the sizes i and j may lie farther apart than one sweep shows.
Bounded holding_repeated(const NetworkCurve& curve, std::size_t i, std::size_t j, Bounded time) {
  if (curve.fastest.empty()) return time;
  const auto share = [&](const std::vector<double>& all, std::size_t k) {
    return all[k] / curve.seconds[k];
  };
  const double low = std::min(share(curve.fastest, i), share(curve.fastest, j));
  const double high = std::max(share(curve.slowest, i), share(curve.slowest, j));
  return {time.point, std::min(time.low, time.point * low), std::max(time.high, time.point * high)};
}

}  // namespace

Bounded around(double point, double relative) {
  return {point, point * std::exp(-relative), point * std::exp(relative)};
}

std::optional<double> curve_time(const NetworkCurve& curve, double bytes) {
  if (curve.bytes.size() < 2 || bytes < curve.bytes.front() || bytes > curve.bytes.back()) {
    return std::nullopt;
  }
  const std::size_t i = below(curve, bytes);
  return curve.bytes[i] == bytes ? curve.seconds[i] : time_between(curve, i, i + 1, bytes);
}

Bounded seen_time(const NetworkSweep& sweep, double bytes, double seen, const Bounded& fitted) {
  const NetworkCurve& curve = sweep.curve;
  const std::size_t i = below(curve, bytes);
  const double by_pieces = std::log(fitted.high / fitted.point);
  const double by_curve = kTimesNoise * curve_noise(curve).value_or(by_pieces);
  if (curve.bytes[i] == bytes) {
    // What misses the line is not noise, nor what bends between neighbours: the less of both.
    const double noise = std::max(kLeastDoubt, std::min(by_pieces, by_curve));
    return holding_repeated(curve, i, i, around(seen, noise));
  }
  const double doubt = std::max(kLeastDoubt, doubt_between(sweep, i, bytes, seen, by_pieces));
  const Bounded near =
      near_neighbours(curve, i, std::max(kLeastDoubt, by_curve), around(seen, doubt));
  return holding_repeated(curve, i, i + 1, holding_jump(curve, bytes, near));
}

}  // namespace kstar::costs
