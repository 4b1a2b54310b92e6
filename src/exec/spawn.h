#pragma once

#include <sched.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "exec/messages.h"
#include "kstar/executor.h"

namespace kstar {

/// A plan with everything done that can be done before the clock starts.
class PreparedJob {
 public:
  PreparedJob() = default;
  explicit PreparedJob(const LaunchPlan& plan);

  struct CpuSetDeleter {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
  };

  std::string program;  ///< found in PATH where its name has no slash; empty: not found
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::string folder;
  std::unique_ptr<cpu_set_t, CpuSetDeleter> cpus;
  std::size_t cpus_size = 0;
  double time_limit = 0;
  double grace = 0;  ///< 0: the executor's

 private:
  void take_environment(const LaunchPlan& plan);
  void take_cpus(const std::vector<int>& numbers);

  std::vector<std::string> words_;
  std::vector<std::string> settings_;
};

/// The files that become a job's standard input, output and error.
struct StandardFiles {
  int input = -1;
  int output = -1;
  int error = -1;
};

struct Spawned {
  pid_t process = -1;  ///< there is one, to be waited for, also where a step in it failed
  StartStep failed = StartStep::kNone;
  int reason = 0;
};

/// Starts the job in a process group of its own, and returns when it has its program or has failed.
/// All signals of the caller are blocked and none is ignored; the job gets them all unblocked. It
/// is killed when the calling thread ends.
Spawned spawn(const PreparedJob& job, const StandardFiles& files);

}  // namespace kstar
