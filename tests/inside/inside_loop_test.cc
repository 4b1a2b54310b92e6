// Runs that look inside, beside the plain ones of a study: exact times, and files made here.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <set>

#include "inside/example_file.h"
#include "kstar/measure.h"
#include "kstar/measure_plan.h"
#include "kstar/scaling_table.h"
#include "support/fake_executor.h"
#include "support/quiet_observer.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

std::string variable(const LaunchPlan& plan, std::string_view name) {
  std::string value;
  for (const auto& [key, text] : plan.variables) {
    if (key == name) value = text;
  }
  return value;
}

/// A job of `ranks` ranks that leave their files; a second longer where it is profiled.
FakeExecutor job(bool leaves_files = true, int exit_status = 0) {
  return FakeExecutor([=](const LaunchPlan& plan, std::size_t) -> Result<Outcome> {
    const std::string folder = variable(plan, "KSTAR_INSIDE");
    const int ranks = std::stoi(plan.command.back());
    for (int rank = 0; leaves_files && !folder.empty() && rank < ranks; ++rank) {
      write_text(folder + "/rank-" + std::to_string(rank) + ".kmpi",
                 inside::Example(rank, ranks).bytes());
    }
    Outcome outcome;
    outcome.wall = 10.0 / ranks + (folder.empty() ? 0 : 1);
    outcome.exit_status = folder.empty() ? 0 : exit_status;
    return outcome;
  });
}

MeasureSpec spec_with(int runs, int inside) {
  ::setenv("KSTAR_MPI_LIBRARY", KSTAR_MPI_LIBRARY, 1);
  MeasureSpec spec;
  spec.command = {"job", "{K}"};
  spec.workers = {1, 2};
  spec.bind = false;
  spec.seed = 7;
  spec.runs = runs;
  spec.inside = inside;
  return spec;
}

struct Measured {
  MeasureResult result;
  Study study;
};

Measured measure_with(const MeasureSpec& spec, Executor& executor, const Study& earlier = {}) {
  const TempFolder folder;
  Quiet quiet;
  const std::atomic<bool> never{false};
  const auto header = study_header(spec);
  EXPECT_TRUE(header);
  Measured measured;
  {
    auto writer = StudyWriter::create(folder / "study.jsonl", *header, Existing::kReplace);
    const auto result = measure(spec, *header, {executor, *writer, earlier, never, quiet});
    EXPECT_TRUE(result) << result.error().message;
    if (result) measured.result = *result;
  }
  measured.study = *load_study(folder / "study.jsonl");
  return measured;
}

/// Blocks of the runs that look inside, or of the plain ones, at one K.
std::multiset<int> blocks_of(const Study& study, int workers, bool inside) {
  std::multiset<int> blocks;
  for (const kstar::Run& run : study.runs) {
    if (run.workers == workers && is_profiled(run) == inside) blocks.insert(*run.block);
  }
  return blocks;
}

TEST(InsideLoop, RunsBesideThePlainOnesBehindTheColdBlock) {
  FakeExecutor executor = job();
  const Measured measured = measure_with(spec_with(5, 3), executor);
  EXPECT_EQ(measured.result.end, MeasureEnd::kPrecise);
  for (const int k : {1, 2}) {
    EXPECT_EQ(blocks_of(measured.study, k, false), (std::multiset<int>{0, 1, 2, 3, 4}));
    EXPECT_EQ(blocks_of(measured.study, k, true), (std::multiset<int>{1, 2, 3}));
  }
}

TEST(InsideLoop, StartsAtTheFirstBlockWhereThereAreNoMoreAndBehindWarmUpThatIsTold) {
  FakeExecutor executor = job();
  EXPECT_EQ(blocks_of(measure_with(spec_with(2, 2), executor).study, 1, true),
            (std::multiset<int>{0, 1}));
  MeasureSpec spec = spec_with(2, 2);
  spec.warm_up_runs = 2;
  EXPECT_EQ(blocks_of(measure_with(spec, executor).study, 1, true), (std::multiset<int>{2, 3}));
}

TEST(InsideLoop, LeavesThePlainRunsAloneAndKeepsAnotherPreload) {
  FakeExecutor executor = job();
  MeasureSpec spec = spec_with(3, 1);
  spec.variables = {{"LD_PRELOAD", "/own.so"}};
  measure_with(spec, executor);
  std::size_t looked = 0;
  for (const LaunchPlan& plan : executor.plans) {
    const bool inside = !variable(plan, "KSTAR_INSIDE").empty();
    looked += inside ? 1 : 0;
    EXPECT_EQ(variable(plan, "LD_PRELOAD"),
              inside ? "/own.so:" KSTAR_MPI_LIBRARY : std::string("/own.so"));
  }
  EXPECT_EQ(looked, 2U);
}

TEST(InsideLoop, TheirTimesAreNoPartOfTheTable) {
  FakeExecutor executor = job();
  const Measured measured = measure_with(spec_with(4, 3), executor);
  const auto table = scaling_table(measured.study);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->points.size(), 2U);
  for (const ScalingPoint& point : table->points) {
    EXPECT_EQ(point.times.n, 4U);
    EXPECT_DOUBLE_EQ(point.time.point, 10.0 / point.workers);
    EXPECT_EQ(point.failed, 0U);
  }
  for (const KnownTime& time : known_times(measured.study)) {
    EXPECT_DOUBLE_EQ(time.seconds, 10.0 / time.workers + (time.inside ? 1 : 0));
    EXPECT_EQ(time.runs, time.inside ? 3U : 4U);
  }
}

