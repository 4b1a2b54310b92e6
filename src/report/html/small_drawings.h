#pragma once

#include <span>
#include <string>
#include <vector>

#include "kstar/chart.h"
#include "kstar/estimate.h"
#include "kstar/view.h"

/// Drawings of a line of text's height, or of a stamp: what many studies are told apart by. They
/// have no marks to point at; the charts have.
namespace kstar {

/// Efficiency over K, both on the same axes in every drawing of a page.
struct SmallAxes {
  double first = 1;
  double last = 2;
  double highest = 1;
};
SmallAxes small_axes(std::span<const Subject> subjects);

/// E of a subject, by K; by time to train where the table has none.
std::vector<ChartPoint> efficiency_points(const Analysis& analysis);

/// In a cell of a table.
std::string sparkline(const Analysis& analysis, const SmallAxes& axes);

/// With the threshold, K* and the ends of the axes named.
std::string stamp(const Analysis& analysis, const SmallAxes& axes);

/// A ratio with its interval on a logarithmic axis from 1/reach to reach, with 1 marked; `look` is
/// the class of its point.
std::string ratio_mark(const Estimate& ratio, double reach, const char* look);

}  // namespace kstar
