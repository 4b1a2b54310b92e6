#include "tools/kstar_comm/operations.h"

#include <mpi.h>

#include <algorithm>
#include <map>

namespace kstar::probe {

namespace {

constexpr std::size_t kFloat = sizeof(float);

/// Of numbers, at least one.
int numbers(std::size_t bytes) {
  return static_cast<int>(std::max<std::size_t>(1, bytes / kFloat));
}

}  // namespace

bool Operation::is_known(const std::string& name) {
  static const char* const kNames[] = {"all-reduce", "reduce-scatter", "all-gather",
                                       "broadcast",  "all-to-all",     "point-to-point"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

Operation::Operation(const std::string& name, int rank, int ranks, std::size_t largest)
    : rank_(rank), ranks_(ranks) {
  static const std::map<std::string, Kind> kKinds = {
      {"all-reduce", Kind::kAllReduce}, {"reduce-scatter", Kind::kReduceScatter},
      {"all-gather", Kind::kAllGather}, {"broadcast", Kind::kBroadcast},
      {"all-to-all", Kind::kAllToAll},  {"point-to-point", Kind::kMessage}};
  kind_ = kKinds.at(name);
  const std::size_t room = largest / kFloat + static_cast<std::size_t>(ranks) + 1;
  in_.assign(room, 1.0F);
  out_.assign(room, 0.0F);
}

std::size_t Operation::part(std::size_t bytes) const {
  return std::max<std::size_t>(1, bytes / static_cast<std::size_t>(ranks_));
}

void Operation::once(std::size_t bytes, long number) {
  const int count = numbers(bytes), piece = static_cast<int>(part(bytes));
  const int shared = std::max(1, count / ranks_);
  switch (kind_) {
    case Kind::kAllReduce:
      MPI_Allreduce(in_.data(), out_.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      return;
    case Kind::kReduceScatter:
      MPI_Reduce_scatter_block(in_.data(), out_.data(), shared, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      return;
    case Kind::kAllGather:
      MPI_Allgather(in_.data(), piece, MPI_BYTE, out_.data(), piece, MPI_BYTE, MPI_COMM_WORLD);
      return;
    case Kind::kBroadcast:
      // The root changes from call to call: otherwise it would run ahead of the others, and the
      // calls would overlap.
      MPI_Bcast(out_.data(), static_cast<int>(std::max<std::size_t>(1, bytes)), MPI_BYTE,
                static_cast<int>(number % ranks_), MPI_COMM_WORLD);
      return;
    case Kind::kAllToAll:
      MPI_Alltoall(in_.data(), piece, MPI_BYTE, out_.data(), piece, MPI_BYTE, MPI_COMM_WORLD);
      return;
    case Kind::kMessage:
      break;
  }
  // There and back between the first rank and the last: two messages. What came is sent back, as
  // data that somebody has just written: a buffer that never changes would stay in caches.
  const int size = static_cast<int>(bytes), last = ranks_ - 1;
  if (rank_ == 0) {
    MPI_Send(out_.data(), size, MPI_BYTE, last, 0, MPI_COMM_WORLD);
    MPI_Recv(out_.data(), size, MPI_BYTE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (rank_ == last) {
    MPI_Recv(out_.data(), size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out_.data(), size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

void Operation::call(std::size_t bytes, long count) {
  // Two messages are there and back: half as many rounds.
  const long rounds = kind_ == Kind::kMessage ? std::max(1L, count / 2) : count;
  for (long i = 0; i < rounds; ++i) once(bytes, i);
}

bool Operation::is_right(std::size_t bytes) {
  const bool sends = kind_ == Kind::kBroadcast || kind_ == Kind::kMessage;
  std::fill(out_.begin(), out_.end(), rank_ == 0 && sends ? 1.0F : 0.0F);
  once(bytes, 0);
  const bool sums = kind_ == Kind::kAllReduce || kind_ == Kind::kReduceScatter;
  const bool takes_part = kind_ != Kind::kMessage || rank_ == 0 || rank_ == ranks_ - 1;
  if (!takes_part || bytes < kFloat * static_cast<std::size_t>(ranks_)) return true;
  return out_[0] == (sums ? static_cast<float>(ranks_) : 1.0F);
}

}  // namespace kstar::probe
