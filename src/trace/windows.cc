#include "trace/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace kstar::tracing {

namespace {

/// The mark that holds `time`, or that it follows; -1 before the first and behind the last.
std::int32_t mark_at(const StepMarks& steps, std::int64_t time) {
  const auto after =
      std::upper_bound(steps.marks.begin(), steps.marks.end(), time,
                       [](std::int64_t value, const auto& mark) { return value < mark.start; });
  if (after == steps.marks.begin()) return -1;
  if (after == steps.marks.end() && time >= steps.marks.back().end) return -1;
  return static_cast<std::int32_t>(after - steps.marks.begin()) - 1;
}

}  // namespace

StepWindows::StepWindows(const FileWork& work, const RankWork& rank, const StepMarks& marks)
    : marks_(marks) {
  by_launch_ = marks.source != TraceSteps::kNumbered && work.device;
  if (marks.marks.empty()) {
    take_whole(work, rank);
  } else if (by_launch_) {
    take_launched(work, rank);
  } else {
    take_marks();
  }
}

std::int32_t StepWindows::step_of(const Work& work) const {
  if (marks_.marks.empty()) return 0;
  const bool by_launch = by_launch_ && work.launched;
  std::int32_t step = mark_at(marks_, by_launch ? work.launch : work.start);
  if (step >= 0 && by_launch_) step = of_mark_[static_cast<std::size_t>(step)];
  return step < left_out_from_ ? step : -1;
}

bool StepWindows::leave_out_last() {
  if (steps_.size() < 2) return false;
  steps_.pop_back();
  left_out_from_ = static_cast<std::int32_t>(steps_.size());
  return true;
}

/// Everything there is, as one step.
void StepWindows::take_whole(const FileWork& work, const RankWork& rank) {
  std::optional<Interval> all;
  work.list.each(rank.first, rank.last, [&](const Work& one) {
    if (!one.counts) return;
    if (!all) all = Interval{one.start, 0};
    all->end = std::max(all->end, one.end);
  });
  if (!all) return;
  RankStep step;
  step.label = "1";
  step.start = all->start;
  step.end = all->end;
  steps_.push_back(std::move(step));
}

void StepWindows::take_marks() {
  for (const auto& mark : marks_.marks) {
    RankStep step;
    step.label = mark.label;
    step.start = mark.start;
    step.end = mark.end;
    steps_.push_back(std::move(step));
  }
}

/// The steps as they are on the device: work belongs to the step that launched it. A step is from
/// its first operation to the first one of the next; the last one takes as long as on the host, or
/// until its work is done.
void StepWindows::take_launched(const FileWork& work, const RankWork& rank) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  const std::size_t n = marks_.marks.size();
  std::vector<std::int64_t> first(n, kNever), last(n, 0);
  for (std::size_t i = 0; i < n; ++i) of_mark_.push_back(static_cast<std::int32_t>(i));
  work.list.each(rank.first, rank.last, [&](const Work& one) {
    const std::int32_t step = one.counts ? step_of(one) : -1;
    if (step < 0) return;
    const auto i = static_cast<std::size_t>(step);
    first[i] = std::min(first[i], one.start);
    last[i] = std::max(last[i], one.end);
  });
  for (std::size_t i = 0; i < n; ++i) {
    of_mark_[i] = -1;
    if (first[i] == kNever) continue;  // nothing ran: no step of the device
    const std::int64_t host = marks_.marks[i].end - marks_.marks[i].start;
    RankStep step;
    step.label = marks_.marks[i].label;
    step.start = steps_.empty() ? first[i] : std::max(first[i], steps_.back().start);
    step.end = std::max(last[i], step.start + host);
    if (!steps_.empty()) steps_.back().end = step.start;
    of_mark_[i] = static_cast<std::int32_t>(steps_.size());
    steps_.push_back(std::move(step));
  }
}

StepMarks numbered_steps(const WorkList& work) {
  std::map<std::int32_t, Interval> spans;
  work.each([&](const Work& one) {
    if (one.step < 0 || !one.counts) return;
    const auto [at, added] = spans.try_emplace(one.step, Interval{one.start, one.end});
    at->second.start = std::min(at->second.start, one.start);
    at->second.end = std::max(at->second.end, one.end);
  });
  StepMarks steps;
  steps.source = TraceSteps::kNumbered;
  for (const auto& [number, span] : spans) {
    steps.marks.push_back({span.start, span.end, fmt::format("{}", number)});
  }
  std::sort(steps.marks.begin(), steps.marks.end(),
            [](const auto& a, const auto& b) { return a.start < b.start; });
  for (std::size_t i = 1; i < steps.marks.size(); ++i) {  // what overlaps is cut
    steps.marks[i - 1].end = std::min(steps.marks[i - 1].end, steps.marks[i].start);
  }
  return steps;
}

}  // namespace kstar::tracing
