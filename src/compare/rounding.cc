#include "compare/rounding.h"

#include <algorithm>
#include <cmath>

#include "kstar/stats.h"

namespace kstar::comparing {

namespace {

double written(double time, const Digits& digits) {
  return digits.inverse ? 1 / time : time;
}

}  // namespace

Digits digits_of(const Study& study, TimeKind kind) {
  Digits digits;
  digits.inverse = kind == TimeKind::kUnit || kind == TimeKind::kShare;
  for (const Run& run : study.runs) {
    if (!counts(run) || !(*steady_time(run) > 0)) continue;
    digits.written.see(written(*steady_time(run), digits));
  }
  return digits;
}

Hidden hidden_by_rounding(std::span<const double> times, const Digits& digits) {
  const bool equal =
      std::all_of(times.begin(), times.end(), [&](double time) { return time == times.front(); });
  if (times.size() < 2 || !equal) return {};
  if (digits.written.significant() >= WrittenDigits::kMeant) return {};
  const double value = written(times.front(), digits);
  const double step = digits.written.step(value);
  return {.error = step / std::sqrt(12.0) / value,
          .degrees = static_cast<double>(times.size() - 1)};
}

Estimate with_hidden(const Estimate& ratio, std::span<const Hidden> parts) {
  const double error = ratio.standard_error / ratio.point;
  if (ratio.method == IntervalMethod::kNone || !std::isfinite(error)) return ratio;
  double variance = error * error;
  double doubt = variance * variance / std::max(ratio.degrees, 1.0);
  bool any = false;
  for (const Hidden& part : parts) {
    if (part.error <= 0) continue;
    any = true;
    const double own = part.error * part.error;
    variance += own;
    doubt += own * own / part.degrees;
  }
  if (!any) return ratio;
  Estimate wider = ratio;
  wider.degrees = variance * variance / doubt;
  wider.standard_error = std::sqrt(variance) * ratio.point;
  const double reach =
      std::exp(student_t_reach(ratio.confidence, wider.degrees) * std::sqrt(variance));
  wider.low = ratio.point / reach;
  wider.high = ratio.point * reach;
  return wider;
}

}  // namespace kstar::comparing
