#pragma once

#include <vector>

#include "draw/scale.h"

/// Bars and cells take room around their place: from half-way to the neighbour on one side to
/// half-way on the other.
namespace kstar {

struct Slot {
  double value = 0;
  double from = 0;  ///< in points, from < to
  double to = 0;
};

/// One slot for every different value, in their order.
std::vector<Slot> slots_of(std::vector<double> values, const Scale& scale);

/// The slot of that value.
const Slot& slot_of(const std::vector<Slot>& slots, double value);

/// Makes room at both ends of the scale for the outermost slots.
void make_room(const std::vector<double>& values, Scale& scale);

}  // namespace kstar
