#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "draw/canvas.h"
#include "draw/terminal_map.h"
#include "draw/ticks.h"
#include "kstar/terminal.h"

namespace kstar {

namespace {

constexpr int kPlotRows = 18;
constexpr int kLeastColumns = 10;

/// How one series looks.
struct TerminalLook {
  int color = 0;
  std::string glyph;  ///< its marks, and its line in ASCII
  bool sparse = false;
};

/// Ten signs, then letters: no two curves have the same one, with colours and without.
std::string curve_glyph(std::size_t number, bool unicode) {
  constexpr std::array<const char*, 10> kUnicode = {"●", "■", "▲", "◆", "○",
                                                    "□", "△", "◇", "★", "☆"};
  constexpr std::array<const char*, 10> kAscii = {"*", "o", "+", "x", "#", "@", "%", "&", "$", "~"};
  if (number < kUnicode.size()) return unicode ? kUnicode[number] : kAscii[number];
  constexpr std::string_view kLetters = "abcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return std::string(1, kLetters[(number - kUnicode.size()) % kLetters.size()]);
}

std::vector<TerminalLook> looks_of(const Chart& chart, bool unicode) {
  std::vector<TerminalLook> looks;
  std::size_t curves = 0;
  for (const ChartSeries& series : chart.series) {
    const bool ideal = series.role == SeriesRole::kIdeal;
    if (ideal || series.role == SeriesRole::kBound) {
      looks.push_back(
          {kReferenceColor, unicode ? (ideal ? "⠂" : "⠒") : (ideal ? "." : "-"), ideal});
    } else {
      const std::size_t number = curves++;
      looks.push_back({static_cast<int>(number) + 1, curve_glyph(number, unicode),
                       series.role == SeriesRole::kPredicted});
    }
  }
  return looks;
}

ChartPoint place_in(const Chart& chart, double x, double y) {
  return {position_on(chart.x, x), position_on(chart.y, y)};
}

bool is_inside(const ChartPoint& place) {
  return place.x >= 0 && place.x <= 1 && place.y >= 0 && place.y <= 1;
}

void draw_series(Canvas& canvas, const Chart& chart, const ChartSeries& series,
                 const TerminalLook& look) {
  const char ascii = look.glyph[0];
  for (std::size_t i = 1; i < series.line.size(); ++i) {
    const ChartPoint &from = series.line[i - 1], &to = series.line[i];
    canvas.line(place_in(chart, from.x, from.y), place_in(chart, to.x, to.y), look.color, ascii,
                look.sparse);
  }
}

bool has_interval(const ChartMark& mark) {
  return mark.low < mark.high;
}

/// A line from one end of the interval to the other; ends outside are cut.
void draw_intervals(Canvas& canvas, const Chart& chart, const ChartSeries& series,
                    const TerminalLook& look) {
  if (series.small) return;
  for (const ChartMark& mark : series.marks) {
    if (!has_interval(mark)) continue;
    ChartPoint low = place_in(chart, mark.x, mark.low), high = place_in(chart, mark.x, mark.high);
    low.y = std::isfinite(low.y) ? low.y : 0;
    high.y = std::isfinite(high.y) ? high.y : 1;
    canvas.line(low, high, look.color, '|', false);
  }
}

/// Whether any of its line or its marks is on the canvas.
bool is_on_canvas(const Chart& chart, const ChartSeries& series) {
  const auto inside = [&](const auto& point) {
    return is_inside(place_in(chart, point.x, point.y));
  };
  if (std::any_of(series.marks.begin(), series.marks.end(), inside)) return true;
  for (std::size_t i = 1; i < series.line.size(); ++i) {
    const ChartPoint a = place_in(chart, series.line[i - 1].x, series.line[i - 1].y);
    const ChartPoint b = place_in(chart, series.line[i].x, series.line[i].y);
    const bool beside = std::max(a.x, b.x) < 0 || std::min(a.x, b.x) > 1;
    const bool above = std::max(a.y, b.y) < 0 || std::min(a.y, b.y) > 1;
    if (!beside && !above && std::isfinite(a.x + a.y + b.x + b.y)) return true;
  }
  return false;
}

/// The places on the x axis that have a mark there, each with its own sign.
struct AxisMark {
  const ChartRule* rule;
  std::string glyph;
};

std::vector<AxisMark> axis_marks(const Chart& chart, bool unicode) {
  constexpr std::array<const char*, 3> kUnicode = {"▲", "△", "▴"};
  constexpr std::array<const char*, 3> kAscii = {"^", "v", "A"};
  std::vector<AxisMark> marks;
  for (const ChartRule& rule : chart.rules) {
    const double at = position_on(chart.x, rule.at);
    if (!rule.on_x || !(at >= 0 && at <= 1)) continue;
    const std::size_t number = std::min(marks.size(), kUnicode.size() - 1);
    marks.push_back({&rule, unicode ? kUnicode[number] : kAscii[number]});
  }
  return marks;
}

/// Intervals along the axis, then the marks themselves; the first rule lies on top.
void put_axis_marks(const Chart& chart, const Canvas& canvas, const std::vector<AxisMark>& marks,
                    bool unicode, std::vector<std::string>& rule) {
  const auto column = [&](double value) {
    const double at = position_on(chart.x, value);
    return static_cast<std::size_t>(
        canvas.column_of(std::isnan(at) ? 0 : std::clamp(at, 0.0, 1.0)));
  };
  for (const bool intervals : {true, false}) {
    for (std::size_t i = marks.size(); i > 0; --i) {
      const ChartRule& one = *marks[i - 1].rule;
      if (!intervals) rule[column(one.at)] = marks[i - 1].glyph;
      if (!intervals || !(one.low < one.high)) continue;
      for (std::size_t c = column(one.low); c <= column(one.high); ++c) {
        rule[c] = unicode ? "━" : "=";
      }
    }
  }
}

std::string x_axis(const Chart& chart, const Canvas& canvas, int columns, int margin, bool unicode,
                   const std::vector<AxisMark>& marks) {
  std::string rule(static_cast<std::size_t>(columns), '-'), labels(rule.size(), ' ');
  std::string drawn_rule;
  std::vector<bool> is_tick(rule.size(), false);
  std::size_t free_from = 0;
  for (const Tick& tick : ticks_of(chart.x, columns / 7)) {
    const auto column =
        static_cast<std::size_t>(canvas.column_of(position_on(chart.x, tick.value)));
    const std::size_t width = tick.label.size();
    std::size_t start = column >= width / 2 ? column - width / 2 : 0;
    start = std::min(start, labels.size() - std::min(width, labels.size()));
    is_tick[column] = true;
    if (start < free_from) continue;  // a label that would touch the last one is left out
    labels.replace(start, width, tick.label);
    free_from = start + width + 1;
  }
  std::vector<std::string> cells;
  for (const bool tick : is_tick) {
    cells.emplace_back(unicode ? (tick ? "┬" : "─") : (tick ? "+" : "-"));
  }
  put_axis_marks(chart, canvas, marks, unicode, cells);
  for (const std::string& cell : cells) drawn_rule += cell;
  labels.erase(labels.find_last_not_of(' ') + 1);
  const std::string indent(static_cast<std::size_t>(margin), ' ');
  const int label_start =
      margin + 1 + std::max(0, (columns - static_cast<int>(chart.x.label.size())) / 2);
  return fmt::format("{}{}{}\n{} {}\n{}{}\n", indent, unicode ? "└" : "+", drawn_rule, indent,
                     labels, std::string(static_cast<std::size_t>(label_start), ' '),
                     chart.x.label);
}

/// The label of the tick that falls on each row, from the top.
std::vector<std::string> row_labels(const ChartAxis& axis, const Canvas& canvas,
                                    const std::vector<Tick>& ticks) {
  std::vector<std::string> labels(kPlotRows);
  for (const Tick& tick : ticks) {
    const int row = canvas.row_of(position_on(axis, tick.value));
    labels[static_cast<std::size_t>(row)] = tick.label;
  }
  return labels;
}

/// A line, a mark, or a mark on a line: as the series is drawn.
std::string sample_of(const ChartSeries& series, const TerminalLook& look, bool unicode) {
  const bool reference = look.color == kReferenceColor;
  const std::string line = !unicode || reference ? look.glyph : look.sparse ? "⠂" : "⠒";
  if (series.line.size() < 2) return " " + look.glyph + " ";
  return line + (series.marks.empty() ? line : look.glyph) + line;
}

/// " (4 to 8)", " (4 or more)"; empty where there is none.
std::string interval_of(const ChartRule& rule) {
  if (!(rule.low < rule.high)) return "";
  return std::isfinite(rule.high)
             ? fmt::format(" ({} to {})", significant(rule.low, 6), significant(rule.high, 6))
             : fmt::format(" ({} or more)", significant(rule.low, 6));
}

std::string legend(const Chart& chart, const std::vector<TerminalLook>& looks,
                   const TerminalStyle& style, int margin, const std::vector<AxisMark>& marks) {
  const auto room = static_cast<std::size_t>(std::max(kLeastColumns, style.width - margin - 5));
  const std::string indent(static_cast<std::size_t>(margin) + 1, ' ');
  std::string text;
  bool intervals = false;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    if (!is_on_canvas(chart, series)) continue;
    const std::string sample = sample_of(series, looks[i], style.unicode);
    if (!series.name.empty()) {
      text +=
          fmt::format("{}{} {}\n", indent, style.color ? colored(sample, looks[i].color) : sample,
                      shorten(printable(series.name), room));
    }
    intervals = intervals || (!series.small &&
                              std::any_of(series.marks.begin(), series.marks.end(), has_interval));
  }
  if (intervals) text += fmt::format("{} {}  interval\n", indent, style.unicode ? "⡇" : "|");
  for (const AxisMark& mark : marks) {
    const ChartRule& rule = *mark.rule;
    const std::string words =
        fmt::format("{} = {}{}", printable(rule.name), significant(rule.at, 6), interval_of(rule));
    text += fmt::format("{} {}  {}\n", indent, mark.glyph, shorten(words, room));
  }
  for (const ChartRule& rule : chart.rules) {
    if (!std::isnan(rule.at)) continue;
    text +=
        fmt::format("{} ?  {}\n", indent, shorten(printable(rule.name) + interval_of(rule), room));
  }
  return text;
}

}  // namespace

