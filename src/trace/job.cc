#include "trace/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/duration.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/stats.h"
#include "trace/across.h"
#include "trace/sweep.h"

namespace kstar::tracing {

namespace {

constexpr double kSecond = 1e-9;

double seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * kSecond;
}

/// The traces of one job at one K.
struct Job {
  std::vector<RankSummary> ranks;
  std::vector<std::string> notes;
};

bool share_a_step(const RankSummary& a, const RankSummary& b) {
  std::set<std::string> labels;
  for (const RankStep& step : a.steps) labels.insert(step.label);
  return std::any_of(b.steps.begin(), b.steps.end(),
                     [&](const RankStep& step) { return labels.count(step.label) > 0; });
}

/// The name of a file without what says how it is packed.
std::string unpacked_name(const std::string& path) {
  for (const std::string_view ending : {".gz", ".zst", ".zstd"}) {
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  }
  return path;
}

bool are_copies(const RankSummary& a, const RankSummary& b) {
  if (a.file == b.file) return false;  // ranks of one timeline
  if (a.rank < 0 || b.rank < 0) return unpacked_name(a.file) == unpacked_name(b.file);
  return a.rank == b.rank && share_a_step(a, b);
}

/// Takes out what says to be the same rank at the same steps as a file before it: a rank counts
/// once.
void leave_out_copies(std::vector<RankSummary>& list, std::vector<std::string>& notes) {
  std::map<std::int64_t, std::vector<std::size_t>> kept_by_rank;
  std::vector<RankSummary> kept;
  std::size_t copies = 0;
  std::string first;
  for (RankSummary& rank : list) {
    std::vector<std::size_t>& same = kept_by_rank[rank.rank];
    const auto twin = std::find_if(same.begin(), same.end(),
                                   [&](std::size_t i) { return are_copies(kept[i], rank); });
    if (twin == same.end()) {
      same.push_back(kept.size());
      kept.push_back(std::move(rank));
    } else if (copies++ == 0) {
      first = fmt::format("{} is {}, as {} is", printable(rank.file),
                          rank.rank < 0 ? "the same" : fmt::format("rank {}", rank.rank),
                          printable(kept[*twin].file));
    }
  }
  list = std::move(kept);
  if (copies > 0) {
    notes.push_back(fmt::format("{}: left out{}", first,
                                copies > 1 ? fmt::format(", with {} more", copies - 1) : ""));
  }
}

/// Several files of one rank are several sessions of profiling where their steps differ, and
/// otherwise copies. Files that do not say their rank are numbered.
std::vector<Job> jobs_of(std::vector<RankSummary> ranks) {
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankSummary& a, const RankSummary& b) {
    return a.world != b.world ? a.world < b.world : a.file < b.file;
  });
  std::vector<Job> jobs;
  std::map<std::int64_t, std::vector<RankSummary>> by_world;
  for (RankSummary& rank : ranks) by_world[rank.world].push_back(std::move(rank));
  for (auto& [world, list] : by_world) {
    std::vector<std::string> notes;
    leave_out_copies(list, notes);
    std::map<std::int64_t, std::size_t> files;
    for (const RankSummary& rank : list) ++files[rank.rank];
    if (files.begin()->first < 0) {
      Job job;
      job.notes = std::move(notes);
      if (list.size() > 1) {
        job.notes.push_back(fmt::format(
            "{} files do not say their rank: they are numbered by their names", list.size()));
      }
      for (std::size_t i = 0; i < list.size(); ++i) {
        list[i].rank = static_cast<std::int64_t>(i);
      }
      job.ranks = std::move(list);
      jobs.push_back(std::move(job));
      continue;
    }
    std::size_t sessions = 1;
    for (const auto& [rank, count] : files) sessions = std::max(sessions, count);
    std::vector<Job> split(sessions);
    for (Job& job : split) job.notes = notes;
    std::map<std::int64_t, std::size_t> next;
    for (RankSummary& rank : list) split[next[rank.rank]++].ranks.push_back(std::move(rank));
    for (Job& job : split) jobs.push_back(std::move(job));
  }
  for (Job& job : jobs) {
    std::stable_sort(job.ranks.begin(), job.ranks.end(),
                     [](const RankSummary& a, const RankSummary& b) { return a.rank < b.rank; });
  }
  return jobs;
}

