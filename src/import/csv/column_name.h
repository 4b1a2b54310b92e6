#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What the name of a column says about what it holds, by the words of name_table.cc.
namespace kstar {

enum class ColumnKind {
  kOther,       ///< a label or a measure that is not used
  kWorkers,     ///< K
  kWorkersIn,   ///< how many in each of a larger part: gpus per node, ppn; `rank` in `rank_of_part`
  kTime,        ///< seconds of the job, times `scale`
  kRate,        ///< work per second, times `scale`
  kWorkerRate,  ///< the same of one worker
  kSpeedup,     ///< times `scale` (percent)
  kEfficiency,  ///< likewise
  kRepeat,      ///< the number of a repeat
  kCounter,     ///< tells repeats apart and orders none: a seed, the number of a step
  kSteps,       ///< how many steps a run makes
  kBuild,       ///< how the program was built: flags, a compiler
  kSize,        ///< of the whole problem
  kDimension,   ///< of the problem: how the work grows with it, its name does not say
  kBatch,       ///< over all workers
  kConverged,   ///< samples, tokens or epochs until a training converged: `work` says which
  kStatus,      ///< how a run ended: a state, an exit code
  kMetric,      ///< the name of what stands in a column named "value"
  kValue,       ///< that column
  kCompute,     ///< seconds of one worker
  kCommunicate,
  kWait,
  kWork,
  kSetting  ///< a number that belongs to the problem: a sequence length, a layout
};

struct ColumnName {
  ColumnKind kind = ColumnKind::kOther;
  double scale = 1;                 ///< of the unit
  int unexplained = 0;              ///< words that say nothing known; the fewer, the surer
  int rank = 0;                     ///< among kWorkers: the smaller, the rather it is K
  int rank_of_part = 0;             ///< of kWorkersIn: what it is counted in; of a size likewise
  bool singular = false;            ///< of kWorkers: "rank" may count them, or be one's number
  bool of_one_worker = false;       ///< of kSize and kBatch: "cells/core", "local size"
  bool axis = false;                ///< of kDimension: nx, the size is the product with ny
  std::string statistic;            ///< mean, median, min ... where it is a summary
  std::optional<int> index;         ///< t1, run_2, compute 3: the number at the end
  std::string repeat_of;            ///< the words around it, where it may count repeats
  bool of_one_step = false;         ///< of a time: that of a step, an iteration or an epoch
  bool of_request = false;          ///< of a time: a latency, a response, a percentile
  bool minutes_or_minimum = false;  ///< ends with "min": other columns tell which
  std::string work;                 ///< of a rate, of what converged, of hours/ns: what it counts
  bool until_converged = false;     ///< of kConverged: the name says so, and not "samples" alone
  bool speedup_or_efficiency = false;  ///< a bare "scaling": its values tell which
  bool is_remark = false;   ///< of kOther: a note, a host, a job: it tells no series apart
  bool is_day = false;      ///< likewise, where something else numbers the repeats
  bool is_part = false;     ///< a time of a part of the run, "compute time": T where no other is
  bool no_setting = false;  ///< of kOther: names what is measured or derived, and never a problem
  bool is_transformed = false;  ///< "1/time", "time (x1000 s)": a time that was computed with
  double unit = 0;              ///< seconds of the unit of time in the name, whatever else it says
  bool unit_in_brackets = false;
  double clock = 0;             ///< seconds of the last place of a clock: (mm:ss) 1, (hh:mm) 60
  bool numbers_worker = false;  ///< "rank", "worker_id": which of the workers the row is of
  std::string factor;           ///< one of POP's, by its name in a Study
  /// "throughput_base": what it would be without that word. Such a column is no sample: it is what
  /// the row's own speedup is against.
  std::optional<ColumnKind> base_of;
};

ColumnName column_named(std::string_view name);

/// Whether a lower-case word names a worker: gpu, ranks, np, k.
bool is_worker_word(std::string_view word);

/// It holds what somebody computed from times.
constexpr bool is_ratio(ColumnKind kind) {
  return kind == ColumnKind::kSpeedup || kind == ColumnKind::kEfficiency;
}
constexpr bool is_rate(ColumnKind kind) {
  return kind == ColumnKind::kRate || kind == ColumnKind::kWorkerRate;
}
/// T can be made of it.
constexpr bool is_measured(ColumnKind kind) {
  return kind == ColumnKind::kTime || is_rate(kind) || is_ratio(kind);
}

}  // namespace kstar
