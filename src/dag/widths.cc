#include "dag/widths.h"

#include <algorithm>
#include <limits>

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

/// The mean width of equal parts of the time, without sorting: a task fills the parts between its
/// ends, which are counted by what changes from one part to the next, and some of the two parts
/// where it starts and ends.
std::vector<WidthStep> mean_steps(std::span<const double> starts, std::span<const double> ends) {
  constexpr std::size_t kParts = 400;
  double begin = std::numeric_limits<double>::infinity(), end = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!(ends[i] > starts[i])) continue;
    begin = std::min(begin, starts[i]);
    end = std::max(end, ends[i]);
  }
  if (!(end > begin)) return {};
  const double part = (end - begin) / kParts;
  std::vector<double> change(kParts + 1, 0), some(kParts + 1, 0);
  // From `moment` on there is one more, or one less.
  const auto count = [&](double moment, double sign) {
    const double at = (moment - begin) / part;
    const std::size_t i = std::min(kParts - 1, static_cast<std::size_t>(at));
    some[i] += sign * (static_cast<double>(i) + 1 - at);
    change[i + 1] += sign;
  };
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!(ends[i] > starts[i])) continue;
    count(starts[i], 1);
    count(ends[i], -1);
  }
  std::vector<WidthStep> steps(kParts + 1);
  double width = 0;
  for (std::size_t i = 0; i <= kParts; ++i) {
    width += change[i];
    steps[i] = {begin + static_cast<double>(i) * part, std::max(0.0, width + some[i])};
  }
  steps.back().width = 0;
  return steps;
}

}  // namespace

WidthCurve width_curve(std::string name, std::span<const double> starts,
                       std::span<const double> ends) {
  constexpr std::size_t kMostExact = 2000;
  const bool exact = starts.size() <= kMostExact;
  return {std::move(name),
          exact ? exact_steps(width_events(starts, ends)) : mean_steps(starts, ends)};
}

double most_at_a_time(std::span<const double> starts, std::span<const double> ends) {
  std::vector<double> begun, ended;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (!(ends[i] > starts[i])) continue;
    begun.push_back(starts[i]);
    ended.push_back(ends[i]);
  }
  std::sort(begun.begin(), begun.end());
  std::sort(ended.begin(), ended.end());
  std::size_t most = 0, done = 0;
  for (std::size_t i = 0; i < begun.size(); ++i) {  // ends before starts
    while (ended[done] <= begun[i]) ++done;
    most = std::max(most, i + 1 - done);
  }
  return static_cast<double>(most);
}

}  // namespace kstar::dag
