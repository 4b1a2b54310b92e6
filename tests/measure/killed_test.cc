// What stays of a job when kstar, or the process between it and the job, is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <atomic>
#include <string>

#include "kstar/executor.h"
#include "support/processes.h"

namespace kstar {
namespace {

class KilledTest : public testing::TestWithParam<const char*> {
 protected:
  void start(const char* what, const char* count) {
    victim_ = ::fork();
    if (victim_ != 0) return;
    ::execl(KSTAR_VICTIM, KSTAR_VICTIM, GetParam(), KSTAR_HELPER, what, token_.c_str(), count,
            nullptr);
    ::_exit(127);
  }
  /// The job and its children; the victim itself has the token in its command line, and so has
  /// what it forks.
  std::size_t running() const {
    std::size_t count = 0;
    for (const int process : processes_with(token_)) {
      const std::string line = text_of("/proc/" + std::to_string(process) + "/cmdline");
      count += line.find(KSTAR_VICTIM) == std::string::npos ? 1U : 0U;
    }
    return count;
  }
  bool gone() const { return processes_with(token_).empty(); }
  void reap() const { ::waitpid(victim_, nullptr, 0); }

  std::string token_ = fresh_token();
  pid_t victim_ = -1;
};

TEST_P(KilledTest, KilledKstarLeavesNothing) {
  start("leave-and-stay", "10");
  ASSERT_TRUE(eventually([&] { return running() == 11; }));
  ::kill(victim_, SIGKILL);
  reap();
  EXPECT_TRUE(eventually([&] { return gone(); }));
}

TEST_P(KilledTest, AKilledProcessGroupLeavesNothing) {
  start("leave-and-stay", "3");
  ::setpgid(victim_, victim_);
  ASSERT_TRUE(eventually([&] { return running() == 4; }));
  ::kill(-victim_, SIGKILL);
  reap();
  EXPECT_TRUE(eventually([&] { return gone(); }));
}

TEST_P(KilledTest, AKilledMiddleLeavesNothing) {
  start("leave-and-stay", "10");
  ASSERT_TRUE(eventually([&] { return running() == 11; }));
  for (const int middle : children_of(victim_)) ::kill(middle, SIGKILL);
  reap();
  EXPECT_TRUE(eventually([&] { return gone(); }));
}

TEST_P(KilledTest, KilledAtAnyMomentLeavesNothing) {
  for (int moment = 0; moment < 20; ++moment) {
    start("leave-stubborn", "4");
    ::usleep(static_cast<useconds_t>(moment) * 700);
    ::kill(victim_, SIGKILL);
    reap();
    ASSERT_TRUE(eventually([&] { return gone(); })) << "killed after " << moment * 700 << " us";
  }
}

INSTANTIATE_TEST_SUITE_P(Both, KilledTest, testing::Values("guard", "supervise"));

TEST(Supervise, ReturnsTheStatusOfItsBody) {
  std::atomic<bool> stop = false;
  EXPECT_EQ(supervise([](Executor&) { return 42; }, stop).value(), 42);
}

TEST(Supervise, RunsJobs) {
  std::atomic<bool> stop = false;
  const auto body = [](Executor& executor) {
    const auto good = executor.run({.command = {KSTAR_HELPER, "exit", "", "7"}});
    const auto bad = executor.run({.command = {"/no/such/program"}});
    const auto left = executor.run({.command = {KSTAR_HELPER, "leave", "", "3"}});
    return good && good->exit_status == 7 && !bad && left && left->stragglers == 3 ? 0 : 1;
  };
  EXPECT_EQ(supervise(body, stop).value(), 0);
}

TEST(Supervise, SaysThatItsBodyWasKilled) {
  std::atomic<bool> stop = false;
  const auto status = supervise([](Executor&) { return ::kill(::getpid(), SIGKILL); }, stop);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, testing::HasSubstr("killed by signal 9"));
}

std::atomic<bool> asked_to_stop = false;

TEST(Supervise, StopReachesTheBodyAndItsJob) {
  asked_to_stop = false;
  ::signal(SIGALRM, [](int) { asked_to_stop = true; });
  ::alarm(1);
  const auto body = [](Executor& executor) {
    const auto outcome = executor.run({.command = {KSTAR_HELPER, "sleep"}});
    return outcome && outcome->interrupted && asked_to_stop ? 130 : 1;
  };
  EXPECT_EQ(supervise(body, asked_to_stop).value(), 130);
}

TEST(Supervise, TwoThousandRunsLeakNothing) {
  std::atomic<bool> stop = false;
  const auto body = [](Executor& executor) {
    static_cast<void>(executor.run({.command = {"true"}}));
    const std::size_t files = open_files(::getpid());
    for (int i = 0; i < 2000; ++i) {
      if (executor.run({.command = {"true"}}).value().exit_status != 0) return 1;
    }
    return open_files(::getpid()) == files && children_of(::getpid()).empty() ? 0 : 2;
  };
  EXPECT_EQ(supervise(body, stop).value(), 0);
}

}  // namespace
}  // namespace kstar
