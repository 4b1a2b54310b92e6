#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/cost_model.h"
#include "kstar/export.h"
#include "kstar/price.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// Which K, for which time and money, and how sure: from a study or a law to a Plan.
namespace kstar {

/// What T(K) would be made of, as far as it is known: for larger problems and other machines.
struct PlanParts {
  double divided = 0;                 ///< time that is divided among workers: divided / K
  std::vector<double> communication;  ///< time of it at each K
};

enum class GoalKind {
  kFastest,     ///< least time
  kCheapest,    ///< least cost
  kEfficiency,  ///< least time with at least this efficiency
  kDeadline,    ///< least cost within this time
  kBudget,      ///< least time within this cost
  kKnee         ///< least time x cost: most speed per money (Eager, Zahorjan, Lazowska 1989)
};

/// Whether a verdict leaves open what a goal asks for: then a plan says what it would be if the
/// curve is as fitted, and nothing is sure.
KSTAR_EXPORT bool leaves_open(const std::optional<Verdict>& verdict, GoalKind goal);

/// A job at every K that may be used. A study gives many curves, all equally likely; a law one.
struct PlanJob {
  std::string title;
  bool seconds = true;  ///< else times are in units of T at the smallest K
  bool has_efficiency = true;
  bool grows = false;           ///< the problem grows with K, and so does what one run does
  std::vector<double> workers;  ///< those that may be used, by K
  std::vector<double> work;     ///< that one run does at each K, over that at the base
  std::vector<std::vector<double>> times;  ///< of each curve: of one run, at each K
  std::vector<double> base;         ///< of each curve: T(K0) K0: what one worker's work costs
  std::vector<double> run_factors;  ///< of each curve: CurveDraws; empty for a law
  std::vector<double> measured;     ///< K, of a study
  std::vector<double> memory;       ///< bytes per worker at each K; empty: not known
  std::optional<PlanParts> parts;
  std::vector<std::string> notes;
  /// Why only measured K can be relied on, such as "T steps between K = 8 and 16"; "": those
  /// between them can, too. Of a law what its answer assumes.
  std::string doubt;
  /// Of the study: a goal of its threshold has the same answer. None of a law.
  std::optional<Verdict> verdict;

