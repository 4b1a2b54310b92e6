#include <gtest/gtest.h>

#include "support/import_files.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

constexpr std::string_view kLog =
    "world_size=4\nstep 1 took 20 ms (6400 img/s)\nstep 2 took 30 ms (4800 img/s)\n";

TEST(ImportLog, TakesWhatThePatternFindsForStepsOfOneRun) {
  const auto study = import_text(
      kLog, "run.log", {.workers = 4, .time_regex = "took ([0-9.]+) ms", .time_unit = "ms"});
  ASSERT_TRUE(study) << study.error().message;
  ASSERT_EQ(study->runs.size(), 1U);
  EXPECT_EQ(study->runs[0].workers, 4);
  EXPECT_EQ(study->runs[0].steps, (std::vector<double>{0.02, 0.03}));
  EXPECT_TRUE(has_note(*study, "steps"));
}

TEST(ImportLog, TakesASingleNumberForTheWholeRun) {
  const auto study =
      import_text("total: 12.5\n", "x", {.workers = 2, .time_regex = "total: (.*)$"});
  ASSERT_TRUE(study);
  EXPECT_EQ(study->runs[0].wall, 12.5);
}

TEST(ImportLog, AveragesRatesHarmonically) {
  const auto study = import_text(kLog, "x", {.workers = 4, .rate_regex = "([0-9]+) img/s"});
  ASSERT_TRUE(study);
  EXPECT_EQ(study->header.regime, Regime::kThroughput);
  expect_times(*study, {{4, (1 / 6400.0 + 1 / 4800.0) / 2}});
  const auto weak = import_text(
      kLog, "x", {.regime = Regime::kWeak, .workers = 4, .rate_regex = "([0-9]+) img/s"});
  ASSERT_TRUE(weak);
  expect_times(*weak, {{4, (4 / 6400.0 + 4 / 4800.0) / 2}});
  EXPECT_EQ(weak->header.workload[0].size, 4);
}

int workers_of(std::string_view name, std::string worker_regex = {}) {
  const auto study = import_text(
      kLog, name, {.worker_regex = std::move(worker_regex), .time_regex = "took ([0-9.]+) ms"});
  return study ? study->runs[0].workers : 0;
}

TEST(ImportLog, FindsTheWorkersInPathTextOrName) {
  EXPECT_EQ(workers_of("a/b.log", "world_size=([0-9]+)"), 4);
  EXPECT_EQ(workers_of("8ranks/b.log", "([0-9]+)ranks"), 8);
  EXPECT_EQ(workers_of("train_8gpu_run3.log"), 8);
  EXPECT_EQ(workers_of("2024/np16-job1234.out"), 16);
  EXPECT_EQ(workers_of("K32.txt"), 32);
  EXPECT_EQ(workers_of("64.log"), 64);
  EXPECT_EQ(workers_of("8gpu_2nodes.log"), 0) << "of two numbers nobody knows which";
  EXPECT_EQ(workers_of("run1_trial2.log"), 0);
  EXPECT_EQ(workers_of("plain.log"), 0);
  EXPECT_EQ(workers_of("k0.log"), 0);
  EXPECT_EQ(workers_of("run_n8.log"), 8);
  EXPECT_EQ(workers_of("p16.txt"), 16);
}

TEST(ImportLog, TakesNoNumberOfAModelOrAJobForWorkers) {
  for (const std::string_view name :
       {"slurm-1234567.out", "1234567.out", "resnet50.log", "train_a100_gpu.log", "h100.log",
        "mi250x_gpus.log", "p100.log", "bert_l40_gpu.log", "gpt3-175b.log", "run7.log"}) {
    EXPECT_EQ(workers_of(name), 0) << name;
  }
  EXPECT_EQ(workers_of("train_8xA100.log"), 8);
  EXPECT_EQ(workers_of("train_a100x4_resnet50.log"), 4);
  EXPECT_EQ(workers_of("h100_16gpus_job1234567.log"), 16);
}

TEST(ImportLog, RefusesWhatIsNoTimeAtItsPlace) {
  for (const std::string_view wrong : {"nan", "-1", "x", "1e999", "0"}) {
    const Error error = import_error("a\ntook " + std::string(wrong) + "\n",
                                     {.workers = 1, .time_regex = "took (.*)"});
    EXPECT_EQ(error.where, "t:2:6") << wrong;
    EXPECT_FALSE(error.excerpt.empty());
  }
  EXPECT_EQ(import_error("x", {.format = "log"}).where, "t");
  EXPECT_EQ(import_error("x", {.workers = 1, .time_regex = "("}).where, "--time-regex");
}

TEST(ImportLog, ReadsThousandsWhereNothingElseIsMeant) {
  const auto study = import_text("rate 1,050.0\nrate 998.5\n", "x",
                                 {.workers = 1, .rate_regex = "rate ([0-9.,]+)"});
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->runs[0].steps, (std::vector<double>{1 / 1050.0, 1 / 998.5}));
  const Error unclear =
      import_error("rate 1,050\n", {.workers = 1, .rate_regex = "rate ([0-9.,]+)"});
  EXPECT_EQ(unclear.where, "t:1:6");
  EXPECT_NE(unclear.hint.find("thousands"), std::string::npos) << unclear.hint;
}

TEST(ImportLog, KeepsALogWithoutATimeAsAFailedRunBesideOthers) {
  const TempFolder folder;
  write_text(folder / "k1.log", "took 10\n");
  write_text(folder / "k2.log", "Traceback: out of memory\n");
  const std::vector<std::string> both = {folder / "k1.log", folder / "k2.log"};
  const auto study = import_files(both, {.time_regex = "took ([0-9]+)"});
  ASSERT_TRUE(study) << study.error().message;
  ASSERT_EQ(study->runs.size(), 2U);
  EXPECT_TRUE(failed(study->runs[1]));
  EXPECT_EQ(study->runs[1].output, "Traceback: out of memory\n");
  EXPECT_FALSE(import_file(both[1], {.time_regex = "took ([0-9]+)"}));
}

TEST(ImportLog, KAndTheTimeMayBeginAtOnePlace) {
  const auto study = import_text("BM/threads:1 63.5 us\nBM/threads:4 15.8 us\n", "b.txt",
                                 {.worker_regex = "threads:([0-9]+)",
                                  .time_regex = "threads:[0-9]+ +([0-9.]+) us",
                                  .time_unit = "us"});
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 63.5e-6}, {4, 15.8e-6}});
}

TEST(ImportLog, TimesMayBeWrittenAsClocks) {
  const auto study =
      import_text("Threads: 2\nreal 6m13.5s\nThreads: 4\nreal 3m8.5s\n", "b.txt",
                  {.worker_regex = "Threads: ([0-9]+)", .time_regex = "real (\\S+)"});
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{2, 373.5}, {4, 188.5}});
}

TEST(ImportLog, AFileNamedWeakIsBelieved) {
  const auto study = import_text("K=1 took 5 s\nK=4 took 6 s\n", "runs/join_weak.txt",
                                 {.worker_regex = "K=([0-9]+)", .time_regex = "took ([0-9]+)"});
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->header.regime, Regime::kWeak);
  EXPECT_TRUE(has_note(*study, "guessed"));
}

}  // namespace
}  // namespace kstar
