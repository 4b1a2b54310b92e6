#pragma once

#include <string>
#include <vector>

#include "kstar/chart.h"

/// What the sample charts are put together from.
namespace kstar::sample {

/// Amdahl's speedup.
double amdahl(double serial, double k);

/// The same numbers everywhere and for ever; between -1 and 1.
double wobble(int i);

/// The axis of K.
ChartAxis workers(double low, double high, bool log);

ChartAxis axis_of(std::string label, double low, double high, bool log = false);

/// Speedups (or efficiencies) near Amdahl's law, with intervals.
ChartSeries measured(std::string name, const std::vector<double>& ks, double serial,
                     bool efficiency = false);

/// Amdahl's law itself.
ChartSeries curve(std::string name, double serial, double from, double to, bool efficiency = false);

/// A band that widens with K.
void add_band(double share, ChartSeries& series);

/// 1, 2, 4 ... 64.
const std::vector<double>& powers();

std::string caption();

}  // namespace kstar::sample
