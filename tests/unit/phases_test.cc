#include <gtest/gtest.h>

#include <algorithm>

#include "kstar/analysis.h"
#include "kstar/phases.h"
#include "support/planted_study.h"

namespace kstar {
namespace {

const PhaseScaling* phase_named(const PhaseTable& table, const std::string& name) {
  const auto found = std::find_if(table.phases.begin(), table.phases.end(),
                                  [&](const PhaseScaling& phase) { return phase.name == name; });
  return found == table.phases.end() ? nullptr : &*found;
}

TEST(Phases, ThatAreDividedScaleAndThatGrowDoNot) {
  planted::Job job;
  job.communication = 0.03;
  const PhaseTable table = phase_table(planted::simulate(job), Regime::kStrong, 0.7);
  EXPECT_EQ(table.base_workers, 1);
  EXPECT_EQ(table.workers, 16);
  const PhaseScaling* compute = phase_named(table, "compute");
  ASSERT_TRUE(compute);
  EXPECT_NEAR(compute->points.back().efficiency->point, 1, 0.05);
  EXPECT_NEAR(compute->points.back().speedup->point, 16, 0.8);
  EXPECT_FALSE(compute->bend);
  const PhaseScaling* stops = stopping_phase(table);
  ASSERT_TRUE(stops);
  EXPECT_EQ(stops->name, "transfer");
  EXPECT_FALSE(stops->points.back().efficiency) << "one worker does not communicate";
  EXPECT_NEAR(stops->points.back().time.point, 0.03, 0.003);
}

TEST(Phases, HaveABendOfTheirOwn) {
  planted::Job job;
  job.slowdown = 0.8;
  const PhaseTable table = phase_table(planted::simulate(job), Regime::kStrong, 0.7);
  const PhaseScaling* compute = phase_named(table, "compute");
  ASSERT_TRUE(compute && compute->bend);
  EXPECT_EQ(stopping_phase(table), compute);
  const PhasePoint& last = compute->points.back();
  EXPECT_NEAR(last.efficiency->point, 1 / 1.8, 0.03);
  EXPECT_LT(last.efficiency->low, last.efficiency->point);
  EXPECT_GT(last.efficiency->high, last.efficiency->point);
}

TEST(Phases, OfNoWorkersAreNone) {
  planted::Job job;
  job.workers_known = false;
  EXPECT_TRUE(phase_table(planted::simulate(job), Regime::kStrong, 0.7).phases.empty());
  EXPECT_TRUE(phase_table(planted::simulate({}), Regime::kMixed, 0.7).phases.empty());
}

Run profiled(int workers, double reduce, double send) {
  Run run;
  run.workers = workers;
  run.wall = 10;
  Inside& inside = run.inside.emplace();
  inside.span.assign(static_cast<std::size_t>(workers), 10);
  inside.by_call = {{.call = "MPI_Allreduce", .seconds = reduce * workers},
                    {.call = "MPI_Send", .seconds = send * workers}};
  return run;
}

TEST(Phases, OfMpiCallsAreGrouped) {
  Study study;
  for (int i = 0; i < 3; ++i) {
    study.runs.push_back(profiled(2, 1, 2));
    study.runs.push_back(profiled(8, 1, 0.5));
  }
  const PhaseTable table = phase_table(study, Regime::kStrong, 0.7);
  const PhaseScaling* collectives = phase_named(table, "MPI collectives");
  const PhaseScaling* messages = phase_named(table, "MPI point-to-point");
  ASSERT_TRUE(collectives && messages);
  EXPECT_DOUBLE_EQ(collectives->points.back().efficiency->point, 0.25);
  EXPECT_EQ(collectives->bend, 8);
  EXPECT_DOUBLE_EQ(messages->points.back().efficiency->point, 1);
  EXPECT_NEAR(collectives->lost, 0.75 * 0.1, 1e-12);
}

}  // namespace
}  // namespace kstar
