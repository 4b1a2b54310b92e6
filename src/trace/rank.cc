#include "trace/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/text.h"
#include "base/try.h"
#include "trace/event.h"
#include "trace/sweep.h"

namespace kstar::tracing {

namespace {

/// An operation of a rank, of its device or of its host.
struct Work {
  std::int64_t start = 0, end = 0, launch = 0;
  std::uint32_t name = 0, lane = 0, facts = kNoFacts;
  std::int32_t step = -1;
  Kind kind = Kind::kCompute;
};

/// The events of one rank: all of a file, or the lanes of one rank of a timeline.
struct RankEvents {
  std::string title;
  std::vector<Work> work;
  bool device = true;
  bool numbered = false;  ///< events carry the number of their step
};

/// Launches by correlation.
class LaunchTable {
 public:
  explicit LaunchTable(TraceFile& file) : launches_(std::move(file.launches)) {
    std::sort(launches_.begin(), launches_.end(), [](const Launch& a, const Launch& b) {
      return a.correlation != b.correlation ? a.correlation < b.correlation : a.start < b.start;
    });
  }

  const Launch* find(std::uint32_t correlation) const {
    const auto at = std::lower_bound(
        launches_.begin(), launches_.end(), correlation,
        [](const Launch& launch, std::uint32_t value) { return launch.correlation < value; });
    return at != launches_.end() && at->correlation == correlation ? &*at : nullptr;
  }

 private:
  std::vector<Launch> launches_;
};

/// The call of communication around a launch: where an older trace keeps sizes and groups.
class CallTable {
 public:
  explicit CallTable(const TraceFile& file) {
    for (const HostEvent& call : file.calls) by_lane_[call.lane].push_back(call);
    for (auto& [lane, calls] : by_lane_) {
      std::sort(calls.begin(), calls.end(),
                [](const HostEvent& a, const HostEvent& b) { return a.start < b.start; });
    }
  }

  std::uint32_t facts_at(const Launch& launch) const {
    const auto lane = by_lane_.find(launch.lane);
    if (lane == by_lane_.end()) return kNoFacts;
    const auto after = std::upper_bound(
        lane->second.begin(), lane->second.end(), launch.start,
        [](std::int64_t time, const HostEvent& call) { return time < call.start; });
    if (after == lane->second.begin()) return kNoFacts;
    const HostEvent& call = *(after - 1);
    return launch.start <= call.start + call.duration ? call.facts : kNoFacts;
  }

