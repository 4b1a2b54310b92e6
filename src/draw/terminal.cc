#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "draw/canvas.h"
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

std::vector<TerminalLook> looks_of(const Chart& chart, bool unicode) {
  constexpr std::array<const char*, 10> kUnicode = {"●", "■", "▲", "◆", "○",
                                                    "□", "△", "◇", "★", "☆"};
  constexpr std::array<const char*, 10> kAscii = {"*", "o", "+", "x", "#", "@", "%", "&", "$", "~"};
  std::vector<TerminalLook> looks;
  std::size_t curves = 0;
  for (const ChartSeries& series : chart.series) {
    if (series.role == SeriesRole::kCurve) {
      const std::size_t index = curves++ % kUnicode.size();
      looks.push_back(
          {static_cast<int>(index) + 1, unicode ? kUnicode[index] : kAscii[index], false});
    } else {
      const bool ideal = series.role == SeriesRole::kIdeal;
      looks.push_back(
          {kReferenceColor, unicode ? (ideal ? "⠂" : "⠒") : (ideal ? "." : "-"), ideal});
    }
  }
  return looks;
}

void draw_series(Canvas& canvas, const Chart& chart, const ChartSeries& series,
                 const TerminalLook& look) {
  const auto place = [&](const ChartPoint& point) {
    return ChartPoint{position_on(chart.x, point.x), position_on(chart.y, point.y)};
  };
  const char ascii = look.glyph[0];
  for (std::size_t i = 1; i < series.line.size(); ++i) {
    canvas.line(place(series.line[i - 1]), place(series.line[i]), look.color, ascii, look.sparse);
  }
}

std::string x_axis(const Chart& chart, const Canvas& canvas, int columns, int margin,
                   bool unicode) {
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
  for (const bool tick : is_tick) drawn_rule += unicode ? (tick ? "┬" : "─") : (tick ? "+" : "-");
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

std::string legend(const Chart& chart, const std::vector<TerminalLook>& looks,
                   const TerminalStyle& style, int margin) {
  std::string text;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const std::string sample = looks[i].glyph + looks[i].glyph + looks[i].glyph;
    const auto room = static_cast<std::size_t>(std::max(kLeastColumns, style.width - margin - 5));
    text += fmt::format("{}{} {}\n", std::string(static_cast<std::size_t>(margin) + 1, ' '),
                        style.color ? colored(sample, looks[i].color) : sample,
                        shorten(printable(chart.series[i].name), room));
  }
  return text;
}

}  // namespace

std::string to_terminal(const Chart& chart, const TerminalStyle& style) {
  const std::vector<Tick> ticks = ticks_of(chart.y, 6);
  std::size_t widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, tick.label.size());
  const int margin = static_cast<int>(widest) + 2;
  const int columns = std::max(kLeastColumns, std::min(style.width, 100) - margin - 2);
  const std::vector<TerminalLook> looks = looks_of(chart, style.unicode);
  Canvas canvas(columns, kPlotRows, style.unicode);
  // Reference lines first, then curves, then marks: what was asked for stays on top.
  for (const bool curves : {false, true}) {
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      if ((chart.series[i].role == SeriesRole::kCurve) == curves) {
        draw_series(canvas, chart, chart.series[i], looks[i]);
      }
    }
  }
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    for (const ChartMark& point : chart.series[i].marks) {
      canvas.mark({position_on(chart.x, point.x), position_on(chart.y, point.y)}, looks[i].color,
                  looks[i].glyph);
    }
  }
  const std::vector<std::string> labels = row_labels(chart.y, canvas, ticks);
  std::string text;
  for (const std::string& line :
       wrap(printable(chart.title), static_cast<std::size_t>(style.width))) {
    text += line + "\n";
  }
  text += "\n " + chart.y.label + "\n";
  for (int row = 0; row < kPlotRows; ++row) {
    const std::string& label = labels[static_cast<std::size_t>(row)];
    const char* axis = style.unicode ? (label.empty() ? "│" : "┤") : (label.empty() ? "|" : "+");
    text += fmt::format("{:>{}}{}{}\n", label, margin, axis, canvas.row(row, style.color));
  }
  return text + x_axis(chart, canvas, columns, margin, style.unicode) +
         legend(chart, looks, style, margin);
}

}  // namespace kstar
