#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kstar/analysis.h"

namespace kstar {
namespace {

using testing::HasSubstr;

kstar::Run timed_run(int workers, double wall, std::optional<int> block = {},
                     Role role = Role::kParallel) {
  kstar::Run run;
  run.workers = workers;
  run.wall = wall;
  run.block = block;
  run.role = role;
  run.exit_status = 0;
  return run;
}

/// T = 0.1 + 0.9 / K: E is 1, 0.909, 0.769, 0.588; noise of 1% in a fixed pattern.
Study repeated_study() {
  Study study;
  study.header.regime = Regime::kStrong;
  for (int block = 0; block < 6; ++block) {
    for (const int k : {1, 2, 4, 8}) {
      const double noise = 1 + 0.005 * ((block * 2 + k * 3) % 5 - 2);
      study.runs.push_back(timed_run(k, (0.1 + 0.9 / k) * noise, block));
    }
  }
  return study;
}

/// kstar analyze --data 1:100,2:52,4:29,8:19.
Study single_study() {
  Study study;
  for (const auto& [k, time] : {std::pair{1, 100.0}, {2, 52.0}, {4, 29.0}, {8, 19.0}}) {
    study.runs.push_back(timed_run(k, time));
  }
  return study;
}

const Note* find(const Analysis& analysis, std::string_view what) {
  for (const Note& note : analysis.notes) {
    if (note.what == what) return &note;
  }
  return nullptr;
}

TEST(Analyze, PutsTheBendTheAdviceAndTheKOfLeastTimeTogether) {
  const auto analysis = analyze(repeated_study());
  ASSERT_TRUE(analysis) << analysis.error().message;
  EXPECT_EQ(analysis->bend->last_good, 4);
  EXPECT_EQ(analysis->bend->first_bad, 8);
  EXPECT_GT(analysis->bend->agreement, 0.99);
  EXPECT_EQ(analysis->recommendation.workers, 4);
  EXPECT_EQ(analysis->recommendation.least_time_workers, 8);
  EXPECT_FALSE(analysis->recommendation.open);
  EXPECT_FALSE(analysis->superlinear);
  EXPECT_FALSE(analysis->other_baseline);
  EXPECT_FALSE(analysis->own_baseline);
  EXPECT_TRUE(analysis->models);
  EXPECT_FALSE(analysis->diagnosis.causes.empty());
  EXPECT_TRUE(analysis->notes.empty());
}

TEST(Analyze, OfMediansIsNotMovedByOneSlowRun) {
  Study study = repeated_study();
  study.runs[3].wall = 3;  // at K = 8, where the others take 0.21
  const auto mean = analyze(study), median = analyze(study, {.statistic = Statistic::kMedian});
  ASSERT_TRUE(mean && median);
  const ScalingPoint& by_mean = mean->table.points[3];
  const ScalingPoint& by_median = median->table.points[3];
  EXPECT_GT(by_mean.time.point, 0.6);
  EXPECT_NEAR(by_median.time.point, 0.2125, 0.003);
  EXPECT_EQ(by_median.time.point, by_median.times.median);
  EXPECT_NEAR(by_median.efficiency->point, 0.588, 0.01);
  EXPECT_EQ(by_median.time.confidence, 0.95);
  EXPECT_LT(by_median.time.low, 0.2125);
  EXPECT_GT(by_median.time.high, 0.2125);
  EXPECT_NE(find(*median, "median"), nullptr);
  EXPECT_EQ(find(*mean, "median"), nullptr);
}

TEST(Analyze, OneValueEachHasNoIntervalAndSaysSo) {
  const auto analysis = analyze(single_study());
  ASSERT_TRUE(analysis) << analysis.error().message;
  for (const ScalingPoint& point : analysis->table.points) {
    EXPECT_EQ(point.time.method, IntervalMethod::kNone);
    EXPECT_FALSE(is_bounded(point.time));
  }
  EXPECT_NEAR(analysis->table.points[3].efficiency->point, 0.657895, 1e-6);
  EXPECT_EQ(analysis->bend->first_bad, 8);
  // Single values have an assumed error: the curve through all of them says how sure the bend is.
  EXPECT_EQ(analysis->bend->agreement, analysis->models->bend_chances[3]);
  EXPECT_GT(analysis->bend->agreement, 0.5);
  EXPECT_EQ(analysis->recommendation.workers, 4);
  const Note* single = find(*analysis, "one-value");
  ASSERT_NE(single, nullptr);
  EXPECT_EQ(single->where, "every K");
  EXPECT_THAT(note_sentence(*single), HasSubstr("an error of 0.4% to 10% is assumed"));
  EXPECT_NE(find(*analysis, "regime-assumed"), nullptr);
}

/// The K measured around a crossing: the last before it, the first behind it; 16: beyond all.
std::pair<int, int> around(double crossing) {
  int before = 1;
  for (const int k : {1, 2, 4, 8}) {
    if (k > crossing) return {before, k};
    before = k;
  }
  return {before, 16};
}

TEST(Analyze, OfOneValueEachTheModelsSayHowSureTheBendIs) {
  const Analysis analysis = analyze(single_study()).value();
  const Bend& bend = analysis.bend.value();
  ASSERT_TRUE(bend.continuous);
  EXPECT_GT(bend.continuous->point, 4);  // E(4) = 0.862, E(8) = 0.658
  EXPECT_LT(bend.continuous->point, 8);
  const auto low = around(bend.continuous->low), high = around(bend.continuous->high);
  EXPECT_EQ(bend.low, low.second);
  EXPECT_EQ(bend.high.value_or(16), high.second);
  EXPECT_EQ(analysis.recommendation.low, low.first);
  EXPECT_EQ(analysis.recommendation.high, high.first);
}

TEST(Analyze, EveryIntervalHasTheConfidenceAskedFor) {
  Study study = repeated_study();
  for (auto& run : study.runs) run.steps = {*run.wall, *run.wall * 1.01, *run.wall, *run.wall};
  const auto analysis = analyze(study, {.confidence = 0.8, .baseline_time = 0.9});
  ASSERT_TRUE(analysis);
  for (const ScalingPoint& point : analysis->table.points) {
    EXPECT_EQ(point.time.confidence, 0.8);
    EXPECT_EQ(point.speedup->confidence, 0.8);
    EXPECT_EQ(point.efficiency->confidence, 0.8);
    if (point.workers > 1) {
      EXPECT_EQ(point.karp_flatt->confidence, 0.8);
    }
  }
  for (const StepStability& steps : analysis->steps) EXPECT_EQ(steps.drift->confidence, 0.8);
  for (const Estimate& each : analysis->other_baseline->efficiency) {
    EXPECT_EQ(each.confidence, 0.8);
  }
  const Estimate wide = *analyze(study)->table.points[2].efficiency;
  const Estimate narrow = *analysis->table.points[2].efficiency;
  EXPECT_LT(narrow.high - narrow.low, wide.high - wide.low);
}

TEST(Analyze, ABaselineProgramGivesBothBends) {
  Study study = repeated_study();
  for (int block = 0; block < 6; ++block) {
    study.runs.push_back(timed_run(1, 0.8 + 0.001 * (block % 3), block, Role::kBaseline));
  }
  const auto analysis = analyze(study);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->bend->first_bad, 4);  // 0.8 / (4 x 0.325) = 0.615
  ASSERT_TRUE(analysis->own_baseline);
  EXPECT_EQ(analysis->own_baseline->bend->first_bad, 8);
  EXPECT_FALSE(analysis->bend->continuous);  // the models know the program's own T(1) only
  EXPECT_NEAR(analysis->table.points[3].karp_flatt->point, 0.1, 0.01);
}

TEST(Analyze, AMixedRegimeHasTimesAndNoEfficiency) {
  Study study = repeated_study();
  study.header.regime = Regime::kMixed;
  const auto analysis = analyze(study, {.baseline_time = 1.0});
  ASSERT_TRUE(analysis);
  EXPECT_FALSE(analysis->bend);
  EXPECT_FALSE(analysis->other_baseline);
  EXPECT_EQ(analysis->recommendation.workers, 8);  // of least time: there is nothing else
  EXPECT_TRUE(analysis->recommendation.open);
  EXPECT_NE(find(*analysis, "no-efficiency"), nullptr);
}

TEST(Analyze, SaysWhatAReaderMustKnow) {
  Study study = repeated_study();
  study.runs[1].exit_status = 1;
  study.notes.push_back({.severity = Severity::kWarning, .what = "torn-line", .text = "a line"});
  study.notes.push_back({.severity = Severity::kInfo, .what = "merged"});
  for (auto& run : study.runs) {
    if (run.workers == 4) *run.wall *= 1.5;  // E(4) = 0.51
    if (run.workers == 8) *run.wall *= 0.8;  // E(8) = 0.74
    const double drift = run.workers == 2 ? 0.1 : 0;
    run.steps = {*run.wall * (1 - drift), *run.wall, *run.wall * (1 + drift)};
  }
  const auto analysis = analyze(study);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(note_sentence(*find(*analysis, "runs-failed")), "1 of 6 runs failed and are not used");
  EXPECT_NE(find(*analysis, "torn-line"), nullptr);
  EXPECT_EQ(find(*analysis, "merged"), nullptr);
  EXPECT_EQ(find(*analysis, "not-monotone")->where, "K = 4");
  EXPECT_EQ(analysis->recommendation.workers, 2);  // the last before the bend
  EXPECT_EQ(analysis->recommendation.good_again, 8);
  EXPECT_EQ(find(*analysis, "step-drift")->where, "K = 2");
  EXPECT_THAT(note_sentence(*find(*analysis, "step-drift")), HasSubstr("steps get slower"));
}

TEST(Analyze, TheSmallestKIsTheBaseWhereOneWorkerWasNotMeasured) {
  Study study = repeated_study();
  std::erase_if(study.runs, [](const kstar::Run& run) { return run.workers == 1; });
  const auto analysis = analyze(study);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->table.base_workers, 2);
  EXPECT_NE(find(*analysis, "base-workers"), nullptr);
}

