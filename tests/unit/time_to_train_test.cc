// T(K) as what the algorithm needed over what the system did a second, plus fixed time.
#include "kstar/time_to_train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "kstar/analysis.h"

namespace kstar {
namespace {

using testing::HasSubstr;

struct Trained {
  double time, work;
  std::optional<double> fixed;
};

void add_runs(Study& study, int workers, double batch, const std::vector<Trained>& runs) {
  for (const Trained& each : runs) {
    kstar::Run run;
    run.workers = workers;
    run.wall = each.time;
    run.work = each.work;
    run.fixed = each.fixed;
    study.runs.push_back(run);
  }
  study.header.workload.push_back({.workers = workers, .unit = "samples", .batch = batch});
}

std::optional<TimeToTrain> split(const Study& study) {
  return time_to_train(study, scaling_table(study).value());
}

/// Eight times the workers, eight times the batch. No run resembles the one before it: then the
/// effective number of runs is their number.
Study known_study() {
  Study study;
  add_runs(study, 8, 256,
           {{1000, 2.0e6, 40}, {1030, 2.1e6, 42}, {1100, 2.2e6, 44}, {950, 1.9e6, 38}});
  add_runs(study, 64, 2048,
           {{220, 3.0e6, 22}, {262, 3.6e6, 25}, {240, 3.3e6, 24}, {231, 3.1e6, 23}});
  return study;
}

// from statistics import mean as m
// A = ([1000,1030,1100,950], [2e6,2.1e6,2.2e6,1.9e6], [40,42,44,38])
// B = ([220,262,240,231], [3e6,3.6e6,3.3e6,3.1e6], [22,25,24,23])
// x = lambda t, w, f: m(w) / (m(t) - m(f)); s = lambda t, w, f: 1 - m(f) / m(t)
// m(A[1]) / m(B[1]), x(*B) / x(*A) * 8 / 64, s(*B) / s(*A), m(A[0]) * 8 / (m(B[0]) * 64)
TEST(TimeToTrain, IsTheAlgorithmTimesTheSystemTimesTheShareThatTrains) {
  const auto train = split(known_study());
  ASSERT_TRUE(train);
  EXPECT_EQ(train->unit, "samples");
  EXPECT_TRUE(train->fixed_known);
  ASSERT_EQ(train->points.size(), 2U);
  const TrainingPoint& last = train->points[1];
  EXPECT_EQ(last.batch, 2048);
  EXPECT_NEAR(last.algorithm.point, 0.6307692307692307, 1e-14);
  EXPECT_NEAR(last.system.point, 0.9034186092734035, 1e-14);
  EXPECT_NEAR(last.training->point, 0.9391127636290753, 1e-14);
  EXPECT_NEAR(last.efficiency.point, 0.5351521511017838, 1e-14);
  EXPECT_NEAR(last.fixed->point, 23.5, 1e-12);
  EXPECT_NEAR(last.throughput.point, 13.0e6 / 859, 1e-6);
  const TrainingPoint& base = train->points[0];
  for (const Estimate* one : {&base.efficiency, &base.algorithm, &base.system, &*base.training}) {
    EXPECT_EQ(one->point, 1);
    EXPECT_EQ(one->low, 1);
    EXPECT_EQ(one->high, 1);
  }
}

// The standard errors of the logarithms by the delta method, run by run:
//   d = [w / m(w) - (t - f) / (m(t) - m(f)) ...], variance(d) / n for either K, added.
// The runs that needed more samples took longer: unpaired, the system's would be 0.07.
TEST(TimeToTrain, PairsTheSamplesOfARunWithItsTime) {
  const TrainingPoint last = split(known_study()).value().points[1];
  const auto log_error = [](const Estimate& factor) {
    return factor.standard_error / factor.point;
  };
  EXPECT_NEAR(log_error(last.algorithm), 0.05146142305742478, 1e-12);
  EXPECT_NEAR(log_error(last.system), 0.00727015771573105, 1e-12);
  EXPECT_NEAR(log_error(*last.training), 0.0013283246205121335, 1e-12);
  EXPECT_NEAR(log_error(last.efficiency), 0.04841356080635936, 1e-12);
  // t of 5.995 degrees of freedom is 2.44738.
  EXPECT_NEAR(std::log(last.system.high / last.system.point), 2.4473793 * 0.00727015771573105,
              1e-7);
}

TEST(TimeToTrain, FixedTimeThatNobodyKnowsIsNotInvented) {
  Study study = known_study();
  study.runs[2].fixed.reset();
  const auto train = split(study);
  ASSERT_TRUE(train);
  EXPECT_FALSE(train->fixed_known);
  const TrainingPoint& last = train->points[1];
  EXPECT_FALSE(last.fixed);
  EXPECT_FALSE(last.training);
  EXPECT_NEAR(last.algorithm.point * last.system.point, last.efficiency.point, 1e-14);
}

/// W, X and F at random; what is planted is in the means.
struct Planted {
  double work = 1e6, rate = 1e3, fixed = 0;
  double work_noise = 0.08, rate_noise = 0.01;

