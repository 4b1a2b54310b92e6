#include "draw/svg_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

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
      if ((best && moved >= moved_in_best) || !all_fit_together(now)) continue;
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

  bool fit_together(const Arrangement& now, std::size_t a, std::size_t b) const {
    const Span &of_a = span(a, now.side[a]), &of_b = span(b, now.side[b]);
    if (now.row[a] == now.row[b]) {
      return of_a.right + gap_ <= of_b.left || of_b.right + gap_ <= of_a.left;
    }
    const bool a_above = now.row[a] > now.row[b];
    const SvgFlag& upper = flags_[a_above ? a : b];
    const Span& lower = a_above ? of_b : of_a;
    return !upper.line || upper.at < lower.left - 0.5 || upper.at > lower.right + 0.5;
  }

  bool all_fit_together(const Arrangement& now) const {
    for (std::size_t i = 0; i < flags_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!fit_together(now, i, j)) return false;
      }
    }
    return true;
  }

  const std::vector<SvgFlag>& flags_;
  double gap_;
  std::vector<Sides> sides_;
};

constexpr std::size_t kMostDirect = 8;  ///< names beside their lines; with more, a legend
constexpr std::size_t kMostFlags = 4;

bool is_drawn(const ChartSeries& series) {
  return !series.line.empty() || !series.marks.empty() || !series.band.empty() ||
         std::any_of(series.stack.begin(), series.stack.end(),
                     [](const ChartSpan& span) { return span.high != span.low; });
}

class Namer {
 public:
  Namer(const Chart& chart, const ChartAxis& x, const ChartAxis& y, const NamingRoom& room)
      : chart_(chart), x_(x), y_(y), room_(room) {}

  SvgNaming choose() {
    for (std::size_t i = 0; i < chart_.series.size(); ++i) take_series(i);
    for (std::size_t i = 0; i < chart_.rules.size(); ++i) take_rule(i);
    if (direct_ && can_label_directly()) {
      naming_.legend.clear();
    } else {
      naming_.ends.clear();
      std::erase_if(naming_.flags, [](const SvgFlag& flag) { return !flag.of.rule; });
    }
    return std::move(naming_);
  }

 private:
  void take_series(std::size_t index);
  void take_rule(std::size_t index);
  void add_end(const SvgNamed& of, double place) {
    naming_.ends.push_back(
        {of, wrap_to(drawable(name_of(chart_, of)), room_.width, room_.face, 2), place, 0});
  }
  bool can_label_directly() const;
  bool is_whole(const SvgEndLabel& label) const;
  bool colors_differ() const;

  const Chart& chart_;
  const ChartAxis& x_;
  const ChartAxis& y_;
  const NamingRoom& room_;
  SvgNaming naming_;
  bool direct_ = true;
};

void Namer::take_series(std::size_t index) {
  const ChartSeries& series = chart_.series[index];
  if (series.name.empty() || !is_drawn(series)) return;
  const SvgNamed of{index, false};
  naming_.legend.push_back(of);
  const SvgLineEnd end = line_end_of(series, x_, y_);
  if (!series.stack.empty() || end.end == LineEnd::kNowhere) direct_ = false;
  if (end.end == LineEnd::kRight) add_end(of, end.at.y);
  if (end.end == LineEnd::kTop) {
    naming_.flags.push_back({of, drawable(series.name), end.at.x, 0, 0, false});
    if (naming_.flags.size() > kMostFlags) direct_ = false;
  }
}

void Namer::take_rule(std::size_t index) {
  const ChartRule& rule = chart_.rules[index];
  const double place = Scale{rule.on_x ? x_ : y_, 0, 1}.at(rule.at);
  if (rule.name.empty() || !(place >= 0 && place <= 1)) return;
  const SvgNamed of{index, true};
  if (rule.on_x && naming_.flags.size() < kMostFlags) {
    naming_.flags.push_back({of, drawable(rule.name), place, 0, 0, true});
    return;
  }
  naming_.legend.push_back(of);
  if (rule.on_x) {
    direct_ = false;
  } else {
    add_end(of, place);
  }
}

/// A name that had to be cut is better read in a legend.
bool Namer::is_whole(const SvgEndLabel& label) const {
  std::string joined;
  for (const std::string& line : label.lines) joined += (joined.empty() ? "" : " ") + line;
  return joined == drawable(name_of(chart_, label.of));
}

/// Two names of one colour cannot be told apart without a sample of the line and the mark.
bool Namer::colors_differ() const {
  std::set<int> seen;
  return std::all_of(naming_.legend.begin(), naming_.legend.end(), [&](const SvgNamed& of) {
    const int color = of.rule ? -1 : chart_.series[of.index].color;
    return color < 0 || seen.insert(color).second;
  });
}

bool Namer::can_label_directly() const {
  if (naming_.ends.size() > kMostDirect || !chart_.cells.empty() || !colors_differ()) return false;
  double lines = 0;
  for (const SvgEndLabel& label : naming_.ends) {
    if (!is_whole(label)) return false;
    lines += static_cast<double>(label.lines.size());
  }
  return lines * kLineHeight * room_.face.size <= room_.height;
}

constexpr std::size_t kMostLines = 3;

void place_in_columns(std::vector<SvgLegendEntry>& entries, std::size_t columns, double step,
                      double line_height, double& y) {
  for (std::size_t i = 0; i < entries.size(); i += columns) {
    std::size_t tallest = 1;
    for (std::size_t j = i; j < std::min(i + columns, entries.size()); ++j) {
      entries[j].x = static_cast<double>(j - i) * step;
      entries[j].y = y;
      tallest = std::max(tallest, entries[j].lines.size());
    }
    y += static_cast<double>(tallest) * line_height;
  }
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

const std::string& name_of(const Chart& chart, const SvgNamed& of) {
  return of.rule ? chart.rules[of.index].name : chart.series[of.index].name;
}

SvgNaming choose_names(const Chart& chart, const ChartAxis& x, const ChartAxis& y,
                       const NamingRoom& room) {
  return Namer(chart, x, y, room).choose();
}

SvgLegend lay_out_legend(const std::vector<SvgNamed>& named, const std::vector<std::string>& names,
                         double key, const Face& face, double width) {
  SvgLegend legend;
  if (named.empty()) return legend;
  const double gap = 1.5 * face.size, line_height = kLineHeight * face.size;
  legend.key = key + 0.5 * face.size;
  std::vector<double> widths;
  for (std::size_t i = 0; i < named.size(); ++i) {
    legend.entries.push_back(
        {named[i], wrap_to(names[i], width - legend.key, face, kMostLines), 0, 0});
    double widest = 0;
    for (const std::string& line : legend.entries.back().lines) {
      widest = std::max(widest, text_width(line, face));
    }
    widths.push_back(legend.key + widest);
  }
  const double row = std::accumulate(widths.begin(), widths.end(), 0.0) +
                     gap * static_cast<double>(widths.size() - 1);
  double y = 0;
  if (row <= width) {
    place_in_columns(legend.entries, legend.entries.size(), 0, line_height, y);
    double x = 0;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      legend.entries[i].x = x;
      x += widths[i] + gap;
    }
  } else {
    const double step = *std::max_element(widths.begin(), widths.end()) + gap;
    const auto most = static_cast<std::size_t>(std::max(1.0, std::floor((width + gap) / step)));
    // As many in the last row as in the others, more or less.
    const std::size_t rows = (widths.size() + most - 1) / most;
    const std::size_t columns = (widths.size() + rows - 1) / rows;
    place_in_columns(legend.entries, columns, step, line_height, y);
  }
  legend.height = y;
  return legend;
}

}  // namespace kstar
