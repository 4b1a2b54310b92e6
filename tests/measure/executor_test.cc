#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <csignal>

#include <atomic>
#include <thread>

#include "kstar/executor.h"
#include "support/processes.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using testing::HasSubstr;

class ProcessExecutorTest : public testing::Test {
 protected:
  Outcome run(const std::string& what, const std::string& argument = "0") {
    return run_plan({.command = {KSTAR_HELPER, what, token_, argument}});
  }
  Outcome run_plan(const LaunchPlan& plan) {
    auto outcome = executor_->run(plan);
    EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().message);
    return outcome.value_or(Outcome{});
  }
  LaunchPlan plan(const std::string& what, const std::string& argument = "0") {
    return {.command = {KSTAR_HELPER, what, token_, argument}};
  }
  void expect_nothing_left() const { EXPECT_THAT(processes_with(token_), testing::IsEmpty()); }

  std::string token_ = fresh_token();
  std::atomic<bool> stop_ = false;
  std::unique_ptr<Executor> executor_ = process_executor(stop_, {.grace = 0.2});
};

TEST_F(ProcessExecutorTest, ReportsTheExitStatus) {
  EXPECT_EQ(run("exit", "0").exit_status, 0);
  const Outcome seven = run("exit", "7");
  EXPECT_EQ(seven.exit_status, 7);
  EXPECT_FALSE(seven.signal);
  EXPECT_FALSE(seven.timed_out);
  EXPECT_EQ(seven.stragglers, 0);
}

TEST_F(ProcessExecutorTest, ReportsTheSignalThatEndedIt) {
  const Outcome outcome = run("signal", std::to_string(SIGSEGV));
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_FALSE(outcome.exit_status);
}

TEST_F(ProcessExecutorTest, ItsClockHoldsTheProgramsOwnSpan) {
  for (int i = 0; i < 50; ++i) {
    const Outcome outcome = run("span", std::to_string(i % 5));
    double begin = 0;
    double end = 0;
    ASSERT_EQ(std::sscanf(outcome.output.c_str(), "%lf %lf", &begin, &end), 2);
    EXPECT_LE(outcome.clock, begin);
    EXPECT_LE(end, outcome.clock + outcome.wall + 1e-9);
  }
}

TEST_F(ProcessExecutorTest, EndsAJobAtItsTimeLimit) {
  LaunchPlan limited = plan("sleep");
  limited.time_limit = 0.1;
  const Outcome outcome = run_plan(limited);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_FALSE(outcome.interrupted);
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_GE(outcome.wall, 0.1);
  EXPECT_LT(outcome.wall, 10);
  expect_nothing_left();
}

TEST_F(ProcessExecutorTest, KillsAJobThatIgnoresSigterm) {
  LaunchPlan limited = plan("stubborn");
  limited.time_limit = 0.1;
  const Outcome outcome = run_plan(limited);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_GE(outcome.wall, 0.3);
  expect_nothing_left();
}

TEST_F(ProcessExecutorTest, EndsAStoppedJobAtItsTimeLimit) {
  LaunchPlan limited = plan("stopped");
  limited.time_limit = 0.1;
  EXPECT_TRUE(run_plan(limited).timed_out);
  expect_nothing_left();
}

TEST_F(ProcessExecutorTest, EndsThirtyDaemonsLeftBehind) {
  const Outcome outcome = run("leave", "30");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.stragglers, 30);
  EXPECT_EQ(outcome.trouble, "");
  expect_nothing_left();
}

TEST_F(ProcessExecutorTest, EndsDaemonsThatIgnoreSigterm) {
  EXPECT_EQ(run("leave-stubborn", "5").stragglers, 5);
  expect_nothing_left();
}

TEST_F(ProcessExecutorTest, TheTimeOfEndingStragglersIsNotTheJobs) {
  const Outcome outcome = run("leave-stubborn", "1");
  EXPECT_LT(outcome.wall, 0.2);  // the grace that the straggler takes
}

TEST_F(ProcessExecutorTest, EndsAForkBomb) {
  LaunchPlan limited = plan("bomb", "7");
  limited.time_limit = 0.3;
  EXPECT_TRUE(run_plan(limited).timed_out);
  expect_nothing_left();
}

