#include "draw/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace kstar {

namespace {

/// 1500 is shown as 1500, 20000 as 20k, 3e6 as 3M, 1e9 as 1G: axis labels must be short.
std::string tick_label(double value) {
  if (value >= 1e12) return fmt::format("{:g}", value);
  if (value >= 1e9) return significant(value / 1e9, 4) + "G";
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

std::vector<Tick> labelled(const std::vector<double>& values, const ChartAxis& axis) {
  std::vector<Tick> ticks;
  for (const double value : values) {
    const double within = std::clamp(value, axis.low, axis.high);
    ticks.push_back({within, tick_label(within)});
  }
  return ticks;
}

/// Powers of two below 1/4 are no round numbers, and beyond four decades there are too many.
bool in_powers_of_two(const ChartAxis& axis) {
  return !axis.decimal && axis.low >= 0.2 && std::log10(axis.high / axis.low) <= 4;
}

/// Every power of the base within the axis, `every`-th only.
std::vector<double> powers_within(const ChartAxis& axis, double base, int wanted) {
  double first = std::ceil(std::log(axis.low) / std::log(base) - 1e-9);
  if (axis.whole) first = std::max(first, 0.0);
  const double last = std::floor(std::log(axis.high) / std::log(base) + 1e-9);
  const double every = std::max(1.0, std::ceil((last - first + 1) / std::max(1, wanted)));
  std::vector<double> values;
  for (double exponent = first; exponent <= last; exponent += every) {
    values.push_back(std::pow(base, exponent));
  }
  return values;
}

/// These digits times every power of ten, within the axis.
std::vector<double> decades_within(const ChartAxis& axis, std::initializer_list<double> digits) {
  const double first = std::floor(std::log10(axis.low)), last = std::ceil(std::log10(axis.high));
  std::vector<double> values;
  for (double exponent = first; exponent <= last; ++exponent) {
    for (const double digit : digits) {
      const double value = digit * std::pow(10, exponent);
      if (value >= axis.low * (1 - 1e-9) && value <= axis.high * (1 + 1e-9))
        values.push_back(value);
    }
  }
  return values;
}

std::vector<Tick> log_ticks(const ChartAxis& axis, int wanted) {
  if (in_powers_of_two(axis)) {
    const std::vector<double> powers = powers_within(axis, 2, wanted);
    const bool enough = axis.whole || powers.size() > 2 || axis.high / axis.low > 8;
    return enough ? labelled(powers, axis) : linear_ticks(axis, wanted);
  }
  if (axis.high / axis.low <= 1e4) {
    for (const auto digits : {std::initializer_list<double>{1, 2, 5}, {1, 3}, {1}}) {
      const std::vector<double> values = decades_within(axis, digits);
      const auto count = static_cast<int>(values.size());
      if (count > 1 && count <= wanted) return labelled(values, axis);
    }
  }
  return labelled(powers_within(axis, 10, wanted), axis);
}

std::vector<Tick> name_ticks(const ChartAxis& axis) {
  std::vector<Tick> ticks;
  for (const std::string& name : axis.names) {
    ticks.push_back({static_cast<double>(ticks.size()), name});
  }
  return ticks;
}

/// The most ticks of which no two neighbours touch.
template <typename Touch>
std::vector<Tick> most_ticks(const ChartAxis& axis, int most, Touch touch) {
  for (int wanted = most; wanted > 1; --wanted) {
    std::vector<Tick> ticks = ticks_of(axis, wanted);
    bool fits = true;
    for (std::size_t i = 1; i < ticks.size() && fits; ++i) fits = !touch(ticks[i - 1], ticks[i]);
    if (fits) return ticks;
  }
  std::vector<Tick> ticks = ticks_of(axis, 1);
  while (ticks.size() > 1 && touch(ticks[ticks.size() - 2], ticks.back())) ticks.pop_back();
  return ticks;
}

int room_for(const Scale& scale, double each, int most) {
  return std::clamp(static_cast<int>(std::fabs(scale.end - scale.start) / each), 1, most);
}

}  // namespace

std::vector<Tick> ticks_of(const ChartAxis& axis, int wanted) {
  if (!axis.names.empty()) return name_ticks(axis);
  std::vector<Tick> ticks;
  if (axis.high > axis.low) {
    if (axis.log && axis.low > 0) ticks = log_ticks(axis, wanted);
    // A short logarithmic axis may lie between two powers.
    if (ticks.empty()) ticks = linear_ticks(axis, wanted);
  }
  if (ticks.empty()) ticks.push_back({axis.low, tick_label(axis.low)});
  return ticks;
}

std::vector<double> minor_ticks_of(const ChartAxis& axis, const std::vector<Tick>& ticks) {
  if (!axis.log || axis.low <= 0 || axis.high <= axis.low || axis.high / axis.low > 1e9) return {};
  std::vector<double> values = in_powers_of_two(axis)
                                   ? powers_within(axis, 2, 64)
                                   : decades_within(axis, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  std::erase_if(values, [&](double value) {
    return std::any_of(ticks.begin(), ticks.end(), [value](const Tick& tick) {
      return std::fabs(tick.value / value - 1) < 1e-6;
    });
  });
  return values;
}

double position_on(const ChartAxis& axis, double value) {
  if (axis.high == axis.low) return value == axis.low ? 0.5 : value < axis.low ? -1 : 2;
  if (axis.log) return std::log(value / axis.low) / std::log(axis.high / axis.low);
  return (value - axis.low) / (axis.high - axis.low);
}

std::vector<Tick> fit_x_ticks(const Scale& scale, const Face& face) {
  const double gap = 0.8 * face.size;
  const auto touch = [&](const Tick& a, const Tick& b) {
    const double half = (text_width(a.label, face) + text_width(b.label, face)) / 2;
    return std::fabs(scale.at(b.value) - scale.at(a.value)) < half + gap;
  };
  std::vector<Tick> ticks = most_ticks(scale.axis, room_for(scale, 2.2 * face.size, 12), touch);
  // Where counting begins (one worker, the first run) is worth a label, round or not.
  const bool counts = scale.axis.low == std::floor(scale.axis.low);
  if (scale.axis.whole && !scale.axis.log && counts) {
    const Tick first = {scale.axis.low, significant(scale.axis.low, 6)};
    if (!touch(first, ticks.front())) ticks.insert(ticks.begin(), first);
  }
  return ticks;
}

std::vector<Tick> fit_y_ticks(const Scale& scale, const Face& face) {
  return most_ticks(scale.axis, room_for(scale, 2.1 * face.size, 8),
                    [&](const Tick& a, const Tick& b) {
                      return std::fabs(scale.at(b.value) - scale.at(a.value)) < 1.5 * face.size;
                    });
}

std::vector<Tick> fit_names(const ChartAxis& axis, double step, double room, double widest,
                            const Face& face) {
  const auto every =
      static_cast<std::size_t>(std::max(1.0, std::ceil(room / std::max(step, 1e-3) - 1e-6)));
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < axis.names.size(); i += every) {
    ticks.push_back(
        {static_cast<double>(i), shorten_within(drawable(axis.names[i]), widest, face)});
  }
  return ticks;
}

}  // namespace kstar
