#pragma once

#include <span>
#include <string>

#include "kstar/view.h"

namespace kstar::view {

/// Where the numbers come from: title, machine, day, how many runs, the confidence of the
/// intervals, the program that drew. `more` is what this chart has to add.
/// Intervals are named where the chart has some.
std::string caption_of(std::span<const Subject> subjects, const Chart& chart,
                       const std::string& more = "");

/// What the area around a rule is: nothing else in a figure says it.
std::string range_words(const Chart& chart);

/// The confidence that was asked for.
double confidence_of(const Analysis& analysis);

}  // namespace kstar::view
