#include "trace/rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "base/try.h"
#include "trace/event.h"
#include "trace/stretches.h"
#include "trace/sweep.h"
#include "trace/windows.h"

namespace kstar::tracing {

namespace {

constexpr unsigned sweep_kind(Kind kind) {
  return kind == Kind::kCommunication ? 1U : (kind == Kind::kCopy ? 2U : 0U);
}

/// Fills in the times of steps, in their order, and the stretches of exposed communication.
class StepTimes {
 public:
  explicit StepTimes(std::vector<RankStep>& steps) : steps_(steps) {}

  void operator()(std::int64_t from, std::int64_t to, unsigned mask) {
    if ((mask & 3U) == 2U) add_exposed(from, to);
    while (at_ < steps_.size()) {
      RankStep& step = steps_[at_];
      const std::int64_t begin = std::max(from, step.start), end = std::min(to, step.end);
      if (begin < end) add(step, end - begin, mask);
      if (to < step.end) break;
      ++at_;
    }
  }

  std::vector<Interval> exposed;

 private:
  static void add(RankStep& step, std::int64_t time, unsigned mask) {
    const bool computes = (mask & 1U) != 0, communicates = (mask & 2U) != 0;
    if (computes) step.compute += time;
    if (communicates) step.communication += time;
    if (communicates && !computes) step.exposed += time;
    if (mask == 4U) step.copies += time;
    if (mask == 0) step.idle += time;
  }

  void add_exposed(std::int64_t from, std::int64_t to) {
    if (!exposed.empty() && exposed.back().end == from) {
      exposed.back().end = to;
    } else {
      exposed.push_back({from, to});
    }
  }

  std::vector<RankStep>& steps_;
  std::size_t at_ = 0;
};

/// Measures steps while operations come in the order of their starts.
class StepSweep {
 public:
  explicit StepSweep(std::vector<RankStep>& steps) : steps_(steps), times_(steps) {}

  void add(const Work& work) {
    if (steps_.empty()) return;
    begin(work.start);
    sweep_->add(work.start, work.end, sweep_kind(work.kind));
  }

  /// The stretches of exposed communication.
  std::vector<Interval> finish() {
    if (steps_.empty()) return {};
    begin(steps_.front().start);
    sweep_->flush(steps_.back().end);
    return std::move(times_.exposed);
  }

 private:
  void begin(std::int64_t time) {
    if (sweep_) return;
    sweep_.emplace(std::min(steps_.front().start, time), Emit{times_});
  }

