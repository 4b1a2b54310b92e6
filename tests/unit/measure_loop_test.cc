#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "kstar/measure.h"
#include "support/fake_executor.h"
#include "support/quiet_observer.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

MeasureSpec spec_for(std::vector<std::int64_t> workers) {
  MeasureSpec spec;
  spec.command = {"job", "{K}"};
  spec.workers = std::move(workers);
  spec.bind = false;
  spec.seed = 7;
  return spec;
}

int workers_in(const LaunchPlan& plan) {
  return std::stoi(plan.command.back());
}

/// A study measured with a fake executor, and what is in its file afterwards.
struct Measured {
  MeasureResult result;
  Study study;
};

Measured measure_with(const MeasureSpec& spec, Executor& executor, const TempFolder& folder,
                      Quiet* observer = nullptr, std::atomic<bool>* stop = nullptr) {
  Quiet quiet;
  std::atomic<bool> never{false};
  const std::string path = folder / "study.jsonl";
  const auto header = study_header(spec);
  EXPECT_TRUE(header) << header.error().message;
  Measured measured;
  {
    auto writer = StudyWriter::create(path, *header, Existing::kReplace);
    EXPECT_TRUE(writer);
    const auto result = measure(spec, *header,
                                {executor, *writer, Study{}, stop != nullptr ? *stop : never,
                                 observer != nullptr ? *observer : quiet});
    EXPECT_TRUE(result) << result.error().message;
    if (result) measured.result = *result;
  }
  auto study = load_study(path);
  EXPECT_TRUE(study);
  measured.study = std::move(*study);
  return measured;
}

TEST(MeasureLoop, RunsEveryKOnceABlockInAnOrderThatTheSeedGives) {
  const TempFolder folder;
  MeasureSpec spec = spec_for({1, 2, 4, 8});
  spec.runs = 6;
  auto executor = FakeExecutor::taking([](const LaunchPlan&, std::size_t) { return 0.5; });
  const Measured measured = measure_with(spec, executor, folder);
  std::map<int, std::multiset<int>> blocks;
  std::set<std::vector<int>> orders;
  std::map<int, std::vector<int>> order;
  for (const kstar::Run& run : measured.study.runs) {
    blocks[*run.block].insert(run.workers);
    order[*run.block].push_back(run.workers);
  }
  ASSERT_EQ(blocks.size(), 6U);
  for (const auto& [block, workers] : blocks) {
    EXPECT_EQ(workers, (std::multiset<int>{1, 2, 4, 8})) << block;
    orders.insert(order[block]);
  }
  EXPECT_GT(orders.size(), 1U);
  auto again = FakeExecutor::taking([](const LaunchPlan&, std::size_t) { return 0.5; });
  measure_with(spec, again, folder);
  EXPECT_EQ(executor.plans, again.plans);
}

TEST(MeasureLoop, StopsWhenEveryKIsPreciseAndNotBefore) {
  const TempFolder folder;
  MeasureSpec spec = spec_for({1, 4});
  // K = 1 is quiet; K = 4 scatters by 4%, alternating.
  auto executor = FakeExecutor::taking([](const LaunchPlan& plan, std::size_t run) {
    return workers_in(plan) == 1 ? 1.0 : 0.25 * (run % 4 < 2 ? 1.04 : 0.96);
  });
  const Measured measured = measure_with(spec, executor, folder);
  EXPECT_EQ(measured.result.end, MeasureEnd::kPrecise);
  for (const MeasurePoint& point : measured.result.points) {
    EXPECT_LE(point.verdict->relative_half_width, spec.precision);
    EXPECT_GE(point.times.size(), 10U);
  }
}

TEST(MeasureLoop, SaysWhenTheLimitOfRunsCameFirst) {
  const TempFolder folder;
  MeasureSpec spec = spec_for({1, 2});
  spec.max_runs = 12;
  auto executor = FakeExecutor::taking(
      [](const LaunchPlan&, std::size_t run) { return run % 3 == 0 ? 2.0 : 1.0; });
  const Measured measured = measure_with(spec, executor, folder);
  EXPECT_EQ(measured.result.end, MeasureEnd::kLimit);
  EXPECT_EQ(measured.study.runs.size(), 24U);
}

