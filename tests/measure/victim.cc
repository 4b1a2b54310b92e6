// Runs one job as kstar does, to be killed meanwhile: victim guard|supervise HELPER ARGUMENTS...
#include <atomic>
#include <cstring>

#include "kstar/executor.h"

int main(int argc, char** argv) {
  std::atomic<bool> stop = false;
  const kstar::LaunchPlan plan{.command = {argv + 2, argv + argc}};
  const auto body = [&](kstar::Executor& executor) { return executor.run(plan) ? 0 : 1; };
  if (std::strcmp(argv[1], "guard") == 0) return body(*kstar::process_executor(stop));
  return kstar::supervise(body, stop).value_or(1);
}
