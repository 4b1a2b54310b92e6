// The regime is checked against the work at every K, and never guessed silently.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kstar/scaling_table.h"

namespace kstar {
namespace {

using testing::HasSubstr;

/// Times at K = 1, 2, 4 and a workload made by `load` at each.
template <typename Load>
Study study_with(Load load) {
  Study study;
  for (const int k : {1, 2, 4}) {
    for (int block = 0; block < 3; ++block) {
      kstar::Run run;
      run.workers = k;
      run.wall = 1.0 + 0.01 * block;
      run.block = block;
      study.runs.push_back(run);
    }
    Workload workload = load(k);
    workload.workers = k;
    study.header.workload.push_back(workload);
  }
  return study;
}

ScalingTable table_of(const Study& study, std::optional<Regime> told = {}) {
  return scaling_table(study, {.regime = told}).value();
}

Workload batch_of(double batch) {
  Workload load;
  load.batch = batch;
  return load;
}

void expect_note(const ScalingTable& table, Severity severity, const char* what,
                 const char* words) {
  ASSERT_EQ(table.notes.size(), 1U);
  EXPECT_EQ(table.notes[0].severity, severity);
  EXPECT_EQ(table.notes[0].what, what);
  EXPECT_THAT(table.notes[0].text, HasSubstr(words));
}

TEST(Regime, WithoutAnyWordItIsStrongWithAWarningThatSaysHowToDeclareIt) {
  const ScalingTable table = table_of(study_with([](int) { return Workload{}; }));
  EXPECT_EQ(table.regime, Regime::kStrong);
  expect_note(table, Severity::kWarning, "regime-assumed", "--regime");
}

TEST(Regime, IsDerivedFromTheWorkWhereItIsNotDeclared) {
  const ScalingTable fixed = table_of(study_with([](int) { return batch_of(512); }));
  EXPECT_EQ(fixed.regime, Regime::kStrong);
  expect_note(fixed, Severity::kInfo, "regime-derived", "batch is 512 at K = 1 and 512 at K = 4");
  const ScalingTable growing = table_of(study_with([](int k) { return batch_of(128 * k); }));
  EXPECT_EQ(growing.regime, Regime::kWeak);
  EXPECT_NEAR(growing.points[2].efficiency->point, 1, 0.01);
  expect_note(growing, Severity::kInfo, "regime-derived", "batch is 128 at K = 1 and 512 at K = 4");
}

TEST(Regime, NeitherFixedNorInProportionIsMixedAndHasNoSpeedup) {
  const ScalingTable table =
      table_of(study_with([](int k) { return batch_of(k == 4 ? 256 : 128 * k); }));
  EXPECT_EQ(table.regime, Regime::kMixed);
  EXPECT_FALSE(table.points[2].speedup);
  expect_note(table, Severity::kInfo, "regime-derived", "so mixed");
}

TEST(Regime, ThatTheWorkContradictsIsUsedWithAWarning) {
  Study study = study_with([](int k) { return batch_of(128 * k); });
  study.header.regime = Regime::kStrong;
  const ScalingTable table = table_of(study);
  EXPECT_EQ(table.regime, Regime::kStrong);
  expect_note(table, Severity::kWarning, "regime-contradicted",
              "declared strong, but the work is that of weak scaling: batch is 128 at K = 1 and "
              "512 at K = 4");
  EXPECT_EQ(table.notes[0].where, "K = 4");
  study.header.regime = Regime::kWeak;
  EXPECT_TRUE(table_of(study).notes.empty());
}

TEST(Regime, ToldByTheUserCountsWhereTheStudySaysNone) {
  Study study = study_with([](int) { return Workload{}; });
  EXPECT_EQ(table_of(study, Regime::kWeak).regime, Regime::kWeak);
  EXPECT_TRUE(table_of(study, Regime::kWeak).notes.empty());
  study.header.regime = Regime::kStrong;
  const ScalingTable table = table_of(study, Regime::kWeak);
  EXPECT_EQ(table.regime, Regime::kStrong);
  expect_note(table, Severity::kWarning, "regime-told", "the study's own is used");
}

TEST(Regime, ABatchThatIsRoundedToDivideByKIsStillFixed) {
  const ScalingTable table =
      table_of(study_with([](int k) { return batch_of(1000.0 - 1000 % (3 * k)); }));
  EXPECT_EQ(table.regime, Regime::kStrong);
}

// Where T is the whole run, twice the batch in half the steps is the same work; where T is the mean
// step it is twice as much.
TEST(Regime, TheNumberOfStepsCountsForWholeRunsOnly) {
  Study study = study_with([](int k) {
    Workload load = batch_of(100 * k);
    load.steps = 1000 / k;
    return load;
  });
  EXPECT_EQ(table_of(study).regime, Regime::kStrong);
  for (auto& run : study.runs) run.steps = {1, 1, 1};
  EXPECT_EQ(table_of(study).regime, Regime::kWeak);
}

TEST(Regime, IsAlsoCheckedAgainstTheWorkThatWorkersCounted) {
  Study study = study_with([](int) { return Workload{}; });
  for (auto& run : study.runs) {
    run.per_worker.emplace();
    run.per_worker->work.assign(static_cast<std::size_t>(run.workers), 40);
  }
  EXPECT_EQ(table_of(study).regime, Regime::kWeak);
  study.header.regime = Regime::kStrong;
  expect_note(table_of(study), Severity::kWarning, "regime-contradicted",
              "work done by the workers is 40 at K = 1 and 160 at K = 4");
  study.header.regime = Regime::kThroughput;
  EXPECT_TRUE(table_of(study).notes.empty());
}

TEST(Regime, TwoSourcesThatDisagreeMakeItMixed) {
  Study study = study_with([](int) { return batch_of(512); });
  for (auto& run : study.runs) {
    run.per_worker.emplace();
    run.per_worker->work.assign(static_cast<std::size_t>(run.workers), 40);
  }
  const ScalingTable table = table_of(study);
  EXPECT_EQ(table.regime, Regime::kMixed);
  expect_note(table, Severity::kWarning, "regime-contradicted", "two sources disagree");
}

TEST(Regime, SaysWhereTheProblemChangesInOtherWays) {
  Study study = study_with([](int k) {
    Workload load = batch_of(64 * k);
    load.size = 60000;
    return load;
  });
  study.header.regime = Regime::kStrong;
  expect_note(table_of(study), Severity::kWarning, "batch-differs", "64 to 256");
  for (Workload& load : study.header.workload) load.batch = 64;
  study.header.workload[2].stopping = "loss below 2";
  expect_note(table_of(study), Severity::kWarning, "stopping-differs", "same rule");
}

}  // namespace
}  // namespace kstar