TEST(MeasureLoop, GivesUpAKThatKeepsFailingAndFinishesTheOthers) {
  const TempFolder folder;
  MeasureSpec spec = spec_for({1, 2, 4});
  spec.runs = 8;
  Quiet observer;
  FakeExecutor executor([](const LaunchPlan& plan, std::size_t) {
    Outcome outcome;
    outcome.wall = 0.1;
    outcome.exit_status = workers_in(plan) == 4 ? 3 : 0;
    outcome.error_output = "out of memory\n";
    return Result<Outcome>(outcome);
  });
  const Measured measured = measure_with(spec, executor, folder, &observer);
  std::map<int, int> good, bad;
  for (const kstar::Run& run : measured.study.runs) {
    ++(failed(run) ? bad : good)[run.workers];
    if (failed(run)) {
      EXPECT_EQ(run.output, "out of memory\n");
    }
  }
  EXPECT_EQ(bad, (std::map<int, int>{{4, 3}}));
  EXPECT_EQ(good, (std::map<int, int>{{1, 8}, {2, 8}}));
  ASSERT_FALSE(observer.notes.empty());
  EXPECT_EQ(observer.notes.back().what, "given-up");
}

TEST(MeasureLoop, AWrongAnswerAndAMissingTimeAreFailedRuns) {
  const TempFolder folder;
  MeasureSpec spec = spec_for({1, 2});
  spec.runs = 3;
  spec.check_pattern = "sum ([0-9]+)";
  spec.time_from = TimeFrom::kPattern;
  spec.time_pattern = "took ([0-9.]+)";
  FakeExecutor executor([](const LaunchPlan& plan, std::size_t run) {
    Outcome outcome;
    outcome.wall = 1;
    outcome.exit_status = 0;
    const bool wrong = workers_in(plan) == 2 && run > 2 && run < 5;
    outcome.output = wrong ? "took 0.5\nsum 41\n" : "took 0.5\nsum 42\n";
    if (run == 1) outcome.output = "sum 42\n";
    return Result<Outcome>(outcome);
  });
  const Measured measured = measure_with(spec, executor, folder);
  std::size_t wrong = 0, missing = 0;
  for (const kstar::Run& run : measured.study.runs) {
    if (run.failure.find("41") != std::string::npos) ++wrong;
    if (run.failure.find("time") != std::string::npos) ++missing;
    if (!failed(run)) {
      EXPECT_EQ(steady_time(run), 0.5);
    }
  }
  EXPECT_EQ(missing, 1U);
  EXPECT_GE(wrong, 1U);
}

TEST(MeasureLoop, KeepsToItsBudget) {
  const TempFolder folder;
  MeasureSpec spec = spec_for({1, 2});
  spec.budget_seconds = 10;
  auto executor = FakeExecutor::taking([](const LaunchPlan&, std::size_t) { return 1.0; });
  const Measured measured = measure_with(spec, executor, folder);
  EXPECT_EQ(measured.result.end, MeasureEnd::kBudget);
  EXPECT_EQ(measured.study.runs.size(), 10U);
}

TEST(MeasureLoop, GoesOnWhereAnInterruptedStudyStopped) {
  const TempFolder folder;
  MeasureSpec spec = spec_for({1, 2, 4});
  spec.runs = 5;
  std::atomic<bool> stop{false};
  auto executor = FakeExecutor::taking([&](const LaunchPlan&, std::size_t run) {
    stop = run == 6;
    return 1.0;
  });
  Quiet observer;
  const Measured first = measure_with(spec, executor, folder, &observer, &stop);
  EXPECT_EQ(observer.runs, 7);  // the last one is told, too
  EXPECT_EQ(first.result.end, MeasureEnd::kInterrupted);
  EXPECT_EQ(first.study.runs.size(), 7U);
  auto resumed = StudyWriter::resume(folder / "study.jsonl");
  ASSERT_TRUE(resumed);
  const auto header = study_header(spec);
  ASSERT_TRUE(may_resume(resumed->study, *header, "study.jsonl"));
  std::atomic<bool> never{false};
  Quiet quiet;
  const auto result = measure(spec, resumed->study.header,
                              {executor, resumed->writer, resumed->study, never, quiet});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->end, MeasureEnd::kPrecise);
  const auto study = load_study(folder / "study.jsonl");
  std::map<int, int> runs;
  std::set<int> orders;
  for (const kstar::Run& run : study->runs) {
    ++runs[run.workers];
    orders.insert(*run.order);
  }
  EXPECT_EQ(runs, (std::map<int, int>{{1, 5}, {2, 5}, {4, 5}}));
  EXPECT_EQ(orders.size(), 15U);
}

