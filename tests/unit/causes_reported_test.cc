#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "kstar/causes.h"
#include "kstar/import.h"

#include "support/diagnosed.h"

/// Causes by the factors that another tool wrote down.
namespace kstar {
namespace {

using Factors = std::map<std::string, double>;

Run run_with(int workers, double wall, const Factors& factors) {
  Run run;
  run.workers = workers;
  run.wall = wall;
  run.factors.emplace() = factors;
  return run;
}

Study strong(std::vector<Run> runs) {
  Study study;
  study.header.regime = Regime::kStrong;
  study.runs = std::move(runs);
  return study;
}

TEST(FactorsSaid, NameTheCauseInsteadOfTheShape) {
  const Diagnosis diagnosis = diagnosed(
      strong({run_with(1, 100, {{"load_balance", 1}, {"communication_efficiency", 1}}),
              run_with(8, 25, {{"load_balance", 0.98}, {"communication_efficiency", 0.51}})}));
  EXPECT_EQ(diagnosis.workers, 8);
  ASSERT_EQ(diagnosis.factors.size(), 2U);
  EXPECT_DOUBLE_EQ(diagnosis.factors[1].parallel.point, 0.98 * 0.51);
  // E = 0.5 = parallel x computation.
  EXPECT_NEAR(diagnosis.factors[1].computation->point, 0.5 / (0.98 * 0.51), 1e-12);
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCommunication);
  EXPECT_EQ(cause.confidence, Confidence::kReported);
  EXPECT_NEAR(cause.share.point, std::log(0.51) / std::log(0.98 * 0.51), 1e-12);
  EXPECT_EQ(diagnosis.causes.size(), 1U);
}

TEST(FactorsSaid, WithNothingLostNameNoCause) {
  const Diagnosis diagnosis = diagnosed(
      strong({run_with(1, 100, {{"load_balance", 1}, {"communication_efficiency", 1}}),
              run_with(2, 50.5, {{"load_balance", 0.995}, {"communication_efficiency", 0.995}})}));
  EXPECT_EQ(diagnosis.causes.front().kind, CauseKind::kNone);
  EXPECT_EQ(diagnosis.causes.front().confidence, Confidence::kReported);
}

TEST(FactorsSaid, AtOneKOrIncompleteLeaveItToTheShape) {
  for (const Factors& factors :
       {Factors{{"load_balance", 0.9}}, Factors{{"communication_efficiency", 0.9}},
        Factors{{"load_balance", 0}, {"communication_efficiency", 0}}, Factors{}}) {
    const Diagnosis diagnosis =
        diagnosed(strong({run_with(1, 100, factors), run_with(4, 50, factors)}));
    EXPECT_EQ(diagnosis.causes.front().confidence, Confidence::kShape) << factors.size();
  }
}

TEST(FactorsSaid, BalanceAndParallelEfficiencyGiveCommunication) {
  const Diagnosis diagnosis = diagnosed(
      strong({run_with(1, 100, {{"load_balance", 1}, {"parallel_efficiency", 1}}),
              run_with(8, 27, {{"load_balance", 0.94}, {"parallel_efficiency", 0.94 * 0.86}})}));
  ASSERT_EQ(diagnosis.factors.size(), 2U);
  EXPECT_NEAR(diagnosis.factors[1].communication.point, 0.86, 1e-12);
  EXPECT_NEAR(diagnosis.factors[1].computation->point, 100.0 / 27 / 8 / 0.94 / 0.86, 1e-12);
}

// A fire simulator: its own factors say that computation is what slows down, not the serial part.
TEST(FactorsSaid, OfAFireSimulatorAreUsed) {
  const std::string file = KSTAR_PUBLIC_DATA "/hpc/fds_mpi_scaling.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the public data is not here";
  const Result<Study> study = import_file(file, {.select = "kind=strong,date=2019-06-07"});
  ASSERT_TRUE(study.has_value());
  const Diagnosis diagnosis = diagnosed(*study);
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kComputationScaling);
  EXPECT_EQ(cause.confidence, Confidence::kReported);
  EXPECT_NEAR(cause.factor.point, 0.406 / (0.9165 * 0.7447), 2e-3);
}

// The POP tool's own table: global efficiency 58.5% = 95.2% parallel x 61.4% computation.
TEST(FactorsSaid, AgreeWithThePublicTable) {
  const std::string file = KSTAR_PUBLIC_DATA "/hpc/pypop_epoch_modelfactors.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "the public data is not here";
  const Result<Study> study = import_file(file);
  ASSERT_TRUE(study.has_value());
  const Diagnosis diagnosis = diagnosed(*study);
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kComputationScaling);
  EXPECT_NEAR(cause.factor.point, 0.61436394, 1e-8);
  EXPECT_NEAR(cause.share.point, std::log(0.61436394) / std::log(0.58457456 / 0.99925583), 1e-3);
}

}  // namespace
}  // namespace kstar
