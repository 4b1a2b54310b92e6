#pragma once

#include <span>
#include <string>
#include <vector>

#include "kstar/view.h"

/// What the charts of S, E and T over K have in common.
namespace kstar::view {

/// What of a point or a prediction is drawn.
enum class Drawn { kSpeedup, kEfficiency, kTime };

/// An analysis in a chart.
struct Shown {
  const Analysis* analysis = nullptr;
  std::string name;  ///< "" where it is alone
  int color = 0;
};
std::vector<Shown> shown_of(std::span<const Subject> subjects);

/// The regime's own: S with fixed work, E where the work grows with K, T where there is neither.
Drawn natural(const ScalingTable& table);

/// None where the regime has none.
const Estimate* drawn_at(const ScalingPoint& point, Drawn drawn);

/// A prediction is relative to the parallel program's smallest K; the points may be relative to a
/// baseline program. `factor` is what lies between: base_factor().
Estimate drawn_at(const PredictedWorkers& at, Drawn drawn, double factor);

/// The fitted curve on the axis of the points: its times, over the measured time of the base. Its
/// own S and E are over its own time there, and would miss all points by as much as the base's run
/// was off.
Estimate curve_at(const ScalingTable& table, const PredictedWorkers& at, Drawn drawn);
double base_factor(const ScalingTable& table, Drawn drawn);

/// "S = 6.21 (5.90 to 6.55)".
std::string drawn_text(const Estimate& estimate, Drawn drawn);
/// "S", and "6.21 (5.90 to 6.55)".
std::string_view drawn_name(Drawn drawn);
std::string drawn_value(const Estimate& estimate, Drawn drawn);

/// The points that were measured.
ChartSeries measured_series(const Shown& shown, Drawn drawn);

/// The fitted curve over the K measured, with its band.
ChartSeries fitted_series(const Shown& shown, Drawn drawn);

/// Both of each, where there are models; of several analyses as one series each.
void add_curves(std::span<const Shown> shown, Drawn drawn, Chart& chart);

/// The axes, the ideals and the title, for what is in the chart already.
void finish(std::span<const Shown> shown, Drawn drawn, Chart& chart);

/// K* and the bend of each, in the chart of S (or T) as in that of E. Of many studies there are
/// none: a note says so.
void add_places(std::span<const Shown> shown, Chart& chart);

/// Fails where no study has two K: a curve of one point is none.
Result<void> check_curves(std::span<const Subject> subjects);

/// Of all points, from the first K to the last: "K = 1 to 64".
std::string workers_text(const ScalingTable& table);

}  // namespace kstar::view
