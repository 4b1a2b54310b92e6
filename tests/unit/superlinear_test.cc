#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/fit/parts.h"

namespace kstar {
namespace {

using testing::HasSubstr;

/// T(1) = 10, T(2) = 4 and T(4) = 3 s, with little noise: E(2) = 1.25.
Study superlinear_study() {
  Study study;
  study.header.regime = Regime::kStrong;
  for (int block = 0; block < 6; ++block) {
    for (const auto& [k, time] : {std::pair{1, 10.0}, {2, 4.0}, {4, 3.0}}) {
      kstar::Run run;
      run.workers = k;
      run.block = block;
      run.wall = time * (1 + 0.002 * ((block * k) % 3));
      run.usage.cpu_user = *run.wall * k;
      study.runs.push_back(run);
    }
  }
  return study;
}

template <typename Change>
SuperlinearQuestion question_after(Change change) {
  Study study = superlinear_study();
  for (auto& run : study.runs) change(run);
  return superlinear_question(study, scaling_table(study).value()).value();
}

TEST(Superlinear, IsAskedOnlyBeyondTheNoise) {
  Study study = superlinear_study();
  EXPECT_EQ(superlinear_question(study, scaling_table(study).value())->workers, 2);
  for (auto& run : study.runs) {
    if (run.workers == 2) run.wall = 5 * (*run.block % 2 == 0 ? 0.8 : 1.15);  // E(2) = 1.03
  }
  EXPECT_FALSE(superlinear_question(study, scaling_table(study).value()));
}

TEST(Superlinear, DiskFaultsOfTheBaseAreMemoryPressure) {
  const auto question = question_after([](kstar::Run& run) {
    run.usage.major_faults = run.workers == 1 ? 52000 : 3;
    run.usage.peak_memory = std::int64_t{30} << 30U;
  });
  EXPECT_THAT(question.likely_cause, HasSubstr("memory is short at K = 1: 52000 page faults"));
  EXPECT_THAT(question.measurement, HasSubstr("more memory (it uses 30 GiB)"));
}

TEST(Superlinear, ABaseThatFillsTheMachineIsMemoryPressureToo) {
  Study study = superlinear_study();
  study.header.environment.hosts.push_back({.memory = std::int64_t{32} << 30U});
  for (auto& run : study.runs) run.usage.peak_memory = (std::int64_t{31} << 30U) / run.workers;
  const auto question = superlinear_question(study, scaling_table(study).value());
  EXPECT_THAT(question->likely_cause, HasSubstr("it uses 31 GiB of the machine's 32 GiB"));
}

TEST(Superlinear, ABaseThatIsSeldomOnACpuWaits) {
  const auto question = question_after([](kstar::Run& run) {
    run.usage.cpu_user = *run.wall * run.workers * (run.workers == 1 ? 0.4 : 0.9);
  });
  EXPECT_THAT(question.likely_cause, HasSubstr("K = 1 waits for a disk or a network"));
  EXPECT_THAT(question.likely_cause, HasSubstr("40%"));
  EXPECT_THAT(question.measurement, HasSubstr("data already in memory"));
}

TEST(Superlinear, AWorkingSetThatFallsBelowTheCachesIsCaches) {
  const auto question = question_after(
      [](kstar::Run& run) { run.usage.peak_memory = (std::int64_t{96} << 20U) / run.workers; });
  EXPECT_THAT(question.likely_cause, HasSubstr("each of 2 workers uses at most 48 MiB"));
  EXPECT_THAT(question.measurement, HasSubstr("a problem 2 times smaller"));
}

TEST(Superlinear, FewSlowRunsOfTheBaseAreNoise) {
  Study study = superlinear_study();
  for (auto& run : study.runs) {
    if (run.workers == 2) run.wall = 5.0 * (1 + 0.001 * *run.block);
    if (run.workers == 1 && *run.block < 2) *run.wall *= 1.12;
  }
  ScalingTable table = scaling_table(study).value();
  for (ScalingPoint& point : table.points) {  // as if there were enough such runs
    if (point.workers == 2) point.efficiency->low = 1.01;
  }
  const auto question = superlinear_question(study, table);
  ASSERT_TRUE(question);
  EXPECT_THAT(question->likely_cause, HasSubstr("a few slow runs at K = 1"));
  EXPECT_THAT(question->measurement, HasSubstr("another session"));
}

TEST(Superlinear, ElseMemoryIsNamedBeforeASlowBaseline) {
  const auto question = question_after([](kstar::Run& run) { run.usage.cpu_user.reset(); });
  EXPECT_THAT(question.likely_cause, HasSubstr("perhaps memory"));
  EXPECT_THAT(question.likely_cause, HasSubstr("or a slow baseline"));
  EXPECT_THAT(question.measurement, HasSubstr("--baseline-time"));
  EXPECT_THAT(question_after([](kstar::Run&) {}).likely_cause,
              HasSubstr("10 CPU seconds, and K = 2 takes 8.0"));
}

}  // namespace
}  // namespace kstar
