#include "network/sweep_time.h"

#include <algorithm>
#include <cmath>

namespace kstar {

namespace {

constexpr double kTwoSided = 1.96;

/// Parameters lie apart from each other in their intervals; what single times scatter is added.
double relative_error(const NetworkPiece& piece, double bytes, double time) {
  const double alpha = (piece.alpha.high - piece.alpha.low) / 2;
  const double beta = bytes * (piece.beta.high - piece.beta.low) / 2;
  return std::hypot(std::min(alpha, time) / time, std::min(beta, time) / time,
                    kTwoSided * piece.spread);
}

/// Nothing outside the sizes of the curve.
std::optional<double> curve_time(const NetworkCurve& curve, double bytes) {
  if (curve.bytes.size() < 2 || bytes < curve.bytes.front() || bytes > curve.bytes.back()) {
    return std::nullopt;
  }
  const auto above = std::upper_bound(curve.bytes.begin() + 1, curve.bytes.end() - 1, bytes);
  const auto i = static_cast<std::size_t>(above - curve.bytes.begin());
  const double n0 = curve.bytes[i - 1], n1 = curve.bytes[i];
  const double t0 = curve.seconds[i - 1], t1 = curve.seconds[i];
  const double straight = t0 + (t1 - t0) * (bytes - n0) / (n1 - n0);
  const auto log_size = [](double at) { return std::log(std::max(1.0, at)); };
  const double wide = log_size(n1) - log_size(n0);
  const double share = wide > 0 ? (log_size(bytes) - log_size(n0)) / wide : 0;
  return std::sqrt(straight * t0 * std::pow(t1 / t0, std::clamp(share, 0.0, 1.0)));
}

Bounded around(double point, double relative) {
  return {point, point * std::exp(-relative), point * std::exp(relative)};
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

/// Above the sizes seen the time goes on from the largest, where that is out of line: two sizes are
/// no piece of their own, and the line of the smaller ones may be over.
Bounded going_on(const NetworkSweep& sweep, const Bounded& by_line) {
  if (sweep.curve.bytes.empty()) return by_line;
  const NetworkPiece& last = sweep.pieces.back();
  const double line = last.alpha.point + last.beta.point * sweep.curve.bytes.back();
  const double off = line > 0 ? sweep.curve.seconds.back() / line : 1;
  if (!(off > 0) || std::abs(std::log(off)) <= kTwoSided * last.spread) return by_line;
  return {by_line.point * off, by_line.low * std::min(1.0, off), by_line.high * std::max(1.0, off)};
}

/// Below sizes that tell no latency a time is at most that of the smallest.
Bounded below_seen(const NetworkSweep& sweep, const Bounded& by_line) {
  const NetworkPiece& first = sweep.pieces.front();
  const double by_bytes = first.beta.point * first.from;
  if (first.alpha.low > 0 || first.alpha.point >= by_bytes) return by_line;
  const double smallest = first.alpha.point + by_bytes;
  return {smallest, by_line.low, std::max(by_line.high, smallest)};
}

}  // namespace

namespace costs {

const NetworkPiece& piece_at(const NetworkSweep& sweep, double bytes) {
  for (std::size_t i = 0; i + 1 < sweep.pieces.size(); ++i) {
    const double edge = std::sqrt(sweep.pieces[i].to * sweep.pieces[i + 1].from);
    if (bytes <= edge) return sweep.pieces[i];
  }
  return sweep.pieces.back();
}

Bounded piece_time(const NetworkSweep& sweep, double bytes, bool& beyond) {
  const NetworkPiece& piece = piece_at(sweep, bytes);
  const double time = piece.alpha.point + piece.beta.point * bytes;
  Bounded result = around(time, relative_error(piece, bytes, time));
  const double first = sweep.pieces.front().from, last = sweep.pieces.back().to;
  if (bytes >= first && bytes <= last) return result;
  beyond = true;
  if (bytes < first) return below_seen(sweep, result);
  const bool fitted = tells_bandwidth(sweep.pieces);
  if (!fitted && tells_rate(sweep.curve)) {
    const double rate = sweep.curve.bytes.back() / sweep.curve.seconds.back();
    return around(bytes / rate, kTwoSided * sweep.pieces.back().spread);
  }
  result = going_on(sweep, result);
  // Where latency still rules the largest size seen, nothing says what bandwidth there is.
  if (!fitted) result.high = kUnknown;
  return result;
}

Bounded holding_seen(const NetworkSweep& sweep, double bytes, bool& beyond) {
  Bounded time = piece_time(sweep, bytes, beyond);
  if (const auto seen = curve_time(sweep.curve, bytes)) {
    time.low = std::min(time.low, *seen);
    time.high = std::max(time.high, *seen);
  }
  return time;
}

bool says_nothing(const NetworkSweep& sweep, double bytes) {
  constexpr double kFar = 2;
  return bytes > kFar * sweep.pieces.back().to && !tells_bandwidth(sweep.pieces) &&
         !tells_rate(sweep.curve);
}

}  // namespace costs

bool tells_rate(const NetworkCurve& curve) {
  const std::size_t count = curve.bytes.size();
  if (count < 2) return false;
  const double n0 = curve.bytes[count - 2], n1 = curve.bytes[count - 1];
  const double t0 = curve.seconds[count - 2], t1 = curve.seconds[count - 1];
  const double least = *std::min_element(curve.seconds.begin(), curve.seconds.end());
  return t1 >= 2 * least && (t1 - t0) / (n1 - n0) * n1 >= t1 / 2;
}

bool tells_bandwidth(std::span<const NetworkPiece> pieces) {
  if (pieces.empty()) return false;
  const NetworkPiece& last = pieces.back();
  return last.beta.low > 0 && last.beta.point * last.to >= last.alpha.point;
}

Bounded sweep_time(const NetworkSweep& sweep, double bytes, bool& beyond) {
  const Bounded fitted = costs::piece_time(sweep, bytes, beyond);
  const auto seen = curve_time(sweep.curve, bytes);
  if (!seen) return fitted;
  const double factor = *seen / fitted.point;
  const Bounded scaled{*seen, fitted.low * factor, fitted.high * factor};
  return holding_jump(sweep.curve, bytes, scaled);
}

}  // namespace kstar
