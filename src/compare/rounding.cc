#include "compare/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kstar/stats.h"

namespace kstar::comparing {

namespace {

/// Beyond these, digits are those of arithmetic with doubles and not of what was written down.
constexpr int kMeant = 12;

double written(double time, const Digits& digits) {
  return digits.inverse ? 1 / time : time;
}

/// 10^e of the first digit.
int magnitude(double value) {
  return static_cast<int>(std::floor(std::log10(value)));
}

/// The digits of a number without the zeros behind them: of 0.0150 they are 1 and 5.
int significant_digits(double value) {
  const std::string text = fmt::format("{:.{}e}", value, kMeant - 1);  // d.ddde+xx
  const std::size_t last = text.find_last_not_of('0', text.find('e') - 1);
  return last <= 1 ? 1 : static_cast<int>(last);  // the point is one of the characters
}

}  // namespace

Digits digits_of(const Study& study, TimeKind kind) {
  Digits digits;
  digits.inverse = kind == TimeKind::kUnit || kind == TimeKind::kShare;
  for (const Run& run : study.runs) {
    if (!counts(run) || !(*steady_time(run) > 0)) continue;
    const double value = written(*steady_time(run), digits);
    const int before_point = magnitude(value) + 1;
    const int own = significant_digits(value);
    digits.decimals = std::max(digits.decimals, own - before_point);
    // The zeros of 100 were written as well.
    digits.significant = std::max({digits.significant, own, before_point});
  }
  return digits;
}

Hidden hidden_by_rounding(std::span<const double> times, const Digits& digits) {
  const bool equal =
      std::all_of(times.begin(), times.end(), [&](double time) { return time == times.front(); });
  if (times.size() < 2 || !equal || digits.significant >= kMeant) return {};
  const double value = written(times.front(), digits);
  const double step = std::max(std::pow(10.0, -digits.decimals),
                               std::pow(10.0, magnitude(value) + 1 - digits.significant));
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
