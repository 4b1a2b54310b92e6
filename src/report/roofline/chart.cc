#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "kstar/roofline_report.h"
#include "report/roofline/words.h"

namespace kstar {

namespace {

struct Roof {
  std::string precision;
  double compute = 0, bandwidth = 0;
};

/// The roof of one precision: bandwidth up to the ridge, then flat.
ChartSeries roof_series(const Roof& roof, double low, double high) {
  ChartSeries series;
  series.role = SeriesRole::kBound;
  series.name = fmt::format("{} {}", roof.precision, rate_text(roof.compute, "FLOP/s"));
  const double ridge = roof.compute / roof.bandwidth;
  constexpr int kSteps = 24;  // a straight line on two logarithmic axes
  for (int i = 0; i <= kSteps; ++i) {
    const double x = low * std::pow(std::min(ridge, high) / low, static_cast<double>(i) / kSteps);
    series.line.push_back({x, attainable_rate(roof.compute, roof.bandwidth, x) / placing::kGiga});
  }
  if (ridge < high) series.line.push_back({high, roof.compute / placing::kGiga});
  return series;
}

/// The bandwidth of a nearer level, up to the top, where its name stands.
ChartSeries level_series(const std::string& level, double bandwidth, double top, double low,
                         double high) {
  ChartSeries series;
  series.role = SeriesRole::kIdeal;
  series.name = fmt::format("{} {}", level_words(level), rate_text(bandwidth, "B/s"));
  const double end = std::min(high, top / bandwidth);
  constexpr int kSteps = 24;
  for (int i = 0; i <= kSteps; ++i) {
    const double x = low * std::pow(end / low, static_cast<double>(i) / kSteps);
    series.line.push_back({x, bandwidth * x / placing::kGiga});
  }
  return series;
}

std::string tip_of(const RooflinePlace& place) {
  std::string tip = shorten(place.kernel.name, 60);
  tip += fmt::format("\ntime\t{}", time_text(place.kernel.seconds));
  if (place.rate) tip += fmt::format("\nrate\t{}", rate_text(*place.rate, "FLOP/s"));
  if (place.intensity) tip += fmt::format("\nFLOP/B\t{}", significant(*place.intensity, 3));
  tip += fmt::format("\nbound by\t{}", placing::bound_text(place));
  tip += fmt::format("\nheadroom\t{}", placing::headroom_text(place));
  return tip;
}

ChartSeries kernel_series(const Roofline& roofline) {
  ChartSeries series;  // without a name: lines have theirs beside them, which need no legend
  for (const RooflinePlace& place : roofline.places) {
    if (!place.rate || !place.intensity || *place.rate <= 0 || *place.intensity <= 0) continue;
    series.marks.push_back(
        {.x = *place.intensity, .y = *place.rate / placing::kGiga, .tip = tip_of(place)});
  }
  std::sort(series.marks.begin(), series.marks.end(),
            [](const ChartMark& a, const ChartMark& b) { return a.x < b.x; });
  return series;
}

Chart empty_chart(const std::string& title) {
  Chart chart;
  chart.title = title;
  chart.x = {.label = "FLOP per byte of memory", .log = true, .decimal = true};
  chart.y = {.label = "GFLOP/s", .log = true, .decimal = true};
  return chart;
}

void add_roofs(const MachineCeilings& machine, int threads, Chart& chart) {
  const auto memory = bandwidth_ceiling(machine, "memory", threads);
  if (!memory) return;
  std::vector<Roof> roofs;
  for (const std::string& precision : precisions_of(machine)) {
    if (const auto peak = compute_ceiling(machine, threads, precision)) {
      roofs.push_back({precision, peak->rate.point, memory->rate.point});
    }
  }
  std::sort(roofs.begin(), roofs.end(),
            [](const Roof& a, const Roof& b) { return a.compute > b.compute; });
  for (const Roof& roof : roofs) {
    chart.series.push_back(roof_series(roof, chart.x.low, chart.x.high));
  }
  const double top = chart.y.high * placing::kGiga;
  for (const std::string& level : levels_of(machine)) {
    const auto bandwidth = bandwidth_ceiling(machine, level, threads);
    if (!bandwidth || (level == "memory" && !roofs.empty())) continue;
    if (bandwidth->rate.point < memory->rate.point) continue;
    chart.series.push_back(
        level_series(level, bandwidth->rate.point, top, chart.x.low, chart.x.high));
  }
}

/// Axes around the ridges and the kernels.
void set_axes(const MachineCeilings* machine, int threads, const ChartSeries& kernels,
              Chart& chart) {
  double x_low = 0.05, x_high = 20, y_low = INFINITY, y_high = 0;
  for (const ChartMark& mark : kernels.marks) {
    x_low = std::min(x_low, mark.x / 2);
    x_high = std::max(x_high, mark.x * 2);
    y_low = std::min(y_low, mark.y / 2);
    y_high = std::max(y_high, mark.y * 2);
  }
  if (machine != nullptr) {
    const auto memory = bandwidth_ceiling(*machine, "memory", threads);
    const auto peak = compute_ceiling(*machine, threads);
    if (memory && peak) {
      x_high = std::max(x_high, 4 * peak->rate.point / memory->rate.point);
      y_high = std::max(y_high, 2 * peak->rate.point / placing::kGiga);
      y_low = std::min(y_low, x_low * memory->rate.point / placing::kGiga);
    }
  }
  if (!(y_high > 0) || !(y_low > 0)) return;  // nothing to draw
  chart.x.low = x_low;
  chart.x.high = x_high;
  chart.y.low = y_low;
  chart.y.high = y_high;
}

/// GPUs are in TFLOP/s, as in their tables.
void show_tera(Chart& chart) {
  constexpr double kGigaPerTera = 1000;
  chart.y.label = "TFLOP/s";
  chart.y.low /= kGigaPerTera;
  chart.y.high /= kGigaPerTera;
  for (ChartSeries& series : chart.series) {
    for (auto& point : series.line) point.y /= kGigaPerTera;
    for (ChartMark& mark : series.marks) mark.y /= kGigaPerTera;
  }
}

/// Whose roof it is, and what its slope is.
std::string caption_of(const MachineCeilings& machine, int threads) {
  std::string text = machine.name;
  if (!machine.measured.empty()) text += fmt::format(", measured {}", machine.measured);
  if (const auto memory = bandwidth_ceiling(machine, "memory", threads)) {
    text += fmt::format("; memory {}", rate_text(memory->rate.point, "B/s"));
  }
  return text + ".";
}

}  // namespace

Chart roofline_chart(const Roofline& roofline) {
  Chart chart = empty_chart(roofline.title.empty() ? "Roofline" : roofline.title);
  const ChartSeries kernels = kernel_series(roofline);
  const MachineCeilings* machine = roofline.machine ? &*roofline.machine : nullptr;
  const int threads = std::max(1, roofline.threads);
  set_axes(machine, threads, kernels, chart);
  if (machine != nullptr) {
    add_roofs(*machine, threads, chart);
    chart.caption = caption_of(*machine, threads);
    if (kernels.marks.size() > 1) chart.caption += " Every dot is a kernel.";
  }
  const bool gpu = machine != nullptr && machine->kind == "gpu";
  const std::size_t unplaced = roofline.places.size() - kernels.marks.size();
  if (!kernels.marks.empty()) chart.series.push_back(kernels);
  if (gpu) show_tera(chart);
  if (unplaced > 0) {
    chart.notes.push_back(
        fmt::format("{} without operations or bytes not drawn", count_text(unplaced, "kernel")));
  }
  chart.summary = fmt::format(
      "Operations per second against operations per byte of {} under the "
      "ceilings of {}.",
      count_text(kernels.marks.size(), "kernel"),
      machine != nullptr ? machine->name : "their machine");
  return chart;
}

Chart machine_chart(const MachineCeilings& machine) {
  Roofline roofline;
  roofline.title = "Roofline of " + machine.name;
  roofline.machine = machine;
  const std::vector<int> counts = thread_counts(machine);
  roofline.threads = counts.empty() ? 1 : counts.back();
  return roofline_chart(roofline);
}

}  // namespace kstar
