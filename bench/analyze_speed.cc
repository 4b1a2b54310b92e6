// How long an analysis takes: 12 K x 1,000 runs with 10,000 resamples of the bend, on one core. The
// bar is one second.
//   bench_analyze_speed [RUNS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/random.h"
#include "kstar/analysis.h"

namespace {

using Clock = std::chrono::steady_clock;

/// T(K) = 0.02 + 1 / K + 0.003 log2 K, with drift per block and noise of 3%.
kstar::Study study_of(int runs) {
  const int workers[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  kstar::Random random(1);
  kstar::Study study;
  study.header.regime = kstar::Regime::kStrong;
  for (int block = 0; block < runs; ++block) {
    const double mood = 1 + 0.02 * random.normal();
    for (const int k : workers) {
      double log2 = 0;
      for (int n = k; n > 1; n /= 2) ++log2;
      kstar::Run run;
      run.workers = k;
      run.block = block;
      run.exit_status = 0;
      run.wall = (0.02 + 1.0 / k + 0.003 * log2) * mood * (1 + 0.03 * random.normal());
      study.runs.push_back(run);
    }
  }
  return study;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

int main(int count, char** words) {
  const int runs = count > 1 ? std::atoi(words[1]) : 1000;
  const kstar::Study study = study_of(runs);
  const auto table_start = Clock::now();
  const auto table = kstar::scaling_table(study);
  const double table_time = seconds_since(table_start);
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = Clock::now();
    const auto analysis = kstar::analyze(study, {.resamples = 10000});
    best = std::min(best, seconds_since(start));
    if (!analysis || !table) return 1;
    if (i > 0) continue;
    std::printf("12 K x %d runs, 10000 resamples: bend at K = %d, %.1f %% agree\n", runs,
                analysis->bend ? analysis->bend->first_bad : 0,
                analysis->bend ? 100 * analysis->bend->agreement : 0);
  }
  std::printf("the table alone %.3f s, the whole analysis %.3f s (bar: 1 s)\n", table_time, best);
  return best < 1 ? 0 : 1;
}
