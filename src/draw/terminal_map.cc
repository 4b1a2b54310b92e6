#include "draw/terminal_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "draw/canvas.h"

namespace kstar {

namespace {

constexpr int kFewestColumns = 10;

/// From `low` on, as a share of the axis; what is less belongs to the one before.
struct Level {
  double low = 0;
  const char* unicode;
  const char* ascii;
  int color;  ///< of the terminal's 256
};

/// Around a middle at 0.5: less, the same, more. A page has them from blue to red.
constexpr std::array<Level, 7> kTwoSides = {{{-1, "=", "=", 33},
                                             {0.22, "-", "-", 75},
                                             {0.45, "·", ".", 245},
                                             {0.55, "░", "+", 216},
                                             {0.66, "▒", "x", 209},
                                             {0.78, "▓", "X", 203},
                                             {0.89, "█", "#", 160}}};
constexpr std::array<Level, 5> kOneSide = {{{-1, "·", ".", 245},
                                            {0.2, "░", ":", 33},
                                            {0.4, "▒", "+", 35},
                                            {0.6, "▓", "x", 208},
                                            {0.8, "█", "#", 220}}};

/// Values on the scale of the cells.
class Shades {
 public:
  explicit Shades(const ChartAxis& values) : values_(values) {
    const bool two = !std::isnan(values.middle);
    levels_ = two ? std::span<const Level>(kTwoSides) : std::span<const Level>(kOneSide);
    const double reach =
        two ? std::max(values.high - values.middle, values.middle - values.low) : 0;
    start_ = two ? values.middle - reach : values.low;
    length_ = two ? 2 * reach : values.high - values.low;
  }

  double away(double value) const {
    return std::isnan(values_.middle) ? value : std::fabs(value - values_.middle);
  }

  std::string glyph(double value, int width, const TerminalStyle& style) const {
    if (std::isnan(value)) return std::string(static_cast<std::size_t>(width), '?');
    const double share = length_ > 0 ? (value - start_) / length_ : 0.5;
    const Level* level = levels_.data();
    for (const Level& one : levels_) level = share >= one.low ? &one : level;
    return shown(*level, width, style);
  }

  std::string legend(const TerminalStyle& style) const {
    std::string text;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const auto value = [&](double share) { return significant(start_ + share * length_, 3); };
      const std::string range =
          i == 0 ? "below " + value(levels_[1].low)
          : i + 1 == levels_.size()
              ? value(levels_[i].low) + " or more"
              : fmt::format("{}..{}", value(levels_[i].low), value(levels_[i + 1].low));
      text += fmt::format(" {} {}\n", shown(levels_[i], 2, style), range);
    }
    return text;
  }

 private:
  static std::string shown(const Level& level, int width, const TerminalStyle& style) {
    std::string text;
    for (int i = 0; i < width; ++i) text += style.unicode ? level.unicode : level.ascii;
    return style.color ? fmt::format("\x1b[38;5;{}m{}\x1b[0m", level.color, text) : text;
  }

  const ChartAxis& values_;
  std::span<const Level> levels_;
  double start_ = 0;
  double length_ = 1;
};

std::string name_at(const ChartAxis& axis, double place) {
  const auto index = static_cast<std::size_t>(std::max(0.0, place));
  return index < axis.names.size() ? printable(axis.names[index]) : significant(place, 6);
}

/// Column by column, of one row: the value to show.
using MapRow = std::map<int, double>;

std::map<double, MapRow, std::greater<>> rows_of(const Chart& chart, const Shades& shades,
                                                 int together) {
  std::map<double, MapRow, std::greater<>> rows;
  for (const ChartCell& cell : chart.cells) {
    if (!std::isfinite(cell.x) || !std::isfinite(cell.y)) continue;
    const int column = static_cast<int>(cell.x) / together;
    const auto [at, is_new] = rows[cell.y].emplace(column, cell.value);
    const bool farther = shades.away(cell.value) > shades.away(at->second);
    if (!is_new && (farther || std::isnan(at->second))) at->second = cell.value;
  }
  return rows;
}

}  // namespace

std::string terminal_map(const Chart& chart, const TerminalStyle& style) {
  double last = 0;
  std::size_t widest = 0;
  for (const ChartCell& cell : chart.cells) {
    if (std::isfinite(cell.x)) last = std::max(last, cell.x);
    widest = std::max(widest, display_width(name_at(chart.y, cell.y)));
  }
  const auto margin = static_cast<int>(std::min<std::size_t>(widest, 20)) + 1;
  const int room = std::max(kFewestColumns, std::min(style.width, 100) - margin - 2);
  const int columns = static_cast<int>(std::min(last, 1e6)) + 1;
  const int together = (columns + room - 1) / room;
  const int width = std::clamp(room / columns, 1, 3);
  const Shades shades(chart.values);
  std::string text = "\n " + chart.y.label + "\n";
  for (const auto& [y, row] : rows_of(chart, shades, together)) {
    std::string line;
    for (int column = 0; column <= row.rbegin()->first; ++column) {
      const auto at = row.find(column);
      line += at == row.end() ? std::string(static_cast<std::size_t>(width), ' ')
                              : shades.glyph(at->second, width, style);
    }
    const std::string name = shorten(name_at(chart.y, y), static_cast<std::size_t>(margin - 1));
    text += std::string(static_cast<std::size_t>(margin) - display_width(name), ' ') + name +
            (style.unicode ? "│" : "|") + line + "\n";
  }
  text +=
      fmt::format("{} {}, from {} to {}{}\n\n", std::string(static_cast<std::size_t>(margin), ' '),
                  chart.x.label, name_at(chart.x, 0), name_at(chart.x, last),
                  together > 1 ? fmt::format("; {} share a column, the farthest from the "
                                             "mean is shown",
                                             together)
                               : "");
  return text + " " + chart.values.label + "\n" + shades.legend(style);
}

}  // namespace kstar
