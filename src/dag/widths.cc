#include "dag/widths.h"

#include <algorithm>
#include <cmath>

namespace kstar::dag {

namespace {

struct WidthEvent {
  double time;
  int change;
  bool operator<(const WidthEvent& other) const {
    return time != other.time ? time < other.time : change < other.change;
  }
};

/// Ends before starts. What takes no time, or did not run, is left out.
std::vector<WidthEvent> width_events(std::span<const double> starts, std::span<const double> ends) {
  std::vector<WidthEvent> events;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!(ends[i] > starts[i])) continue;
    events.push_back({starts[i], 1});
    events.push_back({ends[i], -1});
  }
  std::sort(events.begin(), events.end());
  return events;
}

/// Moments nearer to each other than rounding are one.
constexpr double kOneMoment = 1e-9;

std::vector<WidthStep> exact_steps(const std::vector<WidthEvent>& events) {
  std::vector<WidthStep> steps;
  double width = 0;
  const double same = events.empty() ? 0 : kOneMoment * (events.back().time - events.front().time);
  for (const WidthEvent& event : events) {
    width += event.change;
    if (!steps.empty() && event.time - steps.back().time <= same) {
      steps.back().width = width;
    } else {
      steps.push_back({event.time, width});
    }
  }
  return steps;
}

std::vector<WidthStep> mean_steps(const std::vector<WidthEvent>& events) {
  constexpr std::size_t kParts = 400;
  const double begin = events.front().time, part = (events.back().time - begin) / kParts;
  std::vector<WidthStep> steps(kParts + 1);
  for (std::size_t i = 0; i <= kParts; ++i) steps[i].time = begin + static_cast<double>(i) * part;
  double width = 0;
  for (std::size_t e = 0; e + 1 < events.size(); ++e) {
    width += events[e].change;
    double from = events[e].time;
    auto i = std::min(kParts - 1, static_cast<std::size_t>((from - begin) / part));
    while (i < kParts && from < events[e + 1].time) {
      const double to = std::min(events[e + 1].time, steps[i + 1].time);
      steps[i].width += width * std::max(0.0, to - from) / part;
      from = std::max(from, to);
      ++i;
    }
  }
  return steps;
}

}  // namespace

WidthCurve width_curve(std::string name, std::span<const double> starts,
                       std::span<const double> ends) {
  constexpr std::size_t kMostExact = 4000;
  const std::vector<WidthEvent> events = width_events(starts, ends);
  return {std::move(name), events.size() > kMostExact ? mean_steps(events) : exact_steps(events)};
}

double most_at_a_time(std::span<const double> starts, std::span<const double> ends) {
  double most = 0, width = 0;
  for (const WidthEvent& event : width_events(starts, ends)) {
    width += event.change;
    most = std::max(most, width);
  }
  return most;
}

}  // namespace kstar::dag
