// What makes numbers doubtful is found where it was planted, and nowhere else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/import.h"
#include "kstar/words.h"

namespace kstar {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Analysis analysed(const std::string& pairs, std::optional<Regime> regime = {}) {
  return analyze(import_pairs(pairs, "--data").value(), {.regime = regime}).value();
}

std::vector<SuspicionKind> kinds_in(const Analysis& analysis) {
  std::vector<SuspicionKind> kinds;
  for (const Suspicion& suspicion : analysis.suspicions) kinds.push_back(suspicion.kind);
  return kinds;
}

std::string words_of(const Analysis& analysis) {
  std::string text;
  for (const std::string& doubt : doubts_of(analysis.verdict)) text += doubt + "\n";
  return text;
}

TEST(Suspicions, OrdinaryCurvesHaveNone) {
  for (const char* pairs : {"1:100,2:52,4:29,8:19", "1:100,2:60,4:45,8:50,16:80",
                            "1:10,2:14,4:20,8:31", "1:100,2:50,4:26,8:25,16:25",
                            "1:100,2:48,4:24.2,8:12.5", "1:100,8:20", "1:100,2:110,4:150,8:230"}) {
    EXPECT_THAT(kinds_in(analysed(pairs)), IsEmpty()) << pairs;
  }
  EXPECT_THAT(kinds_in(analysed("1:10,2:10.2,4:10.5,8:11,64:12", Regime::kWeak)), IsEmpty());
}

TEST(Suspicions, FixedWorkReadAsGrowingWorkHasAnEfficiencyThatGrows) {
  const Analysis read_as_weak = analysed("1:100,2:52,4:29,8:19", Regime::kWeak);
  EXPECT_THAT(kinds_in(read_as_weak), ElementsAre(SuspicionKind::kGrowingEfficiency));
  EXPECT_THAT(words_of(read_as_weak), HasSubstr("--regime strong"));
  EXPECT_TRUE(read_as_weak.verdict.reading_in_question);
  const Analysis inverse_square = analysed("1:100,2:25,4:6.2,8:1.6");
  EXPECT_THAT(kinds_in(inverse_square), ElementsAre(SuspicionKind::kGrowingEfficiency));
  EXPECT_THAT(words_of(inverse_square), HasSubstr("--rate-column"));
}

TEST(Suspicions, RatesReadAsTimesGrowWithKAlsoWhereTheySaturate) {
  for (const char* pairs : {"1:100,2:195,4:380,8:740", "8:100,16:190,32:370,64:700",
                            "1:100,2:190,4:320,8:420,16:430"}) {
    const Analysis analysis = analysed(pairs);
    EXPECT_EQ(kinds_in(analysis).front(), SuspicionKind::kRisesLikeRate) << pairs;
    EXPECT_THAT(words_of(analysis), HasSubstr("use --rate-column"));
  }
}

TEST(Suspicions, WhatKstarMeasuredIsNoRate) {
  Study study = import_pairs("1:100,2:195,4:380,8:740", "--data").value();
  study.header.source.kind = SourceKind::kMeasured;
  const Analysis analysis = analyze(study).value();
  EXPECT_THAT(words_of(analysis), HasSubstr("hinder each other"));
  EXPECT_THAT(words_of(analysis), Not(HasSubstr("--rate-column")));
  EXPECT_FALSE(analysis.verdict.reading_in_question);
}

TEST(Suspicions, AFlatTimeIsPerhapsWeakWhereFixedWorkWasOnlyAssumed) {
  const std::string pairs = "1:10,2:10.1,4:10.3,8:10.6";
  const Analysis assumed = analysed(pairs);
  EXPECT_THAT(kinds_in(assumed), ElementsAre(SuspicionKind::kFlatTime));
  EXPECT_THAT(words_of(assumed), HasSubstr("--regime weak"));
  const Analysis declared = analysed(pairs, Regime::kStrong);
  EXPECT_THAT(kinds_in(declared), ElementsAre(SuspicionKind::kUnusedWorkers));
  EXPECT_THAT(words_of(declared), HasSubstr("does not seem to use its workers"));
  EXPECT_THAT(kinds_in(analysed(pairs, Regime::kThroughput)),
              ElementsAre(SuspicionKind::kUnusedWorkers));
  EXPECT_THAT(kinds_in(analysed(pairs, Regime::kWeak)), IsEmpty());
}

TEST(Suspicions, ATimeThatGrowsSlowlyOverManyWorkersIsPerhapsWeakToo) {
  const std::string pairs = "1:1,2:1.37,4:1.36,8:1.31,16:2,64:1.5,128:2.3,256:2.2";
  EXPECT_THAT(kinds_in(analysed(pairs)), ElementsAre(SuspicionKind::kFlatTime));
  EXPECT_THAT(kinds_in(analysed(pairs, Regime::kStrong)), IsEmpty());
}

TEST(Suspicions, PointsAboveLinearAreAQuestionToTheBaselineAlsoWithOneRunEach) {
  const Analysis analysis = analysed("1:100,2:50,4:18,8:9.2,16:5");
  ASSERT_THAT(kinds_in(analysis), ElementsAre(SuspicionKind::kSuperlinear));
  const Suspicion& suspicion = analysis.suspicions[0];
  EXPECT_EQ(suspicion.workers, 4);
  ASSERT_TRUE(suspicion.step);
  EXPECT_EQ(suspicion.step->from, 2);
  EXPECT_EQ(suspicion.step->to, 4);
  EXPECT_NEAR(suspicion.step->factor, 1.389, 0.001);
  const std::string words = words_of(analysis);
  EXPECT_LT(words.find("memory"), words.find("slow baseline")) << words;
  EXPECT_THAT(words, HasSubstr("--baseline"));
}

TEST(Suspicions, ASlightlySuperlinearSingleValueMayBeNoise) {
  EXPECT_THAT(kinds_in(analysed("1:100,2:46,4:24")), IsEmpty());
  EXPECT_THAT(kinds_in(analysed("1:100,2:44,4:26,8:14")), IsEmpty());  // the others do not agree
  EXPECT_THAT(kinds_in(analysed("1:600,8:60")), ElementsAre(SuspicionKind::kSuperlinear));
}

TEST(Suspicions, ABaseOfSeveralWorkersMayBeInefficientItself) {
  const Analysis analysis = analysed("8:100,16:52,32:29,64:19");
  EXPECT_THAT(kinds_in(analysis), ElementsAre(SuspicionKind::kLargeBase));
  EXPECT_THAT(words_of(analysis), HasSubstr("--baseline-time"));
  const Study study = import_pairs("8:100,16:52,32:29", "--data").value();
  EXPECT_THAT(analyze(study, {.baseline_time = 700}).value().suspicions, IsEmpty());
}

TEST(Suspicions, NoBendUpToALargeKIsRareForFixedWork) {
  const std::string pairs = "1:100,2:50,4:25.1,8:12.6,16:6.4,32:3.2,64:1.62";
  EXPECT_THAT(kinds_in(analysed(pairs)), ElementsAre(SuspicionKind::kNoBend));
  EXPECT_THAT(words_of(analysed(pairs)), HasSubstr("kstar audit"));
  EXPECT_THAT(kinds_in(analysed(pairs, Regime::kThroughput)), IsEmpty());
  EXPECT_THAT(kinds_in(analysed("1:100,2:50,4:25.1,8:12.6,16:6.4")), IsEmpty());
}

TEST(Suspicions, AMixedRegimeHasNoEfficiencyToDoubt) {
  Study study = import_pairs("1:10,2:10,4:10", "--data").value();
  study.header.regime = Regime::kMixed;
  EXPECT_THAT(analyze(study).value().suspicions, IsEmpty());
}

TEST(Doubts, AFailedHindcastAndAMisfitAreSaid) {
  const std::string words = words_of(analysed("1:100,2:40,4:30,8:20,16:12,32:30"));
  EXPECT_THAT(words, HasSubstr("The hindcast failed: from the smaller K the models predict T(32)"));
  EXPECT_THAT(words, HasSubstr("T(32) is 3.51x what the other K suggest"));
  EXPECT_THAT(words_of(analysed("1:100,2:50,3:90,4:25,5:70,6:17")),
              HasSubstr("No model fits these times within their errors"));
}

TEST(Doubts, AShapeThatNoModelHasSuggestsNoCause) {
  const Analysis misfit = analysed("1:100,2:40,4:30,8:20,16:12,32:30");
  EXPECT_EQ(misfit.diagnosis.causes.at(0).kind, CauseKind::kNone);
  EXPECT_THAT(misfit.diagnosis.causes[0].evidence.at(0), HasSubstr("No model fits T(K)"));
  EXPECT_NE(analysed("1:100,2:55,4:32.5,8:21.2,16:15.6").diagnosis.causes.at(0).kind,
            CauseKind::kNone);
}

TEST(Doubts, AStepInsideTheDataIsSaidWithItsPlace) {
  EXPECT_THAT(words_of(analysed("1:100,2:90,4:45,8:22.5,16:11.3")),
              HasSubstr("Between K = 1 and 2 T steps to"));
}

TEST(Doubts, APredictionFarFromTheDataSaysWhatItRestsOn) {
  Study study = import_pairs("1:100,2:52,4:29,8:19", "--data").value();
  const auto doubts = [&](double workers) {
    return doubts_of(analyze(study, {.predict = {workers}}).value().verdict);
  };
  EXPECT_THAT(doubts(32), Not(Contains(HasSubstr("rests on"))));
  EXPECT_THAT(doubts(33), Contains(HasSubstr("K = 33 rests on the models alone")));
  for (kstar::Run& run : study.runs) {
    run.nodes = 1;
    run.ranks = run.workers;
    run.threads = 1;
  }
  EXPECT_THAT(doubts(16), Contains(HasSubstr("Only one node was measured")));
}

TEST(Doubts, AMachineThatHoldsMoreWorkersIsNotLeft) {
  Study study = import_pairs("1:100,2:52,4:29,8:19", "--data").value();
  study.header.environment.hosts = {Host{.name = "n1", .threads = 16}};
  const auto doubts = [&](double workers) {
    return doubts_of(analyze(study, {.predict = {workers}}).value().verdict);
  };
  EXPECT_THAT(doubts(16), Not(Contains(HasSubstr("Only one node"))));
  EXPECT_THAT(doubts(17), Contains(HasSubstr("Only one node was measured")));
  study.header.environment.hosts[0].accelerators.assign(8, "GPU");
  EXPECT_THAT(doubts(16), Contains(HasSubstr("Only one node was measured")));
}

TEST(Doubts, AWideGapAtTheBendIsSaid) {
  EXPECT_THAT(words_of(analysed("1:100,8:20")), HasSubstr("Nothing was measured between K = 1"));
  EXPECT_THAT(words_of(analysed("1:100,2:52,4:40")), Not(HasSubstr("Nothing was measured")));
}

TEST(Doubts, WhatWasAssumedIsSaid) {
  const std::string words = words_of(analysed("1:100,2:52,4:29,8:19"));
  EXPECT_THAT(words, HasSubstr("Strong scaling is assumed"));
  EXPECT_THAT(words, HasSubstr("an error of 0.4% to 10% is assumed"));
  EXPECT_THAT(doubts_of(analysed("1:100,1:101,2:52,2:51.8,4:29,4:29.2", Regime::kStrong).verdict),
              IsEmpty());
}

TEST(Analyze, ASingleValueFarFromTheThresholdHasAClearVerdict) {
  const Analysis analysis = analysed("1:100,2:50.5,64:22");
  EXPECT_TRUE(analysis.table.points[1].good && analysis.table.points[1].clear);   // 0.99
  EXPECT_TRUE(!analysis.table.points[2].good && analysis.table.points[2].clear);  // 0.07
  EXPECT_FALSE(analysed("1:100,2:70.4").table.points[1].clear);                   // 0.71
  Study own = import_pairs("1:110,2:50.5,64:22,4:36", "--data").value();
  kstar::Run base = own.runs[0];
  base.role = Role::kBaseline;
  base.wall = 100;
  own.runs.push_back(base);
  const ScalingTable table = analyze(own).value().table;
  EXPECT_TRUE(point_at(table, Role::kParallel, 2)->clear);
  EXPECT_FALSE(point_at(table, Role::kParallel, 4)->clear);  // 0.69
  EXPECT_TRUE(point_at(table, Role::kParallel, 64)->clear);
}

TEST(Analyze, NoCeilingIsBelowAMeasuredSpeedup) {
  for (const char* pairs :
       {"1:100,2:50,4:26,8:25,16:25", "1:100,2:60,4:45,8:50,16:80", "1:10,2:14,4:20,8:31",
        "1:100,2:40,4:30,8:20,16:12,32:30", "1:100,2:52,4:29,8:19"}) {
    const Analysis analysis = analysed(pairs);
    ASSERT_TRUE(analysis.models->ceiling);
    for (const ScalingPoint& point : analysis.table.points) {
      EXPECT_GE(analysis.models->ceiling->point, point.speedup->point) << pairs;
    }
    EXPECT_LE(analysis.models->ceiling->low, analysis.models->ceiling->point);
    EXPECT_GE(analysis.models->ceiling->high, analysis.models->ceiling->point);
  }
}

TEST(Analyze, NoBoundBeyondTheLargestKComesFromModelsAlone) {
  const Analysis analysis = analysed("1:100,2:50.5,4:25.4,8:12.8");
  EXPECT_LE(analysis.models->bend->low, 8);
  EXPECT_LE(analysis.models->ceiling->low, 100 / 12.8 + 1e-9);
  EXPECT_LE(analysis.models->best_workers->low, 8);
}

}  // namespace
}  // namespace kstar
