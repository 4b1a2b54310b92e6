#include "draw/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace kstar {

namespace {

/// 1500 is shown as 1500, 20000 as 20k, 3e6 as 3M: axis labels must be short.
std::string tick_label(double value) {
  if (value >= 1e9) return fmt::format("{:g}", value);
  if (value >= 1e6) return significant(value / 1e6, 4) + "M";
  if (value >= 1e4) return significant(value / 1e3, 4) + "k";
  return significant(value, 6);
}

std::vector<Tick> linear_ticks(const ChartAxis& axis, int wanted) {
  const double raw = (axis.high - axis.low) / std::max(1, wanted);
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= raw * 0.999) {
      step = factor * power;
      break;
    }
  }
  if (axis.whole) step = std::max(step, 1.0);
  std::vector<Tick> ticks;
  const double first = std::ceil(axis.low / step - 1e-9);
  const double count = std::floor(axis.high / step + 1e-9) - first;
  for (double i = 0; i <= count; ++i) {
    // Rounding must not put a tick beside the axis.
    const double value = std::clamp((first + i) * step, axis.low, axis.high);
    ticks.push_back({value, tick_label(value)});
  }
  return ticks;
}

std::vector<Tick> log_ticks(const ChartAxis& axis, int wanted) {
  const double decades = std::log10(axis.high / axis.low);
  const double base = decades <= 4 ? 2 : 10;
  const double first = std::ceil(std::log(axis.low) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(axis.high) / std::log(base) + 1e-9);
  const double every = std::max(1.0, std::ceil((last - first + 1) / std::max(1, wanted)));
  std::vector<Tick> ticks;
  for (double exponent = first; exponent <= last; exponent += every) {
    const double value = std::clamp(std::pow(base, exponent), axis.low, axis.high);
    ticks.push_back({value, tick_label(value)});
  }
  return ticks;
}

}  // namespace

std::vector<Tick> ticks_of(const ChartAxis& axis, int wanted) {
  std::vector<Tick> ticks;
  if (axis.high > axis.low) {
    if (axis.log && axis.low > 0) ticks = log_ticks(axis, wanted);
    // A short logarithmic axis may lie between two powers.
    if (ticks.empty()) ticks = linear_ticks(axis, wanted);
  }
  if (ticks.empty()) ticks.push_back({axis.low, tick_label(axis.low)});
  return ticks;
}

double position_on(const ChartAxis& axis, double value) {
  if (axis.high == axis.low) return value == axis.low ? 0.5 : value < axis.low ? -1 : 2;
  if (axis.log) return std::log(value / axis.low) / std::log(axis.high / axis.low);
  return (value - axis.low) / (axis.high - axis.low);
}

}  // namespace kstar
