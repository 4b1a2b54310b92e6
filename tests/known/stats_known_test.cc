// Answers from publications.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kstar/stats.h"
#include "stats/ratio.h"

namespace kstar {
namespace {

// NIST Statistical Reference Datasets, univariate summary statistics,
// https://www.itl.nist.gov/div898/strd/univ/homepage.html. NumAcc2 to 4 are one value, then 500
// pairs around it.
std::vector<double> num_acc(double first, double low, double high) {
  std::vector<double> data = {first};
  for (int pair = 0; pair < 500; ++pair) data.insert(data.end(), {low, high});
  return data;
}

/// How many digits of `value` are those of the certified one.
double log_relative_error(double value, double certified) {
  return value == certified ? 16 : -std::log10(std::fabs(value - certified) / std::fabs(certified));
}

void expect_certified(const std::vector<double>& data, double mean, double deviation,
                      double correlation, double digits) {
  const Summary summary = summarize(data).value();
  EXPECT_GE(log_relative_error(summary.mean, mean), 15);
  EXPECT_GE(log_relative_error(summary.standard_deviation, deviation), digits);
  EXPECT_GE(log_relative_error(autocorrelation(data, 1).value(), correlation), digits);
}

TEST(NistUnivariate, NumAcc1HasAllItsCertifiedDigits) {
  expect_certified({10000001, 10000003, 10000002}, 10000002, 1, -0.5, 15);
}

TEST(NistUnivariate, NumAcc2HasAllItsCertifiedDigits) {
  expect_certified(num_acc(1.2, 1.1, 1.3), 1.2, 0.1, -0.999, 14.5);
}

// The data themselves are not doubles: 1000000.1 is off by 2e-11, which is 1e-10 of the deviation.
TEST(NistUnivariate, NumAcc3HasTheDigitsThatDoublesHold) {
  expect_certified(num_acc(1000000.2, 1000000.1, 1000000.3), 1000000.2, 0.1, -0.999, 9.4);
}

// 10000000.1 is off by 4e-10, which is 4e-9 of the deviation.
TEST(NistUnivariate, NumAcc4HasTheDigitsThatDoublesHold) {
  expect_certified(num_acc(10000000.2, 10000000.1, 10000000.3), 10000000.2, 0.1, -0.999, 8.2);
}

// Michelso: the speed of light in thousands of km/s, Dorsey 1944.
TEST(NistUnivariate, MichelsoHasItsCertifiedDigits) {
  std::vector<double> data = {
      850,  740, 900, 1070, 930, 850, 950, 980, 980, 880, 1000, 980, 930, 650, 760, 810, 1000,
      1000, 960, 960, 960,  940, 960, 940, 880, 800, 850, 880,  900, 840, 830, 790, 810, 880,
      880,  830, 800, 790,  760, 800, 880, 880, 880, 860, 720,  720, 620, 860, 970, 950, 880,
      910,  850, 870, 840,  840, 850, 840, 840, 840, 890, 810,  810, 820, 800, 770, 760, 740,
      750,  760, 910, 920,  890, 860, 880, 720, 840, 850, 850,  780, 890, 840, 780, 810, 760,
      810,  790, 810, 820,  850, 870, 870, 810, 740, 810, 940,  950, 800, 810, 870};
  for (double& value : data) value = (299000 + value) / 1000;
  expect_certified(data, 299.852400000000, 0.0790105478190518, 0.535199668621283, 13);
}

/// n samples with exactly this mean and standard deviation, for what is published as a summary.
std::vector<double> sample_with(std::size_t n, double mean, double deviation) {
  std::vector<double> data(n, mean);
  // Half below, half above, and with an odd number one in the middle.
  const auto count = static_cast<double>(n);
  const double step = n % 2 == 1 ? deviation : deviation * std::sqrt((count - 1) / count);
  for (std::size_t i = 0; i < n / 2; ++i) {
    data[i] -= step;
    data[n - 1 - i] += step;
  }
  return data;
}

// The table of every textbook, for example NIST/SEMATECH e-Handbook 1.3.6.7.2.
TEST(StudentT, IntervalsReachAsFarAsThePublishedTableSays) {
  struct Row {
    std::size_t degrees;
    double t95, t99;
  };
  for (const Row row : {Row{1, 12.706, 63.657}, Row{2, 4.303, 9.925}, Row{3, 3.182, 5.841},
                        Row{4, 2.776, 4.604}, Row{5, 2.571, 4.032}, Row{9, 2.262, 3.250},
                        Row{10, 2.228, 3.169}, Row{29, 2.045, 2.756}, Row{100, 1.984, 2.626}}) {
    const std::size_t n = row.degrees + 1;
    const auto data = sample_with(n, 10, std::sqrt(static_cast<double>(n)));  // error 1
    EXPECT_NEAR(estimate_mean(data).value().high - 10, row.t95, 0.00051) << row.degrees;
    EXPECT_NEAR(estimate_mean(data, {.confidence = 0.99}).value().high - 10, row.t99, 0.00051);
  }
}

// NIST/SEMATECH e-Handbook 1.3.5.2, ZARR13.DAT: n 195, mean 9.261460, deviation 0.022789.
TEST(StudentT, IntervalIsThatOfTheNistHandbook) {
  const Estimate mean = estimate_mean(sample_with(195, 9.261460, 0.022789)).value();
  EXPECT_NEAR(mean.low, 9.258242, 1e-6);
  EXPECT_NEAR(mean.high, 9.264679, 1e-6);
}

// The sleep data of Student (1908) under Welch's test, as in the documentation of R's t.test:
// t = -1.8608, df = 17.776.
TEST(Welch, DegreesOfFreedomAreThePublishedOnes) {
  const std::vector<double> first = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::vector<double> second = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  const auto a = stats::moments(first), b = stats::moments(second);
  const auto spread_a = stats::independent_spread(a), spread_b = stats::independent_spread(b);
  const double error = std::sqrt(spread_a.variance + spread_b.variance);
  EXPECT_NEAR((a.mean - b.mean) / error, -1.8608, 5e-5);
  EXPECT_NEAR(stats::welch_degrees(spread_a, spread_b), 17.776, 5e-4);
}

// DCPROGS/DCSTATS, FIELLER: 14 with standard error 3 over 7 with 2, t(10) = 1.812461.
TEST(Fieller, LimitsAreThoseOfDcstats) {
  const stats::RatioLimits limits = stats::fieller_limits(14, 9, 7, 4, 1.812461);
  EXPECT_NEAR(limits.low, 1.051413, 2e-6);
  EXPECT_NEAR(limits.high, 4.414296, 2e-6);
}

// GraphPad QuickCalcs as quoted there: 14 over 7, deviations 3 and 2, 6 samples each, t(10).
TEST(Fieller, LimitsAreThoseOfGraphPad) {
  const stats::RatioLimits at95 = stats::fieller_limits(14, 9.0 / 6, 7, 4.0 / 6, 2.228139);
  EXPECT_NEAR(at95.low, 1.46, 0.0051);
  EXPECT_NEAR(at95.high, 2.83, 0.0051);
  const stats::RatioLimits at99 = stats::fieller_limits(14, 9.0 / 6, 7, 4.0 / 6, 3.169273);
  EXPECT_NEAR(at99.low, 1.27, 0.0051);
  EXPECT_NEAR(at99.high, 3.36, 0.0051);
}

}  // namespace
}  // namespace kstar