  bool is_law() const { return run_factors.empty(); }
};

struct UsableWorkers {
  std::vector<double> workers;         ///< the K that may be used; empty: all, up to a limit
  std::optional<double> most_workers;  ///< default: 4 times the largest measured; 1e6 of a law
};

/// Fails where the study has fewer than two K.
KSTAR_EXPORT Result<PlanJob> plan_job(const Study& study, const Analysis& analysis,
                                      const UsableWorkers& range);
/// `unit` are the seconds of one unit of the model's time; 0: it has none.
KSTAR_EXPORT PlanJob plan_job(const CostModel& model, double unit, const UsableWorkers& range);

/// In units of T(K0) becomes seconds.
KSTAR_EXPORT void set_base_time(PlanJob& job, double seconds);

struct Goal {
  GoalKind kind = GoalKind::kKnee;
  double limit = 0;         ///< of efficiency, deadline and budget
  bool in_seconds = false;  ///< a deadline with a unit; else it is in the unit of the job's times
  bool in_worker_time = false;  ///< a budget in worker-hours or worker-seconds; limit has hours
};

/// "fastest", "efficiency 0.7", "deadline 5h", "budget 500", "budget 90 worker-seconds" ...
KSTAR_EXPORT Result<Goal> parse_goal(std::string_view text, std::string_view where = "--goal");
KSTAR_EXPORT std::string_view name_of(GoalKind kind);

struct PlanOptions {
  std::optional<double> work;  ///< runs; where the problem grows, in work of the smallest K
  CostRates rates;
  std::vector<Goal> goals;       ///< none: efficiency 0.7, knee, fastest, cheapest
  double sure = 0.90;            ///< a limit holds with this probability at least
  bool by_verdict = true;        ///< else `sure` decides at the verdict's threshold, too
  double confidence = 0.95;      ///< of the intervals of K*
  std::optional<double> memory;  ///< bytes that a worker has
  std::string result = "run";    ///< what is produced ...
  double result_work = 0;        ///< ... and how much work one is; 0: the whole job
  std::optional<double> jobs;    ///< so many of this job, on `pool` workers
  std::optional<double> pool;
};

/// A K with what it takes. Medians over the curves; low and high at PlanOptions::confidence.
struct PlanPoint {
  double workers = 1;
  double time = 0, time_low = 0, time_high = 0;
  double cost = 0, cost_low = 0, cost_high = 0;
  double efficiency = 0;
  double idle = 0;  ///< K (1 - E): so many workers do no useful work, on average
  double worker_hours = 0;
  double energy = 0;             ///< kWh
  double result_cost = 0;        ///< of one PlanOptions::result
  std::optional<double> memory;  ///< bytes per worker
  bool fits = true;              ///< in memory
  bool beyond = false;           ///< the largest K measured
};

enum class DoublingKind { kGains, kNothing, kSlower };

/// From K to 2K.
struct Doubling {
  DoublingKind kind = DoublingKind::kGains;  ///< kNothing: less than 1% of the time
  double saved = 0;                          ///< seconds
  double cost = 0;                           ///< more; may be negative
  std::optional<double> per_hour;            ///< cost per hour saved
  std::optional<double> slower_from;         ///< the first K that is slower than the one before
};

struct PlanRow {
  PlanPoint point;
  std::optional<Doubling> next;  ///< none where 2K may not be used
};

/// The answer to one goal.
struct PlanAnswer {
  Goal goal;
  std::optional<PlanPoint> best;  ///< at K*; none where no K can do it, or not so surely
  /// Without `best`, of the K that can be relied on: the least time, least cost or largest E.
  std::optional<PlanPoint> nearest;
  /// A K beyond the largest measured that might do it, or 5% better than `best`: to be measured.
  std::optional<PlanPoint> untried;
  double low = 0, high = 0;  ///< of K* over the curves; infinite where some have none
  /// That the limit holds (at `nearest` without a `best`) or, of a goal without one, that no other
  /// K is 5% better, among those that can be relied on. None of a law, where the numbers are in
  /// question and, of a goal without a limit, where K* is `open`.
  std::optional<double> probability;
  bool kept = true;      ///< with PlanOptions::sure
  bool open = false;     ///< K* is the largest K that can be relied on: more might be better still
  bool no_gain = false;  ///< of kFastest: no K is notably faster than the smallest, which is K*
  bool by_verdict = false;  ///< K*, its interval and its probability are the verdict's
  std::optional<double> limited_by_memory;  ///< the least K that fits, where that moved K*
  std::optional<Doubling> next;             ///< from K*, where 2 K* may be used
};

/// Many jobs on a pool of workers.
struct ManyJobs {
  double jobs = 0, pool = 0;
  double wide_workers = 0, wide_time = 0;          ///< one after another on as many as may be used
  double workers = 0, side_by_side = 0, time = 0;  ///< the best: so many at once on K each
};

/// The same time, a larger problem.
struct LargerProblem {
  double workers = 0;
  double time = 0;
  double size = 1;        ///< the divided work, over that of the job
  double efficiency = 0;  ///< of the larger problem
};

struct Checkpoints {
  double workers = 0;
  double between = 0;  ///< mean seconds between interruptions of the job
  double young = 0, daly = 0;
  double overhead = 0;  ///< expected time over undisturbed time, less 1
};

struct Plan {
  std::string title;
  PlanOptions options;
  bool law = false, seconds = true, grows = false, has_efficiency = true;
  double work = 1;
  double largest_measured = 0;     ///< 0: a law
  std::vector<double> measured;    ///< K; empty: a law
  double most_workers = 0;         ///< the largest K that may be used
  std::string doubt;               ///< PlanJob::doubt
  std::optional<Verdict> verdict;  ///< PlanJob::verdict
  std::vector<PlanRow> rows;       ///< doublings
  std::vector<PlanPoint> curve;    ///< for drawing
  std::vector<PlanAnswer> answers;
  std::optional<ManyJobs> many;
  std::vector<LargerProblem> larger;
  std::optional<Checkpoints> checkpoints;  ///< at the K* of the first answer
  std::vector<std::string> notes;
};

/// Fails where an option makes no sense for this job: the error names the flag.
KSTAR_EXPORT Result<Plan> make_plan(const PlanJob& job, const PlanOptions& options);

}  // namespace kstar
