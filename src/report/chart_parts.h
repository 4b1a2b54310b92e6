#pragma once

#include <string>
#include <vector>

#include "kstar/chart.h"

/// What the charts of scaling have in common.
namespace kstar {

/// A line that is no curve: an ideal, a ceiling, a threshold.
ChartSeries straight(std::string name, SeriesRole role, std::vector<ChartPoint> points);

/// Of everything drawn so far.
double highest(const Chart& chart);
double lowest(const Chart& chart);

/// "workers K", from `first` to `last`; a single K stands in the middle.
ChartAxis worker_axis(double first, double last, bool log);

/// From this factor in K on an axis is logarithmic.
inline constexpr double kLogFrom = 64;

/// S = K/K0 over the width of the chart, in pieces: where one axis is logarithmic it is bent.
ChartSeries ideal_speedup(const Chart& chart, double base);

/// E = 1, and the threshold.
void add_ideal_efficiency(double threshold, Chart& chart);

/// The y axis of speedups: the ideal line leaves the picture at the top where it would squeeze the
/// curves flat; the curves never leave it.
ChartAxis speedup_axis(const Chart& chart, double base);

/// Says in the title which axes are logarithmic.
void name_axes(Chart& chart);

}  // namespace kstar