TEST(MayResume, RefusesAnotherCommandRegimeOrMachine) {
  MeasureSpec spec = spec_for({1, 2});
  const auto header = study_header(spec);
  ASSERT_TRUE(header);
  const kstar::Study old{.header = *header, .runs = {kstar::Run{}}};
  StudyHeader other = *header;
  other.command = {"job", "--fast", "{K}"};
  EXPECT_FALSE(may_resume(old, other, "s.jsonl"));
  other = *header;
  other.environment.hosts.at(0).name = "elsewhere";
  EXPECT_FALSE(may_resume(old, other, "s.jsonl"));
  other = *header;
  other.environment.versions["program"] = "fnv1a-0";
  EXPECT_FALSE(may_resume(old, other, "s.jsonl"));
  other = *header;
  other.environment.versions["mpi"] = "Open MPI 4.1.4";
  EXPECT_EQ(may_resume(old, other, "s.jsonl").error().message,
            "the study cannot be resumed: mpi was not set, and is now 'Open MPI 4.1.4'");
  EXPECT_TRUE(may_resume(old, *header, "s.jsonl"));
  spec.time_limit = 90;
  spec.prepare = {"make", "clean"};
  EXPECT_EQ(may_resume(old, study_header(spec).value(), "s.jsonl").error().message,
            "the study cannot be resumed: --prepare was not set, and is now 'make clean'; "
            "--timeout was 'none', and is now '90s'");
}

TEST(MarkFindings, MarksAColdFirstRunAndExplainsAnOutlierWithoutDroppingEither) {
  Study study;
  for (int i = 0; i < 20; ++i) {
    kstar::Run run;
    run.workers = 2;
    run.order = i;
    run.exit_status = 0;
    run.wall = (i == 0 ? 1.5 : i == 11 ? 1.4 : 1.0) + 0.001 * (i * 7 % 5);
    run.usage.involuntary_switches = i == 11 ? 900 : 10 + i % 3;
    study.runs.push_back(run);
  }
  mark_findings(MeasureSpec{}, study);
  EXPECT_EQ(study.runs.size(), 20U);
  EXPECT_TRUE(study.runs[0].warm_up);
  EXPECT_FALSE(study.runs[1].warm_up);
  bool explained = false;
  for (const Note& note : study.notes) {
    explained = explained ||
                (note.what == "outlier" &&
                 note_sentence(note).find("involuntary context switches 900") != std::string::npos);
  }
  EXPECT_TRUE(explained);
}

TEST(MarkFindings, NamesWhatOthersDidBeforeWhatItDidToTheRun) {
  Study study;
  for (int i = 0; i < 20; ++i) {
    kstar::Run run;
    run.order = i;
    run.exit_status = 0;
    run.wall = (i == 7 || i == 13 ? 2.0 : 1.0) + 0.001 * (i * 7 % 5);
    run.usage.involuntary_switches = i == 7 ? 9000 : 10 + i % 3;
    run.usage.cpu_others = (i == 7 ? 1.8 : 0.05) * *run.wall;
    run.usage.migrations = i == 13 ? 700 : i % 2;
    study.runs.push_back(run);
  }
  mark_findings(MeasureSpec{}, study);
  std::map<std::string, std::string> outliers;
  for (const Note& note : study.notes) {
    if (note.what == "outlier") outliers[note.where] = text_value(note, "reason");
  }
  EXPECT_EQ(outliers, (std::map<std::string, std::string>{
                          {"K = 1, run 7", "CPUs used by other processes 1.8, usually 0.05"},
                          {"K = 1, run 13", "migrations between CPUs 700, usually 0.5"}}));
}

TEST(MeasureLoop, AJobThatCannotStartIsAFailedRunAndOnlyItsKIsGivenUp) {
  const TempFolder folder;
  FakeExecutor executor([](const LaunchPlan& plan, std::size_t run) -> Result<Outcome> {
    if (workers_in(plan) == 2 && run > 1) {
      return fail({.where = "job", .message = "cannot start: No such file or directory"});
    }
    Outcome outcome;
    outcome.wall = 1;
    outcome.exit_status = 0;
    return outcome;
  });
  MeasureSpec spec = spec_for({1, 2});
  spec.runs = 6;
  spec.max_failures = 2;
  const Measured measured = measure_with(spec, executor, folder);
  EXPECT_EQ(measured.result.end, MeasureEnd::kLimit);
  int good = 0;
  int bad = 0;
  for (const kstar::Run& run : measured.study.runs) {
    if (!failed(run)) {
      good += run.workers == 1 ? 1 : 0;
      continue;
    }
    ++bad;
    EXPECT_EQ(run.workers, 2);
    EXPECT_EQ(run.failure, "job: cannot start: No such file or directory");
    EXPECT_FALSE(run.wall || run.exit_status || run.usage.cpu_user || run.usage.peak_memory);
    EXPECT_GT(run.start.value_or(0), 0);
  }
  EXPECT_EQ(good, 6);
  EXPECT_EQ(bad, 2);
}

}  // namespace
}  // namespace kstar
