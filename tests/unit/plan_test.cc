#include "kstar/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/number.h"
#include "base/text.h"
#include "kstar/curve_draws.h"
#include "kstar/import.h"
#include "kstar/prediction.h"
#include "plan/interrupted.h"
#include "support/predictions.h"

namespace kstar {
namespace {

PlanJob amdahl(const char* serial, double seconds = 0) {
  PlanJob job = plan_job(instances("amdahl", {{"serial", {serial}}}).front().model, 0, {});
  if (seconds > 0) set_base_time(job, seconds);
  return job;
}

Plan plan_for(const PlanJob& job, std::vector<Goal> goals, CostRates rates = {}) {
  PlanOptions options;
  options.goals = std::move(goals);
  options.rates = std::move(rates);
  const Result<Plan> plan = make_plan(job, options);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message);
  return plan ? *plan : Plan{};
}

double best_workers(const PlanJob& job, const Goal& goal, CostRates rates = {}) {
  const Plan plan = plan_for(job, {goal}, std::move(rates));
  return plan.answers[0].best ? plan.answers[0].best->workers : 0;
}

TEST(PlanAmdahl, BillsOnePlusSTimesTheOtherWorkers) {
  const Plan plan = plan_for(amdahl("0.05"), {{.kind = GoalKind::kCheapest}});
  for (const PlanRow& row : plan.rows) {
    EXPECT_NEAR(row.point.cost, 1 + 0.05 * (row.point.workers - 1), 1e-9);
    EXPECT_NEAR(row.point.cost, 1 / row.point.efficiency, 1e-9);
  }
  EXPECT_EQ(plan.answers[0].best->workers, 1);
}

TEST(PlanAmdahl, KeepsADeadlineAndABudgetWithTheClosedForms) {
  EXPECT_EQ(best_workers(amdahl("0.05"), {GoalKind::kDeadline, 0.1}), 19);
  EXPECT_EQ(best_workers(amdahl("0.05"), {GoalKind::kBudget, 2}), 21);
  for (const double s : {0.01, 0.02, 0.1, 0.3}) {
    const std::string text = std::to_string(s);
    const double d = 1.7 * s, b = 3;
    EXPECT_EQ(best_workers(amdahl(text.c_str()), {GoalKind::kDeadline, d}),
              std::ceil((1 - s) / (d - s) - 1e-9));
    EXPECT_EQ(best_workers(amdahl(text.c_str()), {GoalKind::kBudget, b}),
              std::floor(1 + (b - 1) / s + 1e-9));
  }
}

TEST(PlanAmdahl, ADeadlineBelowTheSerialPartHasNoK) {
  const Plan plan = plan_for(amdahl("0.05"), {{GoalKind::kDeadline, 0.04}});
  EXPECT_FALSE(plan.answers[0].best);
  EXPECT_FALSE(plan.answers[0].kept);
  EXPECT_EQ(plan.answers[0].nearest->workers, 1e6);
}

TEST(PlanAmdahl, TheBillsOfTheExerciseAndOfTheSeed) {
  // Exercise 3.1.1c: from 256 to 512 workers the bill goes from 13.75 to 26.55.
  const Plan plan = plan_for(amdahl("0.05"), {{.kind = GoalKind::kKnee}});
  for (const PlanRow& row : plan.rows) {
    if (row.point.workers != 256) continue;
    EXPECT_NEAR(row.point.cost, 13.75, 1e-9);
    EXPECT_NEAR(row.next->cost, 26.55 - 13.75, 1e-9);
  }
  // Seed 004: 16 to 1024 workers at s = 0.1.
  const PlanJob job = amdahl("0.1");
  const auto bill = [&](double k) { return k * job.times[0][static_cast<std::size_t>(k) - 1]; };
  EXPECT_NEAR(bill(1024) / bill(16), 41.3, 0.05);
}

TEST(PlanKnee, IsTheLargestSpeedupTimesEfficiency) {
  // S E = K / (1 + s (K - 1))^2 is largest at K = (1 - s)/s.
  EXPECT_EQ(best_workers(amdahl("0.05"), {.kind = GoalKind::kKnee}), 19);
  EXPECT_EQ(best_workers(amdahl("0.01"), {.kind = GoalKind::kKnee}), 99);
}

TEST(PlanCost, YoungAndDaly) {
  // A checkpoint of 5 min, one interruption in 24 h.
  EXPECT_NEAR(young_interval(300, 86400), 7200, 1e-9);
  const double ratio = 300.0 / (2 * 86400);
  EXPECT_NEAR(daly_interval(300, 86400), 7200 * (1 + std::sqrt(ratio) / 3 + ratio / 9) - 300, 1e-9);
  EXPECT_EQ(daly_interval(300, 100), 100);  // C >= 2M
  // Small C and R: the overhead is about sqrt(2 C / M).
  const Interruptions rare{.every = 86400 * 16, .restart = 0, .checkpoint = 10};
  EXPECT_NEAR(expected_time(rare, 1e6, 16) / 1e6 - 1, std::sqrt(2 * 10 / 86400.0), 5e-4);
}

TEST(PlanCost, DalysIntervalLosesLeast) {
  const double between = 3600, checkpoint = 120;
  const auto loss = [&](double interval) {
    return std::expm1((interval + checkpoint) / between) / interval;
  };
  const double daly = daly_interval(checkpoint, between);
  EXPECT_LE(loss(daly), loss(0.9 * daly));
  EXPECT_LE(loss(daly), loss(1.1 * daly));
}

TEST(PlanCost, WithoutCheckpointsAllWorkIsLost) {
  const Interruptions spot{.every = 3600, .restart = 60, .checkpoint = 0};
  // One segment: M e^(R/M) (e^(T/M) - 1).
  EXPECT_NEAR(expected_time(spot, 7200, 1), 3600 * std::exp(60 / 3600.0) * std::expm1(2.0), 1e-6);
}

TEST(PlanCost, RunsWithInterruptionsScatterAroundTheExpectedTime) {
  Random random(7);
  for (const Interruptions& given : {Interruptions{7200, 60, 0}, Interruptions{7200, 300, 60},
                                     Interruptions{36000, 600, 120}, Interruptions{600, 20, 5}}) {
    const double time = 5000, expected = expected_time(given, time, 2);
    double sum = 0;
    constexpr int kCount = 20000;
    for (int i = 0; i < kCount; ++i) sum += planning::drawn_time(given, time, 2, random);
    EXPECT_NEAR(sum / kCount / expected, 1, 0.03) << given.every << " " << given.checkpoint;
    EXPECT_NEAR(expected_time(given, planning::undisturbed_time(given, expected, 2), 2), expected,
                1e-6 * expected);
  }
}

TEST(PlanCost, WholeNodesLeastTimeAndFixedCostAreBilled) {
  CostRates rates;
  rates.price = 2;
  rates.node_workers = 8;
  EXPECT_DOUBLE_EQ(bill_of(rates, 3600, 9, 1).cost, 32);
  rates.least_time = 7200;
  rates.fixed = 5;
  EXPECT_DOUBLE_EQ(bill_of(rates, 3600, 9, 1).cost, 69);
}

TEST(PlanCost, EnergyIsThatOfBusyAndOfWaitingWorkers) {
  CostRates rates;
  rates.price = 0;
  rates.power = {.busy = 400, .idle = 100, .price = 0.5, .grams = 300};
  const Bill bill = bill_of(rates, 3600, 10, 0.5);
  EXPECT_DOUBLE_EQ(bill.energy, 2.5);
  EXPECT_DOUBLE_EQ(bill.cost, 1.25);
}

TEST(PlanCost, PricesNameTheirCurrencyAndWhatTheyAreFor) {
  CostRates rates;
  rates.node_workers = 8;
  EXPECT_TRUE(read_price("EUR 20/node-hour", "--price", rates));
  EXPECT_DOUBLE_EQ(*rates.price, 2.5);
  EXPECT_EQ(rates.currency, "EUR");
  for (const char* wrong : {"", "x", "-1", "2.5/day", "2/3/worker-hour", "1e400"}) {
    EXPECT_FALSE(read_price(wrong, "--price", rates)) << wrong;
  }
}

/// experiment, nodes, seconds and cost of every run of a file of the cloud study.
struct CloudRun {
  std::string experiment;
  double nodes = 0, seconds = 0, cost = 0;
};

std::vector<CloudRun> cloud_runs(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // number, experiment, cost, size, duration
  std::vector<CloudRun> runs;
  while (std::getline(file, line)) {
    const std::vector<std::string_view> cells = split(line, ',');
    const auto cost = parse_double(cells[2]), nodes = parse_double(cells[3]);
    const auto seconds = parse_double(trim(cells[4]));
    if (!cost || !nodes || !seconds) continue;  // nobody paid for machines of one's own
    runs.push_back({std::string(cells[1]), *nodes, *seconds, *cost});
  }
  return runs;
}

TEST(PlanCost, OfTheCloudStudyFollowsFromItsTimes) {
  const std::filesystem::path folder = std::string(KSTAR_PUBLIC_DATA) + "/hpc_cloud_study";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const std::map<std::string, const char*> prices = {
      {"google/compute-engine/cpu", "5.06/node-hour"},
      {"aws/eks/cpu", "2.88/node-hour"},
      {"aws/parallel-cluster/cpu", "2.88/node-hour"},
      {"azure/aks/cpu", "3.60/node-hour"},
      {"google/compute-engine/gpu", "23.36/node-hour"},
      {"azure/aks/gpu", "22.03/node-hour"},
      {"aws/eks/gpu", "34.33/node-hour"}};
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (!entry.path().string().ends_with("cost-by-environment.csv")) continue;
    for (const CloudRun& run : cloud_runs(entry.path())) {
      CostRates rates;
      ASSERT_TRUE(read_price(prices.at(run.experiment), "price", rates));
      const double cost = bill_of(rates, run.seconds, run.nodes, 1).cost;
      EXPECT_NEAR(cost / run.cost, 1, 1e-9) << entry.path() << " " << run.experiment;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 847U);
}

TEST(PlanGoals, AreReadWithTheirLimits) {
  EXPECT_EQ(parse_goal("deadline 5h")->limit, 18000);
  EXPECT_TRUE(parse_goal("deadline 5h")->in_seconds);
  EXPECT_EQ(parse_goal(" efficiency  0.7 ")->limit, 0.7);
  EXPECT_EQ(parse_goal("budget 90 worker-seconds")->limit, 0.025);
  EXPECT_EQ(parse_goal("budget 90 worker-hours")->limit, 90);
  EXPECT_EQ(parse_goal("budget 90")->limit, 90);
  EXPECT_FALSE(parse_goal("budget 90 parsecs"));
  for (const char* wrong : {"", "deadline", "efficiency 1.5", "knee 3", "budget -1", "soon"}) {
    EXPECT_FALSE(parse_goal(wrong)) << wrong;
  }
}

Result<PlanJob> job_of(const char* pairs) {
  const Study study = *import_pairs(pairs, "--data");
  return plan_job(study, *analyze(study), {});
}

TEST(PlanStudy, MoreTimeIsMoreProbable) {
  const Result<PlanJob> job = job_of("1:100,2:52,4:29,8:19");
  ASSERT_TRUE(job);
  double before = 0;
  for (const double limit : {15, 18, 20, 25, 40}) {
    PlanOptions options;
    options.goals = {{GoalKind::kDeadline, limit}};
    options.sure = 1e-9;
    const Plan plan = *make_plan(*job, options);
    double here = 0;
    for (const PlanRow& row : plan.rows) here += row.point.time_low <= limit ? 1 : 0;
    EXPECT_GE(here, before);
    before = here;
  }
}

TEST(PlanStudy, TheEfficiencyOfTheVerdictHasItsAnswer) {
  const Study study = import_pairs("1:100,2:52,4:29,8:19", "--data").value();
  const Analysis analysis = analyze(study).value();
  const Plan plan = *make_plan(*plan_job(study, analysis, {}), {});
  const PlanAnswer& answer = plan.answers.front();
  ASSERT_TRUE(answer.by_verdict);
  EXPECT_EQ(answer.best->workers, analysis.verdict.workers);
  EXPECT_EQ(answer.probability, analysis.verdict.probability);
  EXPECT_EQ(answer.low, analysis.verdict.low);
  EXPECT_EQ(answer.high, analysis.verdict.high);
}

TEST(PlanStudy, NothingIsSureWhereTheVerdictIsUndecided) {
  const Study study = import_pairs("1:100,2:70,4:30,8:29,16:6", "--data").value();
  const Analysis analysis = analyze(study).value();
  ASSERT_EQ(analysis.verdict.reason, VerdictReason::kJumps);
  const Plan plan = *make_plan(*plan_job(study, analysis, {}), {});
  for (const PlanAnswer& answer : plan.answers) {
    EXPECT_FALSE(answer.by_verdict);
    EXPECT_FALSE(answer.probability);
  }
}

TEST(PlanStudy, ALimitIsKeptWithTheProbabilityAskedFor) {
  const Result<PlanJob> job = job_of("1:100,2:52,4:29,8:19");
  for (const double sure : {0.5, 0.9, 0.99}) {
    PlanOptions options;
    options.sure = sure;
    options.by_verdict = false;
    options.goals = {{GoalKind::kDeadline, 35}, {GoalKind::kEfficiency, 0.7}};
    const Plan plan = *make_plan(*job, options);
    for (const PlanAnswer& answer : plan.answers) EXPECT_GE(*answer.probability, sure);
  }
}

TEST(PlanStudy, MedianTimesAreTheMeasuredOnes) {
  const Result<PlanJob> job = job_of("1:100,2:52,4:29,8:19");
  const Plan plan = plan_for(*job, {});
  EXPECT_NEAR(plan.rows[0].point.time, 100, 3);
  EXPECT_NEAR(plan.rows[3].point.time, 19, 1);
}

/// T = 100/K with a step of 1.6 behind K = 8.
constexpr const char* kStepped = "1:100,2:50,4:25,8:12.5,16:10,32:5";

TEST(PlanStudy, WhereTStepsOnlyMeasuredKAreChosen) {
  const Result<PlanJob> job = job_of(kStepped);
  EXPECT_NE(job->doubt.find("between K = 8 and 16"), std::string::npos) << job->doubt;
  for (const double limit : {6.0, 8.0, 9.0, 11.0}) {
    const PlanAnswer answer = plan_for(*job, {{GoalKind::kDeadline, limit}}).answers[0];
    ASSERT_TRUE(answer.best);
    EXPECT_TRUE(answer.best->workers == 16 || answer.best->workers == 32);
    EXPECT_FALSE(answer.untried);
  }
  const PlanAnswer fastest = plan_for(*job, {{.kind = GoalKind::kFastest}}).answers[0];
  EXPECT_TRUE(fastest.open);
  EXPECT_FALSE(fastest.probability);
}

TEST(PlanStudy, AMeanTimeWithinTheDeadlineIsNotSureWhereRunsAreInterrupted) {
  const Result<PlanJob> job = job_of("1:36000,2:18100,4:9100,8:4600");
  CostRates rates;
  rates.interruptions = {.every = 40000, .restart = 60, .checkpoint = 0};
  const double mean = expected_time(rates.interruptions, 4600, 8);
  const Plan plan = plan_for(*job, {{GoalKind::kDeadline, 1.05 * mean}}, rates);
  EXPECT_FALSE(plan.answers[0].best);
  EXPECT_LT(*plan.answers[0].probability, 0.9);
  EXPECT_GT(*plan.answers[0].probability, 0.4);
  for (const PlanRow& row : plan.rows) {
    EXPECT_NEAR(row.point.efficiency * row.point.workers * row.point.time, 36000, 1500);
  }
}

TEST(PlanStudy, WhatWasNeverMeasuredIsNamedButNotChosen) {
  const Result<PlanJob> job = job_of("1:100,2:52,4:29,8:19");
  const Plan plan = plan_for(
      *job, {{GoalKind::kDeadline, 15}, {.kind = GoalKind::kFastest}, {GoalKind::kDeadline, 1}});
  EXPECT_FALSE(plan.answers[0].best);
  ASSERT_TRUE(plan.answers[0].untried && plan.answers[0].nearest);
  EXPECT_GT(plan.answers[0].untried->workers, 8);
  EXPECT_EQ(plan.answers[0].nearest->workers, 8);
  EXPECT_EQ(plan.answers[1].best->workers, 8);
  EXPECT_FALSE(plan.answers[1].probability);
  EXPECT_FALSE(plan.answers[2].kept);
  EXPECT_FALSE(plan.answers[2].untried);
}

TEST(PlanStudy, MoreWorkersDoNotHelpWhereNoneIsFaster) {
  const Plan flat = plan_for(*job_of("1:100,2:100,4:100.1,8:99.9"), {{.kind = GoalKind::kFastest}});
  EXPECT_TRUE(flat.answers[0].no_gain);
  EXPECT_EQ(flat.answers[0].best->workers, 1);
  EXPECT_FALSE(flat.answers[0].untried);
  const Plan serial = plan_for(amdahl("1"), {{.kind = GoalKind::kFastest}});
  EXPECT_TRUE(serial.answers[0].no_gain);
  EXPECT_EQ(serial.answers[0].next->kind, DoublingKind::kNothing);
}

TEST(PlanMany, TenJobsRunSideBySideWhereThatIsFaster) {
  PlanOptions options;
  options.jobs = 10;
  options.pool = 64;
  const Plan plan = *make_plan(amdahl("0.05"), options);
  ASSERT_TRUE(plan.many);
  // Ten at once on six each: 0.05 + 0.95/6.
  EXPECT_EQ(plan.many->side_by_side, 10);
  EXPECT_EQ(plan.many->workers, 6);
  EXPECT_NEAR(plan.many->time, 0.05 + 0.95 / 6, 1e-12);
  EXPECT_NEAR(plan.many->wide_time, 10 * (0.05 + 0.95 / 64), 1e-12);
}

TEST(PlanLarger, IsGustafsonsLaw) {
  // In T(1) = 1, K workers do K times the divided work and the serial part once.
  const Plan plan = plan_for(amdahl("0.05"), {{.kind = GoalKind::kCheapest}});
  for (const LargerProblem& larger : plan.larger) {
    EXPECT_NEAR(larger.size, larger.workers, 1e-9);
    EXPECT_NEAR(larger.efficiency, (0.05 + 0.95 * larger.workers) / larger.workers, 1e-9);
  }
}

TEST(PlanMemory, LeavesOutTheKThatNeedMore) {
  PlanJob job = amdahl("0.05");
  for (const double k : job.workers) job.memory.push_back(80e9 / k + 2e9);
  PlanOptions options;
  options.memory = 24e9;
  options.goals = {{.kind = GoalKind::kCheapest}};
  const Plan plan = *make_plan(job, options);
  EXPECT_EQ(plan.answers[0].best->workers, 4);  // 22 GB; three need 28.7
  EXPECT_EQ(plan.answers[0].limited_by_memory, 4);
  options.memory = 1e9;
  const Result<Plan> none = make_plan(job, options);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().where, "--memory");
}

TEST(PlanChecks, WhatIsAboutHoursNeedsThem) {
  PlanOptions options;
  options.rates.price = 2.5;
  const Result<Plan> plan = make_plan(amdahl("0.05"), options);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().where, "--price");
  EXPECT_TRUE(make_plan(amdahl("0.05", 3600), options));
}

}  // namespace
}  // namespace kstar
