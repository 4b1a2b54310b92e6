#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "kstar/causes.h"
#include "support/diagnosed.h"
#include "support/planted_study.h"
#include "support/shape_laws.h"

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

bool says(const Cause& cause, const std::string& words) {
  return std::any_of(cause.evidence.begin(), cause.evidence.end(), [&](const std::string& text) {
    return text.find(words) != std::string::npos;
  });
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

/// One time per K, as a table has it.
Study table_of(const std::map<int, double>& times) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (const auto& [workers, seconds] : times) {
    Run& run = study.runs.emplace_back();
    run.workers = workers;
    run.wall = seconds;
  }
  return study;
}

// A serial part of 4% and an all-reduce that grows with log2(K + 1): Karp and Flatt's e rises.
TEST(ShapeOfTimes, OfTheChaptersExampleIsNotTheSerialPart) {
  const Diagnosis diagnosis = diagnosed(table_of({{1, 1.0047},
                                                  {2, 0.5343},
                                                  {4, 0.3032},
                                                  {8, 0.1884},
                                                  {16, 0.1392},
                                                  {32, 0.1189},
                                                  {64, 0.1140}}));
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCommunication);
  EXPECT_TRUE(names_also(cause, CauseKind::kContention));
  EXPECT_TRUE(says(cause, "rises from"));
}

TEST(ShapeOfTimes, ThatAreExactlyTheUniversalLawsAreContentionOrCommunication) {
  const Diagnosis diagnosis = diagnosed(
      times_of([](double k) { return 100 * (1 + 0.03 * (k - 1) + 0.002 * k * (k - 1)) / k; }));
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCommunication);
  EXPECT_TRUE(names_also(cause, CauseKind::kContention));
  EXPECT_FALSE(names_also(cause, CauseKind::kSerial));
}

TEST(ShapeOfTimes, OfThreadsIsContentionBeforeCommunication) {
  Study study = times_of([](double k) { return 100 / k + 2 * k; });
  for (kstar::Run& run : study.runs) {
    run.nodes = run.ranks = 1;
    run.threads = run.workers;
  }
  EXPECT_EQ(diagnosed(study).causes.front().kind, CauseKind::kContention);
}

TEST(ShapeOfTimes, GivesGuessesByTheirProbabilityAndIsNeverSure) {
  const Diagnosis diagnosis = diagnosed(times_of([](double k) { return 4 + 90 / k + k / 4; }));
  double before = 1, sum = 0;
  for (const Cause& cause : diagnosis.causes) {
    ASSERT_TRUE(cause.probability);
    EXPECT_LE(*cause.probability, before);
    EXPECT_LE(*cause.probability, 0.95);
    EXPECT_TRUE(std::isnan(cause.share.point)) << "a guess has no share";
    before = *cause.probability;
    sum += before;
  }
  EXPECT_LE(sum, 1);
}

TEST(ShapeOfTimes, ThatScatterFromTwoToAHundredPercentAreStragglersFirst) {
  Study study = times_of([](double k) { return 100 / k; }, Regime::kStrong, 5);
  for (kstar::Run& run : study.runs) {
    if (run.workers == 16 && run.block.value() % 2 == 0) run.wall = *run.wall + 15;
    if (run.workers == 8 && run.block.value() == 1) run.wall = *run.wall + 15;
  }
  const Cause cause = diagnosed(study).causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kStraggler);
  EXPECT_TRUE(says(cause, "some worker is late"));
}

TEST(ShapeOfTimes, WithAnIntervalBelowOneIsALoss) {
  const Diagnosis diagnosis = diagnosed(
      times_of([](double k) { return 100 / k * (k > 1 ? 1.02 : 1); }, Regime::kStrong, 30));
  ASSERT_LT(diagnosis.efficiency->high, 1);
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kNone);
  EXPECT_FALSE(says(cause, "no loss beyond the noise"));
  EXPECT_TRUE(says(cause, "too small to name a cause"));
}

/// S stays at 1; `busy` cores are in use.
Study useless(double busy) {
  Study study = times_of([](double) { return 10; });
  for (kstar::Run& run : study.runs) {
    run.usage.cpu_user = busy * *run.wall;
    run.usage.cpu_system = 0.0;
  }
  return study;
}

TEST(ShapeOfTimes, ThatNoWorkerShortensIsOneCoreWhereOneIsBusy) {
  const Cause one = diagnosed(useless(1)).causes.front();
  EXPECT_EQ(one.kind, CauseKind::kOneCore);
  EXPECT_TRUE(says(one, "One core is used at every K"));
  const Cause asleep = diagnosed(useless(0.01)).causes.front();
  EXPECT_TRUE(says(asleep, "sleep"));
  EXPECT_NE(diagnosed(useless(4)).causes.front().kind, CauseKind::kOneCore);
}

// bench_causes_shape has more of them.
TEST(ShapeOfTimes, MadeByLawsHaveTheirCausesAmongTheFirst) {
  const shaped::LawSet set = shaped::judged_on();
  constexpr double kNoise = 0.01, kSure = 0.8;
  constexpr int kSeeds = 3;
  int right = 0, all = 0;
  for (const shaped::LawCase& one : set.cases) {
    for (int seed = 0; seed < kSeeds; ++seed) {
      const Cause cause =
          diagnosed(shaped::study_of(set, one, kNoise, 7000U + static_cast<unsigned>(seed)))
              .causes.front();
      const bool found = cause.kind == one.truth || names_also(cause, one.truth);
      right += found ? 1 : 0;
      ++all;
      const bool told = cause.kind != CauseKind::kNone;
      EXPECT_TRUE(found || !told || *cause.probability < kSure) << one.name << " " << seed;
    }
  }
  EXPECT_GE(right, 2 * all / 3);
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
