// How often kstar compare raises a false alarm: pairs of studies of one program, 12 K each, whole
// comparisons with gates that allow no change at all. An alarm is a pair, not a K.
// Then how often it finds a change: 6 K, 5 runs, noise of 2%, 3% of the runs slow by 5 to 20%; in
// simulated studies, which have no sessions; in two sessions, which differ by 2%; and interleaved
// in one such session. SEED draws other pairs. --test asks the tests of times alone, which decide
// where neither sessions nor other jobs do: thousands of pairs in the time of ten comparisons.
//   bench_compare_alarms [--test] [PAIRS [SEED]]
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/random.h"
#include "compare/evidence.h"
#include "compare/joint_test.h"
#include "compare/sessions.h"
#include "compare/side.h"
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
  study.header.source.kind = SourceKind::kSimulated;  // of no session
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

// --- Finding a change ---

constexpr int kFewWorkers[] = {1, 2, 4, 8, 16, 32};

struct Change {
  const char* name;
  double all = 0;          ///< of T, at every K
  double one = 0;          ///< of T, at K = 4
  double correlation = 0;  ///< of a K's runs
  double mood = 0;         ///< shared by a block
};

/// How the two sides were measured.
enum class Sitting {
  kSimulated,    ///< no sessions
  kIgnored,      ///< two sessions that differ, and compare does not know it
  kTwoSessions,  ///< two sessions that differ
  kInterleaved   ///< one session, both sides in its blocks
};

constexpr double kSessionDeviation = 0.02;
constexpr int kBlocks = 5;

/// What the runs of one session share: its own conditions, and those of its blocks.
struct Conditions {
  double session = 0;
  double blocks[kBlocks] = {};
};

Conditions conditions(const Change& change, Sitting sitting, Random& random) {
  Conditions drawn;
  if (sitting != Sitting::kSimulated) drawn.session = kSessionDeviation * random.normal();
  for (double& block : drawn.blocks) block = change.mood * random.normal();
  return drawn;
}

Study changed_study(const Change& change, bool after, Sitting sitting, const Conditions& shared,
                    Random& random) {
  constexpr double kNoise = 0.02, kSlowShare = 0.03;
  Study study;
  study.header.regime = Regime::kStrong;
  const bool known = sitting == Sitting::kTwoSessions || sitting == Sitting::kInterleaved;
  if (!known) study.header.source.kind = SourceKind::kSimulated;
  std::map<int, double> last;
  for (int block = 0; block < kBlocks; ++block) {
    for (const int k : kFewWorkers) {
      const double fresh = random.normal(), rho = change.correlation;
      last[k] = block == 0 ? fresh : rho * last[k] + std::sqrt(1 - rho * rho) * fresh;
      double log = shared.session + shared.blocks[block] + kNoise * last[k];
      if (random.uniform() < kSlowShare) log += std::log1p(0.05 + 0.15 * random.uniform());
      if (after) log += std::log1p(change.all + (k == 4 ? change.one : 0));
      Run run;
      run.workers = k;
      run.block = block;
      if (known)
        run.session = sitting == Sitting::kInterleaved ? "one" : after ? "second" : "first";
      run.wall = (0.03 + 0.97 / k) * std::exp(log);
      study.runs.push_back(run);
    }
  }
  return study;
}

bool is_change(ChangeVerdict verdict) {
  return verdict == ChangeVerdict::kBetter || verdict == ChangeVerdict::kWorse;
}

struct Pairs {
  int count = 500;
  std::uint64_t seed = 7;
  bool test_alone = false;
};

/// What was called a change.
struct Called {
  bool together = false, single = false;
};

Called called_by_compare(const Study& before, const Study& after) {
  CompareOptions few;
  few.resamples = 100;
  const Comparison found = compare(before, after, few).value();
  Called called{.together = found.joint && is_change(found.joint->verdict)};
  for (const WorkersChange& point : found.points) {
    called.single = called.single || is_change(point.verdict);
  }
  return called;
}

