#include "draw/fit_ticks.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace kstar {

namespace {

/// The most ticks of which no two neighbours touch.
template <typename Touch>
std::vector<Tick> most_ticks(const ChartAxis& axis, int most, Touch touch) {
  for (int wanted = most; wanted > 1; --wanted) {
    std::vector<Tick> ticks = ticks_of(axis, wanted);
    bool fits = true;
    for (std::size_t i = 1; i < ticks.size() && fits; ++i) fits = !touch(ticks[i - 1], ticks[i]);
    if (fits) return ticks;
  }
  std::vector<Tick> ticks = ticks_of(axis, 1);
  while (ticks.size() > 1 && touch(ticks[ticks.size() - 2], ticks.back())) ticks.pop_back();
  return ticks;
}

int room_for(const Scale& scale, double each, int most) {
  return std::clamp(static_cast<int>(std::fabs(scale.end - scale.start) / each), 1, most);
}

}  // namespace

std::vector<Tick> fit_x_ticks(const Scale& scale, const Face& face) {
  const double gap = 0.8 * face.size;
  const auto touch = [&](const Tick& a, const Tick& b) {
    const double half = (text_width(a.label, face) + text_width(b.label, face)) / 2;
    return std::fabs(scale.at(b.value) - scale.at(a.value)) < half + gap;
  };
  std::vector<Tick> ticks = most_ticks(scale.axis, room_for(scale, 2.2 * face.size, 12), touch);
  // Where counting begins (one worker, the first run) is worth a label, round or not.
  const bool counts = scale.axis.low == std::floor(scale.axis.low);
  if (scale.axis.whole && !scale.axis.log && counts) {
    const Tick first = {scale.axis.low, significant(scale.axis.low, 6)};
    if (!touch(first, ticks.front())) ticks.insert(ticks.begin(), first);
  }
  return ticks;
}

std::vector<Tick> fit_y_ticks(const Scale& scale, const Face& face) {
  return most_ticks(scale.axis, room_for(scale, 2.1 * face.size, 8),
                    [&](const Tick& a, const Tick& b) {
                      return std::fabs(scale.at(b.value) - scale.at(a.value)) < 1.5 * face.size;
                    });
}

std::vector<Tick> fit_names(const ChartAxis& axis, double step, double room, double widest,
                            const Face& face) {
  const auto every =
      static_cast<std::size_t>(std::max(1.0, std::ceil(room / std::max(step, 1e-3) - 1e-6)));
  std::vector<Tick> ticks;
  for (std::size_t i = 0; i < axis.names.size(); i += every) {
    ticks.push_back(
        {static_cast<double>(i), shorten_within(drawable(axis.names[i]), widest, face)});
  }
  return ticks;
}

}  // namespace kstar
