#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/regime.h"
#include "kstar/result.h"
#include "kstar/shape.h"
#include "kstar/study.h"

/// What to measure and how, as a command line or a study.toml says it.
namespace kstar {

/// Where a run's time comes from. kstar/time_source.h says what each makes of a run.
enum class TimeFrom : std::uint8_t {
  kProcess,  ///< the whole process
  kMarks,    ///< kstar/mark.h or kstar_mark.py in the program
  kPattern,  ///< a pattern in its output: time_pattern, one group; every match is a step
  kJson      ///< JSON lines in its output: the number at time_key; every line with it is a step
};

KSTAR_EXPORT std::string_view name_of(TimeFrom from);

struct MeasureSpec {
  std::string title;
  std::vector<std::string> command;   ///< with placeholders; kstar/placeholders.h
  bool shell = false;                 ///< the command is a text for /bin/sh -c
  bool same_command = false;          ///< it is meant that every K starts the same command line
  std::vector<std::string> baseline;  ///< the fastest correct single-worker program; may be empty
  std::vector<std::string> setup;     ///< once, before the first run at a K; not timed, as the next
  std::vector<std::string> prepare;   ///< before every run
  std::vector<std::string> cleanup;   ///< once, after the last run at a K
  std::vector<std::int64_t> workers;  ///< ascending, each once
  std::vector<Shape>
      shapes;        ///< of each of `workers`, or empty: shape_at() of kstar/placeholders.h
  int per_node = 0;  ///< workers per node; 0: not said
  std::optional<Regime> regime;  ///< absent: strong

  std::optional<double> size;         ///< of the whole problem; weak: on one worker
  std::string size_growth;            ///< weak: K (in proportion), sqrt(K), cbrt(K) or K^P; "": K
  std::string unit;                   ///< what size counts
  std::optional<std::int64_t> batch;  ///< global; weak: of one worker

  TimeFrom time_from = TimeFrom::kProcess;
  std::string time_pattern;
  std::string time_key;             ///< a path: step.seconds
  std::string time_unit = "s";      ///< of the numbers in the output: s, ms, us, ns, min, h
  bool time_is_rate = false;        ///< they are work a time_unit, not times
  std::optional<double> time_work;  ///< work of one step, for rates; weak: of one worker

  std::string check_pattern;  ///< a result in the output that must agree across K
  std::vector<std::string> check_command;
  std::string check_value;                ///< what the result must be; "": as in the first good run
  std::optional<double> check_tolerance;  ///< relative; absent: 1e-6, and whole numbers exactly

  std::optional<int> warm_up_runs;  ///< absent: found from the data
  std::optional<int> warm_up_steps;
  double precision = 0.02;  ///< relative half-width to reach
  double confidence = kConfidence;
  std::optional<int> runs;  ///< exactly so many at each K; absent: until precise
  int max_runs = 100;
  int inside = 0;        ///< runs of their own at each K that look inside MPI; 0: none
  int max_failures = 3;  ///< at one K, before it is given up
  std::optional<double> budget_seconds;
  std::optional<double> budget_worker_hours;
  double time_limit = 0;   ///< of one run, seconds; 0: none
  std::uint64_t seed = 0;  ///< of the order; 0: chosen and recorded

  std::string launcher = "local";
  std::string launchers;                      ///< a file with launchers of the user's own
  std::string launcher_program;               ///< instead of mpirun, srun, torchrun
  std::vector<std::string> launcher_options;  ///< words passed on to it
  std::vector<std::string> hosts;             ///< nodes to run on, or one hostfile (has a /)
  bool bind = true;
  bool gpus = false;                             ///< workers are GPUs: CUDA_VISIBLE_DEVICES
  std::map<std::string, std::string> variables;  ///< set for the job; with placeholders
  std::string output;                            ///< the study's file

  bool submit = false;                      ///< every run is a batch job: kstar/slurm_submit.h
  bool pack = false;                        ///< one job for the whole study
  std::vector<std::string> submit_options;  ///< words for sbatch: partition, account
  std::optional<int> jobs_at_once;          ///< in the queue; absent: all of a block
  double patience = 600;                    ///< seconds to wait for a Slurm that does not answer

  int sessions = 1;  ///< separate starts that the blocks are spread over
  /// Measured interleaved, each a study of its own: kstar/variants.h.
  std::vector<std::string> against;
  std::map<std::string, std::string> parameters;  ///< {name} in the texts above: "a,b,c"

  bool operator==(const MeasureSpec&) const = default;
};

/// A study.toml. What is not said keeps its default. Errors show the line; `name` is the file's.
KSTAR_EXPORT Result<MeasureSpec> read_spec(std::string_view toml, std::string_view name);
KSTAR_EXPORT Result<MeasureSpec> load_spec(const std::string& path);

/// A study.toml that explains every key and reads back as the same spec.
KSTAR_EXPORT std::string spec_toml(const MeasureSpec& spec);

/// What the study is: the regime asked for, strong by default. Weak is work in proportion to K:
/// with any other growth of the size the study is mixed.
KSTAR_EXPORT Regime regime_of(const MeasureSpec& spec);

}  // namespace kstar
