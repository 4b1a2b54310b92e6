#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kstar/view.h"

/// How numbers stand in the sentences of a chart: tips, captions, summaries.
namespace kstar::view {

/// "6.21 (5.90 to 6.55)", all with as many decimals as the point needs for three digits.
std::string value_text(const Estimate& estimate);

/// "8.12 s (8.05 to 8.2 s)".
std::string time_value_text(const Estimate& seconds);

/// "15% (13% to 17%)".
std::string share_value_text(const Estimate& share);

/// "at K = 16 (16 to 32), 93% of resamples agree"; "at no K measured" where nothing bends.
std::string bend_text(const std::optional<Bend>& bend);

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
