#include "kstar/cpu_accounts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "kstar/analysis.h"
#include "kstar/analysis_report.h"
#include "support/diagnosed.h"

namespace kstar {
namespace {

/// What one run on K workers used: CPU seconds, seconds ready without a CPU, seconds of wall time.
struct Used {
  double cpu = 1, waited = 0, wall = 1;
};
using Program = std::function<Used(int workers)>;

/// Four runs at each K that differ by up to two hundredths, on a machine with 16 CPUs.
Study study_of(const Program& program, const std::vector<int>& all = {1, 2, 4, 8}) {
  Study study;
  study.header.regime = Regime::kStrong;
  study.header.environment.hosts.push_back({.name = "node", .threads = 16});
  for (int block = 0; block < 4; ++block) {
    for (const int workers : all) {
      const Used used = program(workers);
      const double off = 1 + 0.01 * ((block * 7 + workers) % 5 - 2);
      Run& run = study.runs.emplace_back();
      run.workers = workers;
      run.block = block;
      run.wall = used.wall * off;
      run.usage.cpu_user = used.cpu * off * (1 + 0.002 * block);
      run.usage.cpu_system = 0.0;
      run.usage.cpu_wait = used.waited * off;
      run.usage.cpu_others = 0.0;
    }
  }
  return study;
}

CpuAccounts accounts_of(const Study& study) {
  const Result<ScalingTable> table = scaling_table(study);
  return *cpu_accounts(study, *table);
}

/// A third of the work is serial, and idle threads sleep.
Used blocked(int workers) {
  return {.cpu = 3, .waited = 0, .wall = 1 + 2.0 / workers};
}

/// The same, and idle threads spin.
Used spinning(int workers) {
  const double wall = 1 + 2.0 / workers;
  return {.cpu = workers * wall, .waited = 0, .wall = wall};
}

TEST(CpuAccounts, MultiplyToTheEfficiency) {
  const Study study = study_of([](int workers) {
    const double wall = 1 + 2.0 / workers + 0.01 * workers;
    return Used{.cpu = 3 + 0.05 * workers, .waited = 0.1 * workers, .wall = wall};
  });
  const Result<ScalingTable> table = scaling_table(study);
  const CpuAccounts accounts = accounts_of(study);
  for (const CpuPoint& point : accounts.points) {
    const double product = point.got.point * point.wanted.point * point.growth.point;
    const ScalingPoint* row = point_at(*table, Role::kParallel, point.workers);
    EXPECT_NEAR(product, row->efficiency->point, 1e-12) << point.workers;
  }
}

TEST(CpuAccounts, IdleWorkersAreWantedLess) {
  const Diagnosis diagnosis = diagnosed(study_of(blocked));
  const Cause& cause = diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kIdle);
  EXPECT_EQ(cause.confidence, Confidence::kCounted);
  EXPECT_NEAR(cause.factor.point, 3.0 / (8 * 1.25), 0.01);
  EXPECT_GT(cause.share.low, 0.9);
  EXPECT_TRUE(says(cause, "of 8 workers have something to do"));
}

TEST(CpuAccounts, SpinningIsNotCalledOverhead) {
  const Cause cause = diagnosed(study_of(spinning)).causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCpuGrowth);
  ASSERT_EQ(cause.or_else.size(), 1U);
  EXPECT_EQ(cause.or_else[0], CauseKind::kIdle);
  EXPECT_NE(cause.advice.find("OMP_WAIT_POLICY=passive"), std::string::npos);
}

TEST(CpuAccounts, OnePassiveRunPerKMovesSpinningToWaiting) {
  const Study study = study_of(spinning);
  AnalysisOptions options;
  options.passive_cpu = cpu_by_workers(study_of(blocked));
  const Result<Analysis> analysis = analyze(study, options);
  const Cause& cause = analysis->diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kIdle);
  EXPECT_TRUE(analysis->diagnosis.cpu->passive);
  EXPECT_EQ(analysis->diagnosis.causes.size(), 1U);
}

