#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kstar/export.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// What measuring would do, before it does: --dry-run.
namespace kstar {

/// What is known about one run's wall time, from an earlier study or a probe.
struct KnownTime {
  int workers = 1;
  Role role = Role::kParallel;
  double seconds = 0;               ///< the mean
  std::optional<double> deviation;  ///< the standard deviation over runs, when there are several
  std::size_t runs = 0;             ///< how many a study has; 0 where somebody just says the time
  bool inside = false;              ///< of the runs that look inside
};

/// The wall times of a study's runs that ended well, by role and K; those that look inside apart.
KSTAR_EXPORT std::vector<KnownTime> known_times(const Study& study);

/// From `low` to `high`; equal when nothing is guessed.
struct PlanRange {
  double low = 0;
  double high = 0;
};

/// One line of the plan: what is run at one K.
struct PlannedRun {
  Role role = Role::kParallel;
  int workers = 1;
  bool inside = false;  ///< the runs that look inside, beside the plain ones
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> variables;  ///< as the spec sets them
  Workload workload;
  PlanRange runs;                    ///< how many, warm-up included
  std::optional<PlanRange> seconds;  ///< of one run; absent: nothing is known
  bool measured = false;             ///< at this very K, not carried over from another
};

/// Time and cost of the whole study.
struct PlanCost {
  PlanRange seconds;
  PlanRange worker_hours;
  bool limited_by_budget = false;  ///< `high` is the budget
};

/// What can be said without any time: in times of one run at the smallest K.
struct RelativeCost {
  int workers = 1;        ///< the smallest K
  PlanRange time;         ///< of the whole study
  PlanRange worker_time;  ///< summed over workers
};

/// Whether the runs that are known count as made.
enum class PlanStart : std::uint8_t { kNew, kGoesOn };

struct MeasurePlan {
  Regime regime = Regime::kStrong;
  std::vector<PlannedRun> runs;          ///< the baseline first, then ascending K, then inside
  std::optional<std::uint64_t> seed;     ///< absent: chosen when measuring starts
  std::vector<std::size_t> first_block;  ///< the order of the first block, into `runs`
  std::optional<PlanCost> cost;          ///< absent: no time is known at all
  std::optional<RelativeCost> relative;  ///< then
  std::string fewest;                    ///< fewest_runs_words(); empty where `runs` are fixed
  std::vector<std::string> assumptions;  ///< how the guesses were made, one sentence each
  std::vector<Note> warnings;            ///< of check_spec()
};

/// The fewest runs at each K before a study can be as precise as asked, however quiet the machine
/// is; `runs` where their number is fixed. Within max_runs.
KSTAR_EXPORT int fewest_runs(const MeasureSpec& spec);

/// The same in words, with the reason: "at least 12 runs, 4 at each K, for +-10%: ...".
KSTAR_EXPORT std::string fewest_runs_words(const MeasureSpec& spec);

/// A baseline without a time of its own takes as long as the program at K = 1. Times at other K are
/// carried over from the nearest known one. Strong: between no speedup and
/// ideal speedup; else the same time. Without any deviation the number of runs is open: from
/// the stopping rule's least to what a deviation of 10% needs.
KSTAR_EXPORT Result<MeasurePlan> plan_measurement(const MeasureSpec& spec,
                                                  std::span<const KnownTime> known = {},
                                                  PlanStart start = PlanStart::kNew);

/// The first block with runs that look inside: behind the warm-up where it is told, and else behind
/// the first block, whose runs are cold. Where there are too few blocks, it is an earlier one.
KSTAR_EXPORT int first_inside_block(const MeasureSpec& spec);

/// The order in which block `block` runs its `count` members: every order is as likely, the same
/// seed gives the same one.
KSTAR_EXPORT std::vector<std::size_t> block_order(std::uint64_t seed, std::uint64_t block,
                                                  std::size_t count);

}  // namespace kstar
