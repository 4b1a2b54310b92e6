// Runs a command RUNS times through the process executor, and prints each run's seconds, one a
// line. bench/run_overhead.py drives it beside hyperfine.
//   bench_run_overhead RUNS COMMAND [ARGUMENTS...]
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "kstar/executor.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto count = static_cast<std::size_t>(std::atol(argv[1]));
  const std::atomic<bool> stop = false;
  const auto executor = kstar::process_executor(stop);
  const kstar::LaunchPlan plan{.command = {argv + 2, argv + argc}};
  std::vector<double> walls;
  walls.reserve(count);
  while (walls.size() < count) {
    const auto outcome = executor->run(plan);
    if (!outcome) return 1;
    walls.push_back(outcome->wall);
  }
  for (const double wall : walls) std::printf("%.9f\n", wall);
}
