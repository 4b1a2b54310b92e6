// Runs a command RUNS times as kstar measure does, and prints each run's seconds, one a
// line. bench/run_overhead.py drives it beside hyperfine.
//   bench_run_overhead [--messenger] RUNS COMMAND [ARGUMENTS...]
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kstar/executor.h"

namespace {

int measure(kstar::Executor& executor, std::size_t count, const kstar::LaunchPlan& plan) {
  std::vector<double> walls;
  walls.reserve(count);
  while (walls.size() < count) {
    const auto outcome = executor.run(plan);
    if (!outcome) return 1;
    walls.push_back(outcome->wall);
  }
  for (const double wall : walls) std::printf("%.9f\n", wall);
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const bool messenger = argc > 1 && std::strcmp(argv[1], "--messenger") == 0;
  char** words = argv + (messenger ? 2 : 1);
  if (argv + argc - words < 2) return 2;
  const auto count = static_cast<std::size_t>(std::atol(words[0]));
  const kstar::LaunchPlan plan{.command = {words + 1, argv + argc}};
  std::atomic<bool> stop = false;
  if (messenger) return measure(*kstar::process_executor(stop), count, plan);
  return kstar::supervise([&](kstar::Executor& executor) { return measure(executor, count, plan); },
                          stop)
      .value_or(1);
}
