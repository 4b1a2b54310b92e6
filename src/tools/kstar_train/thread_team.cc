#include "tools/kstar_train/thread_team.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "tools/kstar_train/barrier.h"
#include "tools/kstar_train/shared_sum.h"
#include "tools/kstar_train/team.h"
#include "tools/kstar_train/worker.h"

namespace kstar::train {

namespace {

/// What the threads meet at.
struct Shared {
  explicit Shared(int workers) : barrier(workers), gradients(workers) {}

  Barrier barrier;
  SharedSum gradients;
};

class ThreadTeam final : public Team {
 public:
  ThreadTeam(Shared& shared, int number) : shared_(shared), number_(number) {}

  int number() const override { return number_; }
  void meet() override { shared_.barrier.arrive_and_wait(); }
  void sum(std::span<double> values) override { shared_.gradients.sum(number_, values); }

 private:
  Shared& shared_;
  const int number_;
};

/// Holds the threads back until all of them could be made.
class Gate {
 public:
  void open() { set(State::kOpen); }
  void give_up() { set(State::kGivenUp); }
  /// Whether to go on.
  bool wait() const {
    state_.wait(State::kClosed, std::memory_order_acquire);
    return state_.load(std::memory_order_acquire) == State::kOpen;
  }

 private:
  enum class State : int { kClosed, kOpen, kGivenUp };
  void set(State state) {
    state_.store(state, std::memory_order_release);
    state_.notify_all();
  }

  std::atomic<State> state_ = State::kClosed;
};

/// A place in the team and who takes it.
struct Seat {
  Seat(const Job& job, Shared& shared, int number) : team(shared, number), worker(job, team) {}

  ThreadTeam team;
  Worker worker;
};

Result<void> run_all(std::vector<std::unique_ptr<Seat>>& seats) {
  Gate gate;
  std::vector<std::jthread> threads;
  try {
    for (auto& seat : seats) {
      threads.emplace_back([&gate, &seat] {
        if (gate.wait()) seat->worker.run();
      });
    }
  } catch (const std::system_error& error) {
    gate.give_up();
    return fail({.where = "--workers",
                 .message = fmt::format("cannot start thread {} of {}: {}", threads.size() + 1,
                                        seats.size(), error.what())});
  }
  gate.open();
  return {};
}

}  // namespace

Engine thread_engine() {
  return {.program = "kstar-train", .worker = "threads"};
}

Result<Outcome> train_on_threads(const Options& options) {
  const Job job(options);
  Shared shared(options.workers);
  std::vector<std::unique_ptr<Seat>> seats;
  for (int i = 0; i < options.workers; ++i) seats.push_back(std::make_unique<Seat>(job, shared, i));
  if (auto ran = run_all(seats); !ran) return fail(ran.error());
  const Worker& first = seats.front()->worker;
  for (const auto& seat : seats) {
    if (!same_bits(seat->worker.parameters(), first.parameters())) {
      return fail(replica_differs(seat->team.number()));
    }
  }
  return first.outcome();
}

}  // namespace kstar::train
