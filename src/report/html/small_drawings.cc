#include "report/html/small_drawings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "report/analysis/answer.h"
#include "report/analysis/headline.h"

namespace kstar {

namespace {

/// Where a drawing's plot is, in its own units.
struct PlotBox {
  double left = 0, top = 0, width = 0, height = 0;
};

double place_x(const SmallAxes& axes, const PlotBox& box, double workers) {
  const double span = std::log(axes.last / axes.first);
  return box.left + (span > 0 ? std::log(workers / axes.first) / span : 0.5) * box.width;
}

double place_y(const SmallAxes& axes, const PlotBox& box, double efficiency) {
  const double share = std::clamp(efficiency / axes.highest, 0.0, 1.0);
  return box.top + (1 - share) * box.height;
}

std::string at(double value) {
  return fixed(value, 1);
}

std::string curve_path(const std::vector<ChartPoint>& points, const SmallAxes& axes,
                       const PlotBox& box) {
  std::string path;
  for (const ChartPoint& point : points) {
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", at(place_x(axes, box, point.x)),
                        at(place_y(axes, box, point.y)));
  }
  return fmt::format("<path class=\"small-curve\" d=\"{}\"/>", path);
}

std::string threshold_line(const Analysis& analysis, const SmallAxes& axes, const PlotBox& box) {
  return fmt::format("<path class=\"small-bound\" d=\"M{} {}H{}\"/>", at(box.left),
                     at(place_y(axes, box, analysis.table.threshold)), at(box.left + box.width));
}

std::string best_dot(const Analysis& analysis, const SmallAxes& axes, const PlotBox& box) {
  const std::optional<int> workers = analysis.verdict.workers;
  const Estimate* efficiency = workers ? efficiency_at(analysis, *workers) : nullptr;
  if (efficiency == nullptr) return "";
  return fmt::format("<circle class=\"small-best\" cx=\"{}\" cy=\"{}\" r=\"3\"/>",
                     at(place_x(axes, box, *workers)), at(place_y(axes, box, efficiency->point)));
}

std::string end_text(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", at(x), at(y), anchor,
                     text);
}

}  // namespace

std::vector<ChartPoint> efficiency_points(const Analysis& analysis) {
  std::vector<ChartPoint> points;
  if (analysis.verdict.by_training) {
    for (const TrainingPoint& point : analysis.time_to_train->points) {
      points.push_back({static_cast<double>(point.workers), point.efficiency.point});
    }
    return points;
  }
  for (const ScalingPoint& point : analysis.table.points) {
    if (point.role != Role::kParallel || !point.efficiency) continue;
    points.push_back({static_cast<double>(point.workers), point.efficiency->point});
  }
  return points;
}

SmallAxes small_axes(std::span<const Subject> subjects) {
  constexpr double kMost = 1.5;  // a curve far above 1 would press all others to the ground
  SmallAxes axes{.first = std::numeric_limits<double>::infinity(), .last = 1, .highest = 1};
  for (const Subject& subject : subjects) {
    for (const ChartPoint& point : efficiency_points(subject.analysis)) {
      axes.first = std::min(axes.first, point.x);
      axes.last = std::max(axes.last, point.x);
      axes.highest = std::clamp(point.y, axes.highest, kMost);
    }
  }
  axes.first = std::min(axes.first, axes.last);
  return axes;
}

std::string sparkline(const Analysis& analysis, const SmallAxes& axes) {
  const std::vector<ChartPoint> points = efficiency_points(analysis);
  if (points.size() < 2) return "";
  constexpr PlotBox kBox{4, 4, 88, 18};
  return fmt::format(
      "<svg class=\"spark\" viewBox=\"0 0 96 26\" aria-hidden=\"true\" focusable=\"false\">{}{}{}"
      "</svg>",
      threshold_line(analysis, axes, kBox), curve_path(points, axes, kBox),
      best_dot(analysis, axes, kBox));
}

std::string stamp(const Analysis& analysis, const SmallAxes& axes) {
  const std::vector<ChartPoint> points = efficiency_points(analysis);
  if (points.empty()) return "";
  constexpr PlotBox kBox{36, 8, 118, 60};
  const double foot = kBox.top + kBox.height;
  return fmt::format(
      "<svg class=\"stamp\" viewBox=\"0 0 160 84\" aria-hidden=\"true\" focusable=\"false\">"
      "<path class=\"small-axis\" d=\"M{0} {1}V{2}H{3}\"/>{4}{5}{6}{7}{8}{9}{10}</svg>",
      at(kBox.left), at(kBox.top), at(foot), at(kBox.left + kBox.width),
      threshold_line(analysis, axes, kBox), curve_path(points, axes, kBox),
      best_dot(analysis, axes, kBox),
      end_text(kBox.left, foot + 11, "middle", significant(axes.first, 4)),
      end_text(kBox.left + kBox.width, foot + 11, "end", significant(axes.last, 6)),
      end_text(kBox.left - 4, foot, "end", "0"),
      end_text(kBox.left - 3, place_y(axes, kBox, 1) + 3, "end", "100%"));
}

std::string ratio_mark(const Estimate& ratio, double reach, const char* look) {
  if (!(ratio.point > 0) || !std::isfinite(ratio.point)) return "";
  constexpr double kWidth = 120, kMiddle = 60;
  const double scale = (kMiddle - 6) / std::log(reach);
  const auto place = [&](double value) {
    return std::clamp(kMiddle + std::log(value) * scale, 1.0, kWidth - 1);
  };
  std::string range;
  if (is_bounded(ratio) && ratio.low > 0) {
    range = fmt::format("<path class=\"small-range\" d=\"M{} 8H{}\"/>", at(place(ratio.low)),
                        at(place(ratio.high)));
  }
  return fmt::format(
      "<svg class=\"ratio\" viewBox=\"0 0 {} 16\" aria-hidden=\"true\" focusable=\"false\"><path "
      "class=\"small-bound\" d=\"M{} 0V16\"/>{}<circle class=\"{}\" cx=\"{}\" cy=\"8\" r=\"3.2\"/>"
      "</svg>",
      kWidth, at(kMiddle), range, look, at(place(ratio.point)));
}

}  // namespace kstar
