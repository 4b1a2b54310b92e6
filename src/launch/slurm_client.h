#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kstar/executor.h"
#include "kstar/result.h"

namespace kstar {

/// What Slurm answered; without a value, why not. A controller that is being restarted does not
/// answer: that says nothing about the jobs.
template <typename T>
struct SlurmAnswer {
  std::optional<T> value;
  std::string trouble;   ///< in its own words
  bool refused = false;  ///< it did answer, and asking again will not help
};

/// A job in the queue.
struct QueuedJob {
  std::string id;
  std::string name;
  std::string state;   ///< PENDING, RUNNING ...
  std::string reason;  ///< why it waits: Resources, Priority ...
};

/// What became of a job.
struct JobEnd {
  std::string name;
  std::string state;  ///< COMPLETED, FAILED, NODE_FAIL ...; empty: Slurm knows nothing of it
  std::string reason;
  std::string exit_code;           ///< "1:0": status and signal of the batch script
  std::vector<std::string> nodes;  ///< that it had
};

/// A job's number, and nothing that a command could take for an option or a list: ids come out of
/// files that somebody else may have written.
bool is_job_id(std::string_view text);

/// Whether a job in this state is over.
bool is_over(std::string_view state);

/// Whether the cluster, and not the job, is to blame for this end.
bool is_cluster_fault(std::string_view state);

/// Whether this is what Slurm's commands print when the controller cannot be reached, or is too
/// busy: asking again may help.
bool is_passing(std::string_view text);

/// Slurm's own commands, started one at a time.
class SlurmClient {
 public:
  explicit SlurmClient(Executor& executor) : executor_(executor) {}

  /// sbatch; the job's id. Where it did not answer, the job may be in the queue all the same.
  SlurmAnswer<std::string> submit(const std::vector<std::string>& words);
  /// Why sbatch would not take the job of these words (with --test-only); empty when it would.
  std::string would_submit(const std::vector<std::string>& words);
  /// The jobs among `ids` that are not over.
  SlurmAnswer<std::vector<QueuedJob>> queue(std::vector<std::string> ids);
  /// The jobs whose name starts with `prefix`, over or not, as far as Slurm remembers them.
  SlurmAnswer<std::vector<QueuedJob>> named(const std::string& prefix);
  SlurmAnswer<JobEnd> look_at(const std::string& id);
  SlurmAnswer<bool> cancel(std::vector<std::string> ids);
  SlurmAnswer<bool> release(const std::string& id);

 private:
  SlurmAnswer<std::string> ask(std::vector<std::string> words);

  Executor& executor_;
};

/// The value of a key in what `scontrol show job -o` prints; empty when it has none.
std::string job_value(std::string_view line, std::string_view key);

}  // namespace kstar