TEST(Analyze, OneKIsAnAnswerWithoutModels) {
  Study study;
  study.header.regime = Regime::kStrong;
  study.runs = {timed_run(4, 1.0), timed_run(4, 1.1)};
  const auto analysis = analyze(study);
  ASSERT_TRUE(analysis);
  EXPECT_FALSE(analysis->models);
  EXPECT_EQ(analysis->recommendation.workers, 4);
}

TEST(Analyze, TheSameStudyAndOptionsGiveTheSameAnswer) {
  Study study = repeated_study();
  for (auto& run : study.runs) *run.wall *= 1 + 0.03 * (*run.block % 2);
  const AnalysisOptions options{.threshold = 0.77, .resamples = 777, .seed = 4};
  EXPECT_EQ(analyze(study, options)->bend->agreement, analyze(study, options)->bend->agreement);
}

TEST(Analyze, RefusesWhatMakesNoSense) {
  const Study study = repeated_study();
  EXPECT_EQ(analyze(study, {.threshold = 0}).error().where, "threshold");
  EXPECT_EQ(analyze(study, {.threshold = 70}).error().where, "threshold");
  EXPECT_EQ(analyze(study, {.confidence = 95}).error().where, "confidence");
  EXPECT_EQ(analyze(study, {.baseline_time = -1}).error().where, "baseline_time");
  EXPECT_EQ(analyze(study, {.predict = {0.5}}).error().where, "predict");
  EXPECT_EQ(analyze(study, {.confidence = std::nan("")}).error().where, "confidence");
  EXPECT_FALSE(analyze(Study{}));
}

}  // namespace
}  // namespace kstar
