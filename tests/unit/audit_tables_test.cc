// What a table says beside its times, and what numbers say of each other.
#include <gtest/gtest.h>

#include "kstar/audit.h"
#include "kstar/import.h"

namespace kstar {

namespace {

struct Told {
  FindingStatus status = FindingStatus::kNotApplicable;
  std::string evidence;
};

Told told(std::string_view text, std::string_view rule, const AuditOptions& options = {}) {
  const Result<Study> study = import_text(text, "table.csv", {.claims = true});
  EXPECT_TRUE(study) << text;
  if (!study) return {};
  const Audit found = *audit(*study, options);
  for (const Finding& finding : found.findings) {
    if (finding.rule->name == rule) return {finding.status, finding.evidence.front()};
  }
  return {};
}

constexpr const char* kBatchAndSteps =
    "gpus,time_s,batch,steps\n1,100,64,1000\n2,52,128,500\n4,27,256,250\n8,14,512,125\n";

TEST(AuditTables, BatchTimesStepsShowsStrongScaling) {
  EXPECT_EQ(told(kBatchAndSteps, "fixed-workload").status, FindingStatus::kShown);
  const Told regime = told(kBatchAndSteps, "regime");
  EXPECT_EQ(regime.status, FindingStatus::kShown);
  EXPECT_EQ(regime.evidence,
            "not declared, but the work is the same at every K: strong scaling (batch x steps is "
            "64000 at K = 1 and 64000 at K = 8)");
}

TEST(AuditTables, MoreThatIsSaidLosesNoRow) {
  for (const char* text :
       {kBatchAndSteps, "gpus,time_s,batch,steps\n1,100,64,10\n2,52,64,10\n4,27,64,10\n",
        "gpus,time_s\n1,100\n2,52\n4,27\n"}) {
    const Study study = *import_text(text, "table.csv", {.claims = true});
    AuditOptions strong;
    strong.regime = Regime::kStrong;
    const Audit without = *audit(study), with = *audit(study, strong);
    for (std::size_t i = 0; i < without.findings.size(); ++i) {
      if (without.findings[i].status != FindingStatus::kShown) continue;
      EXPECT_EQ(with.findings[i].status, FindingStatus::kShown) << without.findings[i].rule->name;
    }
  }
}

TEST(AuditTables, RatesWhoseBatchGrowsAreWeakScalingInThoseWords) {
  const char* text = "gpus,images/s,batch\n1,100,64\n2,196,128\n4,385,256\n";
  EXPECT_EQ(told(text, "fixed-workload").evidence,
            "batch is stated at 3 K, the same on each worker: weak scaling");
  EXPECT_EQ(told(text, "regime").evidence,
            "not declared, but the work is the same on each worker: weak scaling (batch is 64 at K "
            "= 1 and 256 at K = 4)");
}

TEST(AuditTables, WhatEndsARunMustBeTheSameAtEveryK) {
  for (const char* column :
       {"target_accuracy", "target quality", "tolerance", "rtol", "target loss"}) {
    const std::string text =
        std::string("gpus,time_s,") + column + "\n1,100,0.76\n2,52,0.76\n4,27,0.75\n8,14,0.74\n";
    for (const char* rule : {"fixed-workload", "same-problem"}) {
      const Told found = told(text, rule);
      EXPECT_EQ(found.status, FindingStatus::kContradicted) << column << ", " << rule;
      EXPECT_EQ(found.evidence, "'" + std::string(column) + "' is 0.76 at K = 1 and 0.75 at K = 4");
    }
  }
}

TEST(AuditTables, AQualityThatWasReachedScatters) {
  EXPECT_NE(
      told("gpus,time_s,quality\n1,100,0.7601\n2,52,0.7593\n4,27,0.7612\n", "same-problem").status,
      FindingStatus::kContradicted);
  EXPECT_EQ(
      told("gpus,time_s,quality\n1,100,0.76\n2,52,0.75\n4,27,0.70\n", "same-problem").evidence,
      "'quality' is 0.76 at K = 1 and 0.70 at K = 4");
  EXPECT_NE(told("gpus,time_s,protocol\n1,100,tcp\n2,52,tcp\n4,27,rdma\n", "same-problem").status,
            FindingStatus::kContradicted);
}

TEST(AuditTables, WhatSlowsTheBaseAloneReachesTheBaselineAndTheWorkload) {
  for (const char* rows : {"gpus,time_s,checkpointing\n1,100,on\n2,47,off\n4,24,off\n",
                           "gpus,time_s,checkpointing\n1,100,1\n2,47,0\n4,24,0\n",
                           "gpus,time_s,precision\n1,100,fp32\n2,47,bf16\n4,24,bf16\n",
                           "gpus,time_s,profiling\n1,100,yes\n2,47,no\n4,24,no\n",
                           "gpus,time_s,cflags\n1,100,-O0\n2,47,-O3\n4,24,-O3\n"}) {
    for (const char* rule : {"exact-baseline", "fixed-workload", "optimised-build"}) {
      EXPECT_EQ(told(rows, rule).status, FindingStatus::kContradicted) << rows << rule;
    }
  }
  // On everywhere, or faster at the base, it flatters nothing.
  EXPECT_NE(
      told("gpus,time_s,checkpointing\n1,100,on\n2,52,on\n4,27,on\n", "exact-baseline").status,
      FindingStatus::kContradicted);
  EXPECT_NE(
      told("gpus,time_s,precision\n1,100,bf16\n2,52,fp32\n4,27,fp32\n", "exact-baseline").status,
      FindingStatus::kContradicted);
}

TEST(AuditTables, SizesUnderAnyNameAreAskedFor) {
  for (const char* rows : {"gpus,time_s,wibbles\n1,100,1000\n2,102,2000\n4,105,4000\n",
                           "gpus,time_s,nx\n1,100,100\n4,102,200\n16,105,400\n",
                           "gpus,time_s,megawibbles\n1,100,1.2\n2,102,2.4\n4,105,4.8\n"}) {
    const Told found = told(rows, "fixed-workload");
    EXPECT_EQ(found.status, FindingStatus::kMissing);
    EXPECT_NE(found.evidence.find("is it the size of the problem?"), std::string::npos)
        << found.evidence;
  }
  for (const char* rows : {"gpus,time_s,particles\n1,100,1000\n2,102,2000\n4,105,4000\n",
                           "gpus,time_s,grid\n1,100,64x64\n2,102,128x64\n4,105,128x128\n"}) {
    EXPECT_EQ(told(rows, "regime").status, FindingStatus::kShown) << rows;
  }
}

TEST(AuditTables, FewerStepsOnMoreWorkersAreAnotherProblem) {
  EXPECT_EQ(
      told("gpus,time_s,steps\n1,100,1000\n2,52,1000\n4,27,1000\n8,10,700\n", "fixed-workload")
          .evidence,
      "the number of steps is 1000 at K = 1 and 700 at K = 8");
}

TEST(AuditTables, SpeedupsAgainstAFasterSerialProgramAreNoAlarm) {
  const char* text = "gpus,time_s,speedup\n1,100,0.9\n2,52,1.73\n4,27,3.33\n8,14,6.43\n";
  for (const char* rule : {"claims-follow", "claims-in-interval", "base-of-one", "typical-runs"}) {
    EXPECT_NE(told(text, rule).status, FindingStatus::kContradicted) << rule;
  }
  // Against a slower one they are.
  EXPECT_EQ(
      told("gpus,time_s,speedup\n1,100,1.2\n2,52,2.31\n4,27,4.44\n8,14,8.57\n", "claims-follow")
          .status,
      FindingStatus::kContradicted);
  // One row that does not agree is an alarm.
  EXPECT_EQ(
      told("gpus,time_s,speedup\n1,100,0.9\n2,52,1.73\n4,27,3.33\n8,14,7.00\n", "claims-follow")
          .status,
      FindingStatus::kContradicted);
}

TEST(AuditTables, TheRateOfOneWorkerAndThatOfAllMustAgree) {
  EXPECT_EQ(
      told("gpus,images/s,images/s/gpu\n1,101,101\n2,201,96\n4,402,91\n", "claims-follow").evidence,
      "at K = 2 the rate is 201, but K times 'images/s/gpu' gives 192");
  for (const char* honest :
       {"gpus,images/s,images/s/gpu\n1,101.3,101\n2,193.2,96.6\n4,364.4,91\n",
        "gpus,images/s,images/s/node\n8,800,800\n16,1560,780\n32,3000,750\n"}) {
    EXPECT_NE(told(honest, "claims-follow").status, FindingStatus::kContradicted) << honest;
  }
}

TEST(AuditTables, TwoPercentIsNotMoreThanTwoPercent) {
  EXPECT_EQ(told("gpus,time_s,speedup\n1,1000,1\n2,500,2.040\n4,250,4\n", "claims-follow").status,
            FindingStatus::kShown);
  EXPECT_EQ(told("gpus,time_s,speedup\n1,1000,1\n2,500,2.043\n4,250,4\n", "claims-follow").status,
            FindingStatus::kContradicted);
}

TEST(AuditTables, ASlowSecondWorkerAccusesNobody) {
  EXPECT_NE(told("threads,time_s\n1,100\n2,70\n4,26.5\n8,14\n16,8\n", "gustafson-line").status,
            FindingStatus::kContradicted);
}

TEST(AuditTables, NumbersOfRunsAreKeptHoweverRowsAreSorted) {
  const char* sorted =
      "threads,time_s,run\n1,100.1,1\n1,100.3,2\n1,99.8,3\n2,51,1\n2,51.2,2\n2,50.8,3\n";
  EXPECT_EQ(told(sorted, "nothing-left-out").status, FindingStatus::kShown);
  EXPECT_EQ(told(sorted, "typical-runs").status, FindingStatus::kShown);
  const char* gaps =
      "threads,time_s,run\n1,100.1,1\n1,100.3,3\n1,99.8,4\n2,51,1\n2,51.2,2\n2,50.8,3\n";
  EXPECT_EQ(told(gaps, "nothing-left-out").status, FindingStatus::kContradicted);
}

TEST(AuditTables, ThatEveryRunIsThereIsSaidOnlyWhereItIsKnown) {
  const char* unnumbered = "threads,time_s\n1,100.1\n1,100.3\n1,99.8\n2,51\n2,51.2\n2,50.8\n";
  EXPECT_EQ(told(unnumbered, "repeats").evidence, "at least 3 runs at each K");
  EXPECT_EQ(told(unnumbered, "typical-runs").status, FindingStatus::kMissing);
}

TEST(AuditTables, AMemberOfASequenceThatIsAbsentIsAskedFor) {
  EXPECT_EQ(told("gpus,time_s\n1,100\n2,52\n4,28\n16,10\n32,7\n", "nothing-left-out").evidence,
            "the K are 1, 2, 4, 16, 32: 8 is absent from the sequence");
  EXPECT_EQ(told("gpus,time_s\n1,100\n2,52\n3,38\n5,26\n6,22\n", "nothing-left-out").evidence,
            "the K are 1, 2, 3, 5, 6: 4 is absent from the sequence");
  EXPECT_EQ(told("gpus,time_s\n1,100\n2,52\n4,28\n8,16\n12,12\n", "nothing-left-out").evidence,
            "runs are not numbered: omitted runs cannot be detected");
}

TEST(AuditTables, RatiosThatOnlyArithmeticGivesAreFound) {
  // Run by run, in any order.
  EXPECT_EQ(told("gpus,time_s\n1,104.22\n1,101.86\n1,103.04\n2,51.52\n2,52.11\n2,50.93\n4,27.9\n4,"
                 "28.3\n4,28\n",
                 "exact-ratios")
                .evidence,
            "T(1) is exactly 2 T(2), run by run");
  // Four digits of single values, where the others lose something.
  EXPECT_EQ(told("gpus,time_s\n1,104.22\n2,52.11\n4,27.93\n8,15.76\n", "exact-ratios").evidence,
            "T(1) is exactly 2 T(2), to the last digit");
  // Three digits may be a coincidence, and so may four of a program that loses nothing.
  EXPECT_EQ(told("gpus,time_s\n1,104\n2,52\n4,27.9\n8,15.8\n", "exact-ratios").status,
            FindingStatus::kShown);
  EXPECT_EQ(told("gpus,time_s\n1,104.22\n2,52.11\n4,26.08\n8,13.05\n", "exact-ratios").status,
            FindingStatus::kShown);
}

TEST(AuditTables, RatesMadeFromRoundedSpeedupsAreFound) {
  // 137.64 times 1.93, 3.72, 6.98 and 12.61.
  EXPECT_EQ(
      told("gpus,images/s\n1,137.64\n2,265.645\n4,512.021\n8,960.727\n16,1735.64\n", "exact-ratios")
          .status,
      FindingStatus::kContradicted);
  EXPECT_EQ(
      told("gpus,images/s\n1,137.64\n2,265.112\n4,512.433\n8,960.211\n16,1735.21\n", "exact-ratios")
          .status,
      FindingStatus::kShown);
  // A base of 100 makes every ratio short.
  EXPECT_EQ(told("gpus,images/s\n1,100\n2,193\n4,372\n8,698\n16,1261\n", "exact-ratios").status,
            FindingStatus::kShown);
}

TEST(AuditTables, StartUpInTheFirstRunOfTheBaseIsFound) {
  const std::string rest =
      "2,51.2\n2,50.9\n2,51.4\n2,51.0\n4,27.1\n4,27.3\n4,27.0\n4,27.2\n8,15.1\n8,15.0\n8,15.2\n8,"
      "15.1\n";
  const Told cold = told("gpus,time_s\n1,141\n1,100\n1,101\n1,99.6\n" + rest, "warm-up");
  EXPECT_EQ(cold.status, FindingStatus::kContradicted);
  EXPECT_EQ(
      cold.evidence,
      "the first run at K = 1 takes 41% longer than the others, and no first run at another K "
      "does: start-up is part of T(1)");
  EXPECT_EQ(told("gpus,time_s\n1,101\n1,141\n1,100\n1,99.6\n" + rest, "warm-up").status,
            FindingStatus::kMissing);
}

TEST(AuditTables, WhatRoundedTimesLeaveOpenIsNoContradiction) {
  EXPECT_EQ(told("threads,time_s,speedup\n1,0.04,1\n2,0.02,1.7\n4,0.01,3.1\n8,0.01,5.2\n",
                 "claims-follow")
                .status,
            FindingStatus::kShown);
  EXPECT_EQ(
      told("threads,time_s,speedup\n1,10,1\n2,5,1.9\n4,3,3.6\n8,2,6.3\n16,1,9.2\n", "claims-follow")
          .status,
      FindingStatus::kShown);
  // 10.5 s over 1.5 s is 7, and no more.
  EXPECT_EQ(
      told("threads,time_s,speedup\n1,10,1\n2,5,1.9\n4,3,3.6\n8,2,7.9\n16,1,9.2\n", "claims-follow")
          .status,
      FindingStatus::kContradicted);
  EXPECT_NE(told("threads,time_s\n1,8\n2,3\n4,2\n8,1\n", "superlinear").status,
            FindingStatus::kContradicted);
  EXPECT_EQ(told("threads,time_s\n1,8\n2,2\n4,1\n", "superlinear").status,
            FindingStatus::kContradicted);
}

TEST(AuditTables, SpeedupsMayAgreeOnABaseOutsideOfTheTable) {
  const Told base =
      told("Processes,Time (s),Speedup\n2,13.35,1.65\n4,8.78,2.51\n8,6.52,3.38\n", "claims-follow");
  EXPECT_EQ(base.status, FindingStatus::kMissing);
  EXPECT_EQ(base.evidence,
            "all claims agree on a base of 22.03 s, which is not in the table; it starts at K = 2");
  // One row does not agree.
  EXPECT_EQ(
      told("Processes,Time (s),Speedup\n2,13.35,1.65\n4,8.78,2.51\n8,6.52,4.38\n", "claims-follow")
          .status,
      FindingStatus::kContradicted);
}

TEST(AuditTables, TimesToTrainOfABatchThatGrowsAccuseNobody) {
  constexpr const char* kToTrain =
      "gpus,time to train (min),batch\n1,1000,64\n8,130,512\n64,20,4096\n";
  for (const char* rule : {"superlinear", "gustafson-line", "regime", "efficiency"}) {
    EXPECT_EQ(told(kToTrain, rule).status, FindingStatus::kMissing) << rule;
  }
  EXPECT_EQ(told(kToTrain, "superlinear").evidence,
            "E(64) is 50 if a time is that of work which grows with K (batch is 64 at K = 1 and "
            "4096 at K = 64), and 0.781 if it is that of the same whole job");
  // More than linear either way.
  EXPECT_EQ(told("gpus,time_s,batch\n1,1000,64\n8,60,512\n64,5,4096\n", "superlinear").status,
            FindingStatus::kContradicted);
}

}  // namespace

}  // namespace kstar
