#include "kstar/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace kstar {
namespace {

CostModel amdahl(double serial) {
  CostModel model;
  model.serial = serial;
  model.parallel = 1 - serial;
  return model;
}

CostModel strong(double serial, Growth growth, double cost) {
  CostModel model = amdahl(serial);
  model.communication = {{growth, cost}};
  return model;
}

CostModel weak(double serial, Growth growth, double cost) {
  CostModel model = strong(serial, growth, cost);
  model.regime = Regime::kWeak;
  model.work_growth = WorkGrowth::kProportional;
  return model;
}

/// Models of every kind, the same ones in every run.
std::vector<CostModel> many_models() {
  std::mt19937_64 engine(20260101);
  const auto uniform = [&] { return static_cast<double>(engine() >> 11U) * 0x1p-53; };
  std::vector<CostModel> models;
  for (int i = 0; i < 400; ++i) {
    const auto growth = static_cast<Growth>(engine() % 6);
    CostModel model = strong(uniform() * 0.3, growth, std::pow(10, -5 + 4 * uniform()));
    model.work_growth = static_cast<WorkGrowth>(engine() % 3);
    if (engine() % 3 == 0) model.hidden = uniform();
    if (engine() % 3 == 0) model.imbalance = uniform();
    if (engine() % 3 == 0) model.straggler = {std::pow(10, -4 * uniform()), uniform()};
    if (engine() % 4 == 0) model.base_workers = 8;
    models.push_back(model);
  }
  return models;
}

TEST(FirstBelow, ATieIsNotBelow) {
  // E(6) = 1/(6*0.2 + 0.8) = 0.5 exactly; the first K below 0.5 is 7.
  EXPECT_EQ(first_below(amdahl(0.20), 0.5), 7);
  EXPECT_EQ(first_below(amdahl(0.05), 0.5), 22);   // E(21) = 1/(1 + 20*0.05) = 0.5
  EXPECT_EQ(first_below(amdahl(0.01), 0.5), 102);  // E(101) = 0.5
}

TEST(FirstBelow, AgreesWithAmdahlsClosedForm) {
  // E(K) = 1/(1 + s(K-1)) < e  <=>  K > 1 + (1/e - 1)/s
  for (const double s : {0.3, 0.07, 0.013, 1e-4, 3e-7, 1.7e-9}) {
    for (const double e : {0.31, 0.53, 0.7, 0.93}) {
      const double bound = 1 + (1 / e - 1) / s;
      EXPECT_EQ(first_below(amdahl(s), e), std::floor(bound) + 1) << s << " " << e;
    }
  }
}

TEST(FirstBelow, IsTheFirstIntegerByExhaustiveSearch) {
  for (const CostModel& model : many_models()) {
    std::optional<double> found;
    for (double k = 1; k <= 3000 && !found; ++k) {
      if (clearly_less(efficiency_at(model, k), 0.7)) found = k;
    }
    const std::optional<double> answer = first_below(model, 0.7);
    if (found || (answer && *answer <= 3000)) {
      EXPECT_EQ(answer, found);
    }
  }
}

TEST(FirstBelow, NeverComesWithoutALoss) {
  EXPECT_EQ(first_below(amdahl(0), 0.99), std::nullopt);
  EXPECT_EQ(first_below(weak(0.1, Growth::kConstant, 0.01), 0.9), std::nullopt);
}

TEST(Efficiency, NeverRisesWithKInAnyModel) {
  for (const CostModel& model : many_models()) {
    for (double k = 1; k < 1e9; k = std::ceil(k * 1.7)) {
      EXPECT_FALSE(clearly_less(efficiency_at(model, k), efficiency_at(model, k + 1))) << k;
    }
  }
}

TEST(Ceiling, OfAmdahlIsOneOverSAndOnlyApproached) {
  const Ceiling ceiling = ceiling_of(amdahl(0.05));
  EXPECT_DOUBLE_EQ(ceiling.speedup, 20);
  EXPECT_EQ(ceiling.workers, std::nullopt);
  EXPECT_FALSE(ceiling_of(amdahl(0)).bounded());
}

TEST(Ceiling, OfGrowingCommunicationIsReachedWhereTimeIsLeast) {
  // T = s + (1-s)/K + c log2 K is least at K = (1-s) ln 2 / c = 65.85: one of its neighbours.
  const CostModel model = strong(0.05, Growth::kLog2, 0.01);
  EXPECT_EQ(ceiling_of(model).workers, 66);
  EXPECT_EQ(least_time(model).workers, 66);
  EXPECT_EQ(least_time(model).turns_up, 67);
}

TEST(Ceiling, OfWeakScalingWithLinearCommunicationIsOneOverC) {
  // K / (1 + cK) * (1 + c) -> (1+c)/c: a bound, though the problem grows.
  EXPECT_DOUBLE_EQ(ceiling_of(weak(0.05, Growth::kLinear, 0.01)).speedup, 101);
  EXPECT_FALSE(ceiling_of(weak(0.05, Growth::kLog2, 0.01)).bounded());
}

TEST(Ceiling, OfTheUslIsAtGunthersPeak) {
  // K* = sqrt((1-a)/b) = sqrt(0.97/0.0005) = 44.05
  CostModel usl = strong(0.03, Growth::kOthers, 0.0005);
  usl.regime = Regime::kThroughput;
  EXPECT_EQ(ceiling_of(usl).workers, 44);
}

TEST(Ceiling, IsAboveEverySpeedupAndNoHigherThanNeeded) {
  for (const CostModel& model : many_models()) {
    const Ceiling ceiling = ceiling_of(model);
    double most = 0;
    for (double k = 1; k < 1e15; k = std::ceil(k * 1.3))
      most = std::max(most, speedup_at(model, k));
    if (!ceiling.bounded()) {
      EXPECT_GT(most, 1e8);
      EXPECT_GT(speedup_at(model, 1e15), 9 * speedup_at(model, 1e13));  // as sqrt K, or faster
      continue;
    }
    EXPECT_LE(most, ceiling.speedup * (1 + 1e-9));
    EXPECT_GE(most, ceiling.speedup * 0.9);
  }
}

TEST(Limits, AgreeWithTheCurveFarOut) {
  for (const CostModel& model : many_models()) {
    const Limits limits = limits_of(model);
    const double far = 1e15;
    if (std::isfinite(limits.time)) {
      EXPECT_NEAR(time_at(model, far) / limits.time, 1, 1e-6);
    }
    if (std::isfinite(limits.speedup) && limits.speedup > 0) {
      EXPECT_NEAR(speedup_at(model, far) / limits.speedup, 1, 1e-6);
    }
    if (limits.efficiency > 0) {
      EXPECT_NEAR(efficiency_at(model, far) / limits.efficiency, 1, 1e-6);
    } else {
      EXPECT_LT(efficiency_at(model, far), efficiency_at(model, 1e3));  // still on its way to 0
    }
  }
}

TEST(LeastTime, IsNoSlowerThanAnyOtherK) {
  for (const CostModel& model : many_models()) {
    const LeastTime least = least_time(model);
    for (double k = 1; k <= 3000; ++k) EXPECT_FALSE(clearly_less(time_at(model, k), least.time));
    if (least.workers) {
      EXPECT_DOUBLE_EQ(time_at(model, *least.workers), least.time);
    }
  }
}

TEST(LeastTime, FallsForEverUnderAmdahl) {
  const LeastTime least = least_time(amdahl(0.05));
  EXPECT_EQ(least.workers, std::nullopt);
  EXPECT_EQ(least.turns_up, std::nullopt);
  EXPECT_DOUBLE_EQ(least.time, 0.05);
}

TEST(LeastTime, TurnsUpAtTheFirstSlowerK) {
  for (const CostModel& model : many_models()) {
    std::optional<double> first;
    for (double k = 2; k <= 2000 && !first; ++k) {
      if (clearly_less(time_at(model, k - 1), time_at(model, k))) first = k;
    }
    const std::optional<double> answer = least_time(model).turns_up;
    if (first || (answer && *answer <= 2000)) {
      EXPECT_EQ(answer, first);
    }
  }
}

TEST(LeastTime, IsReachedWhereEverythingLeftIsHidden) {
  // 1800/K behind 20: from K = 90 on the step is the 20, for ever.
  CostModel step = strong(0, Growth::kConstant, 20);
  step.parallel = 1800;
  step.hidden = 1;
  EXPECT_EQ(least_time(step).workers, 90);
  EXPECT_EQ(least_time(step).turns_up, std::nullopt);
  EXPECT_EQ(ceiling_of(step).workers, 90);
  EXPECT_DOUBLE_EQ(ceiling_of(step).speedup, 90);
  EXPECT_EQ(ceiling_of(amdahl(1)).workers, 1);
}

TEST(LeastTime, IsExactWhereNeighboursDifferByLessThanRounding) {
  // K = ln 2 / c: 693147180.56 and 693147180559.9
  const LeastTime millions = least_time(strong(0, Growth::kLog2, 1e-9));
  EXPECT_NEAR(*millions.workers, 693147180.56, 1);
  EXPECT_EQ(*millions.turns_up, *millions.workers + 1);
  const LeastTime billions = least_time(strong(0, Growth::kLog2, 1e-12));
  EXPECT_NEAR(*billions.workers, 693147180559.9, 1);
  EXPECT_EQ(*billions.turns_up, *billions.workers + 1);
}

TEST(LeastTime, OfATieIsTheSmallerK) {
  CostModel step = strong(0, Growth::kLinear, 20);  // 1800/9 + 180 = 1800/10 + 200
  step.parallel = 1800;
  EXPECT_EQ(least_time(step).workers, 9);
  EXPECT_EQ(least_time(step).turns_up, 11);
}

TEST(FirstReaching, IsTheSmallestKWithTheSpeedup) {
  // A step of 240 + 60 ms on 8: 300/(1920/K + 60) >= 4.5 from K = 288 on, exactly.
  CostModel step = strong(0, Growth::kConstant, 60);
  step.parallel = 240 * 8;
  step.base_workers = 8;
  EXPECT_EQ(first_reaching(step, 4.5), 288);
  EXPECT_EQ(first_reaching(amdahl(0.1), 9), 81);
  EXPECT_EQ(first_reaching(amdahl(0.1), 11), std::nullopt);
}

TEST(LargestSerial, HoldsTheFloorAndNothingMoreDoes) {
  // Amdahl: s = (1/e - 1)/(K-1)
  EXPECT_NEAR(*largest_serial(amdahl(0.05), 8, 0.8), 0.25 / 7, 1e-12);
  EXPECT_EQ(largest_serial(amdahl(0.05), 1, 0.8), 1);
  EXPECT_EQ(largest_serial(strong(0.05, Growth::kLinear, 0.1), 64, 0.8), std::nullopt);
  for (const CostModel& model : many_models()) {
    const std::optional<double> s = largest_serial(model, 16, 0.8);
    const double whole = model.serial + model.parallel;
    for (const double more : {0.25, 0.5, 0.75, 1.0}) {
      const double larger = s ? *s + (whole - *s) * more : whole * more;
      if (larger > s.value_or(-1)) {
        EXPECT_TRUE(clearly_less(efficiency_at(with_serial(model, larger), 16), 0.8));
      }
    }
    if (!s || *s == whole) continue;
    EXPECT_NEAR(efficiency_at(with_serial(model, *s), 16), 0.8, 1e-9);
  }
}

TEST(IsoefficientWork, GivesExactlyTheEfficiencyWhenPutBack) {
  for (const CostModel& model : many_models()) {
    for (const double k : {9.0, 64.0, 1000.0}) {
      const std::optional<double> work = isoefficient_work(model, k, 0.8);
      if (!work || *work == 0) continue;
      CostModel grown = model;
      grown.parallel = model.work_growth == WorkGrowth::kFixed ? *work * k : *work;
      EXPECT_NEAR(efficiency_at(grown, k), 0.8, 1e-9);
    }
  }
}

TEST(IsoefficientWork, GrowsAsTheCommunicationDoes) {
  // Seed 003: w = e/(1-e) c log2 K - s for a logarithm, and in proportion to K for a line.
  const CostModel log = weak(0.05, Growth::kLog2, 0.01);
  EXPECT_NEAR(*isoefficient_work(log, 128, 0.8), 4 * 0.01 * 7 - 0.05, 1e-12);
  const CostModel line = weak(0, Growth::kLinear, 0.01);
  EXPECT_NEAR(*isoefficient_work(line, 1024, 0.5) / *isoefficient_work(line, 64, 0.5), 16, 0.6);
}

TEST(EffectiveAmdahl, TurnsOverWhereTheWallClockDoesNot) {
  // Seed 004, exercise 3: 1800/K + 20 ms.
  CostModel step = strong(0, Growth::kConstant, 20);
  step.parallel = 1800;
  EXPECT_NEAR(serial_share_at(step, 64), 20 / (1800.0 / 64 + 20), 1e-15);
  EXPECT_EQ(effective_amdahl_peak(step), 11);
  EXPECT_EQ(least_time(step).turns_up, std::nullopt);
}

TEST(ClearlyLess, TreatsInfinityAsLargerThanEveryNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(clearly_less(1, infinity));
  EXPECT_FALSE(clearly_less(infinity, infinity));
  EXPECT_FALSE(clearly_less(1, 1 + 1e-14));
}

}  // namespace
}  // namespace kstar
