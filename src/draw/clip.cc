#include "draw/clip.h"

#include <algorithm>
#include <cmath>

namespace kstar {

namespace {

/// Keeps of from + t (to - from) what lies between low and high (Liang and Barsky 1984).
void keep(double from, double to, double low, double high, double& t_low, double& t_high) {
  const double change = to - from;
  if (change == 0) {
    if (from < low || from > high) t_high = -1;
    return;
  }
  const double a = (low - from) / change, b = (high - from) / change;
  t_low = std::max(t_low, std::min(a, b));
  t_high = std::min(t_high, std::max(a, b));
}

ChartPoint between(const ChartPoint& a, const ChartPoint& b, double t) {
  return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
}

bool is_place(const ChartPoint& point) {
  return std::isfinite(point.x) && std::isfinite(point.y);
}

/// The corners on the side where `inside` is not negative (Sutherland and Hodgman 1974).
template <typename Inside>
std::vector<ChartPoint> keep_side(const std::vector<ChartPoint>& corners, Inside inside) {
  std::vector<ChartPoint> kept;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const ChartPoint& from = corners[i];
    const ChartPoint& to = corners[(i + 1) % corners.size()];
    const double a = inside(from), b = inside(to);
    if (a >= 0) kept.push_back(from);
    if ((a >= 0) != (b >= 0)) kept.push_back(between(from, to, a / (a - b)));
  }
  return kept;
}

}  // namespace

std::vector<std::vector<ChartPoint>> clip_line(const std::vector<ChartPoint>& points,
                                               const Box& box) {
  std::vector<std::vector<ChartPoint>> pieces;
  bool joined = false;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ChartPoint &from = points[i - 1], &to = points[i];
    double t_low = 0, t_high = 1;
    if (is_place(from) && is_place(to)) {
      keep(from.x, to.x, box.left, box.right, t_low, t_high);
      keep(from.y, to.y, box.top, box.bottom, t_low, t_high);
    } else {
      t_high = -1;
    }
    if (t_low > t_high) {
      joined = false;
      continue;
    }
    if (!joined || t_low > 0) pieces.push_back({between(from, to, t_low)});
    pieces.back().push_back(between(from, to, t_high));
    joined = t_high == 1;
  }
  return pieces;
}

std::vector<ChartPoint> clip_area(std::vector<ChartPoint> corners, const Box& box) {
  std::erase_if(corners, [](const ChartPoint& corner) { return !is_place(corner); });
  corners = keep_side(corners, [&](const ChartPoint& p) { return p.x - box.left; });
  corners = keep_side(corners, [&](const ChartPoint& p) { return box.right - p.x; });
  corners = keep_side(corners, [&](const ChartPoint& p) { return p.y - box.top; });
  corners = keep_side(corners, [&](const ChartPoint& p) { return box.bottom - p.y; });
  if (corners.size() < 3) corners.clear();
  return corners;
}

}  // namespace kstar