/// Which steps all ranks have, and where each rank has them.
struct CommonSteps {
  std::vector<std::string> labels;
  std::vector<std::vector<int>> step_of;        ///< [rank][its step]: the common one
  std::vector<std::vector<std::size_t>> place;  ///< [common step][rank]: its step
};

CommonSteps common_steps(const std::vector<RankSummary>& ranks, std::vector<std::string>& notes) {
  std::map<std::string, std::size_t> counts;
  for (const RankSummary& rank : ranks) {
    for (const RankStep& step : rank.steps) ++counts[step.label];
  }
  CommonSteps common;
  std::map<std::string, int> index;
  std::size_t most = 0;
  for (const RankSummary& rank : ranks) most = std::max(most, rank.steps.size());
  for (const RankStep& step : ranks.front().steps) {
    if (counts[step.label] != ranks.size()) continue;
    index.emplace(step.label, static_cast<int>(common.labels.size()));
    common.labels.push_back(step.label);
  }
  if (common.labels.size() < most) {
    notes.push_back(fmt::format("{} of {} steps are on all ranks; the others are left out",
                                common.labels.size(), most));
  }
  common.place.assign(common.labels.size(), std::vector<std::size_t>(ranks.size(), 0));
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::vector<int> of(ranks[r].steps.size(), -1);
    for (std::size_t i = 0; i < of.size(); ++i) {
      const auto found = index.find(ranks[r].steps[i].label);
      if (found == index.end()) continue;
      of[i] = found->second;
      common.place[static_cast<std::size_t>(found->second)][r] = i;
    }
    common.step_of.push_back(std::move(of));
  }
  return common;
}

/// A first step that is far longer than all others is the warm-up: memory, compilation, tuning.
void leave_out_warm_up(const std::vector<RankSummary>& ranks, CommonSteps& common,
                       std::vector<std::string>& notes) {
  constexpr std::size_t kFewest = 4;
  constexpr double kSpreads = 3, kTimes = 1.2;
  if (common.labels.size() < kFewest) return;
  std::vector<double> times;
  for (const std::vector<std::size_t>& place : common.place) {
    double sum = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      sum += seconds(ranks[r].steps[place[r]].end - ranks[r].steps[place[r]].start);
    }
    times.push_back(sum / static_cast<double>(ranks.size()));
  }
  const auto [least, most] = std::minmax_element(times.begin() + 1, times.end());
  const double first = times.front();
  if (first <= *most + kSpreads * (*most - *least) || first <= kTimes * *most) return;
  notes.push_back(
      fmt::format("the first step, {}, takes {}, and no other more than {}: it is left out as the "
                  "warm-up",
                  printable(common.labels.front()), time_text(first), time_text(*most)));
  common.labels.erase(common.labels.begin());
  common.place.erase(common.place.begin());
  for (std::vector<int>& of : common.step_of) {
    for (int& step : of) step = std::max(step - 1, -1);
  }
}

/// The lengths of exposed communication up to a point in time.
class ExposedLength {
 public:
  explicit ExposedLength(const RankSummary& rank) : pieces_(rank.exposed) {
    std::int64_t sum = 0;
    for (const Interval& piece : pieces_) {
      before_.push_back(sum);
      sum += piece.end - piece.start;
    }
  }

  std::int64_t within(std::int64_t from, std::int64_t to) const {
    return to > from ? until(to) - until(from) : 0;
  }

 private:
  std::int64_t until(std::int64_t time) const {
    const auto after =
        std::upper_bound(pieces_.begin(), pieces_.end(), time,
                         [](std::int64_t value, const Interval& one) { return value < one.start; });
    if (after == pieces_.begin()) return 0;
    const auto i = static_cast<std::size_t>(after - pieces_.begin()) - 1;
    return before_[i] + std::min(time, pieces_[i].end) - pieces_[i].start;
  }

