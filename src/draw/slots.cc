#include "draw/slots.h"

#include <algorithm>
#include <cmath>

namespace kstar {

namespace {

std::vector<double> different(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

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
