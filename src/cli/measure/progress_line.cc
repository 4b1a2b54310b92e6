#include "cli/measure/progress_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

constexpr std::size_t kMostBar = 40, kBrackets = 3;
constexpr int kMinute = 60, kHour = 3600;

/// Chosen by the width alone, with room for words of a usual length: the bar keeps its size while
/// the words change theirs.
struct Layout {
  bool brief = false;
  std::size_t usual_words = 0;
  std::size_t least_width = 0;
};
constexpr Layout kLayouts[] = {{.brief = false, .usual_words = 56, .least_width = 71},
                               {.brief = true, .usual_words = 31, .least_width = 0}};

/// How long the bar is beside these words; 0: there is no room for one.
std::size_t bar_cells(std::size_t words, const Layout& layout, std::size_t width) {
  constexpr std::size_t kLeastBar = 3;
  const std::size_t taken = std::max(words, layout.usual_words) + kBrackets;
  const std::size_t cells = width > taken ? std::min(width - taken, kMostBar) : 0;
  return cells < kLeastBar ? 0 : cells;
}

/// A time that is guessed: no more digits than it deserves.
std::string left_text(double seconds) {
  const double rounded = std::ceil(seconds);
  if (rounded < 100) return fmt::format("{:.0f} s", rounded);
  if (rounded < 100 * kMinute) return fmt::format("{:.0f} min", rounded / kMinute);
  return rounded < 48 * kHour ? fmt::format("{:.1f} h", rounded / kHour)
                              : fmt::format("{:.0f} days", rounded / kHour / 24);
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string bar(double share, std::size_t cells, const TerminalStyle& style) {
  const auto full = static_cast<std::size_t>(
      std::floor(std::clamp(share, 0.0, 1.0) * static_cast<double>(cells)));
  const std::string done = repeated(style.unicode ? "█" : "#", full);
  const std::string rest = repeated(style.unicode ? "░" : ".", cells - full);
  if (!style.color) return fmt::format("[{}{}] ", done, rest);
  return fmt::format("[\x1b[32m{}\x1b[0m\x1b[2m{}\x1b[0m] ", done, rest);
}

/// The words of the line, all of them or the ones that matter most.
std::string words(const ProgressState& state, bool brief, bool unicode) {
  std::string text = fmt::format("{:>3.0f}%", std::floor(std::clamp(state.share, 0.0, 1.0) * 100));
  if (state.left) {
    text += fmt::format("  {}{}{}", brief ? "" : "about ", left_text(*state.left),
                        brief ? "" : " left");
  }
  text += fmt::format("  {}", state.point);
  if (!brief) text += fmt::format(" run {}", state.run);
  const std::string time = time_and_interval(state, unicode);
  if (!time.empty()) text += fmt::format("{}{}", brief ? " " : "  T = ", time);
  return text;
}

}  // namespace

std::string measured_text(double seconds) {
  if (seconds >= 100 * kMinute) return fmt::format("{} h", significant(seconds / kHour, 3));
  if (seconds >= 100) return fmt::format("{} min", significant(seconds / kMinute, 3));
  if (seconds >= 1) return fmt::format("{} s", significant(seconds, 3));
  if (seconds >= 1e-3) return fmt::format("{} ms", significant(seconds * 1e3, 3));
  return fmt::format("{} us", significant(seconds * 1e6, 3));
}

std::string time_and_interval(const ProgressState& state, bool unicode) {
  if (!state.time) return "";
  std::string text = measured_text(*state.time);
  if (state.interval && std::isfinite(*state.interval)) {
    text += fmt::format(" {}{}", unicode ? "±" : "+-",
                        percent(*state.interval, *state.interval < 0.1 ? 1 : 0));
  }
  return text;
}

std::string progress_line(const ProgressState& state, const TerminalStyle& style) {
  const auto width = static_cast<std::size_t>(std::max(style.width, 1));
  for (const Layout& layout : kLayouts) {
    if (width < layout.least_width) continue;
    const std::string text = words(state, layout.brief, style.unicode);
    const std::size_t cells = bar_cells(display_width(text), layout, width);
    if (cells > 0) return bar(state.share, cells, style) + text;
  }
  const std::string text = words(state, true, style.unicode);
  if (display_width(text) <= width || !state.left) return shorten(text, width);
  ProgressState without = state;
  without.left.reset();
  return shorten(words(without, true, style.unicode), width);
}

}  // namespace kstar
