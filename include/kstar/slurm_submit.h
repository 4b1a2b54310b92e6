#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "kstar/block_runner.h"
#include "kstar/executor.h"
#include "kstar/export.h"
#include "kstar/measure.h"
#include "kstar/measure_session.h"
#include "kstar/measure_spec.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// Measuring with batch jobs of Slurm, from outside of an allocation. The jobs' files are in a
/// folder beside the study, STUDY.jobs. docs/slurm.md says how it is used and what is promised.
namespace kstar {

/// What of a spec is wrong for jobs; for check_spec().
KSTAR_EXPORT Result<void> check_submit(const MeasureSpec& spec);

/// An error inside of a job: jobs are submitted from outside.
KSTAR_EXPORT Result<void> may_submit();

/// What submitting works with.
struct SubmitTools {
  std::string program;            ///< the kstar that the jobs run; the nodes must have it, too
  Executor& executor;             ///< for Slurm's commands; not ended by `stop`
  const std::atomic<bool>& stop;  ///< cancels the jobs
};

/// Every run as a job of its own, as large as its K.
KSTAR_EXPORT std::unique_ptr<BlockRunner> slurm_blocks(const MeasureSpec& spec,
                                                       const StudyHeader& header,
                                                       const SubmitTools& tools);

/// How a study that one job measured as a whole has ended.
struct PackEnd {
  bool done = false;         ///< the job measured to its end
  bool given_up = false;     ///< a K was given up on the way
  bool interrupted = false;  ///< by the user; the job is cancelled
  /// No run counts, and the study that was to be replaced is back in its place.
  bool old_study_stays = false;
  std::string failed_study;  ///< where the runs are then, if there are any
  std::string job;           ///< its id
  std::string words;         ///< how the job ended
  std::string output;        ///< the end of what it printed
};

/// One job as large as the largest K, in which kstar measures the whole study. While the job runs,
/// the study's file is the job's. A study that goes on is watched where its job is in the queue,
/// and else gets another job.
KSTAR_EXPORT Result<PackEnd> run_packed(const MeasureSpec& spec, const StudyHeader& header,
                                        SessionStart start, const SubmitTools& tools,
                                        MeasureObserver& observer);

/// Before a study is replaced: cancels its jobs, and removes their files.
KSTAR_EXPORT Result<void> drop_jobs(const std::string& study, const SubmitTools& tools);

}  // namespace kstar
