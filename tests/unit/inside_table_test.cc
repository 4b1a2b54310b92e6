#include "kstar/inside_table.h"

#include <gtest/gtest.h>

#include "kstar/scaling_report.h"

namespace kstar {
namespace {

Run plain_run(double wall, int block) {
  Run run;
  run.workers = 2;
  run.wall = wall;
  run.block = block;
  run.exit_status = 0;
  return run;
}

/// Two ranks of 10 s: rank 0 computes 6 s, waits 3 and transfers 1; rank 1 computes 9 s.
Run inside_run(double wall, int block) {
  Run run = plain_run(wall, block);
  run.inside.emplace().world = 2;
  PerWorker& ranks = run.per_worker.emplace();
  ranks.compute = {6, 9};
  ranks.wait = {3, 0};
  ranks.communicate = {1, 1};
  return run;
}

Study study_of(int blocks) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (int block = 0; block < blocks; ++block) {
    const double mood = 1 + 0.3 * block;  // the machine slows for everybody
    study.runs.push_back(plain_run(10 * mood, block));
    study.runs.push_back(inside_run(11 * mood, block));
  }
  return study;
}

TEST(InsideTable, SharesAreOverRanksAndTheirWholeIsOne) {
  const InsideTable table = inside_table(study_of(3));
  ASSERT_EQ(table.points.size(), 1U);
  const InsidePoint& point = table.points[0];
  EXPECT_EQ(point.runs, 3U);
  EXPECT_DOUBLE_EQ(point.useful.point, 0.75);
  EXPECT_DOUBLE_EQ(point.mpi.point, 0.25);
  EXPECT_DOUBLE_EQ(point.wait->point, 0.15);
  EXPECT_DOUBLE_EQ(point.transfer->point, 0.10);
  EXPECT_FALSE(point.file);
}

TEST(InsideTable, NamesTheRankThatTheOthersWaitFor) {
  const InsidePoint point = inside_table(study_of(3)).points[0];
  EXPECT_EQ(point.waited_for, 1);
  EXPECT_DOUBLE_EQ(point.least_wait, 0);
  EXPECT_DOUBLE_EQ(point.most_wait, 0.3);
}

TEST(InsideTable, NamesNobodyWhereRunsDisagree) {
  Study study = study_of(3);
  std::swap(study.runs[1].per_worker->wait[0], study.runs[1].per_worker->wait[1]);
  EXPECT_FALSE(inside_table(study).points[0].waited_for);
}

TEST(InsideTable, PairsTheCostByBlockSoThatDriftCancels) {
  const Estimate cost = *inside_table(study_of(4)).points[0].cost;
  EXPECT_NEAR(cost.point, 1.1, 1e-12);
  EXPECT_EQ(cost.method, IntervalMethod::kPairedEffective);
  EXPECT_NEAR(cost.high - cost.low, 0, 1e-9);
}

TEST(InsideTable, TwoBlocksAreComparedWithoutPairs) {
  const Estimate cost = *inside_table(study_of(2)).points[0].cost;
  EXPECT_EQ(cost.method, IntervalMethod::kWelchLogEffective);
  EXPECT_LT(cost.low, 1.1);
  EXPECT_GT(cost.high, 1.1);
}

TEST(InsideTable, APlainRunThatIsWarmUpIsNotCompared) {
  Study study = study_of(4);
  study.runs[0].warm_up = true;
  study.runs[0].wall = 1000;
  const Estimate cost = *inside_table(study).points[0].cost;
  EXPECT_NEAR(cost.point, 1.1, 1e-12);
  EXPECT_EQ(cost.n, 3U);
}

TEST(InsideTable, TheBlockOfAPlainWarmUpIsOneForBothAlsoWithoutPairs) {
  Study study = study_of(3);
  for (kstar::Run& run : study.runs) run.wall = is_profiled(run) ? 11 : 10;
  study.runs[0].warm_up = true;
  study.runs[0].wall = study.runs[1].wall = 1000;
  EXPECT_NEAR(inside_table(study).points[0].cost->point, 1.1, 1e-12);
}

TEST(InsideTable, AFailedRunHasNoShareAndIsSaid) {
  Study study = study_of(3);
  study.runs[1].exit_status = 1;
  study.runs[1].per_worker->compute = {0, 0};
  const InsidePoint point = inside_table(study).points[0];
  EXPECT_EQ(point.runs, 2U);
  EXPECT_EQ(point.failed, 1U);
  EXPECT_DOUBLE_EQ(point.useful.point, 0.75);
}

TEST(InsideTable, WithoutWaitingInEveryRunItIsNotClaimed) {
  Study study = study_of(3);
  study.runs[1].per_worker->wait.clear();
  study.runs[1].per_worker->communicate = {4, 1};
  const InsidePoint point = inside_table(study).points[0];
  EXPECT_DOUBLE_EQ(point.mpi.point, 0.25);
  EXPECT_FALSE(point.wait);
  EXPECT_FALSE(point.transfer);
}

TEST(InsideTable, NotesTheCostAtEachKAndWarnsWhereItIsMuch) {
  Study study = study_of(4);
  study.runs[1].inside->notes = {"1 of 3 ranks wrote no file"};
  const InsideTable table = inside_table(study);
  ASSERT_EQ(table.notes.size(), 2U);
  EXPECT_EQ(table.notes[0].what, "inside-cost");
  EXPECT_EQ(table.notes[0].where, "K = 2");
  EXPECT_EQ(table.notes[0].severity, Severity::kWarning);
  EXPECT_NE(table.notes[0].text.find("1.100"), std::string::npos);
  EXPECT_EQ(table.notes[1].text, "1 of 3 ranks wrote no file");
}

TEST(InsideTable, IsEmptyWithoutSuchRunsAndShowsNothing) {
  Study study = study_of(2);
  std::erase_if(study.runs, is_profiled);
  EXPECT_TRUE(inside_table(study).points.empty());
  EXPECT_TRUE(to_document(inside_table(study)).blocks.empty());
}

TEST(Counts, AreRunsWithATimeThatDidNotFailAreNoWarmUpAndWereNotLookedInto) {
  EXPECT_TRUE(counts(plain_run(1, 0)));
  EXPECT_FALSE(counts(inside_run(1, 0)));
  kstar::Run run = plain_run(1, 0);
  run.warm_up = true;
  EXPECT_FALSE(counts(run));
  run = plain_run(1, 0);
  run.exit_status = 1;
  EXPECT_FALSE(counts(run));
  run = plain_run(1, 0);
  run.wall.reset();
  EXPECT_FALSE(counts(run));
}

}  // namespace
}  // namespace kstar
