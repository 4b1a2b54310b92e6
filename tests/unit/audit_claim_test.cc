// What a claim says, and what becomes of it.
#include <gtest/gtest.h>

#include "kstar/audit.h"
#include "kstar/audit_report.h"
#include "kstar/import.h"

namespace kstar {

namespace {

Study of_pairs(std::string_view text) {
  return *import_pairs(text, "data");
}

Study of_table(std::string_view text) {
  return *import_text(text, "table.csv", {.claims = true});
}

ClaimCheck judged(const Study& study, std::string_view text) {
  AuditOptions options;
  options.claims.push_back(*parse_claim(text, "--claim"));
  return audit(study, options)->claims.at(0);
}

/// K, K0, S and the regime that a wording says.
struct Wording {
  const char* text;
  double workers, base, speedup;
  std::optional<Regime> regime = {};
};

TEST(ClaimText, IsReadInFiftyWordings) {
  const Wording wordings[] = {
      {"180x at 256", 256, 1, 180},
      {"180x on 256 GPUs", 256, 1, 180},
      {"7.6x @ 8", 8, 1, 7.6},
      {"speedup of 180 on 256 workers", 256, 1, 180},
      {"a 10-fold speedup with 16 threads.", 16, 1, 10},
      {"S(256) = 180", 256, 1, 180},
      {"E(64) = 0.9", 64, 1, 57.6},
      {"0.9 efficiency at 64", 64, 1, 57.6},
      {"90% at 64", 64, 1, 57.6},
      {"90 percent efficiency on 64", 64, 1, 57.6},
      {"90% of linear at 64", 64, 1, 57.6},
      {"94% scaling efficiency on 1,024 GPUs", 1024, 1, 962.56},
      {"90 % weak efficiency at 64", 64, 1, 57.6, Regime::kWeak},
      {"weak scaling efficiency 95% at 4096 nodes", 4096, 1, 3891.2, Regime::kWeak},
      {"90% strong scaling efficiency at 64", 64, 1, 57.6, Regime::kStrong},
      {"a scaled speedup of 57 on 64 ranks", 64, 1, 57, Regime::kWeak},
      {"53x throughput at 64", 64, 1, 53, Regime::kThroughput},
      {"2.5x from 8 to 64", 64, 8, 2.5},
      {"29x from 8 to 256", 256, 8, 29},
      {"from 8 to 64 nodes: 6.4x", 64, 8, 6.4},
      {"1.9x when going from 32 GPUs to 64 GPUs", 64, 32, 1.9},
      {"90% efficiency from 8 to 64", 64, 8, 7.2},
      {"7.2x on 64 relative to 8", 64, 8, 7.2},
      {"6.4x on 64 GPUs compared to 8 GPUs", 64, 8, 6.4},
      {"6.4x on 64 vs 8", 64, 8, 6.4},
      {"64 GPUs give 6.4x over 8 GPUs", 64, 8, 6.4},
      {"7.5x faster on 8 GPUs than on 1", 8, 1, 7.5},
      {"8 GPUs are 7.5x faster than 1", 8, 1, 7.5},
      {"64 GPUs: 57x", 64, 1, 57},
      {"12.5x (16 cores)", 16, 1, 12.5},
      {"near-linear to 1000 GPUs", 1000, 1, 900},
      {"near-linear scaling up to 64 H100 GPUs", 64, 1, 57.6},
      {"nearly linear speedup on 8 nodes", 8, 1, 7.2},
      {"linear speedup to 8", 8, 1, 7.6},
      {"perfect scaling to 128 ranks", 128, 1, 121.6},
      {"scales to 64 GPUs with 90% efficiency", 64, 1, 57.6},
      {"twice as fast on 4", 4, 1, 2},
      {"half the time on 4 cores", 4, 1, 2},
      {"60% faster on 2 GPUs", 2, 1, 1.6},
      {"2x slower on 16 threads", 16, 1, 0.5},
      {"0.8x at 4", 4, 1, 0.8},
      {"5x at 1", 1, 1, 5},
      {"ResNet-50 reaches 7.5x on 8 V100 32GB GPUs", 8, 1, 7.5},
      {"90% efficiency over 64 GPUs", 64, 1, 57.6},
      {"7.5x at k = 8", 8, 1, 7.5},
      {"90% scaling efficiency across 8,192 H100 GPUs", 8192, 1, 7372.8},
      {"4 nodes means a 3.9x gain over one node", 4, 1, 3.9},
      {"On 16 nodes, it's 14.4x", 16, 1, 14.4},
      {"weak scaling efficiency of 91% on clusters up to 128 cores", 128, 1, 116.48, Regime::kWeak},
      {"scaling efficiency of 95% as the number of GPUs grows from 8 to 512", 512, 8, 60.8},
      {"2-thread scaling efficiency of 95%", 2, 1, 1.9},
      {"scaling efficiency of 92.5% across 1 to 10 worker nodes", 10, 1, 9.25},
      {"a 3.59x speedup from one thread to 16 threads", 16, 1, 3.59},
  };
  for (const Wording& wording : wordings) {
    const Result<Claim> claim = parse_claim(wording.text, "--claim");
    ASSERT_TRUE(claim) << wording.text << ": " << claim.error().message;
    EXPECT_EQ(claim->workers, wording.workers) << wording.text;
    EXPECT_EQ(claim->base_workers, wording.base) << wording.text;
    EXPECT_NEAR(claim->speedup, wording.speedup, 1e-9) << wording.text;
    EXPECT_EQ(claim->regime, wording.regime) << wording.text;
  }
}

TEST(ClaimText, ReadsWhatTimeDoes) {
  const Wording wordings[] = {
      {"reduces runtime by 80% at 8", 8, 1, 5},
      {"80% less time at 8", 8, 1, 5},
      {"80% lower runtime on 8 cores", 8, 1, 5},
      {"cuts training time by 80% on 8 GPUs", 8, 1, 5},
      {"80% reduction in runtime on 8", 8, 1, 5},
      {"8 cores take 80% less time than 1", 8, 1, 5},
      {"saves 80% of the time on 8", 8, 1, 5},
      {"20% of the time at 8", 8, 1, 5},
      {"runtime drops to 20% at 8", 8, 1, 5},
      {"0.2x the runtime at 8", 8, 1, 5},
      {"5x less time at 8", 8, 1, 5},
      {"4 times faster on 8", 8, 1, 4},
      {"400% improvement at 8", 8, 1, 5},
      {"400% faster at 8", 8, 1, 5},
      {"25% longer at 8", 8, 1, 0.8},
      {"2x longer at 8", 8, 1, 0.5},
  };
  for (const Wording& wording : wordings) {
    const Result<Claim> claim = parse_claim(wording.text, "--claim");
    ASSERT_TRUE(claim) << wording.text << ": " << claim.error().message;
    EXPECT_TRUE(claim->of_speedup) << wording.text;
    EXPECT_NEAR(claim->speedup, wording.speedup, 1e-9) << wording.text;
  }
}

TEST(ClaimText, ReadsThousands) {
  EXPECT_EQ(parse_claim("3x at 8k", "")->workers, 8000);
  EXPECT_EQ(parse_claim("3x at 8 thousand", "")->workers, 8000);
  EXPECT_EQ(parse_claim("3x at 1e3", "")->workers, 1000);
  EXPECT_EQ(parse_claim("1200x at 2k GPUs", "")->workers, 2000);
  EXPECT_EQ(parse_claim("900x on 16K cores", "")->workers, 16000);
  EXPECT_EQ(parse_claim("900x on 16K cores", "")->reading, "16K is read as 16000 workers");
  EXPECT_FALSE(parse_claim("3x at 8kk", ""));
}

TEST(ClaimText, ReadsBoundsAndLosses) {
  const std::pair<const char*, ClaimBound> bounds[] = {
      {"no more than 3x at 8", ClaimBound::kAtMost},
      {"less than 5x at 8", ClaimBound::kAtMost},
      {"never reaches 7x at 8", ClaimBound::kAtMost},
      {"only 3x at 8", ClaimBound::kExactly},
      {"at least 3x at 8", ClaimBound::kAtLeast},
      {"no less than 3x at 8", ClaimBound::kAtLeast},
      {"up to 3x at 8", ClaimBound::kAtLeast},
      {"less than 20% of the time at 8", ClaimBound::kAtLeast},
      {"loses less than 30% at 8", ClaimBound::kAtLeast},
      {"loses more than 30% at 8", ClaimBound::kAtMost},
      {"loses 37% at 8", ClaimBound::kExactly},
      {"37% idle at 8", ClaimBound::kExactly},
      {"within 30% of ideal at 8", ClaimBound::kAtLeast},
  };
  for (const auto& [text, bound] : bounds) {
    ASSERT_TRUE(parse_claim(text, "")) << text;
    EXPECT_EQ(parse_claim(text, "")->bound, bound) << text;
  }
  EXPECT_NEAR(parse_claim("within 30% of ideal at 8", "")->efficiency, 0.7, 1e-9);
  EXPECT_NEAR(parse_claim("wastes 37% at 8", "")->efficiency, 0.63, 1e-9);
  EXPECT_NEAR(parse_claim("loses 37% at 8", "")->efficiency, 0.63, 1e-9);
  EXPECT_NEAR(parse_claim("37.5% efficiency loss at 8", "")->efficiency, 0.625, 1e-9);
}

TEST(ClaimText, HasTheBaseThatItSays) {
  EXPECT_EQ(parse_claim("1.45x by doubling to 8", "")->base_workers, 4);
  EXPECT_EQ(parse_claim("5x on 8 A100 GPUs vs 1 H100", "")->other_base, "1 H100");
  EXPECT_EQ(parse_claim("2x at 8 compared with a CPU", "")->other_base, "a CPU");
  EXPECT_EQ(parse_claim("5x on 8 GPUs vs 1 GPU", "")->other_base, "");
  EXPECT_EQ(parse_claim("5x on 8 A100 GPUs vs 1 A100 GPU", "")->other_base, "");
}

TEST(ClaimText, SaysHowWordsWithoutANumberAreRead) {
  EXPECT_EQ(parse_claim("near-linear to 1000 GPUs", "")->reading,
            "near-linear is read as an efficiency of 0.9 or more");
  EXPECT_EQ(parse_claim("180x at 256", "")->reading, "");
}

TEST(ClaimText, RefusesWhatItCannotReadAsOneClaim) {
  for (const char* text :
       {"superlinear at 8", "2.5x from 64 to 8", "5x to 8x at 64", "2.5x from 8",
        "7x at 8 and at 16", "linear", "8 to 64", "50% at 8 and 60% at 16", "20% overhead at 8",
        "60% faster training time at 8", "80% improvement in runtime at 8", "5x over 1 GPU",
        "2x over 4 nodes", "5x in half the time at 8", "not linear at 8",
        "does not give 3x at 8"}) {
    EXPECT_FALSE(parse_claim(text, "--claim")) << text;
  }
}

// T(1) runs 1.8 times as long as it should.
constexpr const char* kSlowBase =
    "1:180,1:181.2,1:179,2:51.2,2:51.9,2:50.8,4:26.5,4:26.8,4:26.1,64:3.2,64:3.17,64:3.24";

TEST(ClaimVerdict, ASlowBaselineShowsNothing) {
  const ClaimCheck check = judged(of_pairs(kSlowBase), "0.9 efficiency at 64");
  EXPECT_EQ(check.verdict, ClaimVerdict::kContradicted);
  EXPECT_EQ(check.rule, "superlinear");
  EXPECT_EQ(check.reason,
            "E(2) is 1.76 (1.72 to 1.79): T(1) is too slow. With 2 T(2) as T(1), at most an "
            "efficiency of 0.523 remains");
  EXPECT_EQ(check.question, "What slowed down the single worker?");
  // What the faster base leaves is not contradicted, and not shown either.
  const ClaimCheck less = judged(of_pairs(kSlowBase), "0.5 efficiency at 64");
  EXPECT_EQ(less.verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(less.rule, "superlinear");
  // Relative to 2 the base is not part of it.
  EXPECT_EQ(judged(of_pairs(kSlowBase), "15.5x from 2 to 64").verdict, ClaimVerdict::kShown);
}

TEST(ClaimVerdict, TheTablesOwnRatioSpeaksAgainstMore) {
  const ClaimCheck times = judged(of_pairs("1:100,2:52,4:29,8:19"), "6x at 8");
  EXPECT_EQ(times.verdict, ClaimVerdict::kContradicted);
  EXPECT_EQ(times.reason, "the table's own times give 5.263x");
  const Study ratios = of_table("gpus,speedup\n1,1\n2,1.95\n4,3.8\n8,7.3\n");
  const ClaimCheck twelve = judged(ratios, "12x at 8");
  EXPECT_EQ(twelve.verdict, ClaimVerdict::kContradicted);
  EXPECT_EQ(twelve.reason, "the table's own number is 7.3x");
  const ClaimCheck own = judged(of_pairs("1:100,2:52,4:29,8:19"), "5.2x at 8");
  EXPECT_EQ(own.verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(own.reason,
            "the times give 5.263x, but with fewer than 3 runs at K = 8: the noise is unknown");
}

TEST(ClaimVerdict, RoundedTimesLeaveTheirRatioOpen) {
  const Study rounded = of_pairs("1:0.04,2:0.02,4:0.01,8:0.01");
  EXPECT_EQ(judged(rounded, "6x at 8").verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(judged(rounded, "12x at 8").verdict, ClaimVerdict::kContradicted);
  // Equal runs in whole seconds have no noise, but their digits are open: 3.8 to 7.
  const Study equal = of_pairs("1:10,1:10,1:10,2:6,2:6,2:6,8:2,8:2,8:2");
  EXPECT_EQ(judged(equal, "6x at 8").verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(judged(equal, "5x at 8").verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(judged(equal, "7.5x at 8").verdict, ClaimVerdict::kContradicted);
}

TEST(ClaimVerdict, NoModelOfTheClaimantsRatiosShowsAnything) {
  const Study ratios =
      of_table("gpus,speedup\n1,1\n2,1.98\n4,3.9\n8,7.7\n16,15\n32,29\n64,55\n128,104\n160,126\n");
  const ClaimCheck check = judged(ratios, "180x at 256");
  EXPECT_EQ(check.verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(check.reason,
            "the data are ratios that somebody computed; the times behind them are missing");
  EXPECT_FALSE(check.chance);
  EXPECT_FALSE(check.speedup);
}

constexpr const char* kGrowingBatch =
    "gpus,images/s,batch\n1,100,64\n1,101,64\n1,99.5,64\n8,760,512\n8,765,512\n8,758,512\n"
    "64,5300,4096\n64,5320,4096\n64,5290,4096\n";

TEST(ClaimVerdict, RatesWhoseBatchGrowsShowNoSpeedupOfAFixedJob) {
  const ClaimCheck check = judged(of_table(kGrowingBatch), "52x at 64");
  EXPECT_EQ(check.verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(check.reason,
            "the data are of weak scaling (batch is 64 at K = 1 and 4096 at K = 64): they do not "
            "show the speedup of a fixed job");
  EXPECT_EQ(judged(of_table(kGrowingBatch), "52x throughput at 64").verdict, ClaimVerdict::kShown);
  EXPECT_EQ(judged(of_table(kGrowingBatch), "80% weak efficiency at 64").verdict,
            ClaimVerdict::kShown);
  EXPECT_EQ(judged(of_table(kGrowingBatch), "90% weak efficiency at 64").verdict,
            ClaimVerdict::kContradicted);
}

constexpr const char* kThreeRuns =
    "1:100,1:101,1:99.5,2:52,2:52.4,2:51.8,4:29,4:29.1,4:28.8,8:19,8:18.8,8:19.1";

TEST(ClaimVerdict, HasTheBaseThatTheClaimHas) {
  EXPECT_EQ(judged(of_pairs(kThreeRuns), "2.7x from 2 to 8").verdict, ClaimVerdict::kShown);
  EXPECT_EQ(judged(of_pairs(kThreeRuns), "3.5x from 2 to 8").verdict, ClaimVerdict::kContradicted);
  const ClaimCheck none = judged(of_pairs(kThreeRuns), "2x from 3 to 8");
  EXPECT_EQ(none.verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(none.reason, "there are no runs at K = 3, which it is relative to");
  EXPECT_EQ(judged(of_pairs("8:100,64:41,256:14"), "2.5x at 64").reason,
            "T(1) is missing from the data");
  EXPECT_EQ(judged(of_pairs("8:100,64:41,256:14"), "29x from 8 to 256").verdict,
            ClaimVerdict::kContradicted);
}

// S(8) is 5.
constexpr const char* kFiveOnEight =
    "1:100,1:101,1:99.5,2:52,2:52.4,2:51.8,4:29,4:29.1,4:28.8,8:20,8:19.9,8:20.1";

TEST(ClaimVerdict, JudgesTheDirectionOfABound) {
  const std::pair<const char*, ClaimVerdict> claims[] = {
      {"no more than 3x at 8", ClaimVerdict::kContradicted},
      {"no more than 6x at 8", ClaimVerdict::kShown},
      {"less than 5x at 8", ClaimVerdict::kNotShown},
      {"only 3x at 8", ClaimVerdict::kContradicted},
      {"only 5x at 8", ClaimVerdict::kShown},
      {"within 30% of ideal at 8", ClaimVerdict::kContradicted},
      {"within 40% of ideal at 8", ClaimVerdict::kShown},
      {"loses 37% at 8", ClaimVerdict::kShown},
      {"loses 10% at 8", ClaimVerdict::kContradicted},
      {"loses 60% at 8", ClaimVerdict::kContradicted},
      {"reduces runtime by 80% at 8", ClaimVerdict::kShown},
      {"reduces runtime by 90% at 8", ClaimVerdict::kContradicted},
      {"2x at 8 compared with a CPU", ClaimVerdict::kCannotBeTold},
  };
  for (const auto& [text, verdict] : claims) {
    EXPECT_EQ(judged(of_pairs(kFiveOnEight), text).verdict, verdict) << text;
  }
}

// Twelve equal tasks: S(6) is 6 and S(12) is 12, whatever a curve through these K says.
TEST(ClaimVerdict, WhatNobodyMeasuredIsContradictedByEfficiencyAlone) {
  const Study tasks =
      of_pairs("1:120,1:120.3,1:119.8,2:60,2:60.2,2:59.9,4:30,4:30.1,4:29.9,8:20,8:20.1,8:19.9");
  for (const char* text : {"5.7x at 6", "10x at 12"}) {
    const ClaimCheck check = judged(tasks, text);
    EXPECT_EQ(check.verdict, ClaimVerdict::kNotShown) << text;
    EXPECT_TRUE(check.chance) << text;
  }
  EXPECT_EQ(judged(tasks, "6.5x at 6").verdict, ClaimVerdict::kContradicted);
  EXPECT_EQ(judged(tasks, "13x at 12").verdict, ClaimVerdict::kContradicted);
}

TEST(ClaimVerdict, OneWorkerIsNotFasterThanItself) {
  const ClaimCheck check = judged(of_pairs(kThreeRuns), "5x at 1");
  EXPECT_EQ(check.verdict, ClaimVerdict::kContradicted);
  EXPECT_EQ(check.reason, "K = 1 is the base itself: its speedup is 1, not 5");
  EXPECT_EQ(judged(Study{}, "5x at 1").verdict, ClaimVerdict::kContradicted);
}

TEST(ClaimVerdict, ASpeedupAndAnEfficiencyMustBeTheSame) {
  EXPECT_EQ(judged(Study{}, "7.5x on 8 GPUs (94% efficiency)").verdict,
            ClaimVerdict::kCannotBeTold);
  const ClaimCheck check = judged(Study{}, "7.5x on 8 GPUs (80% efficiency)");
  EXPECT_EQ(check.verdict, ClaimVerdict::kContradicted);
  EXPECT_EQ(check.reason, "7.5x on 8 is an efficiency of 94%, not of 80%");
}

TEST(ClaimVerdict, ARegimeThatTheUserKnowsCounts) {
  AuditOptions options;
  options.regime = Regime::kWeak;
  options.claims = {*parse_claim("7.2x at 8", ""), *parse_claim("0.88 efficiency at 8", "")};
  const Audit found =
      *audit(of_pairs("1:10,1:10.1,1:9.9,2:10.4,2:10.5,2:10.4,8:11,8:11.1,8:10.9"), options);
  EXPECT_EQ(found.claims[0].verdict, ClaimVerdict::kNotShown);
  EXPECT_EQ(found.claims[0].reason,
            "the data are of weak scaling: they do not show the speedup of a fixed job");
  EXPECT_EQ(found.claims[1].verdict, ClaimVerdict::kShown);
  const Study rates =
      of_table("gpus,images/s\n1,100\n1,101\n1,99.5\n2,196\n2,197\n2,195\n8,760\n8,765\n8,758\n");
  EXPECT_EQ(judged(rates, "7.5x at 8").reason,
            "the data are rates, and do not say whether the job is the same at every K");
  options.regime = Regime::kStrong;
  options.claims = {*parse_claim("7.5x at 8", "")};
  EXPECT_EQ(audit(rates, options)->claims[0].verdict, ClaimVerdict::kShown);
}

TEST(ClaimVerdict, ALossIsContradictedByAGain) {
  EXPECT_EQ(judged(of_pairs(kThreeRuns), "0.8x at 4").verdict, ClaimVerdict::kContradicted);
  EXPECT_EQ(judged(of_pairs("1:10,1:10.02,1:9.98,4:12.52,4:12.48,4:12.5"), "0.8x at 4").verdict,
            ClaimVerdict::kShown);
  EXPECT_EQ(judged(of_pairs("1:10,1:10.02,1:9.98,4:12.52,4:12.48,4:12.5"), "0.90x at 4").verdict,
            ClaimVerdict::kContradicted);
}

TEST(ClaimVerdict, WeakClaimsNeedWorkThatGrows) {
  AuditOptions options;
  options.regime = Regime::kStrong;
  const Study fixed = of_table("gpus,time_s,batch\n1,100,64\n8,15,64\n64,3,64\n");
  EXPECT_EQ(judged(fixed, "90% weak efficiency at 64").reason,
            "the data are of strong scaling, the same problem at every K: they show no weak "
            "efficiency");
  // Nobody says which: the claim is true of one and false of the other.
  const ClaimCheck unknown =
      judged(of_pairs("1:10,1:10.1,1:9.9,8:11,8:11.1,8:10.9"), "0.9 efficiency at 8");
  EXPECT_EQ(unknown.verdict, ClaimVerdict::kCannotBeTold);
}

TEST(ClaimVerdict, WithoutDataCannotBeTold) {
  const ClaimCheck check = judged(Study{}, "2.5x from 8 to 64");
  EXPECT_EQ(check.verdict, ClaimVerdict::kCannotBeTold);
  EXPECT_EQ(check.question, "What are T(8) and T(64), of which program, and of the same job?");
}

TEST(ClaimVerdict, FitsOneScreen) {
  AuditOptions options;
  options.claims.push_back(*parse_claim("0.9 efficiency at 64", ""));
  const std::string text =
      to_terminal(to_document(*audit(of_pairs(kSlowBase), options), "title"), {});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_LT(text.find("contradicted"), text.find("The checklist"));
}

}  // namespace

}  // namespace kstar
