#include "import/rates.h"

#include <set>

namespace kstar {

double seconds_of_rate(double rate, int workers, bool weak) {
  return (weak ? workers : 1) / rate;
}

void say_work_of_rates(Study& study, bool weak, const std::string& unit) {
  study.header.regime = weak ? Regime::kWeak : Regime::kThroughput;
  study.header.workload.clear();
  if (!weak) {
    study.header.workload.push_back({.size = 1, .unit = unit});
    return;
  }
  std::set<int> workers;
  for (const Run& run : study.runs) workers.insert(run.workers);
  for (const int k : workers) {
    study.header.workload.push_back({.workers = k, .size = static_cast<double>(k), .unit = unit});
  }
}

}  // namespace kstar