 private:
  std::map<std::uint32_t, std::vector<HostEvent>> by_lane_;
};

void sort_by_start(std::vector<Work>& work) {
  std::sort(work.begin(), work.end(), [](const Work& a, const Work& b) {
    if (a.start != b.start) return a.start < b.start;
    if (a.end != b.end) return a.end < b.end;
    return a.lane != b.lane ? a.lane < b.lane : a.name < b.name;
  });
}

/// What the trace says of a lane in its name: a stream for communication.
std::optional<Kind> kind_of_lane(const Lane& lane) {
  const std::string name = lower_case(lane.name);
  if (name.find("comm") != std::string::npos || name.find("nccl") != std::string::npos) {
    return Kind::kCommunication;
  }
  if (name.find("compute") != std::string::npos) return Kind::kCompute;
  return std::nullopt;
}

std::vector<Work> device_work(const TraceFile& file, const LaunchTable& launches) {
  const CallTable calls(file);
  std::vector<Work> work;
  work.reserve(file.device.size());
  for (const DeviceEvent& event : file.device) {
    if (event.sync) continue;
    Work one{event.start, event.start + event.duration,
             0,           event.name,
             event.lane,  event.facts,
             event.step,  event.kind};
    const Launch* launch =
        event.correlation == kNoCorrelation ? nullptr : launches.find(event.correlation);
    if (launch != nullptr) {
      one.launch = launch->start;
      if (one.facts == kNoFacts && one.kind == Kind::kCommunication) {
        one.facts = calls.facts_at(*launch);
      }
    }
    if (event.generic) {
      if (const auto kind = kind_of_lane(file.lanes[event.lane])) one.kind = *kind;
    }
    if (one.kind != Kind::kNone) work.push_back(one);
  }
  for (const HostEvent& event : file.transfers) {
    work.push_back({event.start, event.start + event.duration, 0, event.name, event.lane,
                    event.facts, -1, Kind::kCommunication});
  }
  sort_by_start(work);
  return work;
}

std::vector<Work> host_work(const TraceFile& file) {
  std::vector<Work> work;
  for (const HostEvent& event : file.tops) {
    work.push_back({event.start, event.start + event.duration, 0, event.name, event.lane, kNoFacts,
                    -1, Kind::kCompute});
  }
  for (const HostEvent& event : file.transfers) {
    work.push_back({event.start, event.start + event.duration, 0, event.name, event.lane,
                    event.facts, -1, Kind::kCommunication});
  }
  sort_by_start(work);
  return work;
}

/// The number behind `word` in "PP rank 3, TP rank 0, compute"; nothing where it is not there.
std::optional<std::int64_t> number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t from = at + word.size();
  while (from < text.size() && !is_digit(text[from])) ++from;
  std::int64_t value = 0;
  const std::size_t begin = from;
  for (; from < text.size() && is_digit(text[from]) && from - begin < 9; ++from) {
    value = 10 * value + (text[from] - '0');
  }
  return from == begin ? std::nullopt : std::optional(value);
}

/// A timeline of a whole job: every lane says which rank it is of.
bool is_timeline(const TraceFile& file) {
  const bool generic = std::any_of(file.device.begin(), file.device.end(),
                                   [](const DeviceEvent& event) { return event.generic; });
  return generic && std::any_of(file.lanes.begin(), file.lanes.end(), [](const Lane& lane) {
           return number_behind(lane.name, "rank ").has_value();
         });
}

std::vector<RankEvents> timeline_ranks(const TraceFile& file, const LaunchTable& launches) {
  using Key = std::vector<std::int64_t>;
  std::map<Key, RankEvents> ranks;
  std::vector<RankEvents*> of_lane(file.lanes.size(), nullptr);
  for (std::size_t i = 0; i < file.lanes.size(); ++i) {
    const Lane& lane = file.lanes[i];
    Key key;
    std::string title;
    const auto process = file.processes.find(lane.process);
    const std::string outer = process == file.processes.end() ? "" : process->second;
    std::int64_t pid = 0;
    read_whole(lane.process, pid);
    key.push_back(number_behind(outer, "rank ").value_or(pid));
    title = fmt::format("DP{}", key[0]);
    for (const std::string_view axis : {"PP", "TP", "EP", "CP"}) {
      const auto number = number_behind(lane.name, fmt::format("{} rank ", axis));
      key.push_back(number.value_or(0));
      if (number && (*number > 0 || axis == "PP")) title += fmt::format(" {}{}", axis, *number);
    }
    RankEvents& rank = ranks[key];
    rank.title = title;
    rank.numbered = true;
    of_lane[i] = &rank;
  }
  for (const Work& work : device_work(file, launches)) {
    if (of_lane[work.lane] != nullptr) of_lane[work.lane]->work.push_back(work);
  }
  std::vector<RankEvents> list;
  for (auto& [key, rank] : ranks) {
    if (!rank.work.empty()) list.push_back(std::move(rank));
  }
  return list;
}

std::vector<RankEvents> ranks_of(TraceFile& file) {
  const LaunchTable launches(file);
  if (is_timeline(file)) return timeline_ranks(file, launches);
  RankEvents rank;
  rank.work = device_work(file, launches);
  rank.device = std::any_of(file.device.begin(), file.device.end(),
                            [](const DeviceEvent& event) { return !event.sync; });
  if (!rank.device) rank.work = host_work(file);
  std::vector<RankEvents> list;
  list.push_back(std::move(rank));
  return list;
}

/// Steps by the number that every event carries; the same for all ranks of a timeline.
StepMarks numbered_steps(const std::vector<RankEvents>& ranks) {
  std::map<std::int32_t, Interval> spans;
  for (const RankEvents& rank : ranks) {
    for (const Work& work : rank.work) {
      if (work.step < 0) continue;
      const auto [at, added] = spans.try_emplace(work.step, Interval{work.start, work.end});
      at->second.start = std::min(at->second.start, work.start);
      at->second.end = std::max(at->second.end, work.end);
    }
  }
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

/// The mark that holds `time`, or that it follows; -1 before the first and behind the last.
std::int32_t mark_at(const StepMarks& steps, std::int64_t time) {
  const auto after =
      std::upper_bound(steps.marks.begin(), steps.marks.end(), time,
                       [](std::int64_t value, const auto& mark) { return value < mark.start; });
  if (after == steps.marks.begin()) return -1;
  if (after == steps.marks.end() && time >= steps.marks.back().end) return -1;
  return static_cast<std::int32_t>(after - steps.marks.begin()) - 1;
}

/// The steps as they are on the device: work belongs to the step that launched it. A step is from
/// its first operation to the first one of the next; the last one takes as long as on the host, or
/// until its work is done.
std::vector<RankStep> device_windows(const StepMarks& steps, std::vector<Work>& work) {
  constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  const std::size_t n = steps.marks.size();
  std::vector<std::int64_t> first(n, kNever), last(n, 0);
  for (Work& one : work) {
    one.step = mark_at(steps, one.launch != 0 ? one.launch : one.start);
    if (one.step < 0) continue;
    const auto i = static_cast<std::size_t>(one.step);
    first[i] = std::min(first[i], one.start);
    last[i] = std::max(last[i], one.end);
  }
  std::vector<RankStep> windows;
  std::vector<std::int32_t> index(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (first[i] == kNever) continue;  // nothing ran: no step of the device
    const std::int64_t host = steps.marks[i].end - steps.marks[i].start;
    RankStep step;
    step.label = steps.marks[i].label;
    step.start = windows.empty() ? first[i] : std::max(first[i], windows.back().start);
    step.end = std::max(last[i], step.start + host);
    if (!windows.empty()) windows.back().end = step.start;
    index[i] = static_cast<std::int32_t>(windows.size());
    windows.push_back(std::move(step));
  }
  for (Work& one : work) {
    if (one.step >= 0) one.step = index[static_cast<std::size_t>(one.step)];
  }
  return windows;
}

std::vector<RankStep> host_windows(const StepMarks& steps, std::vector<Work>& work) {
  std::vector<RankStep> windows;
  for (const auto& mark : steps.marks) {
    RankStep step;
    step.label = mark.label;
    step.start = mark.start;
    step.end = mark.end;
    windows.push_back(std::move(step));
  }
  for (Work& one : work) one.step = mark_at(steps, one.start);
  return windows;
}

/// Everything there is, as one step.
std::vector<RankStep> whole_window(std::vector<Work>& work) {
  if (work.empty()) return {};
  RankStep step;
  step.label = "1";
  step.start = work.front().start;
  for (Work& one : work) {
    step.end = std::max(step.end, one.end);
    one.step = 0;
  }
  return {step};
}

constexpr unsigned sweep_kind(Kind kind) {
  return kind == Kind::kCommunication ? 1U : (kind == Kind::kCopy ? 2U : 0U);
}

/// Fills in the times of the steps, and the stretches of exposed communication.
void measure_steps(const std::vector<Work>& work, RankSummary& rank) {
  std::size_t at = 0;
  const auto add = [&](RankStep& step, std::int64_t time, unsigned mask) {
    const bool computes = (mask & 1U) != 0, communicates = (mask & 2U) != 0;
    if (computes) step.compute += time;
    if (communicates) step.communication += time;
    if (communicates && !computes) step.exposed += time;
    if (mask == 4U) step.copies += time;
    if (mask == 0) step.idle += time;
  };
  const auto emit = [&](std::int64_t from, std::int64_t to, unsigned mask) {
    if ((mask & 3U) == 2U) {
      if (!rank.exposed.empty() && rank.exposed.back().end == from) {
        rank.exposed.back().end = to;
      } else {
        rank.exposed.push_back({from, to});
      }
    }
    while (at < rank.steps.size()) {
      RankStep& step = rank.steps[at];
      const std::int64_t begin = std::max(from, step.start), end = std::min(to, step.end);
      if (begin < end) add(step, end - begin, mask);
      if (to < step.end) break;
      ++at;
    }
  };
  if (rank.steps.empty()) return;
  Sweep sweep(std::min(rank.steps.front().start,
                       work.empty() ? rank.steps.front().start : work.front().start),
              emit);
  for (const Work& one : work) sweep.add(one.start, one.end, sweep_kind(one.kind));
  sweep.flush(rank.steps.back().end);
}

/// The kinds of communication, numbered in order.
class Kinds {
 public:
  Kinds(const TraceFile& file, RankSummary& rank) : file_(file), rank_(rank) {}

  std::uint32_t id(const Work& work) {
    OperationKind kind;
    const std::string name = unescaped(file_.names.text(work.name));
    const Rule* rule = file_.rules[work.name];
    if (rule != nullptr) {
      kind.library = rule->library;
      kind.collective = rule->collective;
    }
    if (work.facts != kNoFacts) {
      const CommunicationFacts& facts = file_.facts[work.facts];
      if (!facts.collective.empty()) kind.collective = facts.collective;
      kind.group = facts.group;
      kind.ranks = facts.ranks;
      kind.size = facts.size;
      kind.bytes = facts.bytes;
    }
    if (kind.collective.empty()) kind.collective = collective_name(name);
    if (kind.collective.empty()) kind.collective = shorten(name, 40);
    const auto [at, added] = ids_.try_emplace(kind, static_cast<std::uint32_t>(ids_.size()));
    if (added) rank_.kinds.push_back(kind);
    return at->second;
  }

 private:
  const TraceFile& file_;
  RankSummary& rank_;
  std::map<OperationKind, std::uint32_t> ids_;
};

void take_operations(const TraceFile& file, const std::vector<Work>& work, RankSummary& rank,
                     std::vector<std::int64_t>& operation_of) {
  Kinds kinds(file, rank);
  operation_of.assign(work.size(), -1);
  for (std::size_t i = 0; i < work.size(); ++i) {
    const Work& one = work[i];
    if (one.kind != Kind::kCommunication) continue;
    operation_of[i] = static_cast<std::int64_t>(rank.operations.size());
    const std::int64_t sequence = one.facts == kNoFacts ? -1 : file.facts[one.facts].sequence;
    rank.operations.push_back({one.start, one.end, sequence, one.step, kinds.id(one)});
  }
}

/// Joins neighbours of a lane and a kind that are less than `gap` apart.
std::vector<Stretch> joined(const std::vector<Stretch>& all, std::int64_t gap) {
  std::map<std::uint32_t, std::size_t> last;  // of each lane
  std::vector<Stretch> out;
  std::vector<std::int64_t> longest;
  for (const Stretch& one : all) {
    const auto at = last.find(one.lane);
    if (at != last.end()) {
      Stretch& before = out[at->second];
      if (before.kind == one.kind && one.operation < 0 && one.start - before.end < gap) {
        if (one.end - one.start > longest[at->second]) {
          longest[at->second] = one.end - one.start;
          before.name = one.name;
        }
        before.end = std::max(before.end, one.end);
        before.count += one.count;
        continue;
      }
    }
    last[one.lane] = out.size();
    out.push_back(one);
    longest.push_back(one.end - one.start);
  }
  return out;
}

/// The step in the middle, in at most `most` pieces.
void take_stretches(const TraceFile& file, const std::vector<Work>& work, std::size_t most,
                    const std::vector<std::int64_t>& operation_of, RankSummary& rank) {
  if (rank.steps.empty()) return;
  rank.shown = static_cast<std::int64_t>(rank.steps.size() / 2);
  const RankStep& step = rank.steps[rank.steps.size() / 2];
  std::vector<Stretch> all;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const Work& one = work[i];
    if (one.end <= step.start || one.start >= step.end || one.end <= one.start) continue;
    all.push_back({std::max(one.start, step.start), std::min(one.end, step.end), one.launch,
                   operation_of[i], one.lane, one.name, 1,
                   one.kind == Kind::kUnclassified ? Kind::kCompute : one.kind});
  }
  std::vector<Stretch> few = all;
  for (std::int64_t gap = 1000; few.size() > most && gap < step.end - step.start; gap *= 4) {
    few = joined(all, gap);
  }
  if (few.size() > most) {  // of communication alone: the longest
    std::stable_sort(few.begin(), few.end(), [](const Stretch& a, const Stretch& b) {
      return a.end - a.start > b.end - b.start;
    });
    few.resize(most);
    std::stable_sort(few.begin(), few.end(),
                     [](const Stretch& a, const Stretch& b) { return a.start < b.start; });
  }
  std::map<std::uint32_t, std::uint32_t> lanes, names;
  for (Stretch& one : few) {
    const auto lane = lanes.try_emplace(one.lane, static_cast<std::uint32_t>(lanes.size()));
    if (lane.second) {
      const Lane& about = file.lanes[one.lane];
      rank.lanes.push_back(
          about.name.empty()
              ? fmt::format("{} {}", rank.device ? "stream" : "thread", unescaped(about.thread))
              : std::string(trim(about.name)));
    }
    one.lane = lane.first->second;
    const auto name = names.try_emplace(one.name, static_cast<std::uint32_t>(names.size()));
    if (name.second) rank.names.push_back(shorten(unescaped(file.names.text(one.name)), 120));
    one.name = name.first->second;
  }
  rank.stretches = std::move(few);
}

void take_unclassified(const TraceFile& file, const std::vector<Work>& work, RankSummary& rank) {
  constexpr std::size_t kMost = 20;
  std::map<std::uint32_t, std::int64_t> times;
  for (const Work& one : work) {
    rank.busy_time += one.end - one.start;
    if (one.kind != Kind::kUnclassified) continue;
    times[one.name] += one.end - one.start;
    rank.unclassified_time += one.end - one.start;
  }
  for (const auto& [name, time] : times) {
    rank.unclassified.push_back({shorten(unescaped(file.names.text(name)), 120), time});
  }
  std::stable_sort(rank.unclassified.begin(), rank.unclassified.end(),
                   [](const NamedTime& a, const NamedTime& b) { return a.time > b.time; });
  if (rank.unclassified.size() > kMost) rank.unclassified.resize(kMost);
}

/// Ranks are compared on one clock: times become absolute.
void add_base(RankSummary& rank, std::int64_t base) {
  if (base == 0) return;
  for (RankStep& step : rank.steps) step.start += base, step.end += base;
  for (Operation& operation : rank.operations) operation.start += base, operation.end += base;
  for (Interval& piece : rank.exposed) piece.start += base, piece.end += base;
  for (Stretch& piece : rank.stretches) {
    piece.start += base, piece.end += base;
    if (piece.launch != 0) piece.launch += base;
  }
}

RankSummary summarize(const TraceFile& file, RankEvents& events, const StepMarks& steps,
                      const RankOptions& options) {
  RankSummary rank;
  rank.file = file.path;
  rank.rank = file.rank;
  rank.world = file.world;
  rank.backend = file.backend;
  rank.title = events.title;
  rank.device = events.device;
  rank.step_source = steps.source;
  rank.step_name = steps.name;
  if (steps.marks.empty()) {
    rank.steps = whole_window(events.work);
  } else if (steps.source == TraceSteps::kNumbered || !events.device) {
    rank.steps = host_windows(steps, events.work);
  } else {
    rank.steps = device_windows(steps, events.work);
  }
  measure_steps(events.work, rank);
  std::vector<std::int64_t> operation_of;
  take_operations(file, events.work, rank, operation_of);
  take_stretches(file, events.work, options.stretches, operation_of, rank);
  take_unclassified(file, events.work, rank);
  rank.events = static_cast<std::int64_t>(file.events);
  rank.bytes = static_cast<std::int64_t>(file.bytes);
  rank.bad = static_cast<std::int64_t>(file.bad);
  rank.strange = static_cast<std::int64_t>(file.strange);
  rank.torn = file.torn;
  add_base(rank, file.base);
  return rank;
}

/// The time of each step in which any of the ranks does something.
std::vector<std::int64_t> active_times(const std::vector<RankEvents>& ranks,
                                       const StepMarks& steps) {
  std::vector<Work> all;
  for (const RankEvents& rank : ranks) all.insert(all.end(), rank.work.begin(), rank.work.end());
  sort_by_start(all);
  RankSummary joint;
  joint.steps = host_windows(steps, all);
  measure_steps(all, joint);
  std::vector<std::int64_t> times;
  for (const RankStep& step : joint.steps) times.push_back(step.end - step.start - step.idle);
  return times;
}

}  // namespace

Result<std::vector<RankSummary>> summarize_ranks(TraceFile& file, const RankOptions& options) {
  KSTAR_TRY(StepMarks steps, find_steps(file, options.step));
  const TraceHtaRank hta = hta_of(file);
  std::vector<RankEvents> ranks = ranks_of(file);
  std::vector<DeviceEvent>().swap(file.device);  // all of it is in `ranks` now
  if (!ranks.empty() && ranks.front().numbered) {
    StepMarks numbered = numbered_steps(ranks);
    if (!numbered.marks.empty()) steps = std::move(numbered);
  }
  std::vector<RankSummary> list;
  std::vector<std::int64_t> active;
  if (steps.source == TraceSteps::kNumbered) active = active_times(ranks, steps);
  for (RankEvents& events : ranks) {
    list.push_back(summarize(file, events, steps, options));
    for (std::size_t i = 0; i < active.size(); ++i) list.back().steps[i].active = active[i];
  }
  if (list.size() == 1) {
    list.front().hta = hta;
  } else {
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].rank = static_cast<std::int64_t>(i);
      list[i].world = static_cast<std::int64_t>(list.size());
    }
  }
  return list;
}

}  // namespace kstar::tracing