/// Three quarters are in a critical section. Those who wait for it sleep, 10,000 times per second,
/// and each time costs 20 us.
TEST(CpuAccounts, AHeavyLockIsNotCalledWorkWhereItsThreadsSleep) {
  const Study study =
      study_of([](int workers) { return Used{.cpu = 2.7 * workers, .waited = 0, .wall = 2.7}; });
  Study asleep = study_of(
      [](int workers) { return Used{.cpu = workers == 1 ? 3.0 : 3.8, .waited = 0, .wall = 2.9}; });
  for (kstar::Run& run : asleep.runs) run.usage.voluntary_switches = run.workers == 1 ? 2 : 38000;
  AnalysisOptions options;
  options.passive_cpu = cpu_by_workers(asleep);
  const Result<Analysis> analysis = analyze(study, options);
  for (const Cause& cause : analysis->diagnosis.causes) {
    if (cause.kind != CauseKind::kCpuGrowth) continue;
    ASSERT_EQ(cause.or_else.size(), 1U);
    EXPECT_EQ(cause.or_else[0], CauseKind::kIdle);
    EXPECT_TRUE(says(cause, "times per second of processor time, as for a lock"));
    EXPECT_NE(cause.advice.find("futex"), std::string::npos);
  }
  EXPECT_EQ(analysis->diagnosis.causes.size(), 2U);
}

TEST(CpuAccounts, WorkThatTakesMoreCpuTimeGrows) {
  Study study = study_of([](int workers) {
    const double cpu = 3 * (1 + 0.1 * (workers - 1));
    return Used{.cpu = cpu, .waited = 0, .wall = cpu / workers};
  });
  study.header.environment.variables["OMP_WAIT_POLICY"] = "passive";
  const Cause cause = diagnosed(study).causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCpuGrowth);
  EXPECT_TRUE(cause.or_else.empty());
  EXPECT_TRUE(says(cause, "times the processor time at K = 8"));
  EXPECT_NEAR(cause.factor.point, 1 / 1.7, 0.01);
}

TEST(CpuAccounts, MoreWorkersThanCpusWait) {
  Study study = study_of([](int workers) {
    const int running = std::min(workers, 2);
    return Used{.cpu = 3, .waited = 3.0 / running * (workers - running), .wall = 3.0 / running};
  });
  study.header.environment.usable_cpus = 2;
  const Cause cause = diagnosed(study).causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCpuWait);
  EXPECT_TRUE(says(cause, "there are 8 workers for 2 CPUs"));
  EXPECT_NE(cause.advice.find("at most 2 workers"), std::string::npos);
}

/// Others hold 12 of 16 CPUs: 8 workers get 4.
Study starved() {
  Study study = study_of([](int workers) {
    const double running = std::min(workers, 4);
    return Used{.cpu = 3, .waited = 3.0 / running * (workers - running), .wall = 3.0 / running};
  });
  for (kstar::Run& run : study.runs) run.usage.cpu_others = 12 * *run.wall;
  return study;
}

TEST(CpuAccounts, AMachineThatOthersTookGivesNoOtherCause) {
  const Result<Analysis> analysis = analyze(starved());
  const Diagnosis& diagnosis = analysis->diagnosis;
  ASSERT_EQ(diagnosis.causes.size(), 1U);
  EXPECT_EQ(diagnosis.causes[0].kind, CauseKind::kCpuWait);
  EXPECT_TRUE(says(diagnosis.causes[0], "other jobs used 12 of 16 CPUs"));
  ASSERT_FALSE(analysis->suspicions.empty());
  EXPECT_EQ(analysis->suspicions[0].kind, SuspicionKind::kBusyMachine);
}

/// A container may use 4 CPUs of a node of 64 on which others work, and has room for those 4.
TEST(CpuAccounts, OthersOnANodeDoNotTakeWhatAQuotaLeaves) {
  Study study = study_of([](int workers) {
    const double running = std::min(workers, 4);
    return Used{.cpu = 3, .waited = 3.0 / running * (workers - running), .wall = 3.0 / running};
  });
  study.header.environment.hosts[0].threads = 64;
  study.header.environment.cpu_quota = 4;
  for (kstar::Run& run : study.runs) run.usage.cpu_others = 10 * *run.wall;
  const Result<Analysis> analysis = analyze(study);
  EXPECT_TRUE(analysis->suspicions.empty());
  const Cause& cause = analysis->diagnosis.causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCpuWait);
  EXPECT_TRUE(says(cause, "there are 8 workers for 4 CPUs, by a quota"));
  EXPECT_FALSE(says(cause, "other jobs"));
}