  const std::vector<Interval>& pieces_;
  std::vector<std::int64_t> before_;
};

/// Stretches of time in which a rank's communication does nothing but wait.
std::vector<Interval> waiting_alone(const RankSummary& rank,
                                    const std::vector<OperationSplit>& splits) {
  struct Piece {
    std::int64_t start, end;
    unsigned kind;
  };
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const Operation& operation = rank.operations[i];
    const std::int64_t middle = operation.start + splits[i].waiting;
    if (middle > operation.start) pieces.push_back({operation.start, middle, 0});
    if (operation.end > middle) pieces.push_back({middle, operation.end, 1});
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return a.start != b.start ? a.start < b.start : a.end < b.end;
  });
  std::vector<Interval> waiting;
  if (pieces.empty()) return waiting;
  Sweep sweep(pieces.front().start, [&](std::int64_t from, std::int64_t to, unsigned mask) {
    if (mask == 1) waiting.push_back({from, to});
  });
  for (const Piece& piece : pieces) sweep.add(piece.start, piece.end, piece.kind);
  sweep.finish();
  return waiting;
}

/// The times of every common step of one rank.
std::vector<TraceTimes> times_of(const RankSummary& rank, std::size_t r, const CommonSteps& common,
                                 const Comparison& comparison) {
  const std::vector<OperationSplit>& splits = comparison.operations[r];
  std::vector<TraceTimes> times(common.labels.size());
  std::vector<std::int64_t> waiting(times.size(), 0), all(times.size(), 0);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const Operation& operation = rank.operations[i];
    if (operation.step < 0) continue;
    const int step = common.step_of[r][static_cast<std::size_t>(operation.step)];
    if (step < 0) continue;
    waiting[static_cast<std::size_t>(step)] += splits[i].waiting;
    all[static_cast<std::size_t>(step)] += operation.end - operation.start;
  }
  const ExposedLength exposed(rank);
  const std::vector<Interval> alone = waiting_alone(rank, splits);
  std::size_t at = 0;
  for (std::size_t s = 0; s < times.size(); ++s) {
    const RankStep& step = rank.steps[common.place[s][r]];
    TraceTimes& out = times[s];
    out.step = seconds(step.end - step.start);
    out.compute = seconds(step.compute);
    out.communication = seconds(step.communication);
    out.exposed = seconds(step.exposed);
    out.copies = seconds(step.copies);
    out.idle = seconds(step.idle);
    out.waiting = seconds(waiting[s]);
    out.transfer = seconds(all[s] - waiting[s]);
    std::int64_t sum = 0;
    while (at > 0 && alone[at - 1].end > step.start) --at;
    for (; at < alone.size() && alone[at].start < step.end; ++at) {
      sum +=
          exposed.within(std::max(alone[at].start, step.start), std::min(alone[at].end, step.end));
    }
    out.exposed_waiting = seconds(sum);
    out.exposed_transfer = std::max(0.0, out.exposed - out.exposed_waiting);
  }
  return times;
}

void add_times(TraceTimes& sum, const TraceTimes& more, double weight) {
  for (double TraceTimes::*field :
       {&TraceTimes::step, &TraceTimes::compute, &TraceTimes::communication, &TraceTimes::exposed,
        &TraceTimes::copies, &TraceTimes::idle, &TraceTimes::waiting, &TraceTimes::transfer,
        &TraceTimes::exposed_waiting, &TraceTimes::exposed_transfer}) {
    sum.*field += weight * (more.*field);
  }
}

