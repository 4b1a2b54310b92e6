#include "network/sweep_time.h"

#include <algorithm>
#include <cmath>

#include "network/curve.h"

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

/// Above a size whose bandwidth fell the low end holds that it does not stay so: every further byte
/// moves as it did at the best size.
Bounded holding_best(const NetworkCurve& curve, double bytes, Bounded time) {
  if (curve.bytes.empty()) return time;
  double best = 0;
  for (std::size_t i = 0; i < curve.bytes.size(); ++i) {
    best = std::max(best, curve.bytes[i] / curve.seconds[i]);
  }
  const double last = curve.bytes.back() / curve.seconds.back();
  constexpr double kFell = 1.5;
  if (best <= kFell * last) return time;
  const double least = curve.seconds.back() + (bytes - curve.bytes.back()) / best;
  return {time.point, std::min(time.low, least), time.high};
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
  result = holding_best(sweep.curve, bytes, going_on(sweep, result));
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
  const auto seen = costs::curve_time(sweep.curve, bytes);
  return seen ? costs::seen_time(sweep, bytes, *seen, fitted) : fitted;
}

}  // namespace kstar