TEST_F(ProcessExecutorTest, KeepsHeadAndTailOfAHugeOutputInBoundedMemory) {
  executor_ = process_executor(stop_, {.output_head = 4096, .output_tail = 8192});
  const Outcome outcome = run("flood", "100000000");
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.output, testing::StartsWith("first\n"));
  EXPECT_THAT(outcome.output, testing::EndsWith("last\n"));
  EXPECT_THAT(outcome.output, HasSubstr("[kstar: "));
  EXPECT_LT(outcome.output.size(), 20000U);
  EXPECT_LT(outcome.error_output.size(), 20000U);
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  EXPECT_LT(own.ru_maxrss, 200L << 10U);
}

TEST_F(ProcessExecutorTest, KeepsBothOutputsApart) {
  const Outcome outcome = run_plan({.command = {"sh", "-c", "echo out; echo err >&2"}});
  EXPECT_EQ(outcome.output, "out\n");
  EXPECT_EQ(outcome.error_output, "err\n");
}

TEST_F(ProcessExecutorTest, SaysWhichProgramIsMissing) {
  const auto outcome = executor_->run({.command = {"kstar-no-such-program"}});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().where, "kstar-no-such-program");
  EXPECT_EQ(outcome.error().message, "cannot start: No such file or directory");
  EXPECT_THAT(outcome.error().hint, HasSubstr("PATH"));
  EXPECT_FALSE(executor_->run({.command = {"/no/such/program"}}));
  EXPECT_FALSE(executor_->run({.command = {""}}));
  EXPECT_FALSE(executor_->run({}));
  EXPECT_EQ(run("exit", "3").exit_status, 3) << "and goes on";
}

TEST_F(ProcessExecutorTest, SaysThatAProgramIsNotExecutable) {
  const TempFolder folder;
  write_text(folder / "data", "text\n");
  const auto denied = executor_->run({.command = {folder / "data"}});
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().message, "cannot start: Permission denied");
  EXPECT_THAT(denied.error().hint, HasSubstr("chmod"));
  ::chmod((folder / "data").c_str(), 0700);
  const auto script = executor_->run({.command = {folder / "data"}});
  ASSERT_FALSE(script);
  EXPECT_EQ(script.error().message, "cannot start: Exec format error");
}

TEST_F(ProcessExecutorTest, SaysThatTheFolderIsMissing) {
  LaunchPlan elsewhere = plan("exit");
  elsewhere.folder = "/no/such/folder";
  const auto outcome = executor_->run(elsewhere);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message,
            "cannot start in the folder '/no/such/folder': No such file or directory");
}

TEST_F(ProcessExecutorTest, SaysThatCpusAreMissing) {
  LaunchPlan bound = plan("exit");
  bound.cpus = {100000};
  const auto outcome = executor_->run(bound);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("cannot bind to the CPUs 100000"));
}

TEST_F(ProcessExecutorTest, RunsInTheFolderAsked) {
  const TempFolder folder;
  LaunchPlan elsewhere = plan("folder");
  elsewhere.folder = folder.path();
  EXPECT_EQ(run_plan(elsewhere).output, folder.path() + "\n");
}

TEST_F(ProcessExecutorTest, SetsVariablesOverTheCallers) {
  LaunchPlan set = plan("variable", "HOME");
  set.variables = {{"HOME", "/first"}, {"HOME", "/second"}};
  EXPECT_EQ(run_plan(set).output, "/second\n");
  LaunchPlan marks = plan("variable", "KSTAR_MARKS");
  EXPECT_EQ(run_plan(marks).output, "unset\n");
  marks.marks_folder = "/tmp/marks";
  EXPECT_EQ(run_plan(marks).output, "/tmp/marks\n");
}

TEST_F(ProcessExecutorTest, BindsToTheCpusAsked) {
  cpu_set_t own;
  ::sched_getaffinity(0, sizeof own, &own);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &own)) continue;
    LaunchPlan bound = plan("cpus");
    bound.cpus = {static_cast<int>(cpu)};
    EXPECT_EQ(run_plan(bound).output, std::to_string(cpu) + " ");
  }
}

