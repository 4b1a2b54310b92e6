#include <gtest/gtest.h>

#include "measure/marks.h"

namespace kstar {
namespace {

const Moment kSpawn = {.monotonic = 100, .realtime = 1100, .clock = "here"};

/// A worker with steps of one second from `begin` on, half of each computing.
WorkerMarks worker(int number, double begin, int steps) {
  WorkerMarks marks{.worker = number, .host = "h" + std::to_string(number), .clock = "here"};
  marks.clock_offset = 1000;
  marks.setup_end = begin - 0.25;
  for (int i = 0; i < steps; ++i) {
    marks.steps.push_back({.begin = begin + i, .end = begin + i + 1, .compute = 0.5, .work = 3});
  }
  marks.work = 3 * steps;
  marks.complete = true;
  return marks;
}

std::vector<std::string> names(const MarkedRun& run) {
  std::vector<std::string> all;
  for (const Note& note : run.notes) all.push_back(note.what);
  return all;
}

TEST(CombinedMarks, MeasureAStepFromTheFirstToBeginToTheLastToEnd) {
  std::vector<WorkerMarks> workers = {worker(0, 101, 3), worker(1, 101.5, 3)};
  workers[1].steps[2].end += 2;
  const MarkedRun run = combine_marks(workers, kSpawn);
  EXPECT_EQ(run.steps, (std::vector<double>{1.5, 1.5, 3.5}));
  EXPECT_EQ(run.setup, 1.25);
  EXPECT_EQ(run.warm_up_steps, std::nullopt);
  EXPECT_TRUE(run.notes.empty());
}

TEST(CombinedMarks, SumOverTheStepsBehindTheLongestWarmUp) {
  std::vector<WorkerMarks> workers = {worker(0, 101, 5), worker(1, 101, 5)};
  workers[0].warm_up_end = 102;
  workers[1].warm_up_end = 103;
  workers[1].steps[3].compute = 0.75;
  const MarkedRun run = combine_marks(workers, kSpawn);
  EXPECT_EQ(run.warm_up_steps, 2);
  EXPECT_EQ(run.steps.size(), 5U);
  EXPECT_EQ(run.per_worker.compute, (std::vector<double>{1.5, 1.75}));
  EXPECT_EQ(run.per_worker.work, (std::vector<double>{9, 9}));
  EXPECT_EQ(run.per_worker.host, (std::vector<std::string>{"h0", "h1"}));
  EXPECT_TRUE(run.per_worker.wait.empty());
  EXPECT_TRUE(run.per_worker.communicate.empty());
}

TEST(CombinedMarks, TakeTheFirstStepForTheEndOfSetupWhereNobodySaidIt) {
  WorkerMarks marks = worker(0, 104, 1);
  marks.setup_end.reset();
  EXPECT_EQ(combine_marks({marks}, kSpawn).setup, 4);
  marks.steps.clear();
  EXPECT_EQ(combine_marks({marks}, kSpawn).setup, std::nullopt);
}

TEST(CombinedMarks, KeepTheWorkThatWasMarkedOutsideOfSteps) {
  WorkerMarks marks = worker(0, 101, 1);
  marks.steps[0].work = 0;
  marks.work = 7;
  EXPECT_EQ(combine_marks({marks}, kSpawn).per_worker.work, (std::vector<double>{7}));
}

TEST(CombinedMarks, PlaceAnotherMachineByTheTimeOfDay) {
  WorkerMarks other = worker(1, 7, 2);  // its clock started 994.5 s later
  other.clock = "there";
  other.clock_offset = 1094.5;
  const MarkedRun run = combine_marks({worker(0, 101, 2), other}, kSpawn);
  EXPECT_EQ(run.steps, (std::vector<double>{1.5, 1.5}));
  EXPECT_EQ(run.setup, 1.25);
  EXPECT_EQ(names(run), (std::vector<std::string>{"marks-clocks"}));
}

TEST(CombinedMarks, NoteWhatIsUnevenOrIncomplete) {
  std::vector<WorkerMarks> workers = {worker(0, 101, 4), worker(0, 101, 3), worker(2, 101, 0)};
  workers[1].complete = false;
  workers[1].problem = "it was not closed";
  const MarkedRun run = combine_marks(workers, kSpawn);
  EXPECT_EQ(run.steps.size(), 3U);
  EXPECT_EQ(names(run), (std::vector<std::string>{"marks-incomplete", "marks-same-worker",
                                                  "marks-no-steps", "marks-uneven"}));
}

TEST(CombinedMarks, OfNobodyAreEmpty) {
  const MarkedRun run = combine_marks({}, kSpawn);
  EXPECT_TRUE(run.steps.empty());
  EXPECT_EQ(run.setup, std::nullopt);
  EXPECT_EQ(run.per_worker, PerWorker{});
}

}  // namespace
}  // namespace kstar
