#include "draw/svg_labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kstar {

namespace {

constexpr double kNearRight = 0.9;  ///< from this share of the axis on, a name stands beside it

double height_of(const SvgEndLabel& label, double line_height) {
  return static_cast<double>(label.lines.size()) * line_height;
}

/// Labels that touch move as one: about the mean of where they want to be.
struct Block {
  std::size_t first = 0, last = 0;
  double height = 0;
  double wanted = 0;  ///< sum over labels of the block's top that would please each
  double count = 0;
  double top = 0;

  void place(double low, double high) {
    top = std::clamp(wanted / count, low, std::max(low, high - height));
  }
};

struct Span {
  double left = 0, right = 0;
};

Span span_of(const SvgFlag& flag, const Face& face) {
  return {flag.left, flag.left + text_width(flag.text, face)};
}

/// Whether two flags can stand in these rows.
bool get_along(const SvgFlag& a, int row_a, const SvgFlag& b, int row_b, const Face& face) {
  const double gap = 0.6 * face.size;
  const Span sa = span_of(a, face), sb = span_of(b, face);
  if (row_a == row_b) return sa.right + gap <= sb.left || sb.right + gap <= sa.left;
  const SvgFlag& upper = row_a > row_b ? a : b;
  const Span lower = row_a > row_b ? sb : sa;
  return !upper.line || upper.at < lower.left - 1 || upper.at > lower.right + 1;
}

bool all_get_along(const std::vector<SvgFlag>& flags, const std::vector<int>& rows,
                   const Face& face) {
  for (std::size_t i = 0; i < flags.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!get_along(flags[i], rows[i], flags[j], rows[j], face)) return false;
    }
  }
  return true;
}

/// The next way to spread flags over `count` rows; false after the last one.
bool next_rows(std::vector<int>& rows, int count) {
  for (int& row : rows) {
    if (++row < count) return true;
    row = 0;
  }
  return false;
}

}  // namespace

SvgLineEnd line_end_of(const ChartSeries& series, const ChartAxis& x, const ChartAxis& y) {
  const Scale to_x{x, 0, 1}, to_y{y, 0, 1};
  std::vector<ChartPoint> points;
  for (const ChartPoint& point : series.line)
    points.push_back({to_x.at(point.x), to_y.at(point.y)});
  const auto pieces = clip_line(points, {0, 0, 1, 1});
  ChartPoint last{-1, -1};
  if (!pieces.empty()) last = pieces.back().back();
  for (const ChartMark& mark : series.marks) {
    const ChartPoint at{to_x.at(mark.x), to_y.at(mark.y)};
    if (at.x > last.x && at.x <= 1 && at.y >= 0 && at.y <= 1) last = at;
  }
  if (last.x >= kNearRight) return {LineEnd::kRight, last};
  if (last.y >= 1 - 1e-9 && !series.line.empty()) return {LineEnd::kTop, last};
  return {};
}

bool push_apart(std::vector<SvgEndLabel>& labels, double line_height, double top, double bottom) {
  const double total = std::accumulate(
      labels.begin(), labels.end(), 0.0,
      [&](double sum, const SvgEndLabel& label) { return sum + height_of(label, line_height); });
  if (total > bottom - top) return false;
  std::stable_sort(labels.begin(), labels.end(),
                   [](const SvgEndLabel& a, const SvgEndLabel& b) { return a.line_y < b.line_y; });
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const double height = height_of(labels[i], line_height);
    Block block{i, i, height, labels[i].line_y - height / 2, 1, 0};
    block.place(top, bottom);
    while (!blocks.empty() && blocks.back().top + blocks.back().height > block.top) {
      const Block& above = blocks.back();
      block.wanted = above.wanted + block.wanted - above.height * block.count;
      block.count += above.count;
      block.height += above.height;
      block.first = above.first;
      blocks.pop_back();
      block.place(top, bottom);
    }
    blocks.push_back(block);
  }
  for (const Block& block : blocks) {
    double y = block.top;
    for (std::size_t i = block.first; i <= block.last; ++i) {
      const double height = height_of(labels[i], line_height);
      labels[i].y = y + height / 2;
      y += height;
    }
  }
  return true;
}

int raise_flags(std::vector<SvgFlag>& flags, const Face& face, double left, double right) {
  if (flags.empty()) return 0;
  for (SvgFlag& flag : flags) {
    flag.text = shorten_to(flag.text, right - left, face);
    const double width = text_width(flag.text, face);
    flag.left = std::clamp(flag.at - width / 2, left, std::max(left, right - width));
  }
  std::vector<int> rows(flags.size(), 0);
  const auto most = static_cast<int>(flags.size());
  for (int count = 1; count <= most; ++count) {
    std::fill(rows.begin(), rows.end(), 0);
    do {
      if (!all_get_along(flags, rows, face)) continue;
      for (std::size_t i = 0; i < flags.size(); ++i) flags[i].row = rows[i];
      return count;
    } while (next_rows(rows, count));
  }
  // No way without crossing a line: a row for each, and no lines.
  for (std::size_t i = 0; i < flags.size(); ++i) {
    flags[i].row = static_cast<int>(i);
    flags[i].line = false;
  }
  return most;
}

}  // namespace kstar