TEST_F(ProcessExecutorTest, StartsJobsWithACleanSlate) {
  ::signal(SIGPIPE, SIG_IGN);
  sigset_t usr1, before;
  ::sigemptyset(&usr1);
  ::sigaddset(&usr1, SIGUSR1);
  ::pthread_sigmask(SIG_BLOCK, &usr1, &before);
  executor_ = process_executor(stop_);
  EXPECT_EQ(run("state").output, "fd0 fd1 fd2 stdin=0 group=1\n");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
}

TEST_F(ProcessExecutorTest, CountsCpuTimeAlsoOfChildrenThatWereWaitedFor) {
  for (const char* what : {"burn", "burn-below"}) {
    const Outcome outcome = run(what, "0.2");
    EXPECT_GE(*outcome.usage.cpu_user + *outcome.usage.cpu_system, 0.19) << what;
    EXPECT_LE(*outcome.usage.cpu_user + *outcome.usage.cpu_system, outcome.wall + 0.05) << what;
  }
}

TEST_F(ProcessExecutorTest, CountsWhatSpinsOnWhenTheJobEndsAsTheJobs) {
  const char* const kSpins = "sh -c 'while :; do :; done' & sleep 0.5";
  const Outcome outcome = run_plan({.command = {"/bin/sh", "-c", kSpins}});
  EXPECT_EQ(outcome.stragglers, 1);
  EXPECT_GE(*outcome.usage.cpu_user + *outcome.usage.cpu_system, 0.02);  // on a busy machine, too
  EXPECT_LE(*outcome.usage.cpu_user + *outcome.usage.cpu_system, outcome.wall + 0.05);
}

TEST_F(ProcessExecutorTest, CountsPeakMemoryAndFaults) {
  const Outcome outcome = run("memory", "300");
  ASSERT_TRUE(outcome.usage.peak_memory);
  EXPECT_GE(outcome.usage.peak_memory, std::int64_t{300} << 20U);
  EXPECT_LT(outcome.usage.peak_memory, std::int64_t{400} << 20U);
  EXPECT_GT(outcome.usage.minor_faults, 0);
}

TEST_F(ProcessExecutorTest, StopEndsTheJobInFlight) {
  std::thread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    stop_ = true;
  });
  const Outcome outcome = run("leave-and-stay", "3");
  stopper.join();
  EXPECT_TRUE(outcome.interrupted);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_TRUE(outcome.signal);
  expect_nothing_left();
  EXPECT_TRUE(run("exit").interrupted) << "nothing is started any more";
  stop_ = false;
  EXPECT_EQ(run("exit", "4").exit_status, 4);
}

TEST_F(ProcessExecutorTest, AKilledGuardTakesTheJobAlongAndIsReplaced) {
  const Outcome outcome = run("kill-parent");
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_NE(outcome.trouble, "");
  expect_nothing_left();
  EXPECT_EQ(run("exit", "5").exit_status, 5);
}

TEST_F(ProcessExecutorTest, AGuardKilledBetweenJobsIsReplacedInSilence) {
  run("exit");
  for (const int guard : children_of(::getpid())) ::kill(guard, SIGKILL);
  const Outcome outcome = run("exit", "6");
  EXPECT_TRUE(outcome.exit_status == 6 || !outcome.trouble.empty());
  EXPECT_EQ(run("exit", "6").exit_status, 6);
}

TEST_F(ProcessExecutorTest, LeavesTheCallersOwnChildrenAlone) {
  const pid_t own = ::fork();
  if (own == 0) {
    ::pause();
    ::_exit(0);
  }
  run("kill-parent");
  EXPECT_EQ(::waitpid(own, nullptr, WNOHANG), 0) << "it is still there";
  ::kill(own, SIGKILL);
  ::waitpid(own, nullptr, 0);
}

TEST_F(ProcessExecutorTest, ASecondExecutorDoesNotKeepTheFirstOnesGuard) {
  auto second = process_executor(stop_);
  executor_.reset();
  EXPECT_EQ(children_of(::getpid()).size(), 1U);
}

}  // namespace
}  // namespace kstar
