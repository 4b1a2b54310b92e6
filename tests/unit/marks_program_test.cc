#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <csignal>

#include <chrono>
#include <filesystem>
#include <thread>

#include "kstar/mark.h"
#include "measure/marks.h"
#include "support/child.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using Words = std::vector<std::string>;

const Words kC = {MARK_PROGRAM};
const Words kPython = {KSTAR_PYTHON, MARK_SCRIPT};

Words words(Words program, std::string mode, int steps = 10) {
  program.push_back(std::move(mode));
  program.push_back(std::to_string(steps));
  return program;
}

Child::Variables marking(const std::string& folder, Child::Variables more = {}) {
  more.insert({{"KSTAR_MARKS", folder},
               {"PYTHONPATH", KSTAR_PYTHON_FOLDER},
               {"PYTHONDONTWRITEBYTECODE", "1"}});
  return more;
}

/// The one file in the folder.
WorkerMarks only(const std::string& folder) {
  const auto all = read_marks(folder);
  if (!all || all->size() != 1) {
    ADD_FAILURE() << (all ? std::to_string(all->size()) + " files" : all.error().message);
    return {};
  }
  return all->front();
}

/// Both writers make the same file: each property is tried on both.
class MarkWriter : public testing::TestWithParam<Words> {};
INSTANTIATE_TEST_SUITE_P(Of, MarkWriter, testing::Values(kC, kPython),
                         [](const auto& writer) { return writer.index == 0 ? "C" : "Python"; });

TEST_P(MarkWriter, IsReadBackWholeOnTheClockOfTheCaller) {
  const TempFolder folder;
  const Moment before = read_clocks();
  ASSERT_EQ(Child(words(GetParam(), "run"), marking(folder.path())).wait(), 0);
  const Moment after = read_clocks();
  const WorkerMarks marks = only(folder.path());
  EXPECT_TRUE(marks.complete) << marks.problem;
  EXPECT_EQ(marks.worker, 3);
  EXPECT_EQ(marks.clock, before.clock);
  EXPECT_FALSE(marks.host.empty());
  ASSERT_EQ(marks.steps.size(), 10U);
  EXPECT_DOUBLE_EQ(marks.work, 25);
  EXPECT_DOUBLE_EQ(marks.steps[4].work, 2.5);
  EXPECT_GE(marks.steps[0].compute, 0.005);
  EXPECT_LE(marks.steps[0].compute, marks.steps[0].end - marks.steps[0].begin);
  EXPECT_LT(before.monotonic, marks.start);
  EXPECT_LT(marks.start, marks.setup_end.value_or(0));
  EXPECT_LT(*marks.setup_end, marks.steps[0].begin);
  EXPECT_GT(marks.warm_up_end.value_or(0), marks.steps[0].end);
  EXPECT_LT(*marks.warm_up_end, marks.steps[1].begin);
  EXPECT_LT(marks.steps[9].end, after.monotonic);
  EXPECT_NEAR(marks.clock_offset, before.realtime - before.monotonic, 0.5);
}

TEST_P(MarkWriter, KeepsEveryMarkWhenTheProgramIsKilled) {
  const TempFolder folder;
  const int status = Child(words(GetParam(), "kill", 1234), marking(folder.path())).wait();
  ASSERT_TRUE(WIFSIGNALED(status));
  const WorkerMarks marks = only(folder.path());
  EXPECT_EQ(marks.steps.size(), 1234U);
  EXPECT_FALSE(marks.complete);
  EXPECT_NE(marks.problem.find("not closed"), std::string::npos) << marks.problem;
}

TEST_P(MarkWriter, GrowsPastItsFirstPart) {
  const TempFolder folder;
  ASSERT_EQ(Child(words(GetParam(), "run", 5000), marking(folder.path())).wait(), 0);
  const WorkerMarks marks = only(folder.path());
  EXPECT_EQ(marks.steps.size(), 5000U);
  EXPECT_DOUBLE_EQ(marks.work, 12500);
  EXPECT_TRUE(marks.complete) << marks.problem;
}

