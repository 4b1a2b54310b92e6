#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/random.h"
#include "tools/kstar_train/network.h"
#include "tools/kstar_train/options.h"
#include "tools/kstar_train/planted.h"
#include "tools/kstar_train/shared_sum.h"
#include "tools/kstar_train/thread_team.h"

namespace kstar::train {
namespace {

Options small(int workers) {
  Options options;
  options.workers = workers;
  options.batch = 83;  // divides by none of 2 .. 8
  options.width = 24;
  options.steps = 40;
  options.warm_up = 2;
  return options;
}

Result<Options> parsed(const std::vector<std::string>& words) {
  return parse_options(words, thread_engine());
}

Outcome trained(const Options& options) {
  const auto outcome = train_on_threads(options);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome.value_or(Outcome{});
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
  }
  return most;
}

/// Rounding: a few units in the last place of the largest, for sums of 83 terms.
constexpr double kRounding = 1e-13;

class Workers : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(K, Workers, testing::Range(1, 9));

TEST_P(Workers, ReproduceTheGradientOfOneToRounding) {
  Options one = small(1), many = small(GetParam());
  one.steps = many.steps = 1;
  one.warm_up = many.warm_up = 0;
  const std::vector<double> expected = trained(one).gradient;
  ASSERT_GT(largest(expected), 0.01);
  EXPECT_LT(largest_difference(trained(many).gradient, expected), kRounding * largest(expected));
}

TEST_P(Workers, ReproduceTheGradientOfOneWithUnevenSharesToo) {
  Options one = small(1), many = small(GetParam());
  one.steps = many.steps = 1;
  one.warm_up = many.warm_up = 0;
  many.planted.imbalance = 0.7;
  const std::vector<double> expected = trained(one).gradient;
  EXPECT_LT(largest_difference(trained(many).gradient, expected), kRounding * largest(expected));
}

TEST_P(Workers, ReproduceTheGradientOfOneLayerByLayerToo) {
  for (const AllReduce all_reduce : {AllReduce::kLayered, AllReduce::kOverlapped}) {
    Options one = small(1), many = small(GetParam());
    one.steps = many.steps = 1;
    one.warm_up = many.warm_up = 0;
    many.all_reduce = all_reduce;
    const Outcome expected = trained(one), outcome = trained(many);
    EXPECT_LT(largest_difference(outcome.gradient, expected.gradient),
              kRounding * largest(expected.gradient));
    EXPECT_NEAR(outcome.losses.front(), expected.losses.front(), kRounding);
  }
}

TEST_P(Workers, FollowTheLossCurveOfOne) {
  const Outcome one = trained(small(1)), many = trained(small(GetParam()));
  EXPECT_EQ(many.losses.size(), 40U);
  EXPECT_LT(largest_difference(many.losses, one.losses), 1e-10);
  EXPECT_LT(largest_difference(many.parameters, one.parameters), 1e-10);
}

TEST_P(Workers, GiveTheSameBitsForTheSameSeed) {
  const Outcome first = trained(small(GetParam())), second = trained(small(GetParam()));
  EXPECT_EQ(first.losses, second.losses);
  EXPECT_EQ(first.parameters, second.parameters);
}

TEST_P(Workers, SumTheSameBitsOnEveryWorkerAgainAndAgain) {
  const int workers = GetParam();
  for (const std::size_t size : {0U, 1U, 5U, 1000U}) {
    SharedSum shared(workers);
    std::vector<std::vector<double>> arrays(static_cast<std::size_t>(workers));
    std::vector<std::thread> threads;
    for (int worker = 0; worker < workers; ++worker) {
      threads.emplace_back([&, worker] {
        auto& array = arrays[static_cast<std::size_t>(worker)];
        for (int round = 0; round < 50; ++round) {
          array.assign(size, worker + 0.1 * round);
          shared.sum(worker, array);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const auto& array : arrays) EXPECT_EQ(array, arrays.front());
    const double expected = workers * (workers - 1) / 2.0 + workers * 4.9;
    for (const double value : arrays.front()) EXPECT_NEAR(value, expected, 1e-12);
  }
}

TEST(Training, LowersTheLoss) {
  Options options = small(2);
  options.steps = 300;
  const Outcome outcome = trained(options);
  EXPECT_GT(outcome.losses.front(), 0.4);
  EXPECT_LT(outcome.losses.back(), outcome.losses.front() / 10);
}

TEST(Training, DependsOnTheSeed) {
  Options other = small(1);
  other.seed = 2;
  EXPECT_NE(trained(small(1)).losses, trained(other).losses);
}

TEST(Training, TakesTheWholeBatchFromEveryWorkerInWeakScaling) {
  const auto options = parsed({"--workers", "3", "--batch-per-worker", "10"});
  ASSERT_TRUE(options);
  EXPECT_EQ(trained(*options).shares, (std::vector<std::int64_t>{10, 10, 10}));
}

TEST(Gradient, IsTheSlopeOfTheLoss) {
  const Network network(Dataset::kInputs, 7, 2);
  Gradient gradient(network);
  Batch batch;
  Dataset(3).load(5, 40, batch);
  std::vector<double> parameters = network.initial_parameters(4), slopes(parameters.size() + 1);
  for (double& parameter : parameters) parameter += 0.01;  // biases away from 0
  gradient.add(parameters, batch, slopes);
  slopes.pop_back();
  const auto loss = [&] {
    std::vector<double> sums(parameters.size() + 1);
    gradient.add(parameters, batch, sums);
    return sums.back();
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    constexpr double kStep = 1e-6;
    const double kept = parameters[i];
    parameters[i] = kept + kStep;
    const double above = loss();
    parameters[i] = kept - kStep;
    const double below = loss();
    parameters[i] = kept;
    EXPECT_NEAR(slopes[i], (above - below) / (2 * kStep), 1e-4 * std::max(1.0, largest(slopes)));
  }
}

TEST(Shares, DifferByAtMostOneAndAddUp) {
  for (int workers = 1; workers <= 16; ++workers) {
    for (std::int64_t batch = workers; batch < 60; ++batch) {
      const auto shares = split_batch(batch, workers, 0);
      const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
      EXPECT_LE(*most - *least, 1);
      EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), std::int64_t{0}), batch);
    }
  }
}

TEST(Shares, HaveTheImbalanceAskedForAndLeaveNobodyWithout) {
  EXPECT_EQ(split_batch(400, 4, 0.5), (std::vector<std::int64_t>{150, 84, 83, 83}));
  EXPECT_EQ(split_batch(8, 4, 100), (std::vector<std::int64_t>{5, 1, 1, 1}));
  EXPECT_EQ(split_batch(8, 1, 0.5), (std::vector<std::int64_t>{8}));
}

TEST(Straggler, IsLateAsOftenAsAskedAndTheSameForTheSameSeed) {
  const Planted planted{.straggler = Straggler{.worker = -1, .seconds = 0.02, .chance = 0.25}};
  std::vector<int> late(4);
  for (int step = 0; step < 4000; ++step) {
    for (int worker = 0; worker < 4; ++worker) {
      const double seconds = planted_delay(planted, 7, step, worker, 4);
      EXPECT_EQ(seconds, planted_delay(planted, 7, step, worker, 4));
      late[static_cast<std::size_t>(worker)] += seconds > 0 ? 1 : 0;
    }
  }
  EXPECT_NEAR(std::accumulate(late.begin(), late.end(), 0), 1000, 110);  // 4 standard deviations
  for (const int count : late) EXPECT_NEAR(count, 250, 62);
}

TEST(Straggler, CanBeEachWorkerForItself) {
  const Planted planted{.straggler = Straggler{.each = true, .seconds = 0.02, .chance = 0.1}};
  std::vector<int> late(4);
  int steps = 0;
  for (int step = 0; step < 4000; ++step) {
    int count = 0;
    for (int worker = 0; worker < 4; ++worker) {
      const bool is_late = planted_delay(planted, 7, step, worker, 4) > 0;
      late[static_cast<std::size_t>(worker)] += is_late ? 1 : 0;
      count += is_late ? 1 : 0;
    }
    steps += count > 0 ? 1 : 0;
  }
  for (const int count : late) EXPECT_NEAR(count, 400, 76);  // 4 standard deviations
  EXPECT_NEAR(steps, 4000 * (1 - std::pow(0.9, 4)), 121);
}

TEST(TrainOptions, AreRefusedWithTheFlagTheConstraintAndTheValue) {
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, std::string>> cases = {
      {{"--workers", "0"}, "--workers: expected an integer from 1 to 1024, got '0'"},
      {{"--workers"}, "--workers: expected N behind it, got 'nothing'"},
      {{"--worker", "2"}, "command line: expected an option, got '--worker'"},
      {{"--batch", "4", "--workers", "8"}, "--workers: expected at most the batch of 4, got '8'"},
      {{"--batch", "4", "--batch-per-worker", "4"},
       "--batch-per-worker: expected it without --batch, got 'both'"},
      {{"--steps", "5", "--warm-up", "5"}, "--warm-up: expected fewer than the 5 steps, got '5'"},
      {{"--straggler", "1"}, "--straggler: expected WORKER:MS or WORKER:MS:CHANCE, got '1'"},
      {{"--straggler", "1:x"}, "--straggler: expected a number from 0 to 60000, got 'x'"},
      {{"--straggler", "1:5:1.5"}, "--straggler: expected a number from 0 to 1, got '1.5'"},
      {{"--slow-allreduce", "3"},
       "--slow-allreduce: expected a factor like 3x or a delay like 5ms, got '3'"},
      {{"--slow-allreduce", "0.5x"},
       "--slow-allreduce: expected a number from 1 to 1000000, got '0.5'"},
      {{"--memory-bound=0"}, "--memory-bound: expected a number from 1 to 65536, got '0'"},
      {{"--imbalance", "nan"}, "--imbalance: expected a number from 0 to 1023, got 'nan'"},
      {{"--allreduce", "ring"}, "--allreduce: expected fused or layered, got 'ring'"},
      {{"--allreduce", "overlapped"}, "--allreduce: expected fused or layered, got 'overlapped'"},
      {{"--json=yes"}, "--json: expected no value, got 'yes'"}};
  for (const auto& [words, message] : cases) {
    const auto options = parsed(words);
    ASSERT_FALSE(options) << message;
    EXPECT_EQ(options.error().where + ": " + options.error().message, message);
    EXPECT_EQ(options.error().code, ExitCode::kUsage);
  }
  EXPECT_EQ(parsed({"--worker", "2"}).error().hint, "did you mean --workers?");
}

TEST(TrainOptions, TakeTheWorkersThatThereAreAndNoOthers) {
  const Engine ranks{.program = "ranks", .worker = "ranks", .workers = 3, .overlaps = true};
  EXPECT_EQ(parse_options({"--allreduce=overlapped"}, ranks)->workers, 3);
  EXPECT_EQ(parse_options({"--workers", "3", "--batch-per-worker", "4"}, ranks)->batch, 12);
  const auto other = parse_options({"--workers", "2"}, ranks);
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message, "expected 3, the ranks of this job, got '2'");
  EXPECT_EQ(other.error().code, ExitCode::kUsage);
}

TEST(TrainOptions, AreReadWithABlankOrAnEqualsSign) {
  const auto options = parsed({"--workers=3", "--straggler", "-1:20:0.5", "--serial", "2",
                               "--slow-allreduce=4ms", "--memory-bound"});
  ASSERT_TRUE(options) << options.error().message;
  EXPECT_EQ(options->workers, 3);
  EXPECT_EQ(options->planted.straggler->worker, -1);
  EXPECT_DOUBLE_EQ(options->planted.straggler->seconds, 0.02);
  EXPECT_DOUBLE_EQ(options->planted.serial, 0.002);
  EXPECT_DOUBLE_EQ(options->planted.all_reduce_seconds, 0.004);
  EXPECT_GE(options->planted.stream_mib, 64);
}

}  // namespace
}  // namespace kstar::train
