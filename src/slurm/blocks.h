#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kstar/block_runner.h"
#include "kstar/executor.h"
#include "kstar/measure.h"
#include "launch/patience.h"
#include "launch/slurm_client.h"
#include "slurm/parts.h"
#include "slurm/script.h"

namespace kstar {

/// Every run is a batch job of its own, exactly as large as its K. The jobs of a block are in the
/// queue together, in random order.
///
/// A job is `kstar measure` of one run. Its files are written before it is submitted, and its id
/// is noted in the study after; a kstar that was killed in between finds the job by its name. So
/// every job is known to the one who goes on, and its run is taken once: the run's session says
/// which job it is of.
class SlurmBlocks final : public BlockRunner {
 public:
  SlurmBlocks(const MeasureSpec& spec, const StudyHeader& header, std::string program,
              Executor& executor, const std::atomic<bool>& stop, WatchClock clock);

  Result<void> prepare(const std::vector<MeasurePoint>& points, const Study& earlier) override;
  Result<void> run(int block, const std::vector<std::size_t>& points, BlockKeeper& keeper) override;
  BegunBlock begun() const override;
  AnswerCheck* check() override { return check_.get(); }
  void complete(Study& study) const override { take_node_facts(parts_, study); }
  void clean_up(const Study& study) const override { remove_finished_parts(parts_, study); }

 private:
  struct Job {
    std::size_t point = 0;
    PartName part;
    std::string id;
    bool noted = true;  ///< its id is in the study
  };
  enum class Submitted { kYes, kLater };

  std::optional<std::size_t> point_of(const PartName& part) const;
  void take_up_noted(const Study& earlier);
  Result<void> take_up_unnoted();
  std::string job_name(const PartName& part) const;
  SlurmAnswer<std::vector<QueuedJob>> own_queue();

  BatchJob batch_job(const PartName& part) const;
  Result<void> write_files(const PartName& part) const;
  std::vector<std::string> sbatch_words(const std::string& name) const;
  Result<void> try_points();
  PartName next_part(std::size_t point) const;
  SlurmAnswer<std::string> find_unsure(const PartName& part);
  Result<void> submit_waiting(BlockKeeper& keeper);
  Result<Submitted> submit(std::size_t point, BlockKeeper& keeper);
  Result<void> add_job(Job job, BlockKeeper& keeper);
  Result<void> look_at_jobs(BlockKeeper& keeper);
  Result<void> end_job(const Job& job, const JobEnd& end, BlockKeeper& keeper);
  /// The part, waited for where a network file system may show it late.
  JobPart read_part(const Job& job, const JobEnd& end);
  Run run_of(const Job& job, const JobEnd& end, JobPart part, BlockKeeper& keeper);
  Result<void> cancel_all(BlockKeeper& keeper);

  const MeasureSpec& spec_;
  std::string program_;  ///< the kstar that the jobs run
  Executor& executor_;
  const std::atomic<bool>& stop_;
  WatchClock clock_;
  SlurmClient client_;
  SlurmParts parts_;
  Patience patience_;         ///< with answers about the jobs
  Patience submit_patience_;  ///< with sbatch, which may fail while the others answer
  Pace pace_;
  std::string tag_;  ///< what the names of this study's jobs start with
  std::unique_ptr<AnswerCheck> check_;
  std::vector<std::pair<Role, int>> points_;
  int block_ = 0;
  std::deque<std::size_t> waiting_;  ///< points that are not in the queue yet
  std::vector<Job> jobs_;            ///< that are
  std::set<std::string> known_;      ///< parts that were submitted, over or not
  std::set<std::pair<std::size_t, std::string>> warned_;  ///< once a point
  std::optional<PartName> unsure_;  ///< sbatch did not say whether it took this one
};

}  // namespace kstar
