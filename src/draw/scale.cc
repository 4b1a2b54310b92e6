#include "draw/scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "draw/ticks.h"

namespace kstar {

namespace {

// In lengths of the axis: what has no place on it lies beyond its border, and near enough that a
// line there and back is seen to go there; what is merely far away stays finite.
constexpr double kBeyond = 0.25;
constexpr double kFar = 1e4;

struct Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  double least_positive = std::numeric_limits<double>::infinity();
};

Extent extent_of(std::span<const double> values) {
  Extent extent;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    extent.low = std::min(extent.low, value);
    extent.high = std::max(extent.high, value);
    if (value > 0) extent.least_positive = std::min(extent.least_positive, value);
  }
  return extent;
}

void repair_ends(const Extent& extent, ChartAxis& axis) {
  if (!std::isfinite(axis.low)) axis.low = std::isfinite(extent.low) ? extent.low : 0;
  if (!std::isfinite(axis.high))
    axis.high = std::isfinite(extent.high) ? extent.high : axis.low + 1;
  if (axis.high < axis.low) std::swap(axis.low, axis.high);
}

/// A logarithmic axis begins a little below the least value that has a place on it.
void begin_above_zero(const Extent& extent, ChartAxis& axis) {
  if (!axis.log || axis.low > 0) return;
  if (axis.high <= 0) {
    axis.log = false;
    return;
  }
  constexpr double kLongest = 1e6, kUsual = 1e3, kBelow = 1.25;
  const double least =
      extent.least_positive < axis.high ? extent.least_positive / kBelow : axis.high / kUsual;
  axis.low = std::max(least, axis.high / kLongest);
}

/// A linear axis of what was logarithmic begins at zero and ends where the values do: the powers
/// in between would squeeze them.
void make_linear(const Extent& extent, ChartAxis& axis) {
  constexpr double kAbove = 1.15;
  axis.log = false;
  if (axis.whole) return;
  axis.low = std::min(axis.low, 0.0);
  if (extent.high > axis.low) axis.high = std::min(axis.high, kAbove * extent.high);
}

std::vector<double> different(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

double Scale::at(double value) const {
  const auto placed = [this](double position) { return start + position * (end - start); };
  if (std::isnan(value)) return value;
  if (std::isinf(value)) return placed(value < 0 ? -kBeyond : 1 + kBeyond);
  if (axis.log && value <= 0) return placed(-kBeyond);
  return placed(std::clamp(position_on(axis, value), -kFar, kFar));
}

ChartAxis drawn_axis(const ChartAxis& axis, std::optional<bool> log,
                     std::span<const double> values) {
  ChartAxis drawn = axis;
  if (!axis.names.empty()) {
    drawn.log = false;
    drawn.low = -0.5;
    drawn.high = static_cast<double>(axis.names.size()) - 0.5;
    return drawn;
  }
  const Extent extent = extent_of(values);
  repair_ends(extent, drawn);
  if (axis.either && log && *log != axis.log) {
    drawn.log = *log;
    if (axis.log) make_linear(extent, drawn);
  }
  begin_above_zero(extent, drawn);
  return drawn;
}

std::vector<Slot> slots_of(std::vector<double> values, const Scale& scale) {
  values = different(std::move(values));
  std::vector<Slot> slots;
  for (const double value : values) slots.push_back({value, scale.at(value), scale.at(value)});
  const auto half = [&](std::size_t i) {
    return (scale.at(values[i + 1]) - scale.at(values[i])) / 2;
  };
  const double alone = (scale.end - scale.start) / 2;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const bool first = i == 0, last = i + 1 == slots.size();
    const double before = first ? (last ? alone : half(i)) : half(i - 1);
    const double behind = last ? (first ? alone : half(i - 1)) : half(i);
    slots[i].from -= before;
    slots[i].to += behind;
    if (slots[i].from > slots[i].to) std::swap(slots[i].from, slots[i].to);
  }
  return slots;
}

const Slot& slot_of(const std::vector<Slot>& slots, double value) {
  return *std::lower_bound(slots.begin(), slots.end(), value,
                           [](const Slot& slot, double wanted) { return slot.value < wanted; });
}

void make_room(const std::vector<double>& values, Scale& scale) {
  const Scale shares{scale.axis, 0, 1};
  const std::vector<Slot> slots = slots_of(values, shares);
  if (slots.empty()) return;
  const double before = std::clamp(-slots.front().from, 0.0, 1.0);
  const double behind = std::clamp(slots.back().to - 1, 0.0, 1.0);
  const double length = scale.end - scale.start, whole = 1 + before + behind;
  scale.start += length * before / whole;
  scale.end -= length * behind / whole;
}

}  // namespace kstar