/// The same by the tests of times alone, as compare() takes them where nothing else decides: a
/// hundred times as fast, as neither side is analyzed.
Called called_by_tests(Study first, Study second, Sitting sitting) {
  using namespace comparing;
  Side before, after;
  before.times = times_of(first);
  after.times = times_of(second);
  before.study = std::move(first);
  after.study = std::move(second);
  BlockFreeTimes times{before.times, after.times, {}};
  if (sitting == Sitting::kInterleaved) times = without_blocks(before, after);
  const auto test = joint_test(times.before, times.after, kConfidence, times.taken).value();
  Called called{.together = is_change(test.all.verdict)};
  for (const RatioChange& change : test.at) {
    called.single = called.single || is_evident(change, kConfidence);
  }
  if (const auto slow = slow_runs(before.times, after.times)) {
    for (const auto& at : slow->at) {
      called.single = called.single || (at && at->adjusted_p < 1 - kConfidence);
    }
  }
  return called;
}

void run_changes(const Pairs& pairs, const char* title, Sitting sitting) {
  constexpr Change kChanges[] = {{"nothing"},
                                 {"nothing, correlated by 0.3", 0, 0, 0.3},
                                 {"nothing, blocks differ by 2%", 0, 0, 0, 0.02},
                                 {"+5% at all K", 0.05},
                                 {"+3% at all K", 0.03},
                                 {"+5% at one K", 0, 0.05},
                                 {"+3% at all K, correlated by 0.3", 0.03, 0, 0.3}};
  fmt::print("\n{:<36}{:>18}{:>12}{:>12}\n", title, "any", "all K", "a single K");
  const bool apart = sitting == Sitting::kTwoSessions || sitting == Sitting::kIgnored;
  for (const Change& change : kChanges) {
    const bool usual = change.correlation == 0 && change.mood == 0 && change.one == 0;
    if (apart && !usual) continue;  // what sessions do is plain without
    Random random(pairs.seed);
    int any = 0, all = 0, one = 0;
    for (int pair = 0; pair < pairs.count; ++pair) {
      const Conditions first = conditions(change, sitting, random);
      const Conditions second =
          sitting == Sitting::kInterleaved ? first : conditions(change, sitting, random);
      const Study before = changed_study(change, false, sitting, first, random);
      const Study after = changed_study(change, true, sitting, second, random);
      const auto [together, single] = pairs.test_alone ? called_by_tests(before, after, sitting)
                                                       : called_by_compare(before, after);
      all += together ? 1 : 0;
      one += single ? 1 : 0;
      any += together || single ? 1 : 0;
    }
    const auto share = [&](int count) { return 100.0 * count / pairs.count; };
    const double error = std::sqrt(share(any) * (100 - share(any)) / pairs.count);
    fmt::print("{:<36}{:>8.2f}% +-{:>5.2f}{:>11.1f}%{:>11.1f}%\n", change.name, share(any), error,
               share(all), share(one));
    std::fflush(stdout);
  }
}

void run_changes(const Pairs& pairs) {
  run_changes(pairs, "no sessions", Sitting::kSimulated);
  run_changes(pairs, "interleaved, a session's 2%", Sitting::kInterleaved);
  if (pairs.test_alone) return;  // sessions are none of its business
  run_changes(pairs, "two sessions, 2%, told", Sitting::kTwoSessions);
  run_changes(pairs, "two sessions, 2%, ignored", Sitting::kIgnored);
}

}  // namespace
}  // namespace kstar

int main(int count, char** words) {
  std::vector<std::string> given(words + 1, words + count);
  kstar::Pairs pairs;
  pairs.test_alone = std::erase(given, "--test") > 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto number = kstar::parse_integer(given[i]);
    if (i > 1 || !number || *number < 1 || *number > 1000000) {
      fmt::print(stderr, "bench_compare_alarms [--test] [PAIRS [SEED]]\n");
      return 2;
    }
    if (i == 0) pairs.count = static_cast<int>(*number);
    if (i == 1) pairs.seed = static_cast<std::uint64_t>(*number);
  }
  kstar::run_changes(pairs);
  if (!pairs.test_alone) kstar::run(pairs.count);
}
