#include "kstar/causes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/diagnosed.h"
#include "support/planted_study.h"

namespace kstar {
namespace {

using planted::Job;

Diagnosis diagnosis_of(const Job& job) {
  return diagnosed(planted::simulate(job));
}

const Cause& first(const Diagnosis& diagnosis) {
  return diagnosis.causes.front();
}

bool names(const Diagnosis& diagnosis, CauseKind kind) {
  return std::any_of(diagnosis.causes.begin(), diagnosis.causes.end(),
                     [kind](const Cause& cause) { return cause.kind == kind; });
}

bool or_else(const Cause& cause, CauseKind kind) {
  return std::find(cause.or_else.begin(), cause.or_else.end(), kind) != cause.or_else.end();
}

/// The cores of a machine that is shared with others.
Job noisy() {
  Job job;
  job.run_noise = 0.12;
  job.step_noise = 0.05;
  return job;
}

TEST(Causes, HaveTheNamesOfTheFile) {
  EXPECT_EQ(name_of(CauseKind::kCommunication), "communication");
  EXPECT_EQ(name_of(CauseKind::kStraggler), "straggler");
  EXPECT_EQ(name_of(CauseKind::kLoadImbalance), "load_imbalance");
  EXPECT_EQ(name_of(CauseKind::kComputationScaling), "computation_scaling");
  EXPECT_EQ(name_of(CauseKind::kSerial), "serial");
  EXPECT_EQ(name_of(CauseKind::kNone), "none");
}

TEST(Causes, DescribeThemselves) {
  for (const CauseKind kind :
       {CauseKind::kCommunication, CauseKind::kStraggler, CauseKind::kLoadImbalance,
        CauseKind::kComputationScaling, CauseKind::kSerial, CauseKind::kNone}) {
    EXPECT_EQ(about(kind).kind, kind);
    EXPECT_FALSE(about(kind).words.empty());
    EXPECT_FALSE(about(kind).brief.empty());
  }
}

TEST(Causes, NameNothingInACleanJob) {
  for (const bool weak : {false, true}) {
    Job job;
    job.weak = weak;
    const Diagnosis diagnosis = diagnosis_of(job);
    ASSERT_EQ(diagnosis.causes.size(), 1U);
    EXPECT_EQ(first(diagnosis).kind, CauseKind::kNone);
    EXPECT_FALSE(first(diagnosis).evidence.empty());
  }
}

/// At a confidence of 95% one in twenty may be wrong.
TEST(Causes, SeldomNameTheNoiseOfAMachine) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Job job = noisy();
    job.seed = seed;
    if (first(diagnosis_of(job)).kind != CauseKind::kNone) ++wrong;
  }
  EXPECT_LE(wrong, 8);
}

TEST(Causes, DoNotTakeStolenTimeForStragglers) {
  Job job;
  job.stolen_chance = 0.02;
  job.stolen = 0.03;
  EXPECT_EQ(first(diagnosis_of(job)).kind, CauseKind::kNone);
}

TEST(Causes, NameTheWorkerThatIsSlow) {
  for (const bool weak : {false, true}) {
    Job job;
    job.weak = weak;
    job.slow_worker = 3;
    job.slow_share = 0.15;
    job.hosts = {"n1"};
    const Diagnosis diagnosis = diagnosis_of(job);
    EXPECT_EQ(diagnosis.workers, 16);
    const Cause& cause = first(diagnosis);
    EXPECT_EQ(cause.kind, CauseKind::kStraggler);
    EXPECT_EQ(cause.worker, 3);
    EXPECT_EQ(cause.host, "n1");
    EXPECT_TRUE(cause.or_else.empty());
    EXPECT_LT(cause.factor.low, 1 / 1.15);
    EXPECT_GT(cause.factor.high, 1 / 1.15);
    EXPECT_GT(cause.share.point, 0.5);
    EXPECT_LE(cause.share.low, cause.share.point);
    EXPECT_GE(cause.share.high, cause.share.point);
  }
}

TEST(Causes, NameTheHostWhoseWorkersAreSlow) {
  Job job;
  job.hosts = {"n1", "n2", "n3", "n4"};
  Study study = planted::simulate(job);
  for (kstar::Run& run : study.runs) {
    PerWorker& all = *run.per_worker;
    double most = 0;
    for (std::size_t i = 0; i < all.compute.size(); ++i) {
      if (all.host[i] == "n2") all.compute[i] *= 1.2;
      most = std::max(most, all.compute[i]);
    }
    for (std::size_t i = 0; i < all.compute.size(); ++i) all.wait[i] = most - all.compute[i];
    run.steps.assign(run.steps.size(), most / static_cast<double>(run.steps.size()));
  }
  const Diagnosis diagnosis = diagnosed(study);
  const Cause& cause = first(diagnosis);
  EXPECT_EQ(cause.kind, CauseKind::kStraggler);
  EXPECT_FALSE(cause.worker);
  EXPECT_EQ(cause.host, "n2");
}