  std::vector<Trained> runs(std::size_t count, Random& random) const {
    std::vector<Trained> all;
    for (std::size_t i = 0; i < count; ++i) {
      const double done = work * (1 + work_noise * random.normal());
      const double off = fixed * (1 + 0.05 * random.normal());
      all.push_back({done / rate * (1 + rate_noise * random.normal()) + off, done, off});
    }
    return all;
  }
};

TEST(TimeToTrain, FactorsMultiplyToTheEfficiencyOfTheTimes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    Study study;
    for (const int k : {2, 3, 16, 1000}) {
      const Planted planted{.work = 1e6 * random.uniform(0.5, 2),
                            .rate = 100 * k * random.uniform(0.2, 1),
                            .fixed = random.uniform(0, 50)};
      add_runs(study, k, 32 * k, planted.runs(1 + seed % 6, random));
    }
    const auto train = split(study);
    ASSERT_TRUE(train) << seed;
    for (const TrainingPoint& point : train->points) {
      const double product = point.algorithm.point * point.system.point * point.training->point;
      EXPECT_NEAR(product / point.efficiency.point, 1, 1e-12);
      const double total = 2 * train->points[0].time.point / (point.workers * point.time.point);
      EXPECT_NEAR(point.efficiency.point / total, 1, 1e-12);
    }
  }
}

/// How often the intervals at the larger K hold what was planted, over 2,000 studies.
struct Covered {
  double algorithm = 0, system = 0, training = 0;
};

Covered coverage(const Planted& base, const Planted& larger, std::size_t runs) {
  constexpr int kStudies = 2000;
  Covered covered;
  const auto trains = [](const Planted& p) { return 1 - p.fixed / (p.work / p.rate + p.fixed); };
  for (int seed = 1; seed <= kStudies; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    Study study;
    add_runs(study, 8, 256, base.runs(runs, random));
    add_runs(study, 64, 2048, larger.runs(runs, random));
    const TrainingPoint point = split(study).value().points[1];
    const auto holds = [](const Estimate& factor, double truth) {
      return factor.low <= truth && truth <= factor.high ? 1.0 / kStudies : 0;
    };
    covered.algorithm += holds(point.algorithm, base.work / larger.work);
    covered.system += holds(point.system, larger.rate / base.rate / 8);
    covered.training += holds(*point.training, trains(larger) / trains(base));
  }
  return covered;
}

TEST(TimeToTrain, IntervalsHoldWhatWasPlantedAsOftenAsTheySay) {
  const Planted base{.work = 2e6, .rate = 2000, .fixed = 60};
  const Planted larger{.work = 3.2e6, .rate = 11000, .fixed = 25};
  for (const std::size_t runs : {3U, 5U, 10U}) {
    const Covered covered = coverage(base, larger, runs);
    for (const double share : {covered.algorithm, covered.system, covered.training}) {
      EXPECT_GT(share, 0.94) << runs << " runs";
      EXPECT_LT(share, 0.995) << runs << " runs";
    }
  }
}

TEST(TimeToTrain, TheSameBatchEverywhereIsNoLossOfTheAlgorithm) {
  Random random(7);
  Study study;
  for (const int k : {8, 16, 32, 64}) {
    const Planted planted{.work = 2e6, .rate = 250.0 * k * (1 - 0.002 * k)};
    add_runs(study, k, 256, planted.runs(10, random));
  }
  const Analysis analysis = analyze(study).value();
  EXPECT_EQ(analysis.table.regime, Regime::kStrong);
  for (const TrainingPoint& point : analysis.time_to_train.value().points) {
    EXPECT_LE(point.algorithm.low, 1) << point.workers;
    EXPECT_GE(point.algorithm.high, 1) << point.workers;
    EXPECT_NEAR(point.system.point, (1 - 0.002 * point.workers) / (1 - 0.002 * 8), 0.02);
  }
}

TEST(TimeToTrain, OneRunHasNoInterval) {
  Study study;
  add_runs(study, 8, 256, {{1000, 2e6, {}}});
  add_runs(study, 64, 2048, {{220, 3e6, {}}});
  const TrainingPoint last = split(study).value().points[1];
  for (const Estimate* factor : {&last.efficiency, &last.algorithm, &last.system}) {
    EXPECT_FALSE(is_bounded(*factor));
    EXPECT_EQ(factor->method, IntervalMethod::kNone);
  }
}

TEST(TimeToTrain, NeedsTheWorkOfEveryRunInOneUnitAtTwoK) {
  Study study = known_study();
  study.header.workload[1].unit = "epochs";
  EXPECT_FALSE(split(study)) << "two units";
  study = known_study();
  study.runs[5].work.reset();
  EXPECT_FALSE(split(study)) << "one K";
  study = known_study();
  add_runs(study, 128, 4096, {{150, 4e6, {}}});
  study.runs.back().work.reset();
  const auto train = split(study);
  ASSERT_TRUE(train);
  EXPECT_EQ(train->points.size(), 2U);
  ASSERT_FALSE(train->notes.empty());
  EXPECT_EQ(train->notes[0].where, "K = 128");
}

TEST(TimeToTrain, StepsHereAndSamplesThereAreNotCompared) {
  Study study = known_study();
  for (kstar::Run& run : study.runs) {
    if (run.workers == 64) *run.work /= 2048;
  }
  const Analysis analysis = analyze(study).value();
  EXPECT_FALSE(analysis.time_to_train);
  const auto unlike = [](const Note& note) { return note.what == "work-unlike"; };
  EXPECT_EQ(std::count_if(analysis.notes.begin(), analysis.notes.end(), unlike), 1);
}

TEST(TimeToTrain, EqualCountsAreSaidToBeCountedAtEvaluations) {
  Study study;
  add_runs(study, 8, 256, {{1000, 59, {}}, {1010, 59, {}}});
  add_runs(study, 64, 512, {{200, 76, {}}, {210, 82, {}}});
  const auto train = split(study);
  ASSERT_TRUE(train);
  ASSERT_EQ(train->notes.size(), 1U);
  EXPECT_EQ(train->notes[0].what, "equal-work");
  EXPECT_EQ(train->notes[0].where, "K = 8");
}

TEST(TimeToTrain, ABatchThatGrowsWithKIsNeitherStrongNorWeakAndStillHasAnAnswer) {
  const Analysis analysis = analyze(known_study()).value();
  EXPECT_EQ(analysis.table.regime, Regime::kMixed) << "the batch is in proportion to K";
  EXPECT_FALSE(analysis.table.points[1].efficiency);
  ASSERT_TRUE(analysis.time_to_train);
  ASSERT_TRUE(analysis.bend);
  EXPECT_EQ(analysis.bend->first_bad, 64);
  EXPECT_EQ(analysis.recommendation.workers, 8);
  EXPECT_EQ(analysis.recommendation.least_time_workers, 64);
  for (const Note& note : analysis.notes) {
    EXPECT_NE(note.what, "no-efficiency");
    EXPECT_NE(note.what, "regime-contradicted");
  }
}

TEST(TimeToTrain, AStudyThatCallsAGrowingBatchMixedIsNotContradicted) {
  Study study = known_study();
  study.header.regime = Regime::kMixed;
  const ScalingTable table = scaling_table(study).value();
  EXPECT_EQ(table.regime, Regime::kMixed);
  EXPECT_TRUE(table.notes.empty()) << note_sentence(table.notes[0]);
  study.header.regime = Regime::kStrong;
  const ScalingTable strong = scaling_table(study).value();
  ASSERT_EQ(strong.notes.size(), 1U);
  EXPECT_THAT(note_sentence(strong.notes[0]),
              HasSubstr("batch is 256 at K = 8 and 2048 at K = 64"));
}

}  // namespace
}  // namespace kstar
