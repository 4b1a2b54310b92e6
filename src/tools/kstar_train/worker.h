#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kstar/mark.h"
#include "kstar/result.h"
#include "tools/kstar_train/data.h"
#include "tools/kstar_train/network.h"
#include "tools/kstar_train/options.h"
#include "tools/kstar_train/outcome.h"
#include "tools/kstar_train/team.h"

namespace kstar::train {

/// What the workers of a job have in common; they only read it.
struct Job {
  explicit Job(const Options& wanted);

  Options options;
  Network network;
  Dataset data;
  std::vector<std::int64_t> shares;
};

/// One worker: a replica of the network and a share of every batch. Each step the gradients of all
/// workers are summed; the batch of a step does not depend on the number of workers.
class Worker {
 public:
  Worker(const Job& job, Team& team);

  /// All steps. The workers of a team run at the same time.
  void run();

  const std::vector<double>& parameters() const { return parameters_; }
  /// Valid when run() has returned; the timing is this worker's.
  Outcome outcome() const;

 private:
  void step(int index);
  void load(int index);
  void serial_part();
  void compute(int index);
  /// One layer's part of the sums; the last has the loss, too.
  std::span<double> layer_sums(std::size_t layer);
  void communicate();
  void sum_gradients();
  void update();
  double flops_per_step() const;
  double bytes_per_step() const;
  /// Runs `part` inside the marks of a phase.
  template <typename Part>
  void phase(kstar_mark_phase phase, Part part);

  const Job& job_;
  Team& team_;
  const std::size_t share_;
  std::uint64_t offset_;  // of the share in the batch
  kstar_mark* mark_ = nullptr;
  std::optional<Stream> stream_;
  double streamed_ = 0;
  std::uint64_t chained_ = 1;
  Batch batch_;
  std::vector<double> parameters_;
  std::vector<double> sums_;  // of the gradient and, last, the loss
  std::vector<Network::Span> layers_;
  Gradient gradient_;
  Optimizer optimizer_;
  std::vector<double> losses_;
  double seconds_per_step_ = 0;
};

/// Also of what is no number: a training that diverged is the same on all workers.
bool same_bits(std::span<const double> a, std::span<const double> b);

/// What to say when the replica of this worker is not that of worker 0.
Error replica_differs(int worker);

}  // namespace kstar::train
