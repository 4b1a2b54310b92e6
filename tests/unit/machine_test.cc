#include "kstar/machine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kstar/roofline.h"

namespace kstar {
namespace {

MachineCeiling rates(MachineCeiling about, std::vector<double> samples) {
  return make_ceiling(std::move(about), std::move(samples));
}

/// Triad on 1, 2, 4 and 8 threads: 10, 18, 30 and 31 GB/s, all within 1%.
MachineCeilings saturating() {
  MachineCeilings machine{.name = "test", .kind = "cpu"};
  for (const auto& [threads, rate] :
       {std::pair{1, 10e9}, std::pair{2, 18e9}, std::pair{4, 30e9}, std::pair{8, 31e9}}) {
    machine.ceilings.push_back(
        rates({.level = "memory", .kernel = "triad", .threads = threads},
              {rate * 0.995, rate, rate * 1.005, rate, rate * 0.998, rate * 1.002}));
    machine.ceilings.push_back(
        rates({.level = "compute", .kernel = "fma", .precision = "fp64", .threads = threads},
              {threads * 50e9, threads * 50e9, threads * 50e9}));
  }
  return machine;
}

TEST(Machine, WhatIsWrittenIsReadBack) {
  MachineCeilings machine = saturating();
  machine.processor = "a \"quoted\" name\\";
  machine.capability = "9.0";
  machine.cores = 8;
  machine.notes = {"one", "two"};
  machine.cpu_wait = 0.25;
  const Result<MachineCeilings> read = parse_machine(to_toml(machine), "m.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->processor, machine.processor);
  EXPECT_EQ(read->capability, machine.capability);
  EXPECT_EQ(read->notes, machine.notes);
  EXPECT_EQ(read->cpu_wait, machine.cpu_wait);
  ASSERT_EQ(read->ceilings.size(), machine.ceilings.size());
  EXPECT_EQ(to_toml(*read), to_toml(machine));
}

TEST(Machine, BandwidthIsUsedUpWhereItReachesNineTenths) {
  const std::optional<BandwidthCurve> curve = bandwidth_curve(saturating());
  ASSERT_TRUE(curve);
  EXPECT_EQ(curve->used_up, 4);
  EXPECT_NEAR(curve->points.back().speedup.point, 3.1, 0.01);
  EXPECT_LT(curve->points.back().speedup.low, 3.1);
  EXPECT_GT(curve->points.back().speedup.high, 3.1);
}

TEST(Machine, SpeedupOfMemoryBoundCodeFollowsTheBandwidth) {
  const BandwidthCurve curve = *bandwidth_curve(saturating());
  EXPECT_NEAR(memory_speedup(curve, 4)->point, 3.0, 0.01);
  EXPECT_NEAR(memory_speedup(curve, 3)->point, 2.4, 0.01);  // between 1.8 and 3.0
  EXPECT_NEAR(memory_speedup(curve, 8, 0)->point, 8, 1e-9);
  // Half of T(1): 1 / (0.5/8 + 0.5/3.1)
  EXPECT_NEAR(memory_speedup(curve, 8, 0.5)->point, 1 / (0.5 / 8 + 0.5 / 3.1), 0.01);
  EXPECT_FALSE(memory_speedup(curve, 9));
}

TEST(Machine, APredictedSpeedupHasTheDriftOfTwoMeasurements) {
  const BandwidthCurve curve = *bandwidth_curve(saturating());
  const Estimate own = curve.points.back().speedup, predicted = *memory_speedup(curve, 8);
  const double drift = std::sqrt(2.0) * kSessionDrift * own.point;
  EXPECT_NEAR(predicted.standard_error, std::hypot(own.standard_error, drift), 1e-9);
  EXPECT_LT(predicted.low, own.point - 1.8 * drift);
  EXPECT_GT(predicted.high, own.point + 1.8 * drift);
  EXPECT_EQ(memory_speedup(curve, 1)->standard_error, 0);
}

TEST(Machine, OtherJobsWhileItWasMeasuredAreSaid) {
  MachineCeilings machine = saturating();
  EXPECT_EQ(disturbance_of(machine), "");
  machine.cpu_wait = 0.42;
  EXPECT_NE(disturbance_of(machine).find("42% of the time"), std::string::npos);
}

TEST(Machine, ThreadsBetweenAreInterpolatedAndBeyondAreSaid) {
  const MachineCeilings machine = saturating();
  const auto three = bandwidth_ceiling(machine, "memory", 3);
  ASSERT_TRUE(three);
  EXPECT_TRUE(three->between);
  EXPECT_NEAR(three->rate.point, 24e9, 0.2e9);
  EXPECT_TRUE(bandwidth_ceiling(machine, "memory", 16)->beyond);
  EXPECT_FALSE(bandwidth_ceiling(machine, "l1", 1));
  EXPECT_FALSE(compute_ceiling(machine, 1, "bf16"));
}

TEST(Machine, AStatedRateHasNoInterval) {
  const Result<MachineCeilings> machine =
      parse_machine("[[compute]]\nprecision = \"fp64\"\nrate = 17.6e9\n", "m.toml");
  ASSERT_TRUE(machine);
  EXPECT_FALSE(is_bounded(machine->ceilings[0].rate));
  EXPECT_EQ(machine->ceilings[0].rate.point, 17.6e9);
}

TEST(Machine, WrongFilesAreRefusedAtTheirPlace) {
  const auto message = [](const char* text) {
    const Result<MachineCeilings> read = parse_machine(text, "m.toml");
    return read ? std::string("read") : read.error().where + ": " + read.error().message;
  };
  EXPECT_NE(message("[[compute]]\nsamples = [1e9, -2]\n").find("m.toml:2"), std::string::npos);
  EXPECT_NE(message("[[compute]]\nrate = 1e300\n").find("1e21"), std::string::npos);
  EXPECT_NE(message("[[compute]]\nsamples = [1e-300]\n").find("m.toml:2"), std::string::npos);
  EXPECT_NE(message("[[compute]]\nsamples = []\n").find("1 to 10000"), std::string::npos);
  EXPECT_NE(message("[[compute]]\nrate = nan\n").find("from 1e6 to"), std::string::npos);
  EXPECT_NE(message("[[compute]]\nrate = 17.6\n").find("15e9"), std::string::npos);  // GFLOP/s?
  EXPECT_NE(message("[[bandwidth]]\nlevel = \"l9\"\nrate = 1\n").find("l1, l2"), std::string::npos);
  EXPECT_NE(message("[[bandwidth]]\nrate = 1\nsamples = [1.0]\n").find("both"), std::string::npos);
  EXPECT_NE(message("[[bandwidth]]\nthreads = -1\nrate = 1\n").find("m.toml:2"), std::string::npos);
  EXPECT_NE(message("name = \"x\"\n").find("at least one"), std::string::npos);
  EXPECT_NE(message("nmae = \"x\"\n").find("m.toml:1"), std::string::npos);
  EXPECT_NE(message("").find("at least one"), std::string::npos);
  EXPECT_NE(message("schema = 2\n[[compute]]\nrate = 1\n").find("m.toml:1"), std::string::npos);
}

}  // namespace
}  // namespace kstar
