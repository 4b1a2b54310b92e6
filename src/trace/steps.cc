#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "trace/event.h"
#include "trace/rank.h"

// Where steps begin and end: ProfilerStep, an annotation by name, one that repeats, or the device's
// operations repeating.
namespace kstar::tracing {

namespace {

using Marks = std::vector<StepMarks::Mark>;

/// In time order, without those inside of another.
void tidy(Marks& marks) {
  std::sort(marks.begin(), marks.end(), [](const auto& a, const auto& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  Marks kept;
  for (StepMarks::Mark& mark : marks) {
    if (!kept.empty() && mark.start < kept.back().end) continue;
    kept.push_back(std::move(mark));
  }
  marks = std::move(kept);
}

/// "ProfilerStep#12" with its number taken off.
std::string_view without_number(std::string_view name) {
  while (!name.empty() && is_digit(name.back())) name.remove_suffix(1);
  while (!name.empty() && (name.back() == '#' || name.back() == ' ' || name.back() == '_')) {
    name.remove_suffix(1);
  }
  return name;
}

Marks marks_named(const TraceFile& file, std::string_view wanted) {
  Marks marks;
  for (const HostEvent& mark : file.annotations) {
    const std::string name = unescaped(file.names.text(mark.name));
    if (name != wanted && without_number(name) != wanted) continue;
    std::string label = name.substr(without_number(name).size());
    while (!label.empty() && !is_digit(label.front())) label.erase(0, 1);
    marks.push_back({mark.start, mark.start + mark.duration, std::move(label)});
  }
  tidy(marks);
  return marks;
}

/// Labels that are missing or not different are replaced by their order.
void number_if_unlabelled(Marks& marks) {
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool same = i > 0 && marks[i].label == marks[i - 1].label;
    if (!marks[i].label.empty() && !same) continue;
    for (std::size_t k = 0; k < marks.size(); ++k) marks[k].label = fmt::format("{}", k + 1);
    return;
  }
}

/// The annotation that covers most of the time in the fewest repetitions: of those that cover half
/// of it, at least twice.
std::optional<std::string> repeated_annotation(const TraceFile& file) {
  std::map<std::string, Marks> by_name;
  std::int64_t first = 0, last = 0;
  for (const HostEvent& mark : file.annotations) {
    if (first == 0 || mark.start < first) first = mark.start;
    last = std::max(last, mark.start + mark.duration);
    const std::string name = unescaped(file.names.text(mark.name));
    by_name[std::string(without_number(name))].push_back(
        {mark.start, mark.start + mark.duration, ""});
  }
  std::optional<std::string> best;
  std::size_t fewest = 0;
  for (auto& [name, marks] : by_name) {
    tidy(marks);
    std::int64_t covered = 0;
    for (const StepMarks::Mark& mark : marks) covered += mark.end - mark.start;
    if (name.empty() || marks.size() < 2 || 2 * covered < last - first) continue;
    if (best && marks.size() >= fewest) continue;
    best = name;
    fewest = marks.size();
  }
  return best;
}

struct Sequence {
  std::vector<std::uint32_t> names;
  std::vector<std::int64_t> starts;
};

/// The operations of the lane that has most of them, in time order.
Sequence busiest_lane(const TraceFile& file) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const DeviceEvent& event : file.device) ++counts[event.lane];
  std::uint32_t lane = 0;
  std::size_t most = 0;
  for (const auto& [id, count] : counts) {
    if (count > most) lane = id, most = count;
  }
  std::vector<const DeviceEvent*> events;
  for (const DeviceEvent& event : file.device) {
    if (event.lane == lane) events.push_back(&event);
  }
  std::sort(events.begin(), events.end(),
            [](const auto* a, const auto* b) { return a->start < b->start; });
  Sequence sequence;
  for (const DeviceEvent* event : events) {
    sequence.names.push_back(event->name);
    sequence.starts.push_back(event->start);
  }
  return sequence;
}

/// The operations repeat with a period: the rarest name that occurs at least three times, equally
/// far apart, with the same names in between. Starts of the periods; empty: they do not.
Marks repetition(const TraceFile& file) {
  const Sequence sequence = busiest_lane(file);
  const std::size_t n = sequence.names.size();
  std::map<std::uint32_t, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < n; ++i) places[sequence.names[i]].push_back(i);
  const std::vector<std::size_t>* best = nullptr;
  for (const auto& [name, at] : places) {
    constexpr std::size_t kFewest = 3;
    if (at.size() < kFewest || at.size() > n / kFewest) continue;
    const std::size_t period = at[1] - at[0];
    bool regular = period >= 2;
    for (std::size_t i = 1; i < at.size() && regular; ++i) {
      regular = at[i] - at[i - 1] == period;
      for (std::size_t k = 0; k < period && regular; ++k) {
        const std::size_t here = at[i] + k;
        regular = here >= n || i + 1 == at.size() ||
                  sequence.names[here] == sequence.names[at[i - 1] + k];
      }
    }
    if (regular && (best == nullptr || at.size() < best->size() ||
                    (at.size() == best->size() && at[0] < (*best)[0]))) {
      best = &at;
    }
  }
  Marks marks;
  for (std::size_t i = 0; best != nullptr && i + 1 < best->size(); ++i) {
    marks.push_back({sequence.starts[(*best)[i]], sequence.starts[(*best)[i + 1]], ""});
  }
  return marks;
}

}  // namespace

Result<StepMarks> find_steps(const TraceFile& file, const std::string& wanted) {
  StepMarks steps;
  if (!wanted.empty()) {
    steps.marks = marks_named(file, wanted);
    steps.source = TraceSteps::kNamed;
    steps.name = wanted;
    if (steps.marks.empty()) {
      std::vector<std::string> known;
      for (const HostEvent& mark : file.annotations) {
        known.emplace_back(without_number(unescaped(file.names.text(mark.name))));
      }
      std::sort(known.begin(), known.end());
      known.erase(std::unique(known.begin(), known.end()), known.end());
      std::string list;
      for (std::size_t i = 0; i < known.size() && i < 6; ++i) {
        list += fmt::format("{}{}", i == 0 ? "" : ", ", printable(known[i]));
      }
      return fail(expected("--step", fmt::format("an annotation of {}", printable(file.path)),
                           wanted, list.empty() ? "" : "it has " + list));
    }
    number_if_unlabelled(steps.marks);
    return steps;
  }
  steps.marks = marks_named(file, "ProfilerStep");
  steps.source = TraceSteps::kProfiler;
  steps.name = "ProfilerStep";
  if (steps.marks.empty()) {
    if (const auto name = repeated_annotation(file)) {
      steps.marks = marks_named(file, *name);
      steps.source = TraceSteps::kAnnotation;
      steps.name = *name;
    }
  }
  if (steps.marks.empty()) {
    steps.marks = repetition(file);
    steps.source = TraceSteps::kRepetition;
    steps.name.clear();
  }
  if (steps.marks.empty()) steps.source = TraceSteps::kWhole;
  number_if_unlabelled(steps.marks);
  return steps;
}

}  // namespace kstar::tracing
