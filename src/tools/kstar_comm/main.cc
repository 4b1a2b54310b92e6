#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/number.h"
#include "base/text.h"
#include "tools/kstar_comm/operations.h"

/// kstar-comm-mpi: the time of each collective at each size, as a batch of calls divided by their
/// number. A barrier before every call would be timed with it, and single calls of one rank end
/// before the others have begun: both are off by factors.
namespace kstar::probe {

namespace {

struct ProbeOptions {
  std::vector<std::string> collectives = {"all-reduce"};
  std::vector<std::size_t> sizes = {8, 1024, 65536, 1048576};
  double batch = 0.01;  ///< seconds that a batch takes at least
};

constexpr const char* kUsage =
    "usage: kstar-comm-mpi [--collectives LIST] [--sizes LIST] [--batch SECONDS]\n"
    "  started on two or more ranks by mpirun or srun; 'kstar comm measure' does it\n";

/// Empty, or what is wrong.
std::string read_options(const std::vector<std::string>& words, ProbeOptions& options) {
  constexpr double kLargest = 2e9;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i + 1 == words.size()) return fmt::format("{} needs a value", printable(words[i]));
    const std::string& value = words[++i];
    if (words[i - 1] == "--collectives") {
      options.collectives.clear();
      for (const std::string_view name : split(value, ',')) {
        options.collectives.emplace_back(name);
        if (!Operation::is_known(options.collectives.back())) {
          return fmt::format("--collectives: unknown collective '{}'", printable(name));
        }
      }
    } else if (words[i - 1] == "--sizes") {
      options.sizes.clear();
      for (const std::string_view size : split(value, ',')) {
        const auto bytes = parse_integer(size);
        if (!bytes || *bytes < 1 || static_cast<double>(*bytes) > kLargest) {
          return fmt::format("--sizes: expected bytes from 1 to 2e9, got '{}'", printable(size));
        }
        options.sizes.push_back(static_cast<std::size_t>(*bytes));
      }
    } else if (words[i - 1] == "--batch") {
      const auto seconds = parse_double(value);
      if (!seconds || *seconds < 0 || *seconds > 3600) {
        return fmt::format("--batch: expected seconds, got '{}'", printable(value));
      }
      options.batch = *seconds;
    } else {
      return fmt::format("unknown option {}", printable(words[i - 1]));
    }
  }
  return "";
}

/// Seconds of the slowest rank.
double timed(Operation& operation, std::size_t bytes, long count) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  operation.call(bytes, count);
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

/// The fastest of a few: what else the machine does can only add to it.
double fastest(Operation& operation, std::size_t bytes, long count, double enough) {
  double best = timed(operation, bytes, count);
  for (int i = 0; i < 2 && best >= enough; ++i) {
    best = std::min(best, timed(operation, bytes, count));
  }
  return best;
}

/// The batch grows until it is long enough: what came before was warm-up. Then the median of five
/// batches, of which one may be disturbed.
void measure_size(Operation& operation, const std::string& name, std::size_t bytes, double batch,
                  int rank) {
  constexpr long kFewest = 4, kMost = 1L << 22;
  constexpr std::size_t kBatches = 5;
  long count = kFewest;
  operation.call(bytes, 2);
  for (double seconds = fastest(operation, bytes, count, batch); seconds < batch && count < kMost;
       seconds = fastest(operation, bytes, count, batch)) {
    const double wanted = 1.2 * batch / std::max(seconds, 1e-9) * static_cast<double>(count);
    // Even, for messages there and back.
    count = std::min(kMost, std::max(2 * count, 2 * static_cast<long>(std::min(wanted, 1e6) / 2)));
  }
  std::vector<double> batches;
  for (std::size_t i = 0; i < kBatches; ++i) batches.push_back(timed(operation, bytes, count));
  std::sort(batches.begin(), batches.end());
  if (rank == 0) {
    std::puts(fmt::format("{} {} B: {:.9g} s per call, {} calls", name, bytes,
                          batches[kBatches / 2] / static_cast<double>(count), count)
                  .c_str());
  }
}

int probe(const ProbeOptions& options, int rank, int ranks) {
  const std::size_t largest = *std::max_element(options.sizes.begin(), options.sizes.end());
  for (const std::string& name : options.collectives) {
    Operation operation(name, rank, ranks, largest);
    for (const std::size_t bytes : options.sizes) {
      int right = operation.is_right(bytes) ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      if (right == 0) {
        if (rank == 0) {
          std::fputs(
              fmt::format("kstar-comm-mpi: error: {} of {} B gives a wrong result\n", name, bytes)
                  .c_str(),
              stderr);
        }
        return 1;
      }
      measure_size(operation, name, bytes, options.batch, rank);
    }
  }
  return 0;
}

int run(const std::vector<std::string>& words) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  ProbeOptions options;
  std::string problem = read_options(words, options);
  if (problem.empty() && ranks < 2) problem = "needs two ranks or more";
  if (!problem.empty()) {
    if (rank == 0) {
      std::fputs(fmt::format("kstar-comm-mpi: error: {}\n{}", problem, kUsage).c_str(), stderr);
    }
    return 2;
  }
  return probe(options, rank, ranks);
}

}  // namespace

}  // namespace kstar::probe

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    code = kstar::probe::run({argv + 1, argv + argc});
  } catch (const std::exception& problem) {
    std::fputs(fmt::format("kstar-comm-mpi: error: {}\n", problem.what()).c_str(), stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return code;
}
