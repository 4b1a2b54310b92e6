#include "draw/svg_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

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

/// A flag's text may stand over the middle of its place, right of it, or left of it.
constexpr int kSides = 3;
using Sides = std::array<Span, kSides>;

Sides sides_of(const SvgFlag& flag, const Face& face, double left, double right) {
  const double width = text_width(flag.text, face), gap = 0.2 * face.size;
  Sides sides;
  std::size_t side = 0;
  for (const double wanted : {flag.at - width / 2, flag.at + gap, flag.at - gap - width}) {
    const double from = std::clamp(wanted, left, std::max(left, right - width));
    sides[side++] = {from, from + width};
  }
  return sides;
}

/// Where each flag stands: its side, and its row.
struct Arrangement {
  std::vector<int> side, row;
};

class FlagPuzzle {
 public:
  FlagPuzzle(const std::vector<SvgFlag>& flags, const Face& face, double left, double right)
      : flags_(flags), gap_(0.6 * face.size) {
    for (const SvgFlag& flag : flags) sides_.push_back(sides_of(flag, face, left, right));
  }

  const Span& span(std::size_t flag, int side) const {
    return sides_[flag][static_cast<std::size_t>(side)];
  }

  /// Of all arrangements in that many rows in which nothing touches, the one with the most texts
  /// over their place.
  std::optional<Arrangement> solve(int rows) const {
    std::optional<Arrangement> best;
    int moved_in_best = 0;
    std::vector<int> choice(flags_.size(), 0);
    do {
      Arrangement now;
      for (const int each : choice) {
        now.side.push_back(each / rows);
        now.row.push_back(each % rows);
      }
      const auto moved = static_cast<int>(
          std::count_if(now.side.begin(), now.side.end(), [](int side) { return side != 0; }));
      if ((best && moved >= moved_in_best) || !all_get_along(now)) continue;
      best = now;
      moved_in_best = moved;
    } while (next(choice, kSides * rows));
    return best;
  }

 private:
  static bool next(std::vector<int>& choice, int count) {
    for (int& each : choice) {
      if (++each < count) return true;
      each = 0;
    }
    return false;
  }

  bool get_along(const Arrangement& now, std::size_t a, std::size_t b) const {
    const Span &of_a = span(a, now.side[a]), &of_b = span(b, now.side[b]);
    if (now.row[a] == now.row[b]) {
      return of_a.right + gap_ <= of_b.left || of_b.right + gap_ <= of_a.left;
    }
    const bool a_above = now.row[a] > now.row[b];
    const SvgFlag& upper = flags_[a_above ? a : b];
    const Span& lower = a_above ? of_b : of_a;
    return !upper.line || upper.at < lower.left - 0.5 || upper.at > lower.right + 0.5;
  }

  bool all_get_along(const Arrangement& now) const {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!get_along(now, i, j)) return false;
      }
    }
    return true;
  }

  const std::vector<SvgFlag>& flags_;
  double gap_;
  std::vector<Sides> sides_;
};

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
  for (SvgFlag& flag : flags) flag.text = shorten_to(flag.text, right - left, face);
  const FlagPuzzle puzzle(flags, face, left, right);
  const auto most = static_cast<int>(flags.size());
  for (int rows = 1; rows <= most; ++rows) {
    const std::optional<Arrangement> found = puzzle.solve(rows);
    if (!found) continue;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      flags[i].row = found->row[i];
      flags[i].left = puzzle.span(i, found->side[i]).left;
    }
    return rows;
  }
  // No way without crossing a line: a row for each, and no lines.
  for (std::size_t i = 0; i < flags.size(); ++i) {
    flags[i].row = static_cast<int>(i);
    flags[i].left = puzzle.span(i, 0).left;
    flags[i].line = false;
  }
  return most;
}

}  // namespace kstar
