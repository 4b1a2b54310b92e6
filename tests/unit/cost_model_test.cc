#include "kstar/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kstar {
namespace {

CostModel strong(double serial, std::vector<Communication> communication = {}) {
  CostModel model;
  model.serial = serial;
  model.parallel = 1 - serial;
  model.communication = std::move(communication);
  return model;
}

CostModel weak(double serial, std::vector<Communication> communication = {}) {
  CostModel model = strong(serial, std::move(communication));
  model.regime = Regime::kWeak;
  model.work_growth = WorkGrowth::kProportional;
  return model;
}

TEST(Growth, IsWhatItsFormulaSays) {
  EXPECT_EQ(growth_at(Growth::kConstant, 8), 1);
  EXPECT_EQ(growth_at(Growth::kLog2, 8), 3);
  EXPECT_EQ(growth_at(Growth::kLog2Plus1, 7), 3);
  EXPECT_EQ(growth_at(Growth::kLinear, 8), 8);
  EXPECT_EQ(growth_at(Growth::kRing, 8), 1.75);
  EXPECT_EQ(growth_at(Growth::kOthers, 8), 7);
}

TEST(CostModel, WithoutCommunicationIsAmdahlsLaw) {
  for (const double s : {0.0, 0.01, 0.05, 0.2, 1.0}) {
    for (const double k : {1.0, 2.0, 7.0, 64.0, 1e6}) {
      EXPECT_DOUBLE_EQ(speedup_at(strong(s), k), 1 / (s + (1 - s) / k));
    }
  }
}

TEST(CostModel, WeakEfficiencyIsTheRatioOfTimesAndSpeedupIsKTimesThat) {
  const CostModel model = weak(0.05, {{Growth::kLog2, 0.01}});
  for (const double k : {1.0, 8.0, 128.0}) {
    EXPECT_DOUBLE_EQ(efficiency_at(model, k), time_at(model, 1) / time_at(model, k));
    EXPECT_DOUBLE_EQ(speedup_at(model, k), k * efficiency_at(model, k));
  }
}

TEST(CostModel, SpeedupFromALargerBaseIsFurtherSpeedup) {
  CostModel model = strong(0.1);
  model.base_workers = 8;
  EXPECT_DOUBLE_EQ(speedup_at(model, 8), 1);
  EXPECT_DOUBLE_EQ(efficiency_at(model, 8), 1);
  EXPECT_DOUBLE_EQ(speedup_at(model, 64), time_at(model, 8) / time_at(model, 64));
  EXPECT_DOUBLE_EQ(efficiency_at(model, 64), 8 * time_at(model, 8) / (64 * time_at(model, 64)));
}

TEST(CostModel, HidesNoMoreCommunicationThanThereIsComputation) {
  CostModel model = strong(0, {{Growth::kConstant, 0.1}});
  model.hidden = 1;
  EXPECT_DOUBLE_EQ(time_at(model, 5), 0.2);   // all of 0.1 runs behind 0.2
  EXPECT_DOUBLE_EQ(time_at(model, 20), 0.1);  // only 0.05 of it can
}

TEST(CostModel, AStepWaitsWhenAnyWorkerIsSlow) {
  CostModel model = strong(0.05);
  model.straggler = {.probability = 0.01, .delay = 2};
  EXPECT_NEAR(parts_at(model, 64).straggler, 2 * (1 - std::pow(0.99, 64)), 1e-15);
  model.straggler.probability = 1;
  EXPECT_DOUBLE_EQ(parts_at(model, 1).straggler, 2);
  model.straggler.probability = 1e-18;
  EXPECT_NEAR(parts_at(model, 1e6).straggler, 2e-12, 1e-23);
}

TEST(CostModel, ImbalanceCostsNothingOnOneWorker) {
  CostModel model = strong(0);
  model.imbalance = 0.25;
  EXPECT_DOUBLE_EQ(time_at(model, 1), 1);
  EXPECT_DOUBLE_EQ(time_at(model, 4), 0.25 * 1.25);
}

TEST(CostModel, SerialPartIsMovedNotAdded) {
  const CostModel changed = with_serial(strong(0.1), 0.3);
  EXPECT_DOUBLE_EQ(changed.serial, 0.3);
  EXPECT_DOUBLE_EQ(time_at(changed, 1), 1);
}

}  // namespace
}  // namespace kstar
