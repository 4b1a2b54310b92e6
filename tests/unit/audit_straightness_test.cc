// Honest noise is called too smooth at most once in a thousand times, whichever K is the noisy one;
// a drawn curve is found.
#include <gtest/gtest.h>

#include <cmath>

#include "audit/straightness.h"
#include "base/random.h"

namespace kstar {

namespace {

constexpr double kImprobable = 0.001;  // what the rule calls a contradiction

double time_at(int workers) {
  return 100 * (0.02 + 0.98 / workers);
}

struct Plan {
  std::vector<int> workers;
  std::vector<double> noise;  ///< of a run, by K
  int runs = 5;
  double block_noise = 0;  ///< what all K of a block share; 0: no blocks are known
  double kept = 1;         ///< of the scatter of the means: 1 is honest, 0 is drawn with a ruler
};

/// The chance that the rule finds.
double chance_of(const Plan& plan, Random& random) {
  Study study;
  std::vector<double> shared;
  for (int i = 0; i < plan.runs; ++i) shared.push_back(plan.block_noise * random.normal());
  Analysis analysis;
  analysis.table.regime = Regime::kStrong;
  for (std::size_t k = 0; k < plan.workers.size(); ++k) {
    const double honest = time_at(plan.workers[k]);
    std::vector<double> times;
    double sum = 0;
    for (int i = 0; i < plan.runs; ++i) {
      times.push_back(
          honest * std::exp(shared[static_cast<std::size_t>(i)] + plan.noise[k] * random.normal()));
      sum += times.back();
    }
    const double mean = sum / plan.runs;
    const double drawn = honest + plan.kept * (mean - honest);
    for (int i = 0; i < plan.runs; ++i) {
      Run run;
      run.workers = plan.workers[k];
      run.wall = times[static_cast<std::size_t>(i)] * drawn / mean;
      if (plan.block_noise > 0) run.block = i;
      study.runs.push_back(std::move(run));
    }
    ScalingPoint point;
    point.workers = plan.workers[k];
    point.time.point = drawn;
    analysis.table.points.push_back(point);
  }
  Evidence evidence{.study = study, .analysis = &analysis, .claims = {}, .curve = {}};
  for (const ScalingPoint& point : analysis.table.points) evidence.curve.push_back(&point);
  const auto found = straightness(evidence);
  EXPECT_TRUE(found);
  return found ? found->chance : 1;
}

int contradicted_of(const Plan& plan, int trials, std::uint64_t seed) {
  Random random(seed);
  int count = 0;
  for (int i = 0; i < trials; ++i) count += chance_of(plan, random) < kImprobable ? 1 : 0;
  return count;
}

/// Quiet but for some K.
std::vector<double> noisy_at(std::size_t count, const std::vector<std::size_t>& places) {
  std::vector<double> noise(count, 0.002);
  for (const std::size_t place : places) noise[place] = 0.1;
  return noise;
}

TEST(AuditStraightness, HonestNoiseIsContradictedAtMostOnceInAThousandTimes) {
  constexpr int kTrials = 1000;
  int all = 0, trials = 0;
  std::uint64_t seed = 1;
  for (const std::vector<int>& workers :
       {std::vector{1, 2, 4, 8, 16}, std::vector{1, 2, 4, 8, 16, 32, 64, 128}}) {
    const std::size_t last = workers.size() - 1;
    for (const std::vector<double>& noise :
         {std::vector<double>(workers.size(), 0.01), noisy_at(workers.size(), {last}),
          noisy_at(workers.size(), {0}), noisy_at(workers.size(), {0, last})}) {
      for (const int runs : {3, 5, 10}) {
        for (const double block_noise : {0.0, 0.05}) {
          const Plan plan{
              .workers = workers, .noise = noise, .runs = runs, .block_noise = block_noise};
          const int count = contradicted_of(plan, kTrials, seed++);
          EXPECT_LE(count, 5) << workers.size() << " K, " << runs << " runs, noise "
                              << noise.front() << " to " << noise.back() << ", blocks "
                              << block_noise;
          all += count;
          trials += kTrials;
        }
      }
    }
  }
  EXPECT_LE(all, kImprobable * trials) << "of " << trials;
}

TEST(AuditStraightness, ADrawnCurveIsFound) {
  constexpr int kTrials = 300;
  for (const int runs : {3, 5, 10}) {
    for (const double block_noise : {0.0, 0.02}) {
      Plan plan{.workers = {1, 2, 4, 8, 16, 32, 64, 128},
                .noise = std::vector<double>(8, 0.01),
                .runs = runs,
                .block_noise = block_noise,
                .kept = 0};
      EXPECT_EQ(contradicted_of(plan, kTrials, 7), kTrials) << runs << " runs";
      plan.kept = 0.03;
      EXPECT_GE(contradicted_of(plan, kTrials, 8), 0.95 * kTrials) << runs << " runs";
    }
  }
}

}  // namespace

}  // namespace kstar
