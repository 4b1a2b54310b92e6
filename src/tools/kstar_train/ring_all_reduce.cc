#include "tools/kstar_train/ring_all_reduce.h"

#include <algorithm>

namespace kstar::train {

// Rounds of one call, per worker: 1 (its array is there), K - 1 of adding, K - 1 of copying. Before
// its round n a worker waits for round n of the left neighbour, that is, for the piece it reads. It
// overwrites a piece in the copying rounds only, K - 1 rounds after the right neighbour could read
// it; all the way round the ring each wait is for one round less, so by then the right one has.

void RingAllReduce::sum(int worker, std::span<double> values) {
  Seat& own = seat(worker);
  const Seat& left = seat(worker - 1);
  std::uint64_t round = own.rounds.load(std::memory_order_relaxed);
  own.values = values;
  finish_round(own);
  for (int i = 0; i < workers_ - 1; ++i) {
    wait_for(left, ++round);
    const auto from = piece(left, worker - 1 - i), to = piece(own, worker - 1 - i);
    for (std::size_t j = 0; j < to.size(); ++j) to[j] += from[j];
    finish_round(own);
  }
  for (int i = 0; i < workers_ - 1; ++i) {
    wait_for(left, ++round);
    const auto from = piece(left, worker - i);
    std::copy(from.begin(), from.end(), piece(own, worker - i).begin());
    finish_round(own);
  }
  wait_for(seat(worker + 1), ++round);  // it still reads our array
}

std::span<double> RingAllReduce::piece(const Seat& seat, int number) const {
  const auto count = static_cast<std::size_t>(workers_);
  const auto index = static_cast<std::size_t>((number % workers_ + workers_) % workers_);
  const std::size_t size = seat.values.size();
  const std::size_t begin = size * index / count, end = size * (index + 1) / count;
  return seat.values.subspan(begin, end - begin);
}

void RingAllReduce::wait_for(const Seat& seat, std::uint64_t rounds) const {
  patience_.wait(seat.rounds, [rounds](std::uint64_t now) { return now >= rounds; });
}

void RingAllReduce::finish_round(Seat& seat) {
  seat.rounds.fetch_add(1, std::memory_order_release);
  seat.rounds.notify_all();
}

}  // namespace kstar::train
