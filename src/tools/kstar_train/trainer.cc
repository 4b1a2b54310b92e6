#include "tools/kstar_train/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <system_error>
#include <thread>

#include "tools/kstar_train/worker.h"

namespace kstar::train {

namespace {

/// Starts a thread a worker; those that wait for the start go home when not all could be made.
Result<void> run_all(std::vector<std::unique_ptr<Worker>>& workers, Job& job) {
  std::vector<std::jthread> threads;
  try {
    for (auto& worker : workers) threads.emplace_back([&worker] { worker->run(); });
  } catch (const std::system_error& error) {
    job.start(Job::Signal::kGiveUp);
    return fail({.where = "--workers",
                 .message = fmt::format("cannot start thread {} of {}: {}", threads.size() + 1,
                                        workers.size(), error.what())});
  }
  job.start(Job::Signal::kGo);
  return {};
}

/// Also of what is no number: a training that diverged is the same on all workers.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

}  // namespace

Result<Outcome> train(const Options& options) {
  Job job(options);
  std::vector<std::unique_ptr<Worker>> workers;
  for (int i = 0; i < options.workers; ++i) workers.push_back(std::make_unique<Worker>(job, i));
  if (auto ran = run_all(workers, job); !ran) return fail(ran.error());
  for (const auto& worker : workers) {
    if (same_bits(worker->parameters(), workers.front()->parameters())) continue;
    return fail({.where = fmt::format("worker {}", worker->number()),
                 .message = "its replica of the network differs from that of worker 0"});
  }
  Outcome outcome = workers.front()->outcome();
  outcome.shares = job.shares;
  return outcome;
}

}  // namespace kstar::train
