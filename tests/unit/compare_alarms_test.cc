#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare/evidence.h"
#include "compare/times.h"
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

/// Which K are called better or worse, in their order.
std::vector<bool> called(const comparing::Times& before, const comparing::Times& after) {
  const std::vector<Estimate> ratios =
      comparing::time_ratios(before, after, 0.95, Scope::kOneSession, Scope::kOneSession).value();
  std::vector<Change> changes;
  for (const Estimate& ratio : ratios) {
    changes.push_back({.ratio = ratio, .p = comparing::chance_of(ratio)});
  }
  std::vector<Change*> pointers;
  for (Change& change : changes) pointers.push_back(&change);
  comparing::adjust(pointers);
  std::vector<bool> evident;
  for (const Change& change : changes) evident.push_back(comparing::is_evident(change, 0.95));
  return evident;
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

TEST(CompareAlarms, WhatIsLargeBesideTheNoiseIsFoundAllTheSame) {
  EXPECT_GE(found(*noise::normal(0.02), 1.10, 5), 0.85);
  EXPECT_GE(found(*noise::normal(0.02), 1.05, 10), 0.90);
  EXPECT_GE(found(*noise::normal(0.02, 0.3), 1.05, 10), 0.70);
}

}  // namespace
}  // namespace kstar
