#include "kstar/joint_draws.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kstar {
namespace {

constexpr std::size_t kDraws = 40000;

std::vector<std::vector<double>> draws_of(const std::vector<DrawnError>& errors,
                                          const std::vector<double>& correlations,
                                          std::uint64_t seed = 1) {
  JointDraws draws(errors, correlations, seed);
  std::vector<std::vector<double>> columns(errors.size());
  for (std::size_t i = 0; i < kDraws; ++i) {
    const auto draw = draws.next();
    for (std::size_t j = 0; j < errors.size(); ++j) columns[j].push_back(draw[j]);
  }
  return columns;
}

double share_beyond(const std::vector<double>& column, double limit) {
  const auto beyond =
      std::count_if(column.begin(), column.end(), [&](double x) { return std::fabs(x) > limit; });
  return static_cast<double>(beyond) / static_cast<double>(column.size());
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

// The tables of Student's t: 4.303 with 2 degrees of freedom, 2.776 with 4, 1.960 with many.
TEST(JointDraws, EachErrorIsStudentsWithItsOwnDegrees) {
  const auto columns =
      draws_of({{.error = 2, .degrees = 2}, {.error = 0.1, .degrees = 4}, {.error = 1}},
               {1, 0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 1});
  EXPECT_NEAR(share_beyond(columns[0], 2 * 4.303), 0.05, 0.004);
  EXPECT_NEAR(share_beyond(columns[0], 2 * 0.8165), 0.5, 0.01);
  EXPECT_NEAR(share_beyond(columns[1], 0.2776), 0.05, 0.004);
  EXPECT_NEAR(share_beyond(columns[2], 1.96), 0.05, 0.004);
}

TEST(JointDraws, AreCorrelatedAsTold) {
  const auto columns = draws_of({{.error = 3}, {.error = 1}, {.error = 2}},
                                {1, 0.8, -0.2, 0.8, 1, 0.1, -0.2, 0.1, 1});
  EXPECT_NEAR(correlation(columns[0], columns[1]), 0.8, 0.01);
  EXPECT_NEAR(correlation(columns[0], columns[2]), -0.2, 0.02);
  EXPECT_NEAR(correlation(columns[1], columns[2]), 0.1, 0.02);
}

TEST(JointDraws, KeepEveryErrorsSizeWhereTheCorrelationsAreNone) {
  // No three numbers are related like that: the determinant is -0.458.
  const auto columns = draws_of({{.error = 1}, {.error = 1}, {.error = 1}},
                                {1, 0.9, -0.9, 0.9, 1, 0.2, -0.9, 0.2, 1});
  for (const auto& column : columns) EXPECT_NEAR(share_beyond(column, 1.96), 0.05, 0.004);
  EXPECT_NEAR(correlation(columns[0], columns[1]), 0.9, 0.01);
}

TEST(JointDraws, WhatDoesNotScatterStaysAndEqualsMoveTogether) {
  JointDraws draws(std::vector<DrawnError>{{.error = 0, .degrees = 3}, {.error = 1}, {.error = 1}},
                   std::vector<double>{1, 0, 0, 0, 1, 1, 0, 1, 1}, 3);
  for (int i = 0; i < 100; ++i) {
    const auto draw = draws.next();
    EXPECT_EQ(draw[0], 0);
    EXPECT_DOUBLE_EQ(draw[1], draw[2]);
  }
}

TEST(JointDraws, TheSameSeedGivesTheSameDraws) {
  const std::vector<DrawnError> errors = {{.error = 1, .degrees = 5}};
  EXPECT_EQ(draws_of(errors, {1}, 7), draws_of(errors, {1}, 7));
  EXPECT_NE(draws_of(errors, {1}, 7), draws_of(errors, {1}, 8));
}

TEST(CommonCauseDraws, AreCorrelatedByTheCausesThatBothHave) {
  CommonCauseDraws draws(std::vector<DrawnError>{{.error = 1}, {.error = 2}, {.error = 1}},
                         {{{0, 0.8}, {1, 0.5}}, {{0, 0.6}}, {{2, 0.9}}}, 3, 1);
  std::vector<std::vector<double>> columns(3);
  for (std::size_t i = 0; i < kDraws; ++i) {
    draws.next();
    for (std::size_t j = 0; j < 3; ++j) columns[j].push_back(draws.error(j));
  }
  EXPECT_NEAR(correlation(columns[0], columns[1]), 0.48, 0.015);
  EXPECT_NEAR(correlation(columns[0], columns[2]), 0, 0.015);
  EXPECT_NEAR(share_beyond(columns[1], 2 * 1.96), 0.05, 0.005);
}

TEST(CommonCauseDraws, EachErrorIsStudentsWithItsOwnDegrees) {
  CommonCauseDraws draws(std::vector<DrawnError>{{.error = 1, .degrees = 3}, {.error = 0}},
                         {{{0, 1.0}}, {}}, 1, 1);
  std::vector<double> column;
  for (std::size_t i = 0; i < kDraws; ++i) {
    draws.next();
    column.push_back(draws.error(0));
    EXPECT_EQ(draws.error(1), 0);
  }
  EXPECT_NEAR(share_beyond(column, 3.182), 0.05, 0.005);
}

}  // namespace
}  // namespace kstar
