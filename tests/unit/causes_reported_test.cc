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

Run run_with(int workers, double wall, const std::string& factors) {
  Run run;
  run.workers = workers;
  run.wall = wall;
  run.extra = fmt::format("{{\"pop\":{{{}}}}}", factors);
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
      strong({run_with(1, 100, R"("load_balance":1,"communication_efficiency":1)"),
              run_with(8, 25, R"("load_balance":0.98,"communication_efficiency":0.51)")}));
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
      strong({run_with(1, 100, R"("load_balance":1,"communication_efficiency":1)"),
              run_with(2, 50.5, R"("load_balance":0.995,"communication_efficiency":0.995)")}));
  EXPECT_EQ(diagnosis.causes.front().kind, CauseKind::kNone);
  EXPECT_EQ(diagnosis.causes.front().confidence, Confidence::kReported);
}

TEST(FactorsSaid, AtOneKOrIncompleteLeaveItToTheShape) {
  for (const char* factors : {R"("load_balance":0.9)", R"("communication_efficiency":0.9)",
                              R"("load_balance":"x","communication_efficiency":0)", ""}) {
    const Diagnosis diagnosis =
        diagnosed(strong({run_with(1, 100, factors), run_with(4, 50, factors)}));
    EXPECT_EQ(diagnosis.causes.front().confidence, Confidence::kShape) << factors;
  }
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
