#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/evidence.h"
#include "compare/side.h"
#include "kstar/scaling_table.h"
#include "support/noise_process.h"

/// How often two studies of the same program are called different, by simulation.
namespace kstar {
namespace {

constexpr std::size_t kPairs = 1000;

comparing::Times drawn(const noise::Process& process, int workers, std::size_t runs,
                       Random& random) {
  comparing::Times times;
  for (int k = 1; k <= workers; ++k) {
    double state = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < runs; ++i) times[k].push_back(process.next(random, state));
  }
  return times;
}

/// Which of these ratios are evident, in their order.
std::vector<bool> evident_of(const std::vector<Estimate>& ratios) {
  std::vector<RatioChange> changes;
  for (const Estimate& ratio : ratios) {
    changes.push_back({.ratio = ratio, .p = comparing::chance_of(ratio)});
  }
  std::vector<RatioChange*> pointers;
  for (RatioChange& change : changes) pointers.push_back(&change);
  comparing::adjust(pointers);
  std::vector<bool> evident;
  for (const RatioChange& change : changes) evident.push_back(comparing::is_evident(change, 0.95));
  return evident;
}

/// Which K are called better or worse, in their order.
std::vector<bool> called(const comparing::Times& before, const comparing::Times& after) {
  return evident_of(
      comparing::time_ratios(before, after, 0.95, Scope::kOneSession, Scope::kOneSession).value());
}

/// E(K) of a study of 12 K in blocks; `mood` is what a block shares. The base is not among them.
std::vector<Estimate> efficiencies(const noise::Process& process, double mood, std::size_t blocks,
                                   Random& random) {
  Study study;
  study.header.regime = Regime::kStrong;
  std::vector<double> shared;
  for (std::size_t i = 0; i < blocks; ++i) shared.push_back(1 + mood * random.normal());
  for (const auto& [k, times] : drawn(process, 12, blocks, random)) {
    for (std::size_t i = 0; i < blocks; ++i) {
      Run run;
      run.workers = k;
      run.block = static_cast<int>(i);
      run.wall = times[i] * shared[i] * (0.03 + 0.97 / k);
      study.runs.push_back(run);
    }
  }
  std::vector<Estimate> all;
  const ScalingTable table = scaling_table(study).value();
  for (const ScalingPoint& point : table.points) {
    if (point.workers > 1) all.push_back(point.efficiency.value());
  }
  return all;
}

/// The share of pairs with at least one E called better or worse.
double false_alarms_in_efficiency(const noise::Process& process, double mood, std::size_t blocks) {
  constexpr int kEfficiencyPairs = 300;
  Random random(blocks);
  int alarms = 0;
  for (int pair = 0; pair < kEfficiencyPairs; ++pair) {
    const std::vector<Estimate> before = efficiencies(process, mood, blocks, random);
    const std::vector<Estimate> after = efficiencies(process, mood, blocks, random);
    std::vector<Estimate> ratios;
    for (std::size_t i = 0; i < before.size(); ++i) {
      ratios.push_back(estimate_ratio(after[i], before[i], 0.95).value());
    }
    const std::vector<bool> evident = evident_of(ratios);
    if (std::find(evident.begin(), evident.end(), true) != evident.end()) ++alarms;
  }
  return alarms / static_cast<double>(kEfficiencyPairs);
}

/// The share of pairs with at least one K called better or worse.
double false_alarms(const noise::Process& process, int workers, std::size_t runs) {
  Random random(20 * runs + static_cast<std::size_t>(workers));
  std::size_t alarms = 0;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const comparing::Times before = drawn(process, workers, runs, random);
    const comparing::Times after = drawn(process, workers, runs, random);
    const std::vector<bool> evident = called(before, after);
    alarms +=
        static_cast<std::size_t>(std::find(evident.begin(), evident.end(), true) != evident.end());
  }
  return static_cast<double>(alarms) / kPairs;
}

/// The share of pairs of 12 K in which the one K that got slower is found.
double found(const noise::Process& process, double slower, std::size_t runs) {
  Random random(runs);
  std::size_t count = 0;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const comparing::Times before = drawn(process, 12, runs, random);
    comparing::Times after = drawn(process, 12, runs, random);
    for (double& time : after[8]) time *= slower;
    count += static_cast<std::size_t>(called(before, after)[7]);
  }
  return static_cast<double>(count) / kPairs;
}

TEST(CompareAlarms, EqualStudiesOfTwelveKDifferInAtMostOneOfTwentyPairs) {
  for (const std::size_t runs : {3U, 4U, 5U, 10U, 20U}) {
    EXPECT_LE(false_alarms(*noise::normal(0.02), 12, runs), 0.05) << runs << " runs, normal";
    EXPECT_LE(false_alarms(*noise::normal(0.02, 0, 0.05), 12, runs), 0.05)
        << runs << " runs, rare slow ones";
  }
}

TEST(CompareAlarms, ThatHoldsForRunsThatResembleTheOneBefore) {
  for (const std::size_t runs : {3U, 4U, 5U, 10U, 20U}) {
    EXPECT_LE(false_alarms(*noise::normal(0.02, 0.3), 12, runs), 0.05) << runs << " runs";
    EXPECT_LE(false_alarms(*noise::lognormal(0.15, 0.3), 12, runs), 0.05)
        << runs << " runs, skewed";
  }
}

TEST(CompareAlarms, AndForFewK) {
  for (const int workers : {1, 2, 4}) {
    EXPECT_LE(false_alarms(*noise::normal(0.02), workers, 5), 0.05) << workers << " K";
    EXPECT_LE(false_alarms(*noise::normal(0.02, 0.3), workers, 10), 0.06) << workers << " K";
  }
}

TEST(CompareAlarms, EfficienciesAreCalledDifferentNoMoreOften) {
  for (const std::size_t blocks : {4U, 5U, 10U, 20U}) {
    EXPECT_LE(false_alarms_in_efficiency(*noise::normal(0.02), 0, blocks), 0.05)
        << blocks << " blocks";
    EXPECT_LE(false_alarms_in_efficiency(*noise::normal(0.02, 0.3), 0, blocks), 0.05)
        << blocks << " blocks, correlated";
    EXPECT_LE(false_alarms_in_efficiency(*noise::normal(0.01), 0.05, blocks), 0.05)
        << blocks << " blocks with moods";
  }
}

TEST(CompareAlarms, WhatIsLargeBesideTheNoiseIsFoundAllTheSame) {
  EXPECT_GE(found(*noise::normal(0.02), 1.10, 5), 0.85);
  EXPECT_GE(found(*noise::normal(0.02), 1.05, 10), 0.90);
  EXPECT_GE(found(*noise::normal(0.02, 0.3), 1.05, 10), 0.70);
}

}  // namespace
}  // namespace kstar