TEST(InsideLoop, TheyAreNeitherWarmUpNorOutliersNorMakeOthersSo) {
  Study study;
  for (int i = 0; i < 15; ++i) {
    kstar::Run& run = study.runs.emplace_back();
    run.order = i;
    run.wall = i < 3 ? 5 : 1 + 0.001 * (i % 4);
    if (i < 3) run.inside.emplace();
  }
  mark_findings(MeasureSpec{}, study);
  EXPECT_TRUE(study.notes.empty());
  for (kstar::Run& run : study.runs) run.inside.reset();
  mark_findings(MeasureSpec{}, study);
  EXPECT_FALSE(study.notes.empty());  // as plain runs they would be found
}

TEST(InsideLoop, KeepsWhatTheRanksCounted) {
  FakeExecutor executor = job();
  const Measured measured = measure_with(spec_with(2, 1), executor);
  for (const kstar::Run& run : measured.study.runs) {
    ASSERT_FALSE(failed(run)) << run.failure;
    EXPECT_EQ(static_cast<bool>(run.per_worker), is_profiled(run));
    if (!is_profiled(run)) continue;
    EXPECT_EQ(run.inside->world, run.workers);
    const auto ranks = static_cast<std::size_t>(run.workers);
    EXPECT_EQ(run.per_worker->compute, std::vector<double>(ranks, 5.0));
    EXPECT_EQ(run.inside->span, std::vector<double>(ranks, 10.0));
    EXPECT_EQ(run.inside->by_call.front().call, "MPI_Allreduce");
  }
}

TEST(InsideLoop, NoFilesIsAFailureWithItsReasonsAndPlainRunsGoOn) {
  FakeExecutor executor = job(false);
  const Measured measured = measure_with(spec_with(5, 2), executor);
  EXPECT_EQ(measured.result.end, MeasureEnd::kLimit);
  for (const kstar::Run& run : measured.study.runs) {
    EXPECT_EQ(failed(run), is_profiled(run));
    if (is_profiled(run)) {
      EXPECT_NE(run.failure.find("did not pass on LD_PRELOAD"), std::string::npos);
    }
  }
  EXPECT_EQ(blocks_of(measured.study, 1, false).size(), 5U);
  EXPECT_EQ(blocks_of(measured.study, 1, true).size(), 3U);  // then it is given up
}

TEST(InsideLoop, ARunThatDiesKeepsWhatWasCounted) {
  FakeExecutor executor = job(true, 9);
  MeasureSpec spec = spec_with(3, 1);
  spec.max_failures = 1;
  const Measured measured = measure_with(spec, executor);
  std::size_t died = 0;
  for (const kstar::Run& run : measured.study.runs) {
    if (!is_profiled(run)) continue;
    ++died;
    EXPECT_TRUE(failed(run));
    EXPECT_EQ(run.per_worker->compute.size(), static_cast<std::size_t>(run.workers));
  }
  EXPECT_EQ(died, 2U);
}

TEST(InsideLoop, AStudyThatGoesOnMakesOnlyWhatIsMissing) {
  FakeExecutor executor = job();
  const MeasureSpec spec = spec_with(4, 2);
  Study earlier = measure_with(spec, executor).study;
  // All of the last two blocks is lost.
  std::erase_if(earlier.runs, [](const kstar::Run& run) { return *run.block >= 2; });
  const Measured rest = measure_with(spec, executor, earlier);
  EXPECT_EQ(blocks_of(rest.study, 2, false).size(), 2U);
  EXPECT_EQ(blocks_of(rest.study, 2, true).size(), 1U);
}

TEST(InsideSpec, AsksForNoMoreThanThereArePlainRuns) {
  const auto checked = check_spec(spec_with(2, 3));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().where, "--inside");
  EXPECT_NE(checked.error().message.find("at most the 2 of --runs"), std::string::npos);
}

TEST(InsideSpec, AMissingLibraryIsAnErrorBeforeAnythingRuns) {
  MeasureSpec spec = spec_with(2, 1);
  spec.command = {"true"};
  EXPECT_TRUE(check_programs_can_start(spec));
  ::setenv("KSTAR_MPI_LIBRARY", "/nowhere/libkstar_mpi.so", 1);
  const auto missing = check_programs_can_start(spec);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().where, "KSTAR_MPI_LIBRARY");
}

TEST(InsideSpec, ResumingComparesIt) {
  const auto one = study_header(spec_with(4, 1)), two = study_header(spec_with(4, 2));
  ASSERT_TRUE(one && two);
  EXPECT_TRUE(may_resume({.header = *one}, *one, "study"));
  EXPECT_FALSE(may_resume({.header = *one}, *two, "study"));
}

TEST(InsidePlan, HasALineForThemAndNotInTheFirstBlock) {
  const auto plan = plan_measurement(spec_with(4, 2));
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->runs.size(), 4U);
  EXPECT_TRUE(plan->runs[3].inside);
  EXPECT_EQ(plan->runs[3].runs.high, 2);
  EXPECT_EQ(plan->first_block.size(), 2U);
}

}  // namespace
}  // namespace kstar