TEST_P(MarkWriter, TakesItsNumberFromTheLauncher) {
  const std::vector<std::pair<Child::Variables, int>> cases = {
      {{}, 0},
      {{{"RANK", "2"}}, 2},
      {{{"OMPI_COMM_WORLD_RANK", "4"}, {"SLURM_PROCID", "1"}}, 4},
      {{{"SLURM_PROCID", "5"}}, 5},
      {{{"PMI_RANK", "6"}, {"RANK", "1"}}, 6},
      {{{"SLURM_PROCID", "0"}, {"RANK", "7"}, {"WORLD_SIZE", "8"}}, 7},
      {{{"KSTAR_WORKER", "9"}, {"RANK", "1"}, {"WORLD_SIZE", "2"}}, 9},
      {{{"PMI_RANK", "x1"}, {"RANK", "-3"}}, 0}};
  for (const auto& [variables, worker] : cases) {
    const TempFolder folder;
    ASSERT_EQ(Child(words(GetParam(), "rank", 2), marking(folder.path(), variables)).wait(), 0);
    EXPECT_EQ(only(folder.path()).worker, worker);
  }
}

TEST_P(MarkWriter, LeavesTheProgramAloneWhereNothingCanBeWritten) {
  const TempFolder folder;
  write_text(folder / "file", "");
  for (const std::string& place : {std::string(), folder / "missing", folder / "file",
                                   std::string("/proc/self"), folder / std::string(5000, 'x')}) {
    EXPECT_EQ(Child(words(GetParam(), "run", 5000), marking(place)).wait(), 0) << place;
  }
  EXPECT_TRUE(read_marks(folder.path())->empty());
}

