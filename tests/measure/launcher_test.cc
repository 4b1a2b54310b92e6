#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>

#include "kstar/launcher.h"
#include "support/fake_executor.h"

namespace kstar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Two packages of four cores with two hardware threads each. hwloc numbers a synthetic machine's
/// CPUs in order: core 0 has CPUs 0 and 1.
constexpr const char* kServer = "package:2 core:4 pu:2";

Launch launch(const LaunchRequest& request) {
  auto result = find_launcher("local").value().launch(request);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result.value_or(Launch{});
}

TEST(LocalLauncher, SaysHowManyThreadsToUse) {
  const Launch four =
      launch({.command = {"./job", "4"}, .shape = {.threads = 4}, .topology = kServer});
  EXPECT_THAT(four.plan.command, ElementsAre("./job", "4"));
  EXPECT_THAT(four.plan.variables, ElementsAre(testing::Pair("OMP_NUM_THREADS", "4")));
}

TEST(LocalLauncher, CompactFillsAPackageBeforeTheNext) {
  const Launch five = launch({.shape = {.threads = 5}, .topology = kServer});
  EXPECT_THAT(five.plan.cpus, ElementsAre(0, 2, 4, 6, 8));
  EXPECT_EQ(five.binding, "compact: CPUs 0,2,4,6,8 (5 cores)");
  EXPECT_FALSE(five.oversubscribed);
  EXPECT_FALSE(five.shares_cores);
}

TEST(LocalLauncher, SpreadTakesPackagesInTurn) {
  const Launch three =
      launch({.shape = {.threads = 3}, .placement = Placement::kSpread, .topology = kServer});
  EXPECT_THAT(three.plan.cpus, ElementsAre(0, 8, 2));
  EXPECT_EQ(three.binding, "spread: CPUs 0,8,2 (3 cores)");
}

TEST(LocalLauncher, TakesSecondHardwareThreadsOnlyWhenEveryCoreHasAWorker) {
  const Launch nine = launch({.shape = {.threads = 9}, .topology = kServer});
  EXPECT_THAT(nine.plan.cpus, ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 1));
  EXPECT_TRUE(nine.shares_cores);
  EXPECT_FALSE(nine.oversubscribed);
  EXPECT_THAT(nine.binding, HasSubstr("(8 cores)"));
}

TEST(LocalLauncher, AllowsOversubscriptionAndSaysSo) {
  const Launch many = launch({.shape = {.threads = 20}, .topology = kServer});
  EXPECT_EQ(many.plan.cpus.size(), 16U);
  EXPECT_TRUE(many.oversubscribed);
  EXPECT_THAT(many.binding, HasSubstr("oversubscribed: 20 workers on 16 CPUs"));
}

TEST(LocalLauncher, DoesNotBindWhenAskedNotTo) {
  const Launch free = launch({.shape = {.threads = 20}, .bind = false, .topology = kServer});
  EXPECT_TRUE(free.plan.cpus.empty());
  EXPECT_EQ(free.binding, "none");
  EXPECT_TRUE(free.oversubscribed);
}

TEST(LocalLauncher, GivesGpusFromThoseItWasGiven) {
  ::setenv("CUDA_VISIBLE_DEVICES", "3, 5,7", 1);
  const Launch two = launch({.shape = {.threads = 2}, .gpus = true});
  EXPECT_THAT(two.plan.variables, ElementsAre(testing::Pair("CUDA_VISIBLE_DEVICES", "3,5")));
  EXPECT_EQ(two.binding, "GPUs 3,5; CPUs unbound");
  const auto four = find_launcher("local").value().launch({.shape = {.threads = 4}, .gpus = true});
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  ASSERT_FALSE(four);
  EXPECT_EQ(four.error().message, "expected at most 3 GPUs, as many as there are, got '4'");
}

TEST(LocalLauncher, ThisMachinesPlanCanBeRun) {
  const Launch here = launch({.command = {KSTAR_HELPER, "cpus"}, .shape = {.threads = 1}});
  ASSERT_EQ(here.plan.cpus.size(), 1U);
  const std::atomic<bool> stop = false;
  const auto outcome = process_executor(stop)->run(here.plan);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output, std::to_string(here.plan.cpus[0]) + " ");
}

TEST(LocalLauncher, StaysWithinItsOwnBinding) {
  cpu_set_t own, last;
  ::sched_getaffinity(0, sizeof own, &own);
  std::size_t cpu = CPU_SETSIZE - 1;
  while (!CPU_ISSET(cpu, &own)) --cpu;
  CPU_ZERO(&last);
  CPU_SET(cpu, &last);
  ::sched_setaffinity(0, sizeof last, &last);
  const Launch here = launch({.shape = {.threads = 2}});
  ::sched_setaffinity(0, sizeof own, &own);
  EXPECT_THAT(here.plan.cpus, ElementsAre(static_cast<int>(cpu)));
  EXPECT_TRUE(here.oversubscribed);
}

TEST(LocalLauncher, RefusesWhatItCannotDo) {
  const auto local = find_launcher("local").value();
  EXPECT_FALSE(local.launch({.shape = {.threads = 0}}));
  EXPECT_FALSE(local.launch({.shape = {.threads = 1}, .topology = "nonsense"}));
}

TEST(Launchers, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  const auto none = find_launcher("locl");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "expected one of local, mpi, slurm, torchrun, got 'locl'");
  EXPECT_EQ(none.error().hint, "did you mean 'local'?");
}

TEST(FakeExecutorTest, TakesExactlyTheTimeGiven) {
  FakeExecutor executor = FakeExecutor::taking(
      [](const LaunchPlan&, std::size_t run) { return 0.125 * static_cast<double>(run + 1); });
  EXPECT_EQ(executor.run({}).value().wall, 0.125);
  const Outcome second = executor.run({}).value();
  EXPECT_EQ(second.wall, 0.25);
  EXPECT_EQ(second.clock, 0.125);
  EXPECT_EQ(second.exit_status, 0);
  EXPECT_TRUE(executor.run({.time_limit = 0.1}).value().timed_out);
}

}  // namespace
}  // namespace kstar
