#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "kstar/simulation.h"
#include "kstar/study_file.h"
#include "support/predictions.h"

namespace kstar {
namespace {

const std::vector<std::int64_t> kWorkers = {1, 2, 4};

LawInstance strong(std::vector<ParameterList> more = {}) {
  more.insert(more.begin(), {"serial", {"0.05"}});
  return instances("strong", more).front();
}

Study simulated(const LawInstance& instance, const SimulationOptions& options) {
  return simulate(instance, kWorkers, options, {"kstar"}).value();
}

std::vector<double> walls(const Study& study) {
  std::vector<double> list;
  for (const kstar::Run& run : study.runs) list.push_back(run.wall.value());
  return list;
}

std::map<int, double> slowest(const Study& study) {
  std::map<int, double> times;
  for (const kstar::Run& run : study.runs)
    times[run.workers] = std::max(times[run.workers], *run.wall);
  return times;
}

TEST(Simulation, TheSameSeedGivesTheSameStudyAndAnotherSeedAnother) {
  const SimulationOptions seven{.seed = 7}, eight{.seed = 8};
  EXPECT_EQ(to_lines(simulated(strong(), seven)).value(),
            to_lines(simulated(strong(), seven)).value());
  EXPECT_NE(walls(simulated(strong(), seven)), walls(simulated(strong(), eight)));
}

TEST(Simulation, GivesTheSameNumbersOnEveryMachine) {
  // Frozen. A machine that disagrees breaks every published seed.
  const Study study =
      simulated(strong({{"comm", {"log2:0.01"}}}), {.runs = 2, .noise = 0.02, .seed = 7});
  std::vector<int> order;
  for (const kstar::Run& run : study.runs) order.push_back(run.workers);
  EXPECT_EQ(order, (std::vector<int>{2, 4, 1, 4, 1, 2}));
  EXPECT_EQ(walls(study),
            (std::vector<double>{0.524593577209125, 0.3128670752766532, 1.0291035632119976,
                                 0.31086595645478854, 1.0175525575248427, 0.5294590971387801}));
}

TEST(Simulation, WithoutNoiseIsTheLaw) {
  const LawInstance instance = strong({{"comm", {"log2:0.01"}}});
  const Study study = simulated(instance, {.runs = 3, .noise = 0});
  for (const kstar::Run& run : study.runs) {
    EXPECT_EQ(*run.wall, time_at(instance.model, run.workers));
  }
}

TEST(Simulation, HasEveryWorkerCountOnceABlock) {
  const Study study = simulated(strong(), {.runs = 5});
  ASSERT_EQ(study.runs.size(), 15U);
  std::map<std::pair<int, int>, int> seen;
  for (const kstar::Run& run : study.runs) ++seen[{run.block.value(), run.workers}];
  EXPECT_EQ(seen.size(), 15U);
}

TEST(Simulation, NoTimeIsNegativeHoweverMuchNoiseThereIs) {
  for (const double wall : walls(simulated(strong(), {.runs = 2000, .noise = 1, .seed = 3}))) {
    EXPECT_GT(wall, 0);
    EXPECT_TRUE(std::isfinite(wall));
  }
}

TEST(Simulation, NoiseIsRelativeToTheTime) {
  const LawInstance instance = strong();
  const int runs = 2000;
  std::map<int, std::pair<double, double>> sums;
  const Study study = simulated(instance, {.runs = runs, .noise = 0.02, .seed = 5});
  for (const kstar::Run& run : study.runs) {
    const double off = *run.wall / time_at(instance.model, run.workers) - 1;
    sums[run.workers].first += off;
    sums[run.workers].second += off * off;
  }
  for (const auto& [workers, sum] : sums) {
    EXPECT_NEAR(sum.first / runs, 0, 0.002) << workers;
    EXPECT_NEAR(std::sqrt(sum.second / runs), 0.02, 0.002) << workers;
  }
}

TEST(Simulation, AStragglerSlowsTheSlowestRunOfEachKAndNoOther) {
  const Study plain = simulated(strong(), {.runs = 4, .seed = 2});
  const Study slowed = simulated(strong(), {.runs = 4, .seed = 2, .straggler = 3});
  int changed = 0;
  for (std::size_t i = 0; i < plain.runs.size(); ++i) {
    const double factor = *slowed.runs[i].wall / *plain.runs[i].wall;
    if (factor == 1) continue;
    ++changed;
    EXPECT_GT(factor, 1);
    EXPECT_LE(factor, 3);
    EXPECT_EQ(*plain.runs[i].wall, slowest(plain)[plain.runs[i].workers]);
  }
  EXPECT_EQ(changed, 3);
}

TEST(Simulation, TheLawsOwnStragglerIsWaitedForOrNot) {
  const LawInstance instance = strong({{"straggler", {"0.2:0.5"}}});
  const CostParts parts = parts_at(instance.model, 4);
  int waited = 0, runs = 0;
  const Study study = simulated(instance, {.runs = 2000, .noise = 0, .seed = 4});
  for (const kstar::Run& run : study.runs) {
    if (run.workers != 4) continue;
    const double wait = *run.wall - (parts.total() - parts.straggler);
    EXPECT_TRUE(std::fabs(wait) < 1e-12 || std::fabs(wait - 0.5) < 1e-12) << wait;
    waited += wait > 0.25 ? 1 : 0;
    ++runs;
  }
  EXPECT_NEAR(static_cast<double>(waited) / runs, 1 - std::pow(0.8, 4), 0.04);
}

TEST(Simulation, AStepInMillisecondsIsAStudyInSeconds) {
  const LawInstance step =
      instances("step", {{"compute", {"240"}}, {"communication", {"60"}}}).front();
  const Study study = simulated(step, {.runs = 1, .noise = 0});
  for (const kstar::Run& run : study.runs) {
    EXPECT_DOUBLE_EQ(*run.wall, (240.0 / run.workers + 60) / 1000);
  }
}

TEST(Simulation, SaysThatItIsOne) {
  const Study study = simulated(strong(), {.runs = 1});
  ASSERT_EQ(study.notes.size(), 1U);
  EXPECT_EQ(study.notes[0].what, "simulated");
  EXPECT_EQ(study.header.protocol.stopping, "1 run at each K");
}

TEST(Simulation, AGrowingProblemSaysHowLargeItIsAtEveryK) {
  const LawInstance weak = instances("weak", {{"serial", {"0.05"}}}).front();
  const Study study = simulated(weak, {.runs = 1});
  ASSERT_EQ(study.header.workload.size(), 3U);
  EXPECT_EQ(study.header.workload[2].size, 4);
}

TEST(Simulation, MoreWorkersThanAStudyCanHoldAreRefused) {
  const std::vector<std::int64_t> many = {1, std::int64_t{1} << 31};
  EXPECT_EQ(simulate(strong(), many, {}, {}).error().where, "--workers");
}

TEST(ParseSimulation, KeepsTheDefaultsOfWhatIsNotSaid) {
  const SimulationOptions options = parse_simulation("seed=9, runs=3").value();
  EXPECT_EQ(options.runs, 3);
  EXPECT_EQ(options.seed, 9U);
  EXPECT_EQ(options.noise, SimulationOptions{}.noise);
  EXPECT_EQ(options.straggler, 1);
}

TEST(ParseSimulation, RefusesWhatItDoesNotKnowOrCannotDo) {
  for (const char* wrong :
       {"", "runs", "runs=0", "runs=1.5", "runs=1000001", "noise=-0.1", "noise=2", "noise=nan",
        "seed=-1", "seed=x", "straggler=0.5", "speed=1", "runs=5,,seed=1", "Runs=5"}) {
    const Result<SimulationOptions> options = parse_simulation(wrong);
    ASSERT_FALSE(options) << wrong;
    EXPECT_EQ(options.error().where, "--simulate") << wrong;
  }
}

}  // namespace
}  // namespace kstar
