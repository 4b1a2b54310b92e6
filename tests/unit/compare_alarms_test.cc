#include <gtest/gtest.h>

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

/// The share of pairs with at least one K called better or worse.
double false_alarms(const noise::Process& process, int workers, std::size_t runs) {
  Random random(20 * runs + static_cast<std::size_t>(workers));
  std::size_t alarms = 0;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const comparing::Times before = drawn(process, workers, runs, random);
    const comparing::Times after = drawn(process, workers, runs, random);
    const std::vector<Estimate> ratios =
        comparing::time_ratios(before, after, 0.95, Scope::kOneSession, Scope::kOneSession).value();
    std::vector<Change> changes;
    for (const Estimate& ratio : ratios) {
      changes.push_back({.ratio = ratio, .p = comparing::chance_of(ratio)});
    }
    std::vector<Change*> pointers;
    for (Change& change : changes) pointers.push_back(&change);
    comparing::adjust(pointers);
    alarms += std::any_of(changes.begin(), changes.end(),
                          [](const Change& change) { return comparing::is_evident(change, 0.95); });
  }
  return static_cast<double>(alarms) / kPairs;
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

}  // namespace
}  // namespace kstar
