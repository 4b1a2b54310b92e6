#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "measure/marks.h"
#include "support/child.h"
#include "support/temp_folder.h"

// kstar-train-mpi on real ranks, more of them than there are cores.

namespace kstar {
namespace {

using Words = std::vector<std::string>;

struct Ended {
  int code = 0;
  std::string output;
};

Words operator+(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The flags that let root run more ranks than cores at a bearable speed.
Words mpirun() {
  return {MPIRUN,
          "--allow-run-as-root",
          "--oversubscribe",
          "--mca",
          "pml",
          "ob1",
          "--mca",
          "mpi_yield_when_idle",
          "1"};
}

Ended ended(const Words& words, const Child::Variables& variables = {}) {
  const TempFolder folder;
  // Open MPI keeps memory to its end, and two mpiruns at a time stumble over each other's folders.
  Child::Variables all = {{"ASAN_OPTIONS", "detect_leaks=0"}, {"TMPDIR", folder.path()}};
  all.insert(variables.begin(), variables.end());
  const int status = Child(words, all, folder / "output").wait();
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .output = read_text(folder / "output")};
}

Ended on_ranks(int ranks, const Words& flags, const Child::Variables& variables = {}) {
  return ended(mpirun() + Words{"-np", std::to_string(ranks), KSTAR_TRAIN_MPI} + flags, variables);
}

/// The one line of JSON that rank 0 prints.
nlohmann::json result_of(const Ended& job) {
  EXPECT_EQ(job.code, 0) << job.output;
  return nlohmann::json::parse(job.output);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
  }
  return most;
}

std::vector<double> numbers(const nlohmann::json& result, const char* key) {
  return result.at(key).get<std::vector<double>>();
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

class Ranks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(K, Ranks, testing::Values(1, 2, 3, 4, 8));

TEST_P(Ranks, ReproduceTheGradientOfOneThreadToRounding) {
  const Words flags = {"--batch",   "83", "--width",     "24",  "--steps", "1",
                       "--warm-up", "0",  "--imbalance", "0.3", "--json",  "--print-gradient"};
  const auto expected = numbers(result_of(ended(Words{KSTAR_TRAIN} + flags)), "gradient");
  ASSERT_EQ(expected.size(), 16U * 24 + 24 + 24 * 24 + 24 + 24 + 1);
  for (const char* all_reduce : {"fused", "layered", "overlapped"}) {
    const auto job = result_of(on_ranks(GetParam(), flags + Words{"--allreduce", all_reduce}));
    EXPECT_EQ(job["workers"], GetParam());
    // A few units in the last place of slopes up to 1, for sums of 83 terms.
    EXPECT_LT(largest_difference(numbers(job, "gradient"), expected), 1e-13) << all_reduce;
  }
}

TEST_P(Ranks, FollowTheLossCurveOfOneThread) {
  const Words flags = {"--batch", "83", "--width", "24", "--steps", "40", "--json", "--print-loss"};
  const auto expected = numbers(result_of(ended(Words{KSTAR_TRAIN} + flags)), "losses");
  ASSERT_LT(expected.back(), expected.front() / 2);
  for (const char* all_reduce : {"fused", "overlapped"}) {
    const auto job = result_of(on_ranks(GetParam(), flags + Words{"--allreduce", all_reduce}));
    EXPECT_LT(largest_difference(numbers(job, "losses"), expected), 1e-10) << all_reduce;
  }
}

constexpr int kSteady = 20;

/// Three ranks for 2 + 20 steps, and what they marked.
MarkedRun marked(const Words& flags) {
  const TempFolder folder;
  const Moment spawn = read_clocks();
  const Ended job =
      on_ranks(3, Words{"--batch", "30", "--width", "8", "--steps", "22", "--warm-up", "2"} + flags,
               {{"KSTAR_MARKS", folder.path()}});
  EXPECT_EQ(job.code, 0) << job.output;
  const auto marks = read_marks(folder.path());
  EXPECT_TRUE(marks) << marks.error().message;
  EXPECT_EQ(marks->size(), 3U);
  MarkedRun run = combine_marks(*marks, spawn);
  EXPECT_TRUE(run.notes.empty());
  EXPECT_EQ(run.steps.size(), 22U);
  EXPECT_EQ(run.warm_up_steps, 2);
  return run;
}

double ms(const std::vector<double>& seconds, std::size_t worker) {
  return seconds.at(worker) / kSteady * 1e3;
}

// One-sided bounds, as in train_marks_test.cc: the machine may be busy.

TEST(RankMarks, ShowEveryPhaseAndTheWorkOfEveryRank) {
  for (const char* all_reduce : {"fused", "overlapped"}) {
    const MarkedRun run = marked({"--imbalance", "1", "--allreduce", all_reduce});
    for (const auto* quantity : {&run.per_worker.compute, &run.per_worker.communicate,
                                 &run.per_worker.wait, &run.per_worker.load}) {
      ASSERT_EQ(quantity->size(), 3U);
      for (const double seconds : *quantity) EXPECT_GT(seconds, 0);
    }
    EXPECT_EQ(run.per_worker.work, (std::vector<double>{400, 100, 100}));
  }
}

TEST(RankMarks, ShowWhatWasPlantedOnTheRankItWasPlantedOn) {
  const MarkedRun late = marked({"--straggler", "1:20"});
  EXPECT_GE(ms(late.per_worker.compute, 1), 20);
  EXPECT_GT(ms(late.per_worker.wait, 0), ms(late.per_worker.wait, 1) + 10);
  EXPECT_GT(ms(late.per_worker.wait, 2), ms(late.per_worker.wait, 1) + 10);
  const MarkedRun serial = marked({"--serial", "15"});
  EXPECT_GE(ms(serial.per_worker.compute, 0), 15);
  EXPECT_GT(ms(serial.per_worker.wait, 2), ms(serial.per_worker.wait, 0) + 8);
  for (const char* all_reduce : {"fused", "overlapped"}) {
    const MarkedRun slow = marked({"--slow-allreduce", "12ms", "--allreduce", all_reduce});
    for (std::size_t rank = 0; rank < 3; ++rank) {
      EXPECT_GE(ms(slow.per_worker.communicate, rank), 12);
    }
  }
  const MarkedRun streaming = marked({"--memory-bound=300"});
  EXPECT_GT(ms(streaming.per_worker.compute, 2), 1);
}

TEST(RankProgram, SaysOnceWhatIsWrongAndEndsEveryRankWithThatStatus) {
  const Ended wrong = on_ranks(3, {"--worker", "2"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(count(wrong.output, "kstar-train-mpi: error: command line: expected an option"), 1);
  EXPECT_EQ(count(wrong.output, "hint: did you mean --workers?"), 1);
  const Ended other = on_ranks(2, {"--workers", "3"});
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(count(other.output, "--workers: expected 2, the ranks of this job, got '3'"), 1);
  const Ended diverged = on_ranks(2, {"--rate", "1000", "--width", "8", "--steps", "300"});
  EXPECT_EQ(diverged.code, 1);
  EXPECT_EQ(count(diverged.output, "diverged"), 1);
}

TEST(RankProgram, IsNotStartedWithDifferentOptions) {
  const Ended job = ended(mpirun() + Words{"-np", "2", KSTAR_TRAIN_MPI, "--steps", "9", ":", "-np",
                                           "1", KSTAR_TRAIN_MPI, "--steps", "8"});
  EXPECT_EQ(job.code, 2);
  EXPECT_EQ(count(job.output, "rank 2 has different options than rank 0"), 1);
}

TEST(RankProgram, EndsWhenOneRankFails) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more memory than the limit that makes the rank fail";
#endif
  // Rank 0 may not have the 3 GiB that it asks for; rank 1 is ended while it fills its own.
  const std::string limited =
      std::string("ulimit -v 2500000; exec ") + KSTAR_TRAIN_MPI + " --memory-bound=6144";
  const auto start = std::chrono::steady_clock::now();
  const Ended job = ended(mpirun() + Words{"-np", "1", "/bin/sh", "-c", limited, ":", "-np", "1",
                                           KSTAR_TRAIN_MPI, "--memory-bound=6144"});
  EXPECT_EQ(job.code, 1) << job.output;
  EXPECT_EQ(count(job.output, "kstar-train-mpi: error: rank 0: std::bad_alloc"), 1) << job.output;
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

}  // namespace
}  // namespace kstar
