#include "kstar/inside_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/number.h"
#include "kstar/stats.h"

namespace kstar {

namespace {

using Runs = std::vector<const Run*>;

/// Session and number.
using Block = std::pair<std::string, int>;

Block block_of(const Run& run) {
  return {run.session, run.block.value_or(-1)};
}

/// The runs of the program at one K.
struct Group {
  Runs plain;  ///< that count
  Runs inside;
  std::set<Block> warm_up;  ///< whose plain run is
  std::size_t failed = 0;
};

std::map<int, Group> group(const Study& study) {
  std::map<int, Group> groups;
  for (const Run& run : study.runs) {
    if (run.role != Role::kParallel) continue;
    if (counts(run)) groups[run.workers].plain.push_back(&run);
    if (run.warm_up) groups[run.workers].warm_up.insert(block_of(run));
    if (!is_profiled(run)) continue;
    Group& of = groups[run.workers];
    if (failed(run) || !run.per_worker || run.per_worker->compute.empty()) {
      ++of.failed;
    } else {
      of.inside.push_back(&run);
    }
  }
  std::erase_if(groups, [](const auto& entry) {
    return entry.second.inside.empty() && entry.second.failed == 0;
  });
  return groups;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Seconds over the ranks of one run.
struct InsideParts {
  double useful = 0, communicate = 0, wait = 0, file = 0;
  double whole() const { return useful + communicate + wait + file; }
};

InsideParts inside_parts_of(const Run& run) {
  const PerWorker& ranks = *run.per_worker;
  return {sum(ranks.compute), sum(ranks.communicate), sum(ranks.wait), sum(ranks.load)};
}

/// The mean over runs of a share of the whole; none where a run has no time at all.
template <typename Part>
std::optional<Estimate> share(const Runs& runs, double confidence, const Part& part) {
  std::vector<double> shares;
  for (const Run* run : runs) {
    const InsideParts parts = inside_parts_of(*run);
    if (parts.whole() <= 0) return std::nullopt;
    shares.push_back(part(parts) / parts.whole());
  }
  const Result<Estimate> mean = estimate_mean(shares, {.confidence = confidence});
  return mean ? std::optional(*mean) : std::nullopt;
}

bool has_wait(const Run* run) {
  return run->per_worker->wait.size() == run->per_worker->compute.size();
}

/// Each rank's waiting as a share of its own time.
std::vector<double> waits_of(const PerWorker& ranks) {
  std::vector<double> waits;
  for (std::size_t i = 0; i < ranks.wait.size(); ++i) {
    const double file = i < ranks.load.size() ? ranks.load[i] : 0;
    const double whole = ranks.compute[i] + ranks.communicate[i] + ranks.wait[i] + file;
    waits.push_back(whole > 0 ? ranks.wait[i] / whole : 0);
  }
  return waits;
}

/// The rank at a place of the arrays: ranks without a file are not in them.
int rank_at(const Run& run, std::size_t place) {
  return place < run.inside->rank.size() ? run.inside->rank[place] : static_cast<int>(place);
}

void set_waiting(const Runs& runs, InsidePoint& point) {
  constexpr double kClear = 0.01;
  std::set<int> least;
  bool clear = true;
  for (const Run* run : runs) {
    std::vector<double> waits = waits_of(*run->per_worker);
    if (waits.size() < 2) return;
    const auto first = std::min_element(waits.begin(), waits.end());
    least.insert(rank_at(*run, static_cast<std::size_t>(first - waits.begin())));
    std::sort(waits.begin(), waits.end());
    clear = clear && waits[1] - waits[0] > kClear;
    point.least_wait += waits.front() / static_cast<double>(runs.size());
    point.most_wait += waits.back() / static_cast<double>(runs.size());
  }
  if (clear && least.size() == 1) point.waited_for = *least.begin();
}

std::vector<double> times_of(const Runs& runs) {
  std::vector<double> times;
  for (const Run* run : runs) {
    if (const std::optional<double> time = steady_time(*run)) times.push_back(*time);
  }
  return times;
}

/// Drift hits both runs of a block alike, and cancels. Where the plain run of a block is warm-up,
/// so is the other.
std::optional<Estimate> cost_of(const Group& runs, double confidence) {
  constexpr std::size_t kFewestPairs = 3;
  std::map<Block, double> plain;
  for (const Run* run : runs.plain) {
    if (run->block) plain[block_of(*run)] = *steady_time(*run);
  }
  std::vector<double> all, with, without;
  for (const Run* run : runs.inside) {
    const std::optional<double> time = steady_time(*run);
    if (!time || runs.warm_up.contains(block_of(*run))) continue;
    all.push_back(*time);
    const auto other = plain.find(block_of(*run));
    if (other == plain.end()) continue;
    with.push_back(*time);
    without.push_back(other->second);
  }
  const bool paired = with.size() >= kFewestPairs;
  const Result<Estimate> ratio =
      paired
          ? estimate_ratio(with, without,
                           {.method = IntervalMethod::kPairedEffective, .confidence = confidence})
          : estimate_ratio(
                all, times_of(runs.plain),
                {.method = IntervalMethod::kWelchLogEffective, .confidence = confidence});
  return ratio ? std::optional(*ratio) : std::nullopt;
}

Note cost_note(int workers, const Estimate& cost) {
  constexpr double kMuch = 1.05;
  const bool much = is_bounded(cost) && cost.low > kMuch;
  const std::string interval = is_bounded(cost)
                                   ? fmt::format("{} to {}", fixed(cost.low, 3), fixed(cost.high, 3))
                                   : std::string("no interval");
  return {.severity = much ? Severity::kWarning : Severity::kInfo,
          .what = "inside-cost",
          .where = fmt::format("K = {}", workers),
          .text = fmt::format("profiled runs took {} of the time of plain runs ({}){}",
                              fixed(cost.point, 3), interval,
                              much ? ": the shares describe a slower program" : "")};
}

void add_notes(const Group& runs, const InsidePoint& point, std::vector<Note>& notes) {
  if (point.cost) notes.push_back(cost_note(point.workers, *point.cost));
  std::set<std::string> said;
  for (const Run* run : runs.inside) {
    for (const std::string& text : run->inside->notes) {
      if (!said.insert(text).second) continue;
      notes.push_back({.severity = Severity::kInfo,
                       .what = "inside",
                       .where = fmt::format("K = {}", point.workers),
                       .text = text});
    }
  }
}

InsidePoint inside_point_of(int workers, const Group& runs, double confidence) {
  InsidePoint point;
  point.workers = workers;
  point.failed = runs.failed;
  const auto part = [&](auto of) { return share(runs.inside, confidence, of); };
  const auto useful = part([](const InsideParts& all) { return all.useful; });
  if (!useful) return point;
  point.runs = runs.inside.size();
  point.useful = *useful;
  point.mpi = *part([](const InsideParts& all) { return all.whole() - all.useful; });
  const auto file = part([](const InsideParts& all) { return all.file; });
  if (file->point > 0) point.file = file;
  if (std::all_of(runs.inside.begin(), runs.inside.end(), has_wait)) {
    point.wait = part([](const InsideParts& all) { return all.wait; });
    point.transfer = part([](const InsideParts& all) { return all.communicate; });
    set_waiting(runs.inside, point);
  }
  point.cost = cost_of(runs, confidence);
  return point;
}

}  // namespace

InsideTable inside_table(const Study& study, double confidence) {
  InsideTable table;
  for (const auto& [workers, runs] : group(study)) {
    table.points.push_back(inside_point_of(workers, runs, confidence));
    add_notes(runs, table.points.back(), table.notes);
  }
  return table;
}

}  // namespace kstar
