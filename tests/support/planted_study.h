#pragma once

#include <cstdint>
#include <vector>

#include "kstar/study.h"

/// Studies of a synchronous job with planted causes, simulated step by step: compute, wait for the
/// last, one worker alone, communicate. A step on one worker takes 1 s.
namespace kstar::planted {

struct Job {
  std::vector<int> workers = {1, 2, 4, 8, 16};
  std::size_t runs = 5;
  std::size_t steps = 20;
  bool weak = false;
  std::uint64_t seed = 1;

  // The machine: standard deviations of logarithms.
  double run_noise = 0.02;   ///< one worker's speed, from run to run
  double step_noise = 0.01;  ///< from step to step
  double stolen_chance = 0;  ///< a step, that the hypervisor stops a worker ...
  double stolen = 0;         ///< ... for so many seconds

  // What is planted; seconds are of a step.
  int slow_worker = -1;
  double slow_share = 0;      ///< how much longer it takes
  double delay = 0;           ///< seconds it takes longer
  double late_chance = 0;     ///< of a worker in a step, another one each time
  double late = 0;            ///< seconds that one is late
  double imbalance = 0;       ///< worker 0 has 1 + this times the mean work
  double serial = 0;          ///< seconds that worker 0 works alone
  bool serial_marked = true;  ///< as computation; else in no phase
  double communication = 0;   ///< seconds, from two workers on
  double slowdown = 0;        ///< every worker computes longer by this share on 16 workers

  // What is recorded.
  bool workers_known = true;
  bool work_known = true;
  bool wait_known = true;
  std::vector<std::string> hosts;  ///< worker i is on hosts[i % size]; else none is known
};

Study simulate(const Job& job);

}  // namespace kstar::planted
