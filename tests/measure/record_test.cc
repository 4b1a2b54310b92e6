// What is recorded with a run, by either executor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "exec/captured_output.h"
#include "kstar/executor.h"
#include "support/processes.h"

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

namespace kstar {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20U;

LaunchPlan helper(const std::string& what, const std::string& argument) {
  return {.command = {KSTAR_HELPER, what, "-", argument}};
}

/// Runs `body` with each executor. What it expects in vain makes the test fail, also where that
/// happens in the child of supervise().
void with_each_executor(const std::function<void(Executor&)>& body) {
  std::atomic<bool> stop = false;
  body(*process_executor(stop));
  const auto status = supervise(
      [&](Executor& executor) {
        body(executor);
        return testing::Test::HasFailure() ? 1 : 0;
      },
      stop);
  EXPECT_EQ(status.value_or(-1), 0) << "with supervise()";
}

Outcome outcome_of(Executor& executor, const LaunchPlan& plan) {
  auto outcome = executor.run(plan);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome.value_or(Outcome{});
}

void expect_own_memory(Executor& executor) {
  const Outcome small = outcome_of(executor, {.command = {"true"}});
  EXPECT_LT(small.usage.peak_memory.value_or(0), 4 * kMebibyte);
  const Outcome large = outcome_of(executor, helper("memory", "64"));
  ASSERT_TRUE(large.usage.peak_memory);
  EXPECT_GE(*large.usage.peak_memory, 64 * kMebibyte);
  EXPECT_LE(*large.usage.peak_memory, 70 * kMebibyte);
}

TEST(Record, PeakMemoryIsTheJobsOwnOrNotKnown) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's own memory is the floor";
  with_each_executor([](Executor& executor) {
    expect_own_memory(executor);
    EXPECT_GT(outcome_of(executor, helper("flood", "20000000")).output_left_out, 0U);
    expect_own_memory(executor);
  });
}

/// Of a job that needs 16 MiB, after one that printed as much as is kept: kstar holds less by then.
TEST(Record, WhatAnEarlierJobPrintedDoesNotHideTheMemoryOfTheNext) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer's own memory is the floor";
  with_each_executor([](Executor& executor) {
    const Outcome before = outcome_of(executor, helper("memory", "16"));
    ASSERT_TRUE(before.usage.peak_memory);
    EXPECT_LE(*before.usage.peak_memory, 24 * kMebibyte);  // and its libraries
    for (int i = 0; i < 3; ++i) {
      outcome_of(executor, helper("flood", "20000000"));
      const Outcome next = outcome_of(executor, helper("memory", "16"));
      ASSERT_TRUE(next.usage.peak_memory);
      EXPECT_LE(*next.usage.peak_memory, *before.usage.peak_memory + kMebibyte);
    }
  });
}

TEST(Record, CountsTheCpuTimeOfOthersWhileAJobSleeps) {
  std::atomic<bool> enough = false;
  std::atomic<bool> stop = false;
  const auto executor = process_executor(stop);
  std::thread other([&] {
    while (!enough) {
    }
  });
  const Outcome outcome = outcome_of(*executor, {.command = {"sleep", "0.5"}});
  enough = true;
  other.join();
  // One CPU is busy throughout, whoever else is there.
  ASSERT_TRUE(outcome.usage.cpu_others);
  EXPECT_GE(*outcome.usage.cpu_others, 0.4);
  EXPECT_LE(*outcome.usage.cpu_others, outcome.wall * std::thread::hardware_concurrency() + 0.1);
  EXPECT_TRUE(outcome.usage.cpu_stolen);
  ASSERT_TRUE(outcome.usage.load);
  EXPECT_GE(*outcome.usage.load, 0);
}

TEST(Record, TheJobsOwnCpuTimeIsNotThatOfOthers) {
  std::atomic<bool> stop = false;
  const auto executor = process_executor(stop);
  const Outcome outcome = outcome_of(*executor, helper("burn-below", "0.5"));
  ASSERT_TRUE(outcome.usage.cpu_others);
  EXPECT_LE(*outcome.usage.cpu_others,
            outcome.wall * std::thread::hardware_concurrency() - 0.5 + 0.1);
}

TEST(Record, ARunShorterThanTheSystemCountsSaysNothingAboutOthers) {
  with_each_executor([](Executor& executor) {
    const Outcome outcome = outcome_of(executor, {.command = {"true"}});
    EXPECT_EQ(outcome.usage.cpu_others.has_value(), outcome.wall >= 0.05);
    EXPECT_TRUE(outcome.usage.load);
  });
}

