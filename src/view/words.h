#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kstar/view.h"
#include "kstar/words.h"

/// What tips, captions and summaries of charts have in common.
namespace kstar::view {

/// The ends of an interval for a mark: NaN where there is none at all.
double mark_low(const Estimate& estimate);
double mark_high(const Estimate& estimate);

/// "No times of single workers: a, b."
std::string without_workers(const std::vector<std::string>& names);

/// A sentence begins with a capital; a name that it begins with stays as it is.
std::string sentence(const std::string& name, std::string text);

/// "NAME, " where there are several subjects, else nothing.
std::string owner(const std::string& name);

/// Where the numbers come from: title, machine, day, how many runs, the confidence of the
/// intervals, the program that drew. `more` is what this chart has to add.
/// Intervals are named where the chart has some.
std::string caption_of(std::span<const Subject> subjects, const Chart& chart,
                       const std::string& more = "");

/// What the area around a rule is: nothing else in a figure says it.
std::string range_words(const Chart& chart);

}  // namespace kstar::view
