#include "draw/svg_naming.h"

#include <algorithm>
#include <set>

namespace kstar {

namespace {

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
    if (direct_ && can_stand_beside()) {
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
  bool can_stand_beside() const;
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

bool Namer::can_stand_beside() const {
  if (naming_.ends.size() > kMostDirect || !chart_.cells.empty() || !colors_differ()) return false;
  double lines = 0;
  for (const SvgEndLabel& label : naming_.ends) {
    if (!is_whole(label)) return false;
    lines += static_cast<double>(label.lines.size());
  }
  return lines * kLineHeight * room_.face.size <= room_.height;
}

}  // namespace

const std::string& name_of(const Chart& chart, const SvgNamed& of) {
  return of.rule ? chart.rules[of.index].name : chart.series[of.index].name;
}

SvgNaming choose_names(const Chart& chart, const ChartAxis& x, const ChartAxis& y,
                       const NamingRoom& room) {
  return Namer(chart, x, y, room).choose();
}

}  // namespace kstar
