#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

// Times, not efficiencies: what stops scaling is often what one worker does not do at all, and has
// no efficiency. On logarithmic axes what scales is a straight line down, and what does not is not.
namespace kstar::view {

namespace {

/// Less than this share of the time at every K is not drawn.
constexpr double kUnseenShare = 0.005;

/// A point with less would stretch the axis for what nobody needs to see.
constexpr double kUnseenPoint = 0.0005;

bool is_drawn(const PhaseScaling& phase) {
  return std::any_of(phase.points.begin(), phase.points.end(),
                     [](const PhasePoint& at) { return at.share > kUnseenShare; });
}

std::string phase_tip(const PhaseScaling& phase, const PhasePoint& at) {
  TipLines tip(fmt::format("K = {}, {}", at.workers, phase.name));
  tip.add("T", time_value_text(not_negative(at.time))).add("share", percent(at.share, 1));
  if (at.efficiency) tip.add("E", factor_words(*at.efficiency));
  return tip.note(count_text(at.runs, "run")).take();
}

ChartSeries phase_series(const PhaseScaling& phase, int color) {
  ChartSeries series;
  series.name = phase.name;
  series.color = color;
  for (const PhasePoint& at : phase.points) {
    if (at.share < kUnseenPoint) continue;
    const double workers = at.workers;
    series.line.push_back({workers, at.time.point});
    const Estimate time = not_negative(at.time);
    series.marks.push_back(
        {workers, time.point, mark_low(time), mark_high(time), phase_tip(phase, at)});
  }
  return series;
}

/// What the largest phase of the base would take.
ChartSeries ideal_series(const PhaseTable& phases, bool weak) {
  const PhaseScaling* first = nullptr;
  for (const PhaseScaling& phase : phases.phases) {
    const double time = phase.points.front().time.point;
    if (!phase.calls && (first == nullptr || time > first->points.front().time.point)) {
      first = &phase;
    }
  }
  ChartSeries series;
  if (first == nullptr) return series;
  series.name = first->name + ", ideal";
  series.role = SeriesRole::kIdeal;
  const PhasePoint& base = first->points.front();
  for (const PhasePoint& at : first->points) {
    const double factor = weak ? 1 : static_cast<double>(base.workers) / at.workers;
    series.line.push_back({static_cast<double>(at.workers), base.time.point * factor});
  }
  return series;
}

void set_phase_axes(const PhaseTable& phases, Chart& chart) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.line) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
  }
  chart.x = {.label = "workers K",
             .log = true,
             .whole = true,
             .low = static_cast<double>(phases.base_workers),
             .high = static_cast<double>(phases.workers),
             .either = true,
             .names = {},
             .workers = true};
  chart.y = {.label = "seconds per step, mean over workers",
             .log = true,
             .whole = false,
             .low = low / 1.5,
             .high = high * 1.5,
             .either = true,
             .names = {}};
}

std::string phase_summary(const PhaseTable& phases) {
  const PhaseScaling& first = phases.phases.front();
  const PhasePoint& last = first.points.back();
  return fmt::format(
      "{} loses the most: {} of the time at K = {} is beyond its ideal; it takes {}.", first.name,
      percent(std::max(0.0, first.lost), 0), last.workers, time_value_text(last.time));
}

Result<Chart> phases_chart(std::span<const Subject> subjects) {
  const auto with = std::find_if(subjects.begin(), subjects.end(), [](const Subject& subject) {
    return !subject.analysis.phases.phases.empty();
  });
  if (with == subjects.end()) {
    return fail({.where = subjects[0].name,
                 .message = "no two K have per-worker times",
                 .hint = "measure per-worker times: kstar measure --time marks, or --inside"});
  }
  const PhaseTable& phases = with->analysis.phases;
  Chart chart;
  for (const PhaseScaling& phase : phases.phases) {
    if (!phase.calls && is_drawn(phase)) {
      chart.series.push_back(phase_series(phase, static_cast<int>(chart.series.size())));
    }
  }
  chart.series.push_back(ideal_series(phases, with->analysis.table.regime == Regime::kWeak));
  if (subjects.size() > 1) chart.notes.push_back(fmt::format("Only {} is shown.", with->name));
  set_phase_axes(phases, chart);
  chart.title = "Which phase stops scaling";
  chart.summary = phase_summary(phases);
  chart.caption = caption_of(subjects, chart, "Means over workers and runs; lines are intervals.");
  return chart;
}

}  // namespace

const ChartKind kPhasesChart = {.name = "phases",
                                .help = "the time of each phase at each K",
                                .needs = "per-worker times",
                                .make = phases_chart};

}  // namespace kstar::view