void add_operations(const std::vector<RankSummary>& ranks, const CommonSteps& common,
                    const Comparison& comparison, TraceAnalysis& out) {
  std::map<OperationKind, TraceOperation> rows;
  std::map<OperationKind, std::set<std::size_t>> members;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const ExposedLength exposed(ranks[r]);
    for (std::size_t i = 0; i < ranks[r].operations.size(); ++i) {
      const Operation& operation = ranks[r].operations[i];
      if (operation.step < 0 || common.step_of[r][static_cast<std::size_t>(operation.step)] < 0) {
        continue;
      }
      OperationKind key = ranks[r].kinds[operation.kind];
      key.ranks.clear();
      TraceOperation& row = rows[key];
      const double waits = seconds(comparison.operations[r][i].waiting);
      const double time = seconds(operation.end - operation.start);
      ++row.count;
      row.seconds += time;
      row.waiting += waits;
      row.transfer += time - waits;
      row.exposed += seconds(exposed.within(operation.start, operation.end));
      members[key].insert(r);
    }
  }
  const double steps = static_cast<double>(std::max<std::size_t>(common.labels.size(), 1));
  for (auto& [key, row] : rows) {
    const double ranks_in = static_cast<double>(members[key].size());
    row.collective = key.collective;
    row.group = key.group;
    row.library = key.library;
    row.size = key.size;
    row.bytes = key.bytes;
    row.count = static_cast<std::size_t>(static_cast<double>(row.count) / ranks_in + 0.5);
    for (double* field : {&row.seconds, &row.waiting, &row.transfer, &row.exposed}) {
      *field /= ranks_in * steps;
    }
    out.operations.push_back(std::move(row));
  }
  std::stable_sort(out.operations.begin(), out.operations.end(),
                   [](const auto& a, const auto& b) { return a.seconds > b.seconds; });
}

/// Who waits for whom.
void add_waits(const std::vector<RankSummary>& ranks, const Comparison& comparison,
               std::size_t steps, TraceAnalysis& out) {
  constexpr std::size_t kMostRanks = 64;
  const std::size_t n = ranks.size();
  const bool shown = n <= kMostRanks;
  if (shown) out.waits.assign(n, std::vector<double>(n, 0));
  for (std::size_t r = 0; r < n; ++r) {
    for (const OperationSplit& split : comparison.operations[r]) {
      if (split.last < 0) continue;
      ++out.ranks[r].matched;
      const double time = seconds(split.waiting) / static_cast<double>(steps);
      out.ranks[static_cast<std::size_t>(split.last)].made_wait += time;
      if (shown) out.waits[r][static_cast<std::size_t>(split.last)] += time;
    }
  }
}

void add_lanes(const std::vector<RankSummary>& ranks, const Comparison& comparison,
               TraceAnalysis& out) {
  constexpr std::size_t kMostPieces = 6000, kMostRanks = 16;
  if (ranks.empty() || ranks.front().steps.empty()) return;
  const std::int64_t begin =
      ranks.front().steps[static_cast<std::size_t>(ranks.front().shown)].start -
      comparison.clocks.front();
  std::size_t pieces = 0;
  for (std::size_t r = 0; r < ranks.size() && r < kMostRanks; ++r) {
    const RankSummary& rank = ranks[r];
    std::vector<TraceLane> lanes(rank.lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      lanes[i].rank = rank.rank;
      lanes[i].name = rank.lanes[i];
    }
    for (const Stretch& one : rank.stretches) {
      if (++pieces > kMostPieces) break;
      lanes[one.lane].pieces.push_back(
          {seconds(one.start - comparison.clocks[r] - begin),
           seconds(one.end - comparison.clocks[r] - begin),
           one.kind == Kind::kCommunication ? 1 : (one.kind == Kind::kCopy ? 2 : 0),
           rank.names[one.name]});
    }
    for (TraceLane& lane : lanes) out.lanes.push_back(std::move(lane));
  }
}

