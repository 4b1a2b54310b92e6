#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kstar/result.h"
#include "tools/kstar_train/planted.h"

namespace kstar::train {

/// How the gradients of a step are summed over the workers.
enum class AllReduce {
  kFused,      ///< all of them at once
  kLayered,    ///< layer by layer, the last layer first
  kOverlapped  ///< layer by layer, in the background while the backward pass goes on
};

/// What runs the workers of a program.
struct Engine {
  std::string program;
  std::string worker;          ///< what it calls a worker
  std::optional<int> workers;  ///< how many there are, where the command line does not say
  bool overlaps = false;       ///< it can sum in the background
};

/// What is asked of one training job.
struct Options {
  int workers = 1;
  std::int64_t batch = 256;  ///< over all workers
  bool weak = false;         ///< the batch was given a worker
  int steps = 50;            ///< in all
  int warm_up = 5;           ///< the first of them, not timed
  std::uint64_t seed = 1;
  int width = 128;
  int depth = 2;           ///< hidden layers
  std::int64_t chain = 0;  ///< dependent operations a sample, beside the network
  double rate = 0.01;
  double momentum = 0.9;
  AllReduce all_reduce = AllReduce::kFused;
  Planted planted;
  bool print_loss = false;
  bool print_gradient = false;
  bool json = false;
  bool help = false;
};

/// Options out of the words of a command line; what is wrong is an error of usage.
Result<Options> parse_options(const std::vector<std::string>& words, const Engine& engine);

/// What --help prints.
std::string help_text(const Engine& engine);

}  // namespace kstar::train