namespace {

std::string title_lines(const Chart& chart, const TerminalStyle& style) {
  std::string text;
  for (const std::string& line :
       wrap(printable(chart.title), static_cast<std::size_t>(style.width))) {
    text += line + "\n";
  }
  return text;
}

/// Reference lines first, then curves, then marks: what was asked for stays on top.
void draw_on_canvas(Canvas& canvas, const Chart& chart, const std::vector<TerminalLook>& looks) {
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    draw_intervals(canvas, chart, chart.series[i], looks[i]);
  }
  for (const bool curves : {false, true}) {
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      if ((looks[i].color != kReferenceColor) == curves) {
        draw_series(canvas, chart, chart.series[i], looks[i]);
      }
    }
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    for (const ChartMark& point : chart.series[i].marks) {
      canvas.mark(place_in(chart, point.x, point.y), looks[i].color, looks[i].glyph);
    }
  }
}

}  // namespace

std::string to_terminal(const Chart& chart, const TerminalStyle& style) {
  if (!chart.cells.empty()) return title_lines(chart, style) + terminal_map(chart, style);
  const std::vector<Tick> ticks = ticks_of(chart.y, 6);
  std::size_t widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, tick.label.size());
  const int margin = static_cast<int>(widest) + 2;
  const int columns = std::max(kLeastColumns, std::min(style.width, 100) - margin - 2);
  const std::vector<TerminalLook> looks = looks_of(chart, style.unicode);
  const std::vector<AxisMark> marks = axis_marks(chart, style.unicode);
  Canvas canvas(columns, kPlotRows, style.unicode);
  draw_on_canvas(canvas, chart, looks);
  const std::vector<std::string> labels = row_labels(chart.y, canvas, ticks);
  std::string text = title_lines(chart, style) + "\n " + chart.y.label + "\n";
  for (int row = 0; row < kPlotRows; ++row) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    const char* axis = style.unicode ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
    text += fmt::format("{:>{}}{}{}\n", label, margin, axis, canvas.row(row, style.color));
  }
  return text + x_axis(chart, canvas, columns, margin, style.unicode, marks) +
         legend(chart, looks, style, margin, marks);
}

}  // namespace kstar
