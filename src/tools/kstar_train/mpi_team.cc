#include "tools/kstar_train/mpi_team.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tools/kstar_train/team.h"
#include "tools/kstar_train/worker.h"

namespace kstar::train {

namespace {

/// Sums with MPI_Allreduce, in the background with MPI_Iallreduce.
class MpiTeam final : public Team {
 public:
  explicit MpiTeam(int number) : number_(number) {}

  int number() const override { return number_; }

  void meet() override { MPI_Barrier(MPI_COMM_WORLD); }

  void sum(std::span<double> values) override {
    MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                  MPI_COMM_WORLD);
  }

  void start_sum(std::span<double> values) override {
    MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE,
                   MPI_SUM, MPI_COMM_WORLD, &sums_.emplace_back());
    progress();
  }

  void progress() override {
    int done = 0;
    MPI_Testall(static_cast<int>(sums_.size()), sums_.data(), &done, MPI_STATUSES_IGNORE);
  }

  void finish_sums() override {
    MPI_Waitall(static_cast<int>(sums_.size()), sums_.data(), MPI_STATUSES_IGNORE);
    sums_.clear();
  }

 private:
  const int number_;
  std::vector<MPI_Request> sums_;  // begun, not finished
};

/// The first rank that is not well, known to every rank; none: the largest int.
int first_failing(bool well, int rank) {
  int first = well ? std::numeric_limits<int>::max() : rank;
  MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return first;
}

/// Rank 0's; it has at most as many elements as an int counts.
template <typename Array>
Array from_first(const Array& own, MPI_Datatype type) {
  unsigned long long size = own.size();
  MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, 0, MPI_COMM_WORLD);
  Array first = own;
  first.resize(size);
  MPI_Bcast(first.data(), static_cast<int>(size), type, 0, MPI_COMM_WORLD);
  return first;
}

}  // namespace

MpiWorld::MpiWorld(int& argc, char**& argv) {
  MPI_Init(&argc, &argv);
}

MpiWorld::~MpiWorld() {
  MPI_Finalize();
}

int MpiWorld::rank() const {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int MpiWorld::size() const {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

Result<void> MpiWorld::agree_on(const std::vector<std::string>& words) const {
  std::string line;
  for (const std::string& word : words) line += word + '\0';
  const int other = first_failing(line == from_first(line, MPI_CHAR), rank());
  if (other == std::numeric_limits<int>::max()) return {};
  return fail({.where = "command line",
               .message = fmt::format("rank {} has different options than rank 0", other),
               .code = ExitCode::kUsage});
}

void MpiWorld::abort(int status) const {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();  // not reached, but MPI does not promise that
}

Engine mpi_engine(const MpiWorld& world) {
  return {
      .program = "kstar-train-mpi", .worker = "ranks", .workers = world.size(), .overlaps = true};
}

Result<Outcome> train_on_ranks(const Options& options, const MpiWorld& world) {
  const Job job(options);
  if (job.network.parameter_count() >= std::numeric_limits<int>::max()) {
    return fail(expected("--width", "fewer parameters than MPI counts in an int",
                         std::to_string(job.network.parameter_count())));
  }
  MpiTeam team(world.rank());
  Worker worker(job, team);
  worker.run();
  const std::vector<double>& own = worker.parameters();
  const int apart = first_failing(same_bits(own, from_first(own, MPI_DOUBLE)), world.rank());
  if (apart != std::numeric_limits<int>::max()) return fail(replica_differs(apart));
  return worker.outcome();
}

}  // namespace kstar::train