void add_unclassified(const std::vector<RankSummary>& ranks, TraceAnalysis& out) {
  std::map<std::string, std::int64_t> times;
  std::int64_t all = 0, busy = 0;
  for (const RankSummary& rank : ranks) {
    for (const NamedTime& one : rank.unclassified) times[one.name] += one.time;
    all += rank.unclassified_time;
    busy += rank.busy_time;
  }
  if (busy <= 0) return;
  out.unclassified_share = static_cast<double>(all) / static_cast<double>(busy);
  for (const auto& [name, time] : times) {
    out.unclassified.push_back({name, static_cast<double>(time) / static_cast<double>(busy)});
  }
  std::stable_sort(out.unclassified.begin(), out.unclassified.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  constexpr std::size_t kMost = 20;
  if (out.unclassified.size() > kMost) out.unclassified.resize(kMost);
}

/// The most ranks that a collective says to have.
std::int64_t largest_group(const std::vector<RankSummary>& ranks) {
  constexpr std::int64_t kMost = 1'000'000'000;
  std::int64_t most = 0;
  for (const RankSummary& rank : ranks) {
    for (const OperationKind& kind : rank.kinds) {
      if (kind.size <= kMost) most = std::max(most, kind.size);
    }
  }
  return most;
}

Result<void> set_workers(const std::vector<RankSummary>& ranks, const TraceOptions& options,
                         TraceAnalysis& out) {
  const std::int64_t world = ranks.front().world;
  const auto count = static_cast<std::int64_t>(ranks.size());
  const bool timeline = !ranks.front().title.empty();
  const std::int64_t least =
      world >= 1 ? std::max(world, count) : std::max(count, largest_group(ranks));
  out.workers = least;
  out.workers_assumed = world < 1;
  if (world >= 1 && count > world) {
    out.notes.push_back(
        fmt::format("{} files, but they say that there are {} ranks: K = {}", count, world, count));
  }
  if (options.workers) {
    const bool fixed_by_trace = world >= 1 && !timeline;
    if (fixed_by_trace ? *options.workers != least : *options.workers < least) {
      return fail(expected("--workers",
                           fixed_by_trace
                               ? fmt::format("{}, as the traces say", least)
                               : fmt::format("at least {}, the ranks that the traces show", least),
                           fmt::format("{}", *options.workers),
                           fixed_by_trace ? "--workers is for traces that do not say it" : ""));
    }
    out.workers = *options.workers;
    out.workers_assumed = false;
  }
  constexpr std::int64_t kMostListed = 1'000'000;
  if (world > count && world <= kMostListed) {
    std::set<std::int64_t> there;
    for (const RankSummary& rank : ranks) there.insert(rank.rank);
    for (std::int64_t r = 0; r < world; ++r) {
      if (there.count(r) == 0) out.missing.push_back(r);
    }
  }
  return {};
}

void add_file_notes(const std::vector<RankSummary>& ranks, TraceAnalysis& out) {
  std::size_t torn = 0, cut_steps = 0;
  std::int64_t bad = 0;
  std::string first;
  for (const RankSummary& rank : ranks) {
    if (rank.torn && torn++ == 0) first = rank.file;
    cut_steps += rank.cut_step ? 1 : 0;
    bad += rank.bad;
    out.events += rank.events;
    out.bytes += rank.bytes;
  }
  if (torn > 0) {
    out.notes.push_back(fmt::format("{} cut off at the end; what is whole was used, {}: {}{}",
                                    torn == 1 ? "1 file is" : fmt::format("{} files are", torn),
                                    cut_steps == torn
                                        ? "without the last step"
                                        : "and the only step may miss some of its operations",
                                    printable(first), torn > 1 ? ", ..." : ""));
  }
  if (bad > 0) {
    out.notes.push_back(fmt::format("{} without a usable time or name {} skipped",
                                    count_text(static_cast<std::size_t>(bad), "event"),
                                    bad == 1 ? "was" : "were"));
  }
}

/// s is what is paid in all steps over the time of all steps. Its interval is that of the ratio of
/// two means, from what each step differs from it; a share is from 0 to 1.
Result<Estimate> serial_estimate(const TraceAnalysis& analysis) {
  std::vector<double> paid, time;
  double all_paid = 0, all_time = 0;
  for (const std::vector<TraceTimes>& step : analysis.by_step) {
    paid.push_back(0);
    time.push_back(0);
    for (const TraceTimes& rank : step) {
      paid.back() += analysis.split ? rank.exposed_transfer : rank.exposed;
      time.back() += rank.step;
    }
    all_paid += paid.back();
    all_time += time.back();
  }
  const double share = all_time > 0 ? all_paid / all_time : 0;
  const double mean_time = all_time / static_cast<double>(time.size());
  std::vector<double> values;
  for (std::size_t i = 0; i < time.size(); ++i) {
    values.push_back(mean_time > 0 ? share + (paid[i] - share * time[i]) / mean_time : 0);
  }
  KSTAR_TRY(Estimate serial, estimate_mean(values));
  serial.point = share;
  serial.low = std::clamp(serial.low, 0.0, share);
  serial.high = std::clamp(serial.high, share, 1.0);
  return serial;
}

/// The mean; where the steps differ so much that its interval reaches zero, it begins at the
/// shortest step.
Result<Estimate> step_estimate(const std::vector<double>& steps) {
  KSTAR_TRY(Estimate mean, estimate_mean(steps));
  if (mean.low <= 0) mean.low = *std::min_element(steps.begin(), steps.end());
  return mean;
}

/// Whether waiting may be in what counts as transfer: ranks without a trace, or collectives that
/// were not matched.
bool hides_waiting(const std::vector<RankSummary>& ranks, const CommonSteps& common,
                   const Comparison& comparison, const TraceAnalysis& analysis) {
  constexpr double kLittle = 0.01;
  if (analysis.collectives == 0) return false;
  if (analysis.workers < 2) return analysis.workers_assumed;  // with whom?
  if (!analysis.split || comparison.partial) return true;
  if (analysis.workers > static_cast<std::int64_t>(ranks.size())) return true;
  double all = 0, unmatched = 0;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (std::size_t i = 0; i < ranks[r].operations.size(); ++i) {
      const Operation& one = ranks[r].operations[i];
      if (one.step < 0 || common.step_of[r][static_cast<std::size_t>(one.step)] < 0) continue;
      const double time = seconds(one.end - one.start);
      all += time;
      if (comparison.operations[r][i].last < 0) unmatched += time;
    }
  }
  return unmatched > kLittle * all;
}

