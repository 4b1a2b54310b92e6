#pragma once

#include <string>
#include <vector>

#include "kstar/chart.h"
#include "kstar/export.h"

/// What the charts of scaling have in common.
namespace kstar {

/// A line that is no curve: an ideal, a ceiling, a threshold.
KSTAR_EXPORT ChartSeries straight(std::string name, SeriesRole role,
                                  std::vector<ChartPoint> points);

/// Of everything drawn so far.
KSTAR_EXPORT double highest(const Chart& chart);
KSTAR_EXPORT double lowest(const Chart& chart);

/// "workers K", from `first` to `last`; a single K stands in the middle.
KSTAR_EXPORT ChartAxis worker_axis(double first, double last, bool log);

/// From this factor in K on an axis is logarithmic.
inline constexpr double kLogFrom = 64;

/// S = K/K0 over the width of the chart, in pieces: where one axis is logarithmic it is bent.
KSTAR_EXPORT ChartSeries ideal_speedup(const Chart& chart, double base);

/// E = 1, and the threshold.
KSTAR_EXPORT void add_ideal_efficiency(double threshold, Chart& chart);

/// The y axis of speedups: the ideal line leaves the picture at the top where it would squeeze the
/// curves flat; the curves never leave it.
KSTAR_EXPORT ChartAxis speedup_axis(const Chart& chart, double base);

/// A tip in one line: "K = 8: S = 6.2 (6.1 to 6.3), 5 runs".
KSTAR_EXPORT std::string one_line(const std::string& tip);

/// Says in the title which axes are logarithmic.
KSTAR_EXPORT void name_axes(Chart& chart);

}  // namespace kstar
