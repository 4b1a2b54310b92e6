#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "kstar/mark.h"
#include "tools/kstar_train/all_reduce.h"
#include "tools/kstar_train/barrier.h"
#include "tools/kstar_train/data.h"
#include "tools/kstar_train/network.h"
#include "tools/kstar_train/trainer.h"

namespace kstar::train {

/// What the workers of a job share.
struct Job {
  enum class Signal : int { kWait, kGo, kGiveUp };

  explicit Job(const Options& wanted);

  /// Ends the waiting of all workers.
  void start(Signal value);
  /// Whether to go on.
  bool wait_for_start() const;

  const Options& options;
  Network network;
  Dataset data;
  std::vector<std::int64_t> shares;
  Barrier barrier;
  RingAllReduce all_reduce;
  std::atomic<Signal> signal = Signal::kWait;
};

/// One worker: a replica of the network and a share of every batch.
class Worker {
 public:
  Worker(Job& job, int number);

  /// All steps; in a thread of its own.
  void run();

  int number() const { return number_; }
  const std::vector<double>& parameters() const { return parameters_; }
  /// Valid when run() has returned; the timing is this worker's.
  Outcome outcome() const;

 private:
  void step(int index);
  void load(int index);
  void serial_part();
  void compute(int index);
  void communicate();
  void update();
  /// Runs `part` inside the marks of a phase.
  template <typename Part>
  void phase(kstar_mark_phase phase, Part part);

  Job& job_;
  const int number_;
  const std::size_t share_;
  std::uint64_t offset_;  // of the share in the batch
  kstar_mark* mark_ = nullptr;
  std::optional<Stream> stream_;
  double streamed_ = 0;
  Batch batch_;
  std::vector<double> parameters_;
  std::vector<double> sums_;  // of the gradient and, last, the loss
  Gradient gradient_;
  Optimizer optimizer_;
  std::vector<double> losses_;
  double seconds_per_step_ = 0;
};

}  // namespace kstar::train