TEST_P(MarkWriter, StopsAtALimitOnTheSizeOfFilesAndSaysSo) {
  const TempFolder folder;
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit limit{.rlim_cur = 100'000, .rlim_max = old.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const int status = Child(words(GetParam(), "run", 5000), marking(folder.path())).wait();
  ::setrlimit(RLIMIT_FSIZE, &old);
  ASSERT_EQ(status, 0);
  const WorkerMarks marks = only(folder.path());
  EXPECT_FALSE(marks.complete);
  EXPECT_GT(marks.steps.size(), 300U);
  EXPECT_NE(marks.problem.find("no space"), std::string::npos) << marks.problem;
}

/// A mounted disk that goes with the test.
struct Disk {
  Disk(const TempFolder& folder, unsigned long flags, const char* size) : path(folder.path()) {
    mounted = ::mount("tmpfs", path.c_str(), "tmpfs", flags, size) == 0;
  }
  ~Disk() { ::umount2(path.c_str(), MNT_DETACH); }
  std::string path;
  bool mounted = false;
};

TEST_P(MarkWriter, SurvivesAFullDiskWithWhatFitted) {
  const TempFolder folder;
  const Disk disk(folder, 0, "size=72k");
  if (!disk.mounted) GTEST_SKIP() << "only root can mount a small disk";
  ASSERT_EQ(Child(words(GetParam(), "run", 5000), marking(folder.path())).wait(), 0);
  const WorkerMarks marks = only(folder.path());
  EXPECT_GT(marks.steps.size(), 300U);
  EXPECT_FALSE(marks.complete);
  EXPECT_NE(marks.problem.find("no space"), std::string::npos) << marks.problem;
}

TEST_P(MarkWriter, LeavesAProgramAloneInAReadOnlyFolder) {
  const TempFolder folder;
  const Disk disk(folder, MS_RDONLY, "size=1m");
  if (!disk.mounted) GTEST_SKIP() << "only root can mount a disk";
  EXPECT_EQ(Child(words(GetParam(), "run", 5000), marking(folder.path())).wait(), 0);
  EXPECT_TRUE(read_marks(folder.path())->empty());
}

TEST(MarkProgram, LosesNoMarkToAKillAtAnyMoment) {
  for (int round = 0; round < 20; ++round) {
    const TempFolder folder;
    const Child child(words(kC, "forever"), marking(folder.path()));
    std::this_thread::sleep_for(std::chrono::microseconds(7000 + 379 * round));
    ::kill(child.pid(), SIGKILL);
    const double killed = read_clocks().monotonic;
    child.wait();
    const auto all = read_marks(folder.path());
    ASSERT_TRUE(all) << all.error().message;
    if (all->empty() || all->front().worker < 0) continue;  // killed while it started
    const WorkerMarks& marks = all->front();
    EXPECT_FALSE(marks.complete);
    for (std::size_t i = 1; i < marks.steps.size(); ++i) {
      ASSERT_LE(marks.steps[i - 1].end, marks.steps[i].begin);
      ASSERT_DOUBLE_EQ(marks.steps[i].work, 2.5);
    }
    if (marks.steps.empty()) continue;
    EXPECT_LT(marks.steps.back().begin, killed + 1);
  }
}

TEST(MarkProgram, MayEndWithoutClosing) {
  const TempFolder folder;
  ASSERT_EQ(Child(words(kC, "leave", 7), marking(folder.path())).wait(), 0);
  EXPECT_EQ(only(folder.path()).steps.size(), 7U);
  EXPECT_FALSE(only(folder.path()).complete);
}

TEST(MarkScript, SynchronizesBeforeEveryClockItReads) {
  const TempFolder folder;
  EXPECT_EQ(Child(words(kPython, "sync", 3), marking(folder.path())).wait(), 0);
  EXPECT_TRUE(only(folder.path()).complete);
}

TEST(MarkScript, FallsSilentInAForkedChild) {
  const TempFolder folder;
  EXPECT_EQ(Child(words(kPython, "fork", 3), marking(folder.path())).wait(), 0);
  EXPECT_EQ(only(folder.path()).steps.size(), 4U);
}

TEST(MarkHandle, IsOneAThread) {
  constexpr int kThreads = 8, kSteps = 3000;
  const TempFolder folder;
  ::setenv("KSTAR_MARKS", folder.path().c_str(), 1);
  std::vector<std::thread> threads;
  for (int worker = 0; worker < kThreads; ++worker) {
    threads.emplace_back([worker] {
      kstar_mark* mark = kstar_mark_open(worker);
      for (int i = 0; i < kSteps; ++i) {
        kstar_mark_step_begin(mark);
        kstar_mark_work(mark, worker);
        kstar_mark_step_end(mark);
      }
      kstar_mark_close(mark);
    });
  }
  for (std::thread& thread : threads) thread.join();
  ::unsetenv("KSTAR_MARKS");
  const auto all = read_marks(folder.path());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), static_cast<std::size_t>(kThreads));
  for (int worker = 0; worker < kThreads; ++worker) {
    const WorkerMarks& marks = (*all)[static_cast<std::size_t>(worker)];
    EXPECT_EQ(marks.worker, worker);
    EXPECT_TRUE(marks.complete) << marks.problem;
    EXPECT_EQ(marks.steps.size(), static_cast<std::size_t>(kSteps));
    EXPECT_DOUBLE_EQ(marks.work, worker * kSteps);
  }
}

TEST(MarkHandle, OfTheSameNumberHasAFileOfItsOwn) {
  const TempFolder folder;
  ::setenv("KSTAR_MARKS", folder.path().c_str(), 1);
  for (int i = 0; i < 3; ++i) kstar_mark_close(kstar_mark_open(0));
  ::unsetenv("KSTAR_MARKS");
  EXPECT_EQ(read_marks(folder.path())->size(), 3U);
}

TEST(MarkHandle, DoesNotGrowAFileThatTookItsDescriptor) {
  const TempFolder folder;
  const TempFolder other;
  ::setenv("KSTAR_MARKS", folder.path().c_str(), 1);
  kstar_mark* mark = kstar_mark_open(0);
  ::unsetenv("KSTAR_MARKS");
  ASSERT_NE(mark, nullptr);
  const int fd = mark->fd;
  ::close(fd);
  ASSERT_EQ(::open((other / "precious").c_str(), O_RDWR | O_CREAT, 0600), fd);
  for (int i = 0; i < 10000; ++i) kstar_mark_work(mark, 1);
  kstar_mark_close(mark);
  EXPECT_EQ(std::filesystem::file_size(other / "precious"), 0U);
  ::close(fd);
}

}  // namespace
}  // namespace kstar
