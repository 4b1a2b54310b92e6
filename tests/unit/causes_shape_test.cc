#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kstar/causes.h"
#include "support/diagnosed.h"
#include "support/planted_study.h"

namespace kstar {
namespace {

using Law = std::function<double(double)>;

/// Three runs at each K, a hundredth apart.
Study times_of(const Law& law, Regime regime = Regime::kStrong, int runs = 3) {
  Study study;
  study.header.regime = regime;
  for (int block = 0; block < runs; ++block) {
    for (const int workers : {1, 2, 4, 8, 16}) {
      Run& run = study.runs.emplace_back();
      run.workers = workers;
      run.block = block;
      run.wall = law(workers) * (1 + 0.01 * ((block * 7 + workers) % 3 - 1));
    }
  }
  return study;
}

bool names_also(const Cause& cause, CauseKind kind) {
  return std::find(cause.or_else.begin(), cause.or_else.end(), kind) != cause.or_else.end();
}

TEST(ShapeOfTimes, ThatFallsAsItShouldHasNoCause) {
  const Diagnosis diagnosis = diagnosed(times_of([](double k) { return 100 / k; }));
  EXPECT_EQ(diagnosis.causes.front().kind, CauseKind::kNone);
  EXPECT_EQ(diagnosis.causes.front().confidence, Confidence::kShape);
  EXPECT_FALSE(diagnosis.next.empty());
}

TEST(ShapeOfTimes, WithAConstantPartDoesNotTellSerialFromRing) {
  const Diagnosis diagnosis = diagnosed(times_of([](double k) { return 5 + 95 / k; }));
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(diagnosis.workers, 16);
  EXPECT_EQ(cause.kind, CauseKind::kSerial);
  EXPECT_EQ(cause.confidence, Confidence::kShape);
  EXPECT_TRUE(names_also(cause, CauseKind::kCommunication));
  EXPECT_EQ(cause.share.low, 0);
  EXPECT_EQ(cause.share.high, 1);
}

TEST(ShapeOfTimes, ThatRisesAgainIsCommunicationOrContention) {
  for (const int runs : {1, 3}) {
    const Diagnosis diagnosis =
        diagnosed(times_of([](double k) { return 100 / k + 4 * k; }, Regime::kStrong, runs));
    const Cause& cause = diagnosis.causes.front();
    EXPECT_EQ(cause.kind, CauseKind::kCommunication);
    EXPECT_FALSE(names_also(cause, CauseKind::kSerial));
    EXPECT_NE(cause.evidence.front().find("rises"), std::string::npos);
  }
}

TEST(ShapeOfTimes, WithALossThatDoesNotGrowIsAShareOfEachWorker) {
  const Diagnosis diagnosis =
      diagnosed(times_of([](double k) { return (k > 1 ? 1.25 : 1) * 100 / k; }));
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kLoadImbalance);
  EXPECT_TRUE(names_also(cause, CauseKind::kStraggler));
}

TEST(ShapeOfTimes, OfWeakScalingThatGrowsIsCommunication) {
  const Diagnosis diagnosis =
      diagnosed(times_of([](double k) { return 10 + std::log2(k); }, Regime::kWeak));
  EXPECT_EQ(diagnosis.causes.front().kind, CauseKind::kCommunication);
}

TEST(ShapeOfTimes, ThatScattersMoreWithMoreWorkersSuggestsStragglers) {
  Study study = times_of([](double k) { return 100 / k + 2 * k; });
  for (kstar::Run& run : study.runs) {
    if (run.workers == 16) run.wall = *run.wall * (1 + 0.25 * (run.block.value() - 1));
  }
  const Diagnosis diagnosis = diagnosed(study);
  const Cause& cause = diagnosis.causes.front();
  EXPECT_TRUE(cause.kind == CauseKind::kNone || names_also(cause, CauseKind::kStraggler));
}

TEST(ShapeOfTimes, SeesSingleStepsThatAreHeldUp) {
  planted::Job job;
  job.workers_known = false;
  job.steps = 40;
  job.late_chance = 0.02;
  job.late = 0.1;
  const Diagnosis diagnosis = diagnosed(planted::simulate(job));
  const Cause& cause = diagnosis.causes.front();
  EXPECT_TRUE(cause.kind == CauseKind::kStraggler || names_also(cause, CauseKind::kStraggler));
  const bool said = std::any_of(
      cause.evidence.begin(), cause.evidence.end(),
      [](const std::string& text) { return text.find("single steps") != std::string::npos; });
  EXPECT_TRUE(said);
}

TEST(ShapeOfTimes, AtTwoWorkerCountsSaysNothing) {
  Study study = times_of([](double k) { return 50 + 50 / k; });
  std::erase_if(study.runs, [](const kstar::Run& run) { return run.workers > 2; });
  const Diagnosis diagnosis = diagnosed(study);
  EXPECT_EQ(diagnosis.causes.front().kind, CauseKind::kNone);
  EXPECT_NE(diagnosis.causes.front().evidence.front().find("too few K"), std::string::npos);
}

TEST(ShapeOfTimes, OfAMixedRegimeHasNoEfficiencyToExplain) {
  const Study study = times_of([](double k) { return 100 / k; }, Regime::kMixed);
  const Diagnosis diagnosis = diagnosed(study);
  EXPECT_EQ(diagnosis.causes.front().kind, CauseKind::kNone);
  EXPECT_FALSE(diagnosis.efficiency);
}

TEST(ShapeOfTimes, OfAnMpiProgramAsksToLookInside) {
  Study study = times_of([](double k) { return 5 + 95 / k; });
  study.header.launcher = "mpi";
  EXPECT_NE(diagnosed(study).next.front().find("--inside"), std::string::npos);
}

}  // namespace
}  // namespace kstar
