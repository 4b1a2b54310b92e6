#include "support/chart_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace kstar::sample {

double amdahl(double serial, double k) {
  return 1 / (serial + (1 - serial) / k);
}

double wobble(int i) {
  return std::sin(12.9898 * i + 4.1414 * i * i);
}

ChartAxis workers(double low, double high, bool log) {
  ChartAxis axis;
  axis.label = "workers K";
  axis.log = log;
  axis.whole = true;
  axis.low = low;
  axis.high = high;
  axis.either = true;
  return axis;
}

ChartAxis axis_of(std::string label, double low, double high, bool log) {
  ChartAxis axis;
  axis.label = std::move(label);
  axis.log = log;
  axis.low = low;
  axis.high = high;
  axis.either = true;
  return axis;
}

ChartSeries measured(std::string name, const std::vector<double>& ks, double serial,
                     bool efficiency) {
  ChartSeries series;
  series.name = std::move(name);
  int i = 0;
  for (const double k : ks) {
    const double value = amdahl(serial, k) * (1 + 0.03 * wobble(++i)) / (efficiency ? k : 1);
    const double error = value * (0.02 + 0.04 * std::fabs(wobble(i + 7)));
    series.marks.push_back(
        {k, value, value - error, value + error,
         fmt::format("K = {}: {:.3f} ({:.3f} to {:.3f})", k, value, value - error, value + error)});
    series.line.push_back({k, value});
  }
  return series;
}

ChartSeries curve(std::string name, double serial, double from, double to, bool efficiency) {
  ChartSeries series;
  series.name = std::move(name);
  for (int i = 0; i <= 40; ++i) {
    const double k = from * std::pow(to / from, i / 40.0);
    series.line.push_back({k, amdahl(serial, k) / (efficiency ? k : 1)});
  }
  return series;
}

void add_band(double share, ChartSeries& series) {
  for (const ChartPoint& point : series.line) {
    const double error = point.y * share * std::log2(point.x + 1) / 3;
    series.band.push_back({point.x, point.y - error, point.y + error, ""});
  }
}

const std::vector<double>& powers() {
  static const std::vector<double> ks = {1, 2, 4, 8, 16, 32, 64};
  return ks;
}

std::string caption() {
  return "kstar 0.1: 7 K, 5 runs each, of kstar-train on 8 cores, 2025-11-03; 95 % intervals.";
}

}  // namespace kstar::sample