/// taskset -c 0: every worker has work, on one CPU.
TEST(CpuAccounts, ThreadsThatShareOneCpuAreBound) {
  const Study study = study_of(
      [](int workers) { return Used{.cpu = 3, .waited = 3.0 * (workers - 1), .wall = 3}; });
  const Result<Analysis> analysis = analyze(study);
  const Diagnosis& diagnosis = analysis->diagnosis;
  ASSERT_EQ(diagnosis.causes.size(), 1U);
  EXPECT_EQ(diagnosis.causes[0].kind, CauseKind::kCpuWait);
  EXPECT_TRUE(says(diagnosis.causes[0], "1 of 16 CPUs were busy: its threads share them"));
  EXPECT_NE(diagnosis.causes[0].advice.find("Cpus_allowed_list"), std::string::npos);
  EXPECT_TRUE(analysis->suspicions.empty()) << "its workers are there";
}

/// False sharing: S is below 1, and all workers are busy.
TEST(CpuAccounts, WorkersThatAreBusyForNothingAreNotCalledUnused) {
  const Study study =
      study_of([](int workers) { return Used{.cpu = 3.0 * workers, .waited = 0, .wall = 3}; });
  const Result<Analysis> analysis = analyze(study);
  EXPECT_EQ(analysis->diagnosis.causes[0].kind, CauseKind::kCpuGrowth);
  EXPECT_TRUE(analysis->suspicions.empty());
}

/// A lock that all want: one works, the others sleep and wake.
TEST(CpuAccounts, WorkersThatWaitForALockAreNotCalledUnused) {
  Study study = study_of([](int) { return Used{.cpu = 3, .waited = 0, .wall = 2.8}; });
  const auto unused = [](const Study& of) {
    const std::vector<Suspicion> all = analyze(of)->suspicions;
    return std::any_of(all.begin(), all.end(), [](const Suspicion& one) {
      return one.kind == SuspicionKind::kUnusedWorkers;
    });
  };
  EXPECT_TRUE(unused(study));
  for (kstar::Run& run : study.runs) run.usage.voluntary_switches = run.workers == 1 ? 2 : 20000;
  EXPECT_FALSE(unused(study));
}

TEST(CpuAccounts, WhatIsNotKnownIsABound) {
  Study study = starved();
  for (kstar::Run& run : study.runs) run.usage.cpu_wait.reset();
  const CpuAccounts accounts = accounts_of(study);
  const CpuPoint& last = accounts.points.back();
  EXPECT_FALSE(last.waited);
  EXPECT_LT(last.got.low, 0.55);      // half of it may be waiting for a CPU
  EXPECT_GT(last.wanted.high, 0.95);  // and then all had work
  const Result<Analysis> analysis = analyze(study);
  EXPECT_EQ(analysis->diagnosis.causes[0].kind, CauseKind::kNone);
}

TEST(CpuAccounts, MoreWorkersThanCpusWaitWithoutBeingCounted) {
  static constexpr double kCpus = 2;
  Study study = study_of([](int workers) {
    const double running = std::min<double>(workers, kCpus);
    return Used{.cpu = 3, .waited = 0, .wall = 3.0 / running};
  });
  study.header.environment.usable_cpus = 2;
  for (kstar::Run& run : study.runs) {
    if (run.workers > 2) run.usage.cpu_wait.reset();
  }
  const Cause cause = diagnosed(study).causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kCpuWait);
  EXPECT_TRUE(says(cause, "workers for 2 CPUs"));
}

TEST(CpuAccounts, OneCoreAtEveryKIsSaid) {
  const Study study = study_of([](int) { return Used{.cpu = 3, .waited = 0, .wall = 3}; });
  const Cause cause = diagnosed(study).causes.front();
  EXPECT_EQ(cause.kind, CauseKind::kOneCore);
  EXPECT_TRUE(says(cause, "One core is used at every K"));
}

TEST(CpuAccounts, DoNotExplainWhatTheyDoNotSee) {
  Study elsewhere = study_of([](int workers) { return Used{.cpu = 0.01, .wall = 3.0 / workers}; });
  EXPECT_NE(accounts_of(elsewhere).not_usable.find("it runs elsewhere"), std::string::npos);
  Study hosts = study_of(blocked);
  for (kstar::Run& run : hosts.runs) run.hosts = {"a", "b"};
  EXPECT_NE(accounts_of(hosts).not_usable.find("other hosts"), std::string::npos);
  Study setup = study_of(blocked);
  for (kstar::Run& run : setup.runs) run.setup = *run.wall / 2;
  EXPECT_NE(accounts_of(setup).not_usable.find("50%"), std::string::npos);
  Study all = study_of([](int) { return Used{.cpu = 12, .waited = 0, .wall = 3}; });
  EXPECT_NE(accounts_of(all).not_usable.find("4 CPUs at every K"), std::string::npos);
}

}  // namespace
}  // namespace kstar