/// Takes out the files that are no traces, and says it. An error where nothing else is there.
Result<std::string> take_skipped(std::vector<RankSummary>& ranks) {
  std::vector<RankSummary> traces;
  std::size_t skipped = 0;
  std::string first, reason;
  for (RankSummary& rank : ranks) {
    if (rank.skipped.empty()) {
      traces.push_back(std::move(rank));
    } else if (skipped++ == 0 || rank.file < first) {
      first = rank.file;
      reason = rank.skipped;
    }
  }
  ranks = std::move(traces);
  if (skipped == 0) return std::string();
  if (ranks.empty()) {
    return fail(
        {.where = printable(first), .message = reason, .hint = "there is no trace beside it"});
  }
  return fmt::format("left out: {} ({}){}", printable(first), reason,
                     skipped > 1 ? fmt::format(" and {} more", skipped - 1) : "");
}

Result<TraceAnalysis> analyze_job(Job& job, const TraceOptions& options) {
  const std::vector<RankSummary>& ranks = job.ranks;
  TraceAnalysis out;
  out.notes = std::move(job.notes);
  out.threshold = options.threshold;
  out.backend = ranks.front().backend;
  out.device = ranks.front().device;
  out.step_source = ranks.front().step_source;
  out.step_name = ranks.front().step_name;
  KSTAR_CHECK(set_workers(ranks, options, out));
  add_file_notes(ranks, out);
  CommonSteps common = common_steps(ranks, out.notes);
  leave_out_warm_up(ranks, common, out.notes);
  out.steps = common.labels;
  if (common.labels.empty()) {
    return fail({.where = printable(ranks.front().file),
                 .message = ranks.front().steps.empty()
                                ? "has no operation of a device or of the host to measure"
                                : "the ranks have no step in common",
                 .hint = ranks.front().steps.empty()
                             ? "profile with activities=[ProfilerActivity.CPU, "
                               "ProfilerActivity.CUDA]"
                             : "give the traces of one job, profiled at the same steps"});
  }
  const Comparison comparison = compare_ranks(ranks, common.step_of);
  out.split = comparison.matched > 0;
  out.collectives = comparison.collectives;
  out.matched = comparison.matched;
  out.clock_error = seconds(comparison.clock_error);
  const auto [earliest, latest] =
      std::minmax_element(comparison.clocks.begin(), comparison.clocks.end());
  out.clock_spread = seconds(*latest - *earliest);
  if (comparison.doubtful > 0) {
    out.notes.push_back(fmt::format(
        "{} that look alike do not end together: not matched, all of their time counts as transfer",
        count_text(comparison.doubtful, "collective")));
  }
  out.serial_is_bound = hides_waiting(ranks, common, comparison, out);
  if (comparison.partial || (out.split && out.workers > static_cast<std::int64_t>(ranks.size()))) {
    out.notes.push_back("waiting for ranks without a trace counts as transfer");
  }
  out.by_step.assign(common.labels.size(), std::vector<TraceTimes>(ranks.size()));
  const double steps = static_cast<double>(common.labels.size());
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    TraceRank row;
    row.rank = ranks[r].rank;
    row.file = ranks[r].file;
    row.title = ranks[r].title;
    row.steps = common.labels.size();
    row.last = comparison.last[r];
    row.clock = seconds(comparison.clocks[r]);
    row.hta = ranks[r].hta;
    const std::vector<TraceTimes> times = times_of(ranks[r], r, common, comparison);
    for (std::size_t s = 0; s < times.size(); ++s) {
      out.by_step[s][r] = times[s];
      add_times(row.times, times[s], 1 / steps);
    }
    add_times(out.mean, row.times, 1 / static_cast<double>(ranks.size()));
    out.ranks.push_back(std::move(row));
  }
  double balance = 0;
  for (const std::vector<TraceTimes>& step : out.by_step) {
    double sum = 0, compute = 0, most = 0;
    for (const TraceTimes& rank : step) {
      sum += rank.step;
      compute += rank.compute;
      most = std::max(most, rank.compute);
    }
    const auto n = static_cast<double>(step.size());
    out.step_seconds.push_back(sum / n);
    balance += most > 0 ? compute / n / most : 1;
  }
  out.load_balance = balance / steps;
  if (out.step_source == TraceSteps::kNumbered) {
    for (const std::vector<std::size_t>& place : common.place) {
      out.active_seconds.push_back(seconds(ranks.front().steps[place.front()].active));
    }
  }
  KSTAR_TRY(out.serial, serial_estimate(out));
  KSTAR_TRY(out.step_time, step_estimate(out.step_seconds));
  if (out.mean.step > 0) {
    out.transfer_efficiency =
        1 - (out.split ? out.mean.exposed_transfer : out.mean.exposed) / out.mean.step;
  }
  add_operations(ranks, common, comparison, out);
  add_waits(ranks, comparison, common.labels.size(), out);
  add_unclassified(ranks, out);
  const bool same_step = std::all_of(ranks.begin(), ranks.end(), [&](const RankSummary& rank) {
    return rank.steps[static_cast<std::size_t>(rank.shown)].label ==
           ranks.front().steps[static_cast<std::size_t>(ranks.front().shown)].label;
  });
  if (same_step) {
    out.path = critical_path(ranks, comparison);
    out.path->step = ranks.front().steps[static_cast<std::size_t>(ranks.front().shown)].label;
    if (out.path->pieces.empty()) out.path.reset();
    add_lanes(ranks, comparison, out);
  } else {
    out.notes.push_back(
        "there is no critical path: the traces are of different steps, and the middle one of each "
        "is not the same");
  }
  add_laws(out, options);
  return out;
}

}  // namespace

Result<std::vector<TraceAnalysis>> analyze_ranks(std::vector<RankSummary> ranks,
                                                 const TraceOptions& options) {
  KSTAR_TRY(const std::string left_out, take_skipped(ranks));
  std::vector<Job> jobs = jobs_of(std::move(ranks));
  std::vector<TraceAnalysis> analyses;
  for (Job& job : jobs) {
    KSTAR_TRY(TraceAnalysis analysis, analyze_job(job, options));
    if (!left_out.empty()) analysis.notes.push_back(left_out);
    analyses.push_back(std::move(analysis));
  }
  std::stable_sort(analyses.begin(), analyses.end(),
                   [](const auto& a, const auto& b) { return a.workers < b.workers; });
  return analyses;
}

}  // namespace kstar::tracing