TEST(Causes, TellAWorkerWithMoreWorkFromASlowOne) {
  Job job = noisy();
  job.imbalance = 0.25;
  const Diagnosis diagnosis = diagnosis_of(job);
  const Cause& cause = first(diagnosis);
  EXPECT_EQ(cause.kind, CauseKind::kLoadImbalance);
  EXPECT_EQ(cause.worker, 0);
  EXPECT_NEAR(cause.factor.point, 0.8, 0.05);
  EXPECT_FALSE(names(diagnosis, CauseKind::kStraggler));
}

TEST(Causes, ReportTheTwoAsOneWhereWorkIsNotRecorded) {
  Job job;
  job.imbalance = 0.25;
  job.work_known = false;
  const Diagnosis diagnosis = diagnosis_of(job);
  const Cause& cause = first(diagnosis);
  EXPECT_EQ(cause.kind, CauseKind::kStraggler);
  EXPECT_EQ(cause.worker, 0);
  EXPECT_TRUE(or_else(cause, CauseKind::kLoadImbalance));
  EXPECT_FALSE(diagnosis.next.empty());
}

TEST(Causes, FindWorkersThatAreLateNowAndThen) {
  Job job = noisy();
  job.steps = 40;
  job.late_chance = 0.03;
  job.late = 0.06;
  const Diagnosis diagnosis = diagnosis_of(job);
  const Cause& cause = first(diagnosis);
  EXPECT_EQ(cause.kind, CauseKind::kStraggler);
  EXPECT_FALSE(cause.worker);
}

TEST(Causes, FindWhatOneWorkerDoesAlone) {
  Job job;
  job.run_noise = 0.03;
  job.serial = 0.01;
  const Diagnosis diagnosis = diagnosis_of(job);
  const Cause& cause = first(diagnosis);
  EXPECT_EQ(cause.kind, CauseKind::kSerial);
  EXPECT_EQ(cause.worker, 0);
  EXPECT_EQ(diagnosis.causes.size(), 1U);
  EXPECT_NEAR(cause.factor.point, 0.87, 0.02);  // 10 of 74 ms, for 15 of 16 workers
}

TEST(Causes, FindItInNoPhaseAsWell) {
  Job job = noisy();
  job.serial = 0.01;
  job.serial_marked = false;
  const Diagnosis diagnosis = diagnosis_of(job);
  const Cause& cause = first(diagnosis);
  EXPECT_EQ(cause.kind, CauseKind::kSerial);
  EXPECT_EQ(cause.worker, 0);
}

TEST(Causes, AdmitThatADelayMayBeWorkAloneWhereNoNoiseTells) {
  Job job;
  job.run_noise = 0;
  job.step_noise = 0;
  job.serial = 0.01;
  const Diagnosis diagnosis = diagnosis_of(job);
  const Cause& cause = first(diagnosis);
  EXPECT_EQ(cause.kind, CauseKind::kStraggler);
  EXPECT_EQ(cause.worker, 0);
  EXPECT_TRUE(or_else(cause, CauseKind::kSerial));
}

TEST(Causes, FindCommunicationWithAndWithoutWaitsOfItsOwn) {
  for (const bool wait_known : {true, false}) {
    Job job;
    job.communication = 0.01;
    job.wait_known = wait_known;
    const Diagnosis diagnosis = diagnosis_of(job);
    const Cause& cause = first(diagnosis);
    EXPECT_EQ(cause.kind, CauseKind::kCommunication);
    EXPECT_NEAR(cause.factor.point, 0.87, 0.02);
  }
}

TEST(Causes, FindComputationThatSlowsDown) {
  for (const bool weak : {false, true}) {
    Job job;
    job.slowdown = 0.3;
    job.weak = weak;
    const Diagnosis diagnosis = diagnosis_of(job);
    const Cause& cause = first(diagnosis);
    EXPECT_EQ(cause.kind, CauseKind::kComputationScaling);
    EXPECT_NEAR(cause.factor.point, 1 / 1.3, 0.02);
  }
}

TEST(Causes, RankByTheLogarithmsOfTheirFactors) {
  Job job;
  job.slow_worker = 5;
  job.slow_share = 0.15;
  job.communication = 0.04;
  const Diagnosis diagnosis = diagnosis_of(job);
  ASSERT_EQ(diagnosis.causes.size(), 2U);
  EXPECT_EQ(diagnosis.causes[0].kind, CauseKind::kCommunication);
  EXPECT_EQ(diagnosis.causes[1].kind, CauseKind::kStraggler);
  EXPECT_EQ(diagnosis.causes[1].worker, 5);
  const double sum = diagnosis.causes[0].share.point + diagnosis.causes[1].share.point;
  EXPECT_GT(sum, 0.85);
  EXPECT_LE(sum, 1);
}

TEST(Causes, OfOneRunAreNamedWhereTheyArePlain) {
  Job job;
  job.workers = {8};
  job.runs = 1;
  job.communication = 0.05;
  Study study = planted::simulate(job);
  EXPECT_NO_THROW(diagnosed(study));  // nothing to compare with
  job.workers = {1, 8};
  const Diagnosis diagnosis = diagnosis_of(job);
  EXPECT_EQ(first(diagnosis).kind, CauseKind::kCommunication);
  EXPECT_FALSE(is_bounded(first(diagnosis).factor));
}

