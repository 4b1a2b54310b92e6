// How often kstar compare raises a false alarm: pairs of studies of one program, 12 K each, whole
// comparisons with gates that allow no change at all. An alarm is a pair, not a K.
//   bench_compare_alarms [PAIRS]
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/random.h"
#include "kstar/compare.h"

namespace kstar {
namespace {

constexpr int kWorkers[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr const char* kGates[] = {"T(any) rises", "E(any) drops", "bend drops", "K* drops"};

struct Noise {
  const char* name;
  double mood;         ///< shared by a block
  double own;          ///< of each run
  double correlation;  ///< of a run's own part with the same K in the block before
};

Study study_of(const Noise& noise, int blocks, Random& random) {
  Study study;
  study.header.regime = Regime::kStrong;
  std::map<int, double> last;
  for (int block = 0; block < blocks; ++block) {
    const double shared = 1 + noise.mood * random.normal();
    for (const int k : kWorkers) {
      const double fresh = random.normal(), rho = noise.correlation;
      last[k] = block == 0 ? fresh : rho * last[k] + std::sqrt(1 - rho * rho) * fresh;
      Run run;
      run.workers = k;
      run.block = block;
      run.wall = (0.03 + 0.97 / k) * shared * std::exp(noise.own * last[k]);
      study.runs.push_back(run);
    }
  }
  return study;
}

CompareOptions options() {
  CompareOptions options;
  options.resamples = 1000;
  for (const char* gate : kGates) options.gates.push_back(parse_gate(gate, "bench").value());
  return options;
}

/// The pairs in which any K is called better or worse, and those that each gate stops.
struct Alarms {
  int called = 0;
  std::map<std::string, int> stopped;
};

Alarms alarms_of(const Noise& noise, int blocks, int pairs) {
  Random random(static_cast<std::uint64_t>(blocks));
  Alarms alarms;
  for (int pair = 0; pair < pairs; ++pair) {
    const Study before = study_of(noise, blocks, random), after = study_of(noise, blocks, random);
    const Comparison found = compare(before, after, options()).value();
    bool called = false;
    for (const WorkersChange& point : found.points) {
      called = called || point.verdict != ChangeVerdict::kNoEvidence;
    }
    if (called) ++alarms.called;
    for (const GateOutcome& gate : found.gates) {
      if (gate.verdict == GateVerdict::kFailed) ++alarms.stopped[gate.gate.text];
    }
  }
  return alarms;
}

void run(int pairs) {
  constexpr Noise kNoises[] = {{"independent runs, 2%", 0, 0.02, 0},
                               {"correlated by 0.3, 2%", 0, 0.02, 0.3},
                               {"correlated by 0.5, 2%", 0, 0.02, 0.5},
                               {"a mood of each block, 3%", 0.03, 0.01, 0},
                               {"long tails, 15%", 0, 0.15, 0}};
  fmt::print("{:<28}{:>5}{:>12}", "noise", "runs", "any K");
  for (const char* gate : kGates) fmt::print("{:>14}", gate);
  fmt::print("\n");
  for (const Noise& noise : kNoises) {
    for (const int blocks : {3, 5, 10, 20}) {
      const Alarms found = alarms_of(noise, blocks, pairs);
      fmt::print("{:<28}{:>5}{:>11.1f}%", noise.name, blocks, 100.0 * found.called / pairs);
      for (const char* gate : kGates) {
        const auto at = found.stopped.find(gate);
        fmt::print("{:>13.1f}%", 100.0 * (at == found.stopped.end() ? 0 : at->second) / pairs);
      }
      fmt::print("\n");
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace kstar

int main(int count, char** words) {
  constexpr int kPairs = 500;
  const auto given = kstar::parse_integer(count > 1 ? words[1] : "");
  kstar::run(given && *given > 0 && *given <= 1000000 ? static_cast<int>(*given) : kPairs);
}
