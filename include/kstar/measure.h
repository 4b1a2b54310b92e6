#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kstar/block_runner.h"
#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/stopping.h"
#include "kstar/study.h"
#include "kstar/study_file.h"

/// The measuring loop: blocks in random order, every run appended as it ends, until each K is as
/// precise as asked.
namespace kstar {

/// One program at one K, and how far it is.
struct MeasurePoint {
  Role role = Role::kParallel;
  int workers = 1;
  bool inside = false;        ///< its runs look inside the program, and are no part of T(K)
  std::vector<double> times;  ///< of the runs that count, in order
  std::size_t warm_up = 0;    ///< first runs that do not count: as told, or as found so far
  std::size_t failures = 0;
  bool given_up = false;  ///< too many failures
  bool done = false;
  std::optional<RunPrecision> verdict;  ///< after the last round, where there are times
  bool base = false;                    ///< S and E are relative to it: it runs in every round
};

/// Whether it is one of the point's runs.
KSTAR_EXPORT bool is_of(const Run& run, const MeasurePoint& point);

/// The verdicts by all runs so far, in the order of the points. Those that look inside are no part
/// of what is judged.
KSTAR_EXPORT Result<std::vector<RunPrecision>> judge_points(
    const MeasureSpec& spec, const std::vector<MeasurePoint>& points);

/// Told what happens. The loop itself prints nothing. What it is told of a run comes when the next
/// one is under way, so that no two runs wait for it.
class KSTAR_EXPORT MeasureObserver {
 public:
  virtual ~MeasureObserver() = default;
  virtual void noted(const Note& note) = 0;
  /// A run has started: of which point.
  virtual void starts(const MeasurePoint& point, const std::vector<MeasurePoint>& all) = 0;
  /// A run was appended, and the next one has not begun: whatever is done here delays it.
  virtual void kept(const Run&, const std::vector<MeasurePoint>&) {}
  /// After a run was appended, beside the next one.
  virtual void ended(const Run& run, const std::vector<MeasurePoint>& all) = 0;
  /// Nothing happens for a while, and why: "3 jobs wait: Resources".
  virtual void waits(const std::string&) {}
};

/// Why measuring ended.
enum class MeasureEnd {
  kPrecise,      ///< every K is as precise as asked, or has the runs asked for
  kLimit,        ///< max_runs, or failures, kept some K from it
  kBudget,       ///< the budget was used up
  kInterrupted,  ///< the user stopped it
};

struct MeasureResult {
  MeasureEnd end = MeasureEnd::kPrecise;
  std::vector<MeasurePoint> points;
};

/// A check of what only one room knows.
using SpecCheck = std::function<Result<void>(const MeasureSpec&)>;

/// Everything that can be known to be wrong before anything runs: what is missing, contradictions,
/// placeholders at every K, patterns; and what `submit` knows of jobs (check_submit() of
/// kstar/slurm_submit.h). The notes are warnings for the user and the study.
KSTAR_EXPORT Result<std::vector<Note>> check_spec(const MeasureSpec& spec,
                                                  const SpecCheck& submit = {});

/// The worker counts where nobody says any.
struct UsualWorkers {
  std::vector<std::int64_t> workers;  ///< powers of two up to the largest, and the largest
  std::string reason;                 ///< "the 6 cores of this machine"
};

/// Up to the cores that this process may use; GPUs where they are the workers; ranks: the tasks or
/// the nodes of the Slurm allocation, or the named hosts. An error where nothing here can say.
KSTAR_EXPORT Result<UsualWorkers> usual_workers(const MeasureSpec& spec);

/// Whether every K starts the same command line, so that only a variable tells the program its K.
KSTAR_EXPORT bool is_same_command(const MeasureSpec& spec);

/// The header of the study that `spec` asks for, on this machine. A seed of 0 is replaced.
KSTAR_EXPORT Result<StudyHeader> study_header(const MeasureSpec& spec);

/// Whether a study may go on with the header `now`: an error names what changed (program, spec,
/// machine). A file that the command names and the job writes may change.
KSTAR_EXPORT Result<void> may_resume(const Study& old, const StudyHeader& now,
                                     const std::string& name);

/// check_program_can_start() for every program that the study will run: the command at every K, the
/// baseline, the check command; and whether libkstar_mpi.so is there where it is asked for. Before
/// the study's file is made.
KSTAR_EXPORT Result<void> check_programs_can_start(const MeasureSpec& spec);

/// One run after the other, here: nothing else runs meanwhile.
/// `session` is the name that its runs carry; "": that of its start.
KSTAR_EXPORT std::unique_ptr<BlockRunner> direct_blocks(const MeasureSpec& spec, Executor& executor,
                                                        std::string session = "");

/// How far a session is. The studies that one session measures interleaved share it.
struct SessionCount {
  int order = 0;       ///< of the next run
  int block = 0;       ///< that runs now
  double seconds = 0;  ///< of all runs so far, this session's and earlier ones
  double worker_seconds = 0;
};

/// What the loop works with. `earlier` holds the runs of a study that is resumed. Without `blocks`
/// they are direct_blocks().
struct MeasureTools {
  Executor& executor;
  StudyWriter& writer;
  const Study& earlier;
  const std::atomic<bool>& stop;
  MeasureObserver& observer;
  BlockRunner* blocks = nullptr;
  /// What was found about the machine and the spec: the study tells with the first run.
  std::vector<Note> found = {};
  SessionCount* count = nullptr;             ///< of several studies; null: of this one alone
  std::function<void()> while_running = {};  ///< what others leave to do, beside each run
};

/// An error is about the study's file; everything before it is in the file. A job that cannot be
/// started is a failed run.
KSTAR_EXPORT Result<MeasureResult> measure(const MeasureSpec& spec, const StudyHeader& header,
                                           MeasureTools tools);

/// Marks in a finished study what the data show: runs at the start of a K that are warm-up, and
/// outliers, each a note with its reason. Runs are never dropped.
KSTAR_EXPORT void mark_findings(const MeasureSpec& spec, Study& study);
/// Whether it is one of these notes.
KSTAR_EXPORT bool is_finding(const Note& note);

}  // namespace kstar