  struct Emit {
    StepTimes& times;
    void operator()(std::int64_t from, std::int64_t to, unsigned mask) const {
      times(from, to, mask);
    }
  };
  std::vector<RankStep>& steps_;
  StepTimes times_;
  std::optional<Sweep<Emit>> sweep_;
};

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

/// Puts lanes and names of the stretches into the lists of the rank.
void take_stretches(const TraceFile& file, std::vector<Stretch> stretches, RankSummary& rank) {
  std::map<std::uint32_t, std::uint32_t> lanes, names;
  for (Stretch& one : stretches) {
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
  rank.stretches = std::move(stretches);
}

void take_unclassified(const TraceFile& file, const std::map<std::uint32_t, std::int64_t>& times,
                       RankSummary& rank) {
  constexpr std::size_t kMost = 20;
  for (const auto& [name, time] : times) {
    rank.unclassified.push_back({shorten(unescaped(file.names.text(name)), 120), time});
    rank.unclassified_time += time;
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

void take_facts_of_file(const TraceFile& file, RankSummary& rank) {
  rank.file = file.path;
  rank.rank = file.rank;
  rank.world = file.world;
  rank.backend = file.backend;
  rank.events = static_cast<std::int64_t>(file.events);
  rank.bytes = static_cast<std::int64_t>(file.bytes);
  rank.bad = static_cast<std::int64_t>(file.bad);
  rank.strange = static_cast<std::int64_t>(file.strange);
  rank.torn = file.torn;
}

/// Everything that is known about a rank, in one walk over its operations.
RankSummary summarize(const TraceFile& file, const FileWork& work, const RankWork& events,
                      const StepMarks& marks, const RankOptions& options) {
  RankSummary rank;
  take_facts_of_file(file, rank);
  rank.title = events.title;
  rank.device = work.device;
  rank.step_source = marks.source;
  rank.step_name = marks.name;
  StepWindows windows(work, events, marks);
  rank.cut_step = file.torn && windows.leave_out_last();
  rank.steps = windows.steps();
  rank.shown = static_cast<std::int64_t>(rank.steps.size() / 2);
  Stretches stretches(rank.steps.empty() ? RankStep{} : rank.steps[rank.steps.size() / 2],
                      options.stretches);
  StepSweep sweep(rank.steps);
  Kinds kinds(file, rank);
  std::map<std::uint32_t, std::int64_t> unclassified;
  work.list.each(events.first, events.last, [&](const Work& one) {
    if (!one.counts) return;
    sweep.add(one);
    std::int64_t operation = -1;
    if (one.kind == Kind::kCommunication) {
      operation = static_cast<std::int64_t>(rank.operations.size());
      rank.operations.push_back(
          {one.start, one.end, one.sequence, windows.step_of(one), kinds.id(one)});
    }
    stretches.add(one, operation);
    rank.busy_time += one.end - one.start;
    if (one.kind == Kind::kUnclassified) unclassified[one.name] += one.end - one.start;
  });
  rank.exposed = sweep.finish();
  take_stretches(file, stretches.take(), rank);
  take_unclassified(file, unclassified, rank);
  add_base(rank, file.base);
  return rank;
}

/// The time of each step in which any of the ranks does something.
std::vector<std::int64_t> active_times(const FileWork& work, const StepMarks& marks) {
  FileWork joint(work.list.run_length());
  work.list.each([&](Work one) {
    one.rank = 0;
    if (one.counts) joint.list.add(one);
  });
  joint.list.sort();
  std::vector<RankStep> steps = StepWindows(joint, {"", 0, joint.list.size()}, marks).steps();
  StepSweep sweep(steps);
  joint.list.each([&](const Work& one) { sweep.add(one); });
  sweep.finish();
  std::vector<std::int64_t> times;
  for (const RankStep& step : steps) times.push_back(step.end - step.start - step.idle);
  return times;
}

}  // namespace

Result<std::vector<RankSummary>> summarize_ranks(TraceFile& file, const RankOptions& options) {
  const FileWork work = take_work(file);
  KSTAR_TRY(StepMarks steps, find_steps(file, work.list, options.step));
  if (work.timeline) {
    StepMarks numbered = numbered_steps(work.list);
    if (!numbered.marks.empty()) steps = std::move(numbered);
  }
  std::vector<RankSummary> list;
  std::vector<std::int64_t> active;
  if (steps.source == TraceSteps::kNumbered) active = active_times(work, steps);
  for (const RankWork& events : work.ranks) {
    list.push_back(summarize(file, work, events, steps, options));
    std::vector<RankStep>& steps_of_rank = list.back().steps;
    for (std::size_t i = 0; i < steps_of_rank.size() && i < active.size(); ++i) {
      steps_of_rank[i].active = active[i];
    }
  }
  if (list.size() == 1) {
    list.front().hta = hta_of(file, work.list);
  } else {
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i].rank = static_cast<std::int64_t>(i);
      list[i].world = static_cast<std::int64_t>(list.size());
    }
  }
  return list;
}

bool is_foreign(const TraceFile& file, const std::vector<RankSummary>& ranks) {
  if (file.has_kernels || !file.has_device || ranks.size() != 1) return false;
  const RankSummary& rank = ranks.front();
  return rank.operations.empty() && rank.unclassified_time >= rank.busy_time / 10 * 9;
}

}  // namespace kstar::tracing
