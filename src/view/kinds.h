#pragma once

#include <array>

#include "kstar/view.h"

/// The kinds of charts, each in a file that describes it. One to copy from: efficiency_chart.cc.
namespace kstar::view {

extern const ChartKind kSpeedupChart;
extern const ChartKind kEfficiencyChart;
extern const ChartKind kWaterfallChart;
extern const ChartKind kSplitChart;
extern const ChartKind kSamplesChart;
extern const ChartKind kBreakdownChart;
extern const ChartKind kWorkersChart;
extern const ChartKind kPhasesChart;
extern const ChartKind kModelsChart;
extern const ChartKind kCostChart;

inline constexpr std::array kKinds = {
    &kSpeedupChart,   &kEfficiencyChart, &kSplitChart,   &kWaterfallChart, &kSamplesChart,
    &kBreakdownChart, &kPhasesChart,     &kWorkersChart, &kModelsChart,    &kCostChart};

}  // namespace kstar::view
