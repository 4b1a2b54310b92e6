// How often planted causes are found, and nothing where nothing is, on machines of several noises:
// simulated studies of K = 1, 2, 4, 8, 16 with 5 runs of 20 steps. What is planted takes 13 to 24%
// of the efficiency at K = 16.
//   bench_causes_simulated [SEEDS]
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "kstar/causes.h"
#include "support/diagnosed.h"
#include "support/planted_study.h"

namespace {

using kstar::Cause;
using kstar::CauseKind;
using kstar::Diagnosis;
using kstar::planted::Job;

struct Planted {
  const char* name;
  CauseKind truth;
  Job job;
};

Job with(double Job::*what, double value, bool weak = false) {
  Job job;
  job.*what = value;
  job.weak = weak;
  return job;
}

Job late(double chance, double seconds) {
  Job job = with(&Job::late, seconds);
  job.late_chance = chance;
  return job;
}

Job slow(double Job::*what, double value, bool weak = false) {
  Job job = with(what, value, weak);
  job.slow_worker = 3;
  return job;
}

Job stolen() {
  Job job = with(&Job::stolen, 0.03);
  job.stolen_chance = 0.01;
  return job;
}

Job unmarked() {
  Job job = with(&Job::serial, 0.01);
  job.serial_marked = false;
  return job;
}

std::vector<Planted> all_planted() {
  return {
      {"nothing", CauseKind::kNone, {}},
      {"nothing, weak", CauseKind::kNone, with(&Job::serial, 0, true)},
      {"nothing, but stolen time", CauseKind::kNone, stolen()},
      {"worker 3 takes 15% longer", CauseKind::kStraggler, slow(&Job::slow_share, 0.15)},
      {"the same, weak", CauseKind::kStraggler, slow(&Job::slow_share, 0.15, true)},
      {"worker 3 is 10 ms late", CauseKind::kStraggler, slow(&Job::delay, 0.01)},
      {"1% of steps 60 ms late", CauseKind::kStraggler, late(0.01, 0.06)},
      {"worker 0 has 15% more", CauseKind::kLoadImbalance, with(&Job::imbalance, 0.15)},
      {"10 ms on worker 0 alone", CauseKind::kSerial, with(&Job::serial, 0.01)},
      {"the same, in no phase", CauseKind::kSerial, unmarked()},
      {"10 ms of communication", CauseKind::kCommunication, with(&Job::communication, 0.01)},
      {"computation 30% slower", CauseKind::kComputationScaling, with(&Job::slowdown, 0.3)},
      {"the same, weak", CauseKind::kComputationScaling, with(&Job::slowdown, 0.3, true)},
  };
}

/// Named first, or admitted as what cannot be told from it.
bool right(const Cause& cause, CauseKind truth) {
  if (cause.kind == truth) return true;
  for (const CauseKind kind : cause.or_else) {
    if (kind == truth) return true;
  }
  return false;
}

double share_right(const Planted& planted, double noise, int seeds) {
  int found = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    Job job = planted.job;
    job.run_noise = noise;
    job.step_noise = noise / 2;
    job.seed = static_cast<std::uint64_t>(seed);
    const Diagnosis diagnosis = kstar::diagnosed(kstar::planted::simulate(job));
    if (right(diagnosis.causes.front(), planted.truth)) ++found;
  }
  return static_cast<double>(found) / seeds;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kSeeds = 200;
  const int seeds = argc > 1 ? std::atoi(argv[1]) : kSeeds;
  const std::vector<double> noises = {0, 0.005, 0.03, 0.06, 0.12};
  fmt::print("{:<28}", "speed of a worker varies by");
  for (const double noise : noises) fmt::print("{:>8}", fmt::format("{:g}%", noise * 100));
  fmt::print("\n");
  for (const Planted& planted : all_planted()) {
    fmt::print("{:<28}", planted.name);
    for (const double noise : noises) {
      fmt::print("{:>8.2f}", share_right(planted, noise, seeds));
    }
    fmt::print("\n");
  }
}
