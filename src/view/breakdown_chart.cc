#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "kstar/worker_table.h"
#include "view/curves.h"
#include "view/kinds.h"
#include "view/words.h"

// Shares of the time, not seconds: at the K where it matters what takes the time, seconds are a
// small part of those at K = 1, and nothing could be seen. The seconds are in the tips.
namespace kstar::view {

namespace {

/// The parts from the bottom of a bar to its top.
constexpr std::size_t kParts = 6;

struct TimeShare {
  std::string name;
  std::optional<Estimate> seconds;
};

std::array<TimeShare, kParts> parts_of(const WorkerPoint& point, bool inside) {
  return {{{"compute", point.compute},
           {inside ? "MPI files" : "load data", point.load},
           {"transfer", point.transfer},
           {"wait", point.wait},
           {"serial part", point.serial},
           {"not accounted for", point.rest}}};
}

/// One bar: a subject at one K.
struct Bar {
  std::string name;   ///< under it
  std::string study;  ///< "" where it is alone
  WorkerPoint point;
  bool inside = false;
};

/// By K; bars of one K stand side by side.
std::vector<Bar> bars_of(std::span<const Subject> subjects, Chart& chart) {
  std::map<int, std::vector<Bar>> by_workers;
  std::vector<std::string> without;
  for (const Subject& subject : subjects) {
    WorkerTable table = worker_table(subject.study, subject.analysis.table.regime,
                                     subject.analysis.options.confidence);
    const std::string name = subjects.size() > 1 ? subject.name : "";
    if (table.points.empty()) without.push_back(subject.name);
    for (WorkerPoint& point : table.points) {
      const std::string label = fmt::format("{}{}{}", point.workers, name.empty() ? "" : " ", name);
      point.paces.clear();
      const int workers = point.workers;
      by_workers[workers].push_back({label, name, std::move(point), table.inside});
    }
    if (table.inside && !table.points.empty()) {
      chart.notes.push_back(
          fmt::format("{}from profiled runs, between MPI_Init and MPI_Finalize.", owner(name)));
    }
    if (table.partly > 0) {
      chart.notes.push_back(fmt::format("{}{} excluded: times of some workers only.", owner(name),
                                        count_text(table.partly, "run")));
    }
  }
  if (!without.empty()) chart.notes.push_back(without_workers(without));
  std::vector<Bar> bars;
  for (auto& [workers, some] : by_workers) {
    for (Bar& bar : some) bars.push_back(std::move(bar));
  }
  return bars;
}

/// A part's share of the time. A share is no more than all, and time no less than none, whatever
/// the interval of a difference says; a part that is larger than the whole stays what it is.
Estimate share_of(const TimeShare& part, const Bar& bar) {
  Estimate share = not_negative(scaled(*part.seconds, 1 / bar.point.time.point));
  share.high = std::min(share.high, std::max(1.0, share.point));
  return share;
}

std::string breakdown_tip(const Bar& bar, const TimeShare& part) {
  return TipLines(fmt::format("{}K = {}, {}", owner(bar.study), bar.point.workers, part.name))
      .add("share", share_value_text(share_of(part, bar)))
      .add("time", time_value_text(not_negative(*part.seconds)))
      .add("of", time_value_text(bar.point.time))
      .note(count_text(bar.point.runs, "run"))
      .take();
}

void add_bar(const Bar& bar, double place, std::vector<ChartSeries>& series) {
  double low = 0;
  const std::array<TimeShare, kParts> parts = parts_of(bar.point, bar.inside);
  for (std::size_t i = 0; i < kParts; ++i) {
    const TimeShare& part = parts.at(i);
    if (!part.seconds || !(part.seconds->point > 0)) continue;
    const Estimate share = share_of(part, bar);
    const double high = low + share.point;
    if (!std::isfinite(high)) continue;
    if (series[i].name.empty()) series[i].name = part.name;
    // The whole bar is at most 1, but for phases that overlap: no part of it goes further.
    series[i].stack.push_back({place, low, high, breakdown_tip(bar, part), mark_low(share),
                               std::min(mark_high(share), std::max(1.0, high) - low)});
    low = high;
  }
}

/// The largest part beside computing, at the largest K.
std::string breakdown_summary(const Bar& bar) {
  std::string text =
      fmt::format("at K = {} the workers compute {} of their time", bar.point.workers,
                  percent(bar.point.compute.point / bar.point.time.point, 0));
  const TimeShare* largest = nullptr;
  const std::array<TimeShare, kParts> parts = parts_of(bar.point, bar.inside);
  for (const TimeShare& part : std::span(parts).subspan(1)) {
    if (!part.seconds) continue;
    if (largest == nullptr || part.seconds->point > largest->seconds->point) largest = &part;
  }
  if (largest != nullptr && largest->seconds->point > 0) {
    const Estimate share = scaled(*largest->seconds, 1 / bar.point.time.point);
    text +=
        fmt::format("; the largest other part is {}, {}", largest->name, share_value_text(share));
  }
  return sentence(bar.study, text + ".");
}

Result<Chart> breakdown_chart(std::span<const Subject> subjects) {
  Chart chart;
  const std::vector<Bar> bars = bars_of(subjects, chart);
  if (bars.empty()) {
    return fail({.where = subjects[0].name,
                 .message = "no run has per-worker times",
                 .hint = "measure per-worker times: kstar measure --time marks, or --inside"});
  }
  std::vector<ChartSeries> series(kParts);
  double top = 1;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    chart.x.names.push_back(bars[i].name);
    chart.x.name_workers.push_back(bars[i].point.workers);
    add_bar(bars[i], static_cast<double>(i), series);
  }
  for (std::size_t i = 0; i < kParts; ++i) {
    if (series[i].stack.empty()) continue;
    series[i].color = static_cast<int>(i);
    for (const ChartSpan& span : series[i].stack) top = std::max(top, span.high);
    chart.series.push_back(std::move(series[i]));
  }
  constexpr double kUnseen = 0.01;  // clocks of phases and of steps differ by as much
  if (top > 1 + kUnseen) {
    chart.notes.emplace_back("Phases overlap: their sum exceeds the time.");
  }
  chart.title = "Where the workers' time goes";
  chart.x.label = "workers K";
  chart.x.workers = true;
  chart.x.low = -0.5;
  chart.x.high = static_cast<double>(bars.size()) - 0.5;
  chart.y = {.label = "share of the workers' time",
             .log = false,
             .whole = false,
             .low = 0,
             .high = top > 1 + kUnseen ? top : 1};
  chart.summary = breakdown_summary(bars.back());
  chart.caption = caption_of(subjects, chart, "Means over workers and runs; lines are intervals.");
  return chart;
}

}  // namespace

const ChartKind kBreakdownChart = {.name = "breakdown",
                                   .help = "where the workers' time goes at each K",
                                   .needs = "per-worker times",
                                   .make = breakdown_chart};

}  // namespace kstar::view
