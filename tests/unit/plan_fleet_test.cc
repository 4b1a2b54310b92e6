#include "kstar/plan_fleet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace kstar {
namespace {

/// The largest sum over all splits, tried one by one.
double brute_force(const std::vector<std::vector<double>>& values, std::size_t first,
                   std::size_t workers) {
  if (first == values.size()) return 0;
  double best = 0;
  for (std::size_t n = 0; n <= workers; ++n) {
    best = std::max(best, values[first][n] + brute_force(values, first + 1, workers - n));
  }
  return best;
}

double brute_hours(const std::vector<std::vector<double>>& hours, std::size_t first,
                   std::size_t workers) {
  if (first == hours.size()) return 0;
  double best = INFINITY;
  for (std::size_t n = 0; n <= workers; ++n) {
    best = std::min(best, std::max(hours[first][n], brute_hours(hours, first + 1, workers - n)));
  }
  return best;
}

/// Amdahl and friends, or steps such as those of whole nodes.
FleetClass random_class(Random& random, std::size_t workers) {
  FleetClass one{.name = "x", .jobs = 1 + random.below(3), .value = random.uniform(0.5, 3)};
  const double serial = random.uniform(0, 0.5), talk = random.uniform(0, 0.1);
  const bool steps = random.uniform() < 0.5;
  for (std::size_t n = 1; n <= workers; ++n) {
    const auto k = static_cast<double>(steps ? n / 3 * 3 : n);
    const double rate = k < 1 ? 0 : 1 / (serial + (1 - serial) / k + talk * (k - 1));
    one.rate.push_back(std::max(rate, one.rate.empty() ? 0 : one.rate.back()));
  }
  return one;
}

TEST(FleetSplit, EqualsBruteForceOnRandomFleets) {
  Random random(1);
  for (int fleet = 0; fleet < 200; ++fleet) {
    const std::size_t workers = 4 + random.below(9);
    std::vector<FleetClass> classes;
    std::vector<std::vector<double>> values, hours;
    for (std::size_t i = 0; i < 2 + random.below(3); ++i) {
      classes.push_back(random_class(random, workers));
      values.push_back(values_of(classes.back(), workers));
      hours.push_back(hours_of(classes.back(), workers));
    }
    const Fleet most = split_fleet(classes, workers, FleetGoal::kValue);
    EXPECT_NEAR(most.value, brute_force(values, 0, workers), 1e-9) << fleet;
    const Fleet first = split_fleet(classes, workers, FleetGoal::kFinish);
    const double earliest = brute_hours(hours, 0, workers);
    if (std::isfinite(earliest)) {
      EXPECT_NEAR(first.hours, earliest, 1e-9) << fleet;
    }
    EXPECT_GE(most.value, most.even_value - 1e-9);
  }
}

TEST(FleetSplit, NoWorkerWouldAddMoreElsewhere) {
  Random random(2);
  std::vector<FleetClass> classes;
  for (int i = 0; i < 6; ++i) {
    FleetClass one{.name = "amdahl", .jobs = 1, .value = random.uniform(0.5, 3)};
    const double serial = random.uniform(0.01, 0.3);
    for (double k = 1; k <= 128; ++k) one.rate.push_back(1 / (serial + (1 - serial) / k));
    classes.push_back(std::move(one));
  }
  const Fleet fleet = split_fleet(classes, 128, FleetGoal::kValue);
  double least_last = INFINITY, most_next = 0;
  for (const FleetShare& share : fleet.shares) {
    if (share.workers > 0) least_last = std::min(least_last, share.last);
    most_next = std::max(most_next, share.next);
  }
  EXPECT_GE(least_last, most_next - 1e-12);
  EXPECT_EQ(fleet.unused, 0U);
}

TEST(FleetSplit, LeavesIdleWhatHelpsNobody) {
  FleetClass serial{.name = "serial", .jobs = 1, .value = 1, .rate = {1, 1, 1, 1}};
  const Fleet fleet = split_fleet({{serial}}, 4, FleetGoal::kValue);
  EXPECT_EQ(fleet.shares[0].workers, 1U);
  EXPECT_EQ(fleet.unused, 3U);
}

TEST(FleetFile, NamesThePlaceOfWhatIsWrong) {
  const auto wrong = [](const char* text) {
    const auto read = parse_fleet(text, "jobs.toml");
    return read ? std::string("taken") : read.error().where + ": " + read.error().message;
  };
  EXPECT_NE(wrong("[[class]]\nname = \"a\"\njobs = 0\nlaw = \"amdahl\"\n").find("jobs.toml:3"),
            std::string::npos);
  EXPECT_NE(wrong("[[class]]\nname = \"a\"\n").find("one of study, data and law"),
            std::string::npos);
  EXPECT_NE(wrong("").find("at least one [[class]]"), std::string::npos);
  EXPECT_NE(wrong("[class]\nname = \"a\"\n").find("[[class]]"), std::string::npos);
  EXPECT_NE(wrong("[[class]]\nname = \"a\"\nstudy = \"s.jsonl\"\nvalu = 1\n").find("valu"),
            std::string::npos);
}

}  // namespace
}  // namespace kstar