TEST(Factors, MultiplyToParallelEfficiency) {
  Job job = noisy();
  job.communication = 0.01;
  const Diagnosis diagnosis = diagnosis_of(job);
  ASSERT_EQ(diagnosis.factors.size(), 5U);
  for (const FactorPoint& point : diagnosis.factors) {
    EXPECT_EQ(point.runs, 5U);
    EXPECT_NEAR(point.parallel.point, point.load_balance.point * point.communication.point, 1e-12);
    ASSERT_TRUE(point.transfer && point.serialization && point.computation);
    EXPECT_NEAR(point.communication.point, point.transfer->point * point.serialization->point,
                1e-12);
  }
  EXPECT_EQ(diagnosis.factors[0].computation->point, 1);
}

/// By hand: two workers of 6 s and 9 s useful, 1 s of communication, 10 s in all; alone 12 s.
TEST(Factors, AreThoseOfThePopProject) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (const int workers : {1, 2}) {
    kstar::Run& run = study.runs.emplace_back();
    run.workers = workers;
    run.wall = workers == 1 ? 12 : 10;
    PerWorker& all = run.per_worker.emplace();
    all.compute = workers == 1 ? std::vector<double>{12} : std::vector<double>{6, 9};
    all.communicate.assign(all.compute.size(), workers == 1 ? 0 : 1);
    all.wait = workers == 1 ? std::vector<double>{0} : std::vector<double>{3, 0};
  }
  const Diagnosis diagnosis = diagnosed(study);
  ASSERT_EQ(diagnosis.factors.size(), 2U);
  const FactorPoint& two = diagnosis.factors[1];
  EXPECT_DOUBLE_EQ(two.load_balance.point, 7.5 / 9);
  EXPECT_DOUBLE_EQ(two.communication.point, 0.9);
  EXPECT_DOUBLE_EQ(two.parallel.point, 0.75);
  EXPECT_DOUBLE_EQ(two.transfer->point, 0.9);
  EXPECT_DOUBLE_EQ(two.serialization->point, 1);
  EXPECT_DOUBLE_EQ(two.computation->point, 0.8);
}

TEST(Factors, ComeFromRunsThatLookInsideWherePlainOnesKnowNothing) {
  Job job;
  job.slow_worker = 1;
  job.slow_share = 0.3;
  Study study = planted::simulate(job);
  const std::size_t count = study.runs.size();
  for (std::size_t i = 0; i < count; ++i) {
    kstar::Run inside = study.runs[i];
    double span = 0;
    for (const double step : inside.steps) span += step;
    inside.inside.emplace().span.assign(static_cast<std::size_t>(inside.workers), span);
    study.runs[i].per_worker.reset();
    study.runs.push_back(inside);
  }
  const Diagnosis diagnosis = diagnosed(study);
  EXPECT_EQ(diagnosis.factors.size(), 5U);
  EXPECT_EQ(first(diagnosis).kind, CauseKind::kStraggler);
  EXPECT_EQ(first(diagnosis).worker, 1);
}

TEST(Factors, LeaveOutRunsThatKnowSomeWorkersOnly) {
  Study study = planted::simulate({});
  study.runs[4].per_worker->compute.pop_back();
  const Diagnosis diagnosis = diagnosed(study);
  EXPECT_EQ(diagnosis.factors.back().runs, 4U);
  EXPECT_NE(diagnosis.next.back().find("1 run was excluded"), std::string::npos);
}

TEST(Diagnosis, IsTheSameForTheSameStudy) {
  Job job = noisy();
  job.slow_worker = 2;
  job.slow_share = 0.4;
  const Diagnosis once = diagnosis_of(job);
  const Diagnosis again = diagnosis_of(job);
  ASSERT_EQ(once.causes.size(), again.causes.size());
  for (std::size_t i = 0; i < once.causes.size(); ++i) {
    EXPECT_EQ(once.causes[i].evidence, again.causes[i].evidence);
    EXPECT_EQ(once.causes[i].share.point, again.causes[i].share.point);
  }
}

TEST(Diagnosis, TakesStudiesOfNothing) {
  EXPECT_EQ(first(diagnosed({})).kind, CauseKind::kNone);
  Study study;
  study.runs.emplace_back().per_worker.emplace();
  EXPECT_EQ(first(diagnosed(study)).kind, CauseKind::kNone);
}

TEST(Diagnosis, TakesTimesOfZeroAndNonsense) {
  Study study = planted::simulate({});
  for (kstar::Run& run : study.runs) {
    run.per_worker->compute[0] = 0;
    run.per_worker->work.assign(3, -1);
  }
  EXPECT_FALSE(diagnosed(study).causes.empty());
  study = planted::simulate({});
  for (kstar::Run& run : study.runs) {
    run.per_worker->communicate.assign(static_cast<std::size_t>(run.workers), 1e9);
    run.usage.cpu_stolen = 1e9;
    run.per_worker->wait.clear();
  }
  EXPECT_FALSE(diagnosed(study).causes.empty());
}

}  // namespace
}  // namespace kstar
