#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "measure/marks.h"
#include "support/child.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

constexpr int kWorkers = 3, kSteady = 20;

/// Runs kstar-train on three workers for 2 + 20 steps and reads what it marked.
MarkedRun marked(std::vector<std::string> flags) {
  const TempFolder folder;
  std::vector<std::string> words = {KSTAR_TRAIN, "--workers", "3",  "--batch",   "30", "--width",
                                    "8",         "--steps",   "22", "--warm-up", "2"};
  words.insert(words.end(), flags.begin(), flags.end());
  const Moment spawn = read_clocks();
  const int status = Child(words, {{"KSTAR_MARKS", folder.path()}}, folder / "output").wait();
  EXPECT_EQ(status, 0) << read_text(folder / "output");
  const auto marks = read_marks(folder.path());
  EXPECT_TRUE(marks) << marks.error().message;
  EXPECT_EQ(marks->size(), static_cast<std::size_t>(kWorkers));
  MarkedRun run = combine_marks(*marks, spawn);
  EXPECT_TRUE(run.notes.empty());
  EXPECT_EQ(run.steps.size(), 22U);
  EXPECT_EQ(run.warm_up_steps, 2);
  EXPECT_GT(run.setup.value_or(0), 0);
  return run;
}

/// Milliseconds a steady step; the least worker, and the middle one.
double least_ms(std::vector<double> seconds) {
  return *std::min_element(seconds.begin(), seconds.end()) / kSteady * 1e3;
}

double ms(const std::vector<double>& seconds, std::size_t worker) {
  return seconds.at(worker) / kSteady * 1e3;
}

// The machine may be busy with other things, so the bounds are one-sided: what was planted is
// there at least, and it is on the workers that it was planted on.

TEST(TrainMarks, ShowEveryPhaseAndTheWorkOfEveryWorker) {
  const MarkedRun run = marked({});
  for (const auto* quantity : {&run.per_worker.compute, &run.per_worker.communicate,
                               &run.per_worker.wait, &run.per_worker.load}) {
    EXPECT_EQ(quantity->size(), static_cast<std::size_t>(kWorkers));
    EXPECT_GT(least_ms(*quantity), 0);
  }
  EXPECT_EQ(run.per_worker.work, (std::vector<double>{200, 200, 200}));
}

TEST(TrainMarks, ShowAStragglerComputingAndTheOthersWaiting) {
  const MarkedRun run = marked({"--straggler", "1:20"});
  EXPECT_GE(ms(run.per_worker.compute, 1), 20);
  EXPECT_GT(ms(run.per_worker.compute, 1), ms(run.per_worker.compute, 0) + 10);
  EXPECT_GT(ms(run.per_worker.wait, 0), ms(run.per_worker.wait, 1) + 10);
  EXPECT_GT(ms(run.per_worker.wait, 2), ms(run.per_worker.wait, 1) + 10);
}

TEST(TrainMarks, ShowAWanderingStragglerInTheSlowSteps) {
  const MarkedRun run = marked({"--straggler", "-1:30:0.5"});
  const auto slow = std::count_if(run.steps.begin() + 2, run.steps.end(),
                                  [](double step) { return step >= 0.03; });
  EXPECT_GE(slow, 5);
  EXPECT_GT(least_ms(run.per_worker.wait), 1);
  const double compute =
      std::accumulate(run.per_worker.compute.begin(), run.per_worker.compute.end(), 0.0);
  EXPECT_GE(compute, 0.03 * 5);
}

TEST(TrainMarks, ShowAnUnevenSplitInTheWork) {
  const MarkedRun run = marked({"--imbalance", "1", "--batch", "600", "--width", "64"});
  EXPECT_EQ(run.per_worker.work, (std::vector<double>{8000, 2000, 2000}));
  EXPECT_GT(ms(run.per_worker.compute, 0), 1.5 * ms(run.per_worker.compute, 1));
}

TEST(TrainMarks, ShowASerialPartOnOneWorkerAndTheOthersWaiting) {
  const MarkedRun run = marked({"--serial", "15"});
  EXPECT_GE(ms(run.per_worker.compute, 0), 15);
  EXPECT_GT(ms(run.per_worker.wait, 1), ms(run.per_worker.wait, 0) + 8);
  EXPECT_GT(ms(run.per_worker.wait, 2), ms(run.per_worker.wait, 0) + 8);
}

TEST(TrainMarks, ShowASlowAllReduceAsCommunication) {
  EXPECT_GE(least_ms(marked({"--slow-allreduce", "12ms"}).per_worker.communicate), 12);
  const double plain = least_ms(marked({"--width", "128"}).per_worker.communicate);
  const double slow =
      least_ms(marked({"--width", "128", "--slow-allreduce", "200x"}).per_worker.communicate);
  EXPECT_GT(slow, 3 * plain);
}

TEST(TrainMarks, ShowMemoryBoundWorkAsComputing) {
  const double plain = least_ms(marked({}).per_worker.compute);
  EXPECT_GT(least_ms(marked({"--memory-bound=300"}).per_worker.compute), plain + 1);
}

TEST(TrainProgram, EndsWithTwoAndAClearMessageOnAWrongFlag) {
  const TempFolder folder;
  const int status = Child({KSTAR_TRAIN, "--worker", "2"}, {}, folder / "output").wait();
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_EQ(read_text(folder / "output"),
            "kstar-train: error: command line: expected an option, got '--worker'\n"
            "hint: did you mean --workers?\n");
}

TEST(TrainProgram, EndsWithOneWhenTrainingDiverges) {
  const TempFolder folder;
  const int status = Child({KSTAR_TRAIN, "--rate", "1000", "--width", "8", "--steps", "300"}, {},
                           folder / "output")
                         .wait();
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(read_text(folder / "output").find("diverged"), std::string::npos);
}

}  // namespace
}  // namespace kstar
