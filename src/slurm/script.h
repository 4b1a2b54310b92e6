#pragma once

#include <string>
#include <vector>

#include "kstar/result.h"

namespace kstar {

/// What a batch job asks for, and what it runs.
struct BatchJob {
  std::string name;  ///< letters, digits and dashes
  int nodes = 1;
  int ranks = 1;                     ///< a node
  int threads = 1;                   ///< a rank
  double seconds = 0;                ///< after which Slurm ends it; 0: the partition's limit
  std::string id_file;               ///< where the job writes its id first
  std::vector<std::string> command;  ///< what it becomes then
};

/// A script for sbatch. Every word of the command reaches the program as it is.
std::string batch_script(const BatchJob& job);

/// A name as sbatch's --output takes it: it would replace %j and the like.
std::string batch_file_name(const std::string& path);

/// Refuses words for sbatch that would undo what kstar says itself (the job's size, its name, how
/// it is waited for), or that are no options.
Result<void> check_submit_options(const std::vector<std::string>& words);

}  // namespace kstar
