// Runs and K that the study itself speaks of, and that are not there. Runs are numbered by `order`,
// over all of them, or by `block`: a number that comes again at each K. A table sorted otherwise
// has that number among the settings of its runs.
#include "audit/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/number.h"

namespace kstar {

namespace {

using Numbers = std::set<int>;

/// The number of a run at its K, as the study counts them.
class RunNumbers {
 public:
  explicit RunNumbers(const Study& study) {
    if (const Note* note = find_note(study, "run-numbers")) column_ = text_value(*note, "column");
  }

  std::optional<int> of(const Run& run) const {
    if (run.block || column_.empty() || !run.settings) return run.block;
    const auto found = run.settings->find(column_);
    if (found == run.settings->end()) return {};
    const auto number = parse_integer(found->second);
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return {};
    return static_cast<int>(*number);
  }

  bool all(const Study& study) const {
    return !study.runs.empty() && std::all_of(study.runs.begin(), study.runs.end(),
                                              [&](const Run& run) { return of(run).has_value(); });
  }

 private:
  std::string column_;
};

std::int64_t gaps_from(int first, const Numbers& seen) {
  if (seen.empty()) return 0;
  return std::int64_t{*seen.rbegin()} + 1 - first - static_cast<std::int64_t>(seen.size());
}

template <typename Number>
bool all_have(const Study& study, Number Run::*number) {
  return !study.runs.empty() &&
         std::all_of(study.runs.begin(), study.runs.end(),
                     [&](const Run& run) { return (run.*number).has_value(); });
}

/// Measured interleaved with others (--against, --parameter): the numbers between are theirs.
bool is_one_of_several(const Study& study) {
  return study.header.protocol.interleaved_with.has_value();
}

/// Of a study that went on later the numbers go on over its sessions; of merged ones each session
/// begins at 0.
std::int64_t gaps_in_order(const Study& study) {
  if (is_one_of_several(study)) return 0;
  std::map<std::string, Numbers> sessions;
  Numbers all;
  bool once = true;
  for (const Run& run : study.runs) {
    if (!run.order) continue;
    sessions[run.session].insert(*run.order);
    once = all.insert(*run.order).second && once;
  }
  const bool each_from_zero =
      std::all_of(sessions.begin(), sessions.end(),
                  [](const auto& session) { return *session.second.begin() == 0; });
  if (once || !each_from_zero) return gaps_from(0, all);
  std::int64_t gaps = 0;
  for (const auto& [session, seen] : sessions) gaps += gaps_from(0, seen);
  return gaps;
}

/// One K of one program in one session.
struct Place {
  std::string session;
  Role role = Role::kParallel;
  int workers = 1;
  auto operator<=>(const Place&) const = default;
};

struct Blocks {
  std::map<Place, Numbers> at;
  std::map<std::string, Numbers> of_session;
  bool running = true;  ///< no two K share a number: it runs over all of them
  bool counted = true;  ///< from 0, from 1 or from behind the warm-up; else it is some other number
};

Blocks blocks_of(const Study& study) {
  const RunNumbers numbers(study);
  Blocks blocks;
  std::map<std::pair<std::string, int>, Place> first;
  for (const Run& run : study.runs) {
    const std::optional<int> number = numbers.of(run);
    if (!number) continue;
    const Place place{run.session, run.role, run.workers};
    blocks.at[place].insert(*number);
    blocks.of_session[run.session].insert(*number);
    const auto [entry, is_new] = first.try_emplace({run.session, *number}, place);
    if (!is_new && entry->second != place) blocks.running = false;
  }
  const int warm_up = std::max(study.header.protocol.warm_up_runs.value_or(0), 0);
  for (const auto& [session, seen] : blocks.of_session) {
    if (*seen.begin() > 1 + warm_up) blocks.counted = false;
  }
  return blocks;
}

/// "2, 5, 6": those from `first` on that are not seen, before the last that is.
std::string absent(int first, const Numbers& seen) {
  constexpr std::size_t kMost = 6;
  std::vector<int> numbers;
  for (int number = first; number < *seen.rbegin() && numbers.size() <= kMost; ++number) {
    if (!seen.contains(number)) numbers.push_back(number);
  }
  const bool more = numbers.size() > kMost;
  if (more) numbers.pop_back();
  return fmt::format("{}{}", fmt::join(numbers, ", "), more ? " ..." : "");
}

/// Where a K ends earlier than others it may have been precise enough: only what is missing before
/// its last one is a gap.
std::string gaps_in_blocks(const Study& study, const Blocks& blocks) {
  const int warm_up = std::max(study.header.protocol.warm_up_runs.value_or(0), 0);
  for (const auto& [session, seen] : blocks.of_session) {
    if (gaps_from(*seen.begin(), seen) > 0) {
      return fmt::format("the runs are numbered, and there is no run {} at any K",
                         absent(*seen.begin(), seen));
    }
  }
  if (blocks.running) return "";
  for (const auto& [place, seen] : blocks.at) {
    // The first ones may be the warm-up.
    const int start = *blocks.of_session.at(place.session).begin();
    const int first = *seen.begin() - start <= warm_up ? *seen.begin() : start;
    if (gaps_from(first, seen) == 0) continue;
    return fmt::format("the runs at each K are numbered, and K = {} has no run {}", place.workers,
                       absent(first, seen));
  }
  return "";
}

/// K whose numbers end before those of others, where nothing says when repeating stops.
std::vector<int> ended_early(const Study& study, const Blocks& blocks) {
  std::vector<int> early;
  if (!study.header.protocol.stopping.empty() || blocks.running) return early;
  for (const auto& [place, seen] : blocks.at) {
    if (*seen.rbegin() < *blocks.of_session.at(place.session).rbegin()) {
      early.push_back(place.workers);
    }
  }
  return early;
}

/// K that the workload names, and that nothing ran on.
std::vector<int> workers_without_runs(const Study& study) {
  std::vector<int> without;
  for (const Workload& load : study.header.workload) {
    if (!load.workers) continue;
    const bool ran = std::any_of(study.runs.begin(), study.runs.end(), [&](const Run& run) {
      return run.role == Role::kParallel && run.workers == *load.workers;
    });
    if (!ran) without.push_back(*load.workers);
  }
  return without;
}

/// The members of an even sequence (a constant factor or a constant step) that are not there: one
/// or two between the smallest and the largest K, of five or more.
std::vector<int> holes_in_sequence(const std::vector<int>& workers, bool factor) {
  constexpr std::size_t kFewMembers = 5, kMostHoles = 2;
  if (workers.size() + 1 < kFewMembers) return {};
  double step = INFINITY;
  for (std::size_t i = 1; i < workers.size(); ++i) {
    const double here = factor ? static_cast<double>(workers[i]) / workers[i - 1]
                               : static_cast<double>(workers[i]) - workers[i - 1];
    step = std::min(step, here);
  }
  if (!(step > (factor ? 1 : 0))) return {};
  std::vector<int> holes;
  double expected = workers.front();
  for (const int k : workers) {
    while (expected < k * (1 - 1e-9) && holes.size() <= kMostHoles) {
      holes.push_back(static_cast<int>(std::lround(expected)));
      expected = factor ? expected * step : expected + step;
    }
    if (std::fabs(expected / k - 1) > 1e-6) return {};
    expected = factor ? expected * step : expected + step;
  }
  return holes.size() <= kMostHoles ? holes : std::vector<int>{};
}

std::string absent_workers(const Evidence& evidence) {
  std::vector<int> workers;
  for (const ScalingPoint* point : evidence.curve) workers.push_back(point->workers);
  std::vector<int> holes = holes_in_sequence(workers, true);
  if (holes.empty()) holes = holes_in_sequence(workers, false);
  if (holes.empty()) return "";
  return fmt::format("the K are {}: {} {} absent from the sequence", fmt::join(workers, ", "),
                     fmt::join(holes, " and "), holes.size() == 1 ? "is" : "are");
}

}  // namespace

/// A measurement that was stopped leaves numbered runs without a gap.
RuleVerdict nothing_left_out(const Evidence& evidence) {
  const Study& study = evidence.study;
  if (const std::int64_t gaps = gaps_in_order(study); gaps > 0) {
    return contradicted(
        fmt::format("the runs are numbered, and {} numbers in between are missing", gaps));
  }
  const bool ordered = all_have(study, &Run::order);
  if (const auto without = workers_without_runs(study); !without.empty()) {
    const std::string text =
        fmt::format("the workload is stated for {}, but there are no runs", listed(without));
    return ordered ? missing(text) : contradicted(text);
  }
  // All runs are there: which K was due in which block is the affair of the measurement.
  if (ordered) return shown("the runs are numbered, and none is missing");
  const Blocks blocks = blocks_of(study);
  if (blocks.counted) {
    if (const std::string gaps = gaps_in_blocks(study, blocks); !gaps.empty()) {
      return contradicted(gaps);
    }
  }
  if (const auto& planned = study.header.protocol.runs) {
    for (const ScalingPoint* point : evidence.curve) {
      const std::size_t made = point->times.n + point->failed + point->warm_up;
      if (made >= static_cast<std::size_t>(*planned)) continue;
      return contradicted(fmt::format("{} runs at each K are declared, but K = {} has {}", *planned,
                                      point->workers, point->times.n));
    }
  }
  if (const std::string sequence = absent_workers(evidence); !sequence.empty()) {
    return missing(sequence);
  }
  if (!blocks.counted || !RunNumbers(study).all(study)) {
    return missing("runs are not numbered: omitted runs cannot be detected");
  }
  if (const auto early = ended_early(study, blocks); !early.empty()) {
    return missing(fmt::format(
        "the runs are numbered, and end earlier at {} than at other K; the reason is not stated",
        listed(early)));
  }
  return shown("the runs at each K are numbered, and none is missing between them");
}

}  // namespace kstar