TEST(Record, CountsMigrationsOfEveryJobAndNotItsOwn) {
  cpu_set_t own;
  ::sched_getaffinity(0, sizeof own, &own);
  if (CPU_COUNT(&own) < 2) GTEST_SKIP() << "there is one CPU";
  int first = 0;
  while (!CPU_ISSET(static_cast<std::size_t>(first), &own)) ++first;
  std::atomic<bool> stop = false;
  if (!outcome_of(*process_executor(stop), {.command = {"true"}}).usage.migrations) {
    GTEST_SKIP() << "this system does not let count them";
  }
  with_each_executor([&](Executor& executor) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_GE(outcome_of(executor, helper("migrate", "1000")).usage.migrations.value_or(0), 990);
      LaunchPlan bound = helper("span", "1");
      bound.cpus = {first};
      EXPECT_EQ(outcome_of(executor, bound).usage.migrations, 0);
    }
  });
}

TEST(Record, MigrationsAreNotCountedUnlessAsked) {
  std::atomic<bool> stop = false;
  const auto executor = process_executor(stop, {.count_migrations = false});
  EXPECT_FALSE(outcome_of(*executor, {.command = {"true"}}).usage.migrations);
}

TEST(Record, SaysHowMuchOfAnOutputIsMissing) {
  with_each_executor([](Executor& executor) {
    const Outcome whole = outcome_of(executor, helper("flood", "2000000"));
    EXPECT_EQ(whole.output_left_out, 0U);
    const Outcome cut = outcome_of(executor, helper("flood", "20000000"));
    // 6 bytes "first\n", 5 bytes "last\n", and 1024 bytes per line.
    const std::size_t printed = 6 + 5 + (20000000 + 1023) / 1024 * 1024;
    const std::string line = left_out_line(cut.output_left_out);
    EXPECT_THAT(cut.output, HasSubstr(line));
    EXPECT_EQ(cut.output.size() - line.size() + cut.output_left_out, printed);
    EXPECT_EQ(cut.error_left_out, 0U);
  });
}

TEST(CapturedOutput, LeavesOutWholeLines) {
  CapturedOutput captured(16, 16);
  captured.append("took 1.25\ntook 2.5\ntook 3.75\n");
  captured.append("took 4.25\ntook 5.5\ntook 6.75\n");
  const KeptText kept = captured.take();
  EXPECT_EQ(kept.text, "took 1.25\n\n[kstar: 38 bytes left out]\ntook 6.75\n");
  EXPECT_EQ(kept.left_out, 38U);
  captured.append("short");
  EXPECT_EQ(captured.take().text, "short");
}

TEST(CapturedOutput, CutsALineThatIsLongerThanAllThatIsKept) {
  CapturedOutput captured(4, 4);
  captured.append("0123456789\n");
  const KeptText kept = captured.take();
  EXPECT_EQ(kept.text, "0123\n[kstar: 3 bytes left out]\n789\n");
  EXPECT_EQ(kept.left_out, 3U);
}

std::int64_t resident_kib(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

/// The runner is the process whose children the jobs are: this one under supervise(), else a child.
TEST(Record, TenThousandRunsLeakNothing) {
  const int caller = ::getpid();
  with_each_executor([&](Executor& executor) {
    const int runs = kSanitized ? 500 : ::getpid() == caller ? 2000 : 10000;
    for (int i = 0; i < 50; ++i) outcome_of(executor, {.command = {"true"}});
    const std::vector<int> children = children_of(::getpid());
    const int runner = ::getpid() == caller ? children.at(0) : ::getpid();
    const std::size_t files = open_files(runner) + open_files(::getpid());
    const std::int64_t memory = resident_kib(runner);
    for (int i = 0; i < runs; ++i) {
      ASSERT_EQ(outcome_of(executor, {.command = {"true"}}).exit_status, 0);
    }
    EXPECT_EQ(children_of(::getpid()), children);
    EXPECT_THAT(children_of(runner), testing::IsEmpty());
    EXPECT_EQ(open_files(runner) + open_files(::getpid()), files);
    if (!kSanitized) {
      EXPECT_LE(resident_kib(runner), memory + 512);
    }
  });
  EXPECT_THAT(children_of(caller), testing::IsEmpty());
}

}  // namespace
}  // namespace kstar
