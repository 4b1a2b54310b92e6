// Answers computed with R 4.2.2; the expression stands beside each. In all of them
//   a <- c(10.1, 9.8, 10.4, 10.0, 9.7);  b <- c(2.6, 2.4, 2.9);  r <- mean(a) / mean(b)
//   p <- c(2.6, 2.4, 2.9, 2.5, 2.45)     the partner of a, block by block
#include <gtest/gtest.h>

#include <vector>

#include "kstar/stats.h"
#include "stats/distributions.h"

namespace kstar {
namespace {

const std::vector<double> kA = {10.1, 9.8, 10.4, 10.0, 9.7};
const std::vector<double> kB = {2.6, 2.4, 2.9};
const std::vector<double> kP = {2.6, 2.4, 2.9, 2.5, 2.45};

void expect_interval(const Result<Estimate>& estimate, double low, double high,
                     double tolerance = 1e-12) {
  ASSERT_TRUE(estimate.has_value()) << estimate.error().message;
  EXPECT_NEAR(estimate->low, low, tolerance);
  EXPECT_NEAR(estimate->high, high, tolerance);
}

TEST(AgainstR, StudentTIntervalOfAMean) {
  // t.test(a, conf.level = 0.99)$conf.int
  expect_interval(estimate_mean(kA, {.confidence = 0.99}), 9.436115841891379, 10.563884158108623);
}

TEST(AgainstR, NormalIntervalOfAMean) {
  // mean(a) + c(-1, 1) * qnorm(0.975) * sd(a) / sqrt(5)
  expect_interval(estimate_mean(kA, {.method = IntervalMethod::kNormal}), 9.759954416182234,
                  10.240045583817766);
}

TEST(AgainstR, StudentQuantilesAtFractionalDegreesOfFreedom) {
  // qt(0.975, c(1.5, 0.5, 17.776)); qt(0.9999995, 3)
  EXPECT_NEAR(stats::student_t_critical(0.95, 1.5), 6.016663104427929, 1e-10);
  EXPECT_NEAR(stats::student_t_critical(0.95, 0.5), 164.557673480494458, 1e-8);
  EXPECT_NEAR(stats::student_t_critical(0.95, 17.776), 2.102821310380222, 1e-12);
  EXPECT_NEAR(stats::student_t_critical(0.999999, 3), 130.154589561927565, 1e-7);
}

TEST(AgainstR, MedianIntervalAndItsConfidence) {
  const std::vector<double> data = {2.1, 3.4, 1.9, 5.6, 4.4, 2.8, 3.9, 6.1, 2.2, 3.0};
  const Estimate median = estimate_median(data).value();
  EXPECT_DOUBLE_EQ(median.point, 3.2);  // median(d)
  EXPECT_EQ(median.low, 2.1);           // sort(d)[qbinom(0.025, 10, 0.5)]
  EXPECT_EQ(median.high, 5.6);
  EXPECT_NEAR(median.confidence, 0.978515625, 1e-15);  // 1 - 2 * pbinom(1, 10, 0.5)
  // (sort(d)[9] - sort(d)[2]) / (2 * qnorm(1 - pbinom(1, 10, 0.5)))
  EXPECT_NEAR(median.standard_error, 0.7610805839411875, 1e-12);
}

TEST(AgainstR, WelchIntervalOfARatioOnLogarithms) {
  // w <- t.test(a / mean(a), b / mean(b))
  // r * w$stderr;  r * exp(c(-1, 1) * qt(0.975, w$parameter) * w$stderr)
  const auto ratio = estimate_ratio(kA, kB);
  EXPECT_NEAR(ratio.value().point, 3.797468354430380, 1e-14);
  EXPECT_NEAR(ratio.value().standard_error, 0.2146286621376007, 1e-13);
  expect_interval(ratio, 3.037681927970800, 4.747292917706294);
}

TEST(AgainstR, FiellerIntervalOfARatioSolvesItsDefinition) {
  // A <- var(a) / 5;  B <- var(b) / 3
  // t <- qt(0.975, (A + r^2 * B)^2 / (A^2 / 4 + (r^2 * B)^2 / 2))
  // f <- function(x) (mean(a) - x * mean(b))^2 - t^2 * (A + x^2 * B)
  // uniroot(f, c(0, r), tol = 1e-15)$root;  uniroot(f, c(r, 100), tol = 1e-15)$root
  expect_interval(estimate_ratio(kA, kB, {.method = IntervalMethod::kFieller}), 3.097800494684522,
                  4.875851932618847, 1e-11);
}

TEST(AgainstR, PairedIntervalOfARatio) {
  // w <- t.test(a / mean(a), p / mean(p), paired = TRUE);  r <- mean(a) / mean(p)
  // r * w$stderr;  r * exp(c(-1, 1) * qt(0.975, w$parameter) * w$stderr)
  const auto ratio = estimate_ratio(kA, kP, {.method = IntervalMethod::kPaired});
  EXPECT_NEAR(ratio.value().standard_error, 0.09112175269645414, 1e-13);
  expect_interval(ratio, 3.64610544369124545, 4.15245112309597442);
}

TEST(AgainstR, GeometricMeanOfRatios) {
  // w <- t.test(log(c(1.2, 0.8, 2.5, 1.9)));  exp(w$estimate);  exp(w$conf.int)
  const auto mean = estimate_geometric_mean(std::vector<double>{1.2, 0.8, 2.5, 1.9});
  EXPECT_NEAR(mean.value().point, 1.4613061453392517, 1e-14);
  expect_interval(mean, 0.6563524273218546, 3.2534589063980439);
}

TEST(AgainstR, HarmonicMeanOfRates) {
  // w <- t.test(1 / c(100, 120, 90, 110));  1 / w$estimate;  1 / rev(w$conf.int)
  const auto mean = estimate_harmonic_mean(std::vector<double>{100, 120, 90, 110});
  EXPECT_NEAR(mean.value().point, 103.80078636959371, 1e-11);
  expect_interval(mean, 86.65936677231521, 129.39551270995381, 1e-9);
}

// R's data set lh: luteinizing hormone at ten-minute intervals, a short correlated series.
TEST(AgainstR, EffectiveSampleSizeOfACorrelatedSeries) {
  const std::vector<double> lh = {2.4, 2.4, 2.4, 2.2, 2.1, 1.5, 2.3, 2.3, 2.5, 2.0, 1.9, 1.7,
                                  2.2, 1.8, 3.2, 3.2, 2.7, 2.2, 2.2, 1.9, 1.9, 1.8, 2.7, 3.0,
                                  2.3, 2.0, 2.0, 2.9, 2.9, 2.7, 2.7, 2.3, 2.6, 2.4, 1.8, 1.7,
                                  1.5, 1.4, 2.1, 3.3, 3.5, 3.5, 3.1, 2.6, 2.1, 3.4, 3.0, 2.9};
  // c <- acf(lh, lag.max = 47, plot = FALSE)$acf[-1];  c[1];  c[5]
  EXPECT_NEAR(autocorrelation(lh, 1).value(), 0.5755244755244755, 1e-14);
  EXPECT_NEAR(autocorrelation(lh, 5).value(), -0.1496503496503497, 1e-14);
  // rho <- c + 1 / 48;  k <- seq_len(which(rho <= 0)[1] - 1)
  // n <- 48 / (1 + 2 * sum((1 - k / 48) * rho[k]))
  EXPECT_NEAR(effective_sample_size(lh).value(), 18.7772653247902319, 1e-11);
  // s <- sqrt(var(lh) * 47 / (48 * (n - 1)));  mean(lh) + c(-1, 1) * qt(0.975, n - 1) * s
  expect_interval(estimate_mean(lh, {.method = IntervalMethod::kEffectiveSample}),
                  2.1277831231099733, 2.6722168768900265, 1e-11);
}

}  // namespace
}  // namespace kstar
