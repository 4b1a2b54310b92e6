#include "kstar/warm_up.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "support/noise_process.h"

namespace kstar {
namespace {

using Samples = std::vector<double>;
constexpr int kSeries = 1000;

Samples draw_series(const noise::Process& process, std::size_t n, Random& random) {
  double state = -std::numeric_limits<double>::infinity();
  Samples samples;
  while (samples.size() < n) samples.push_back(process.next(random, state));
  return samples;
}

/// The share of series in which `wanted` holds for what is found.
double share(const noise::Process& process, std::size_t n,
             const std::function<double(std::size_t)>& start,
             const std::function<bool(std::size_t)>& wanted) {
  Random random(n);
  int count = 0;
  for (int i = 0; i < kSeries; ++i) {
    Samples samples = draw_series(process, n, random);
    for (std::size_t k = 0; k < n; ++k) samples[k] += start(k);
    count += wanted(find_warm_up(samples).value().length) ? 1 : 0;
  }
  return count / double{kSeries};
}

double steady(std::size_t) {
  return 0;
}
double first_slow(std::size_t k) {
  return k == 0 ? 0.2 : 0;
}
bool any(std::size_t length) {
  return length > 0;
}

TEST(WarmUp, LeavesSteadySeriesAlone) {
  for (const std::size_t n : {5U, 10U, 20U, 50U}) {
    EXPECT_LT(share(*noise::normal(0.02), n, steady, any), 0.04) << n;
    EXPECT_LT(share(*noise::normal(0.02, 0.3), n, steady, any), 0.055) << n;
  }
}

TEST(WarmUp, DoesNotTakeASlowRunInTheMiddleForIt) {
  // One series in twenty does start with a slow run.
  for (const std::size_t n : {5U, 10U, 20U, 50U}) {
    EXPECT_LT(share(*noise::normal(0.02, 0, 0.05), n, steady, any), 0.085) << n;
  }
  EXPECT_EQ(find_warm_up(Samples{1, 1.01, 0.99, 1.4, 1, 1.01, 1, 0.99, 1.02, 1})->length, 0U);
}

TEST(WarmUp, FindsAFirstRunThatIsSlowerByAFifth) {
  const auto one = [](std::size_t length) { return length == 1; };
  EXPECT_GT(share(*noise::normal(0.02), 5, first_slow, one), 0.94);
  EXPECT_GT(share(*noise::normal(0.02, 0.3), 5, first_slow, one), 0.93);
  EXPECT_GT(share(*noise::normal(0.03), 10, first_slow, one), 0.95);
}

TEST(WarmUp, FindsADecayOverTheFirstSteps) {
  for (const double length : {3.0, 5.0, 10.0}) {
    const auto decay = [&](std::size_t k) { return 0.5 * std::exp(-3.0 / length * double(k)); };
    const auto enough = [&](std::size_t found) {
      return double(found) >= 0.6 * length && double(found) <= 2 * length + 3;
    };
    EXPECT_GT(share(*noise::normal(0.02), 50, decay, enough), 0.92) << length;
    EXPECT_GT(share(*noise::normal(0.02, 0.3), 50, decay, enough), 0.92) << length;
  }
}

TEST(WarmUp, SaysHowMuchSlowerAndHowSure) {
  const WarmUp found = find_warm_up(Samples{1.2, 1.01, 0.99, 1.0, 1.0}).value();
  EXPECT_EQ(found.length, 1U);
  EXPECT_NEAR(found.excess, 0.2, 1e-9);
  EXPECT_GT(found.t, 10);
  EXPECT_EQ(find_warm_up(Samples{2, 1, 1, 1, 1}).value().length, 1U);
}

TEST(WarmUp, IsNeverAFastStart) {
  EXPECT_EQ(find_warm_up(Samples{0.5, 1.01, 0.99, 1.0, 1.0, 1.01}).value().length, 0U);
}

TEST(WarmUp, LeavesHalfAndAtLeastThree) {
  EXPECT_EQ(find_warm_up(Samples{5, 1, 1}).value().length, 0U);
  EXPECT_EQ(find_warm_up(Samples{5}).value().length, 0U);
  EXPECT_EQ(find_warm_up(Samples{1, 1, 1, 1}).value().length, 0U);
  EXPECT_LE(find_warm_up(Samples{9, 8, 7, 6, 5, 4, 3, 2, 1.01, 1}).value().length, 5U);
  EXPECT_EQ(find_warm_up(Samples{2, 1, 1, 1, 1}, {.limit = 0}).value().length, 0U);
}

TEST(WarmUp, RefusesWrongInput) {
  EXPECT_EQ(find_warm_up({}).error().where, "samples");
  EXPECT_EQ(find_warm_up(Samples{1, 0}).error().where, "samples");
  EXPECT_EQ(find_warm_up(Samples{1, 1}, {.false_alarm = 0}).error().where, "false alarm");
}

}  // namespace
}  // namespace kstar
