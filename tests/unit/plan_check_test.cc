#include "kstar/plan_check.h"

#include <gtest/gtest.h>

#include "kstar/import.h"
#include "kstar/plan_machines.h"

namespace kstar {
namespace {

ProposalCheck checked(const char* text) {
  const Result<Proposal> proposal = parse_proposal(text, "proposal.toml");
  EXPECT_TRUE(proposal) << (proposal ? "" : proposal.error().message);
  return check_proposal(proposal ? *proposal : Proposal{});
}

TEST(PlanCheck, TheRunThatShouldHaveBeenSmaller) {
  // Seed 004: 256 GPUs have three times the rate of 8, and 22% communication.
  const ProposalCheck check = checked(
      "workers = 256\ntoday = 8\nrate = 3\nrate_today = 1\ncommunication = 0.22\n"
      "problem = \"fixed\"\n");
  ASSERT_TRUE(check.reconciled);
  EXPECT_NEAR(check.reconciled->missing, 10.667, 0.001);
  EXPECT_NEAR(check.reconciled->explained, 1.282, 0.001);
  EXPECT_NE(check.reconciled->text.find("22% communication explains 1.3x of the 10.7x"),
            std::string::npos)
      << check.reconciled->text;
  EXPECT_EQ(check.decision, ProposalVerdict::kGrowProblem);
  EXPECT_EQ(check.questions.size(), 5U);
}

TEST(PlanCheck, MachinesAndBillAreBothSaid) {
  // Seed 004: "at sixty-four times the cost" is 64x the machines and 41.3x the bill.
  const ProposalCheck check =
      checked("workers = 1024\ntoday = 16\nserial = 0.1\nproblem = \"fixed\"\n");
  const std::string& money = check.questions[4].answer;
  EXPECT_NE(money.find("64x the machines"), std::string::npos) << money;
  EXPECT_NE(money.find("41.3x the bill"), std::string::npos) << money;
}

TEST(PlanCheck, EveryVerdictHasItsCase) {
  EXPECT_EQ(checked("workers = 16\ntoday = 8\nrate = 1.8\nrate_today = 1\n").decision,
            ProposalVerdict::kBuy);
  EXPECT_EQ(checked("workers = 16\ntoday = 8\nrate = 1.1\nrate_today = 1\ncommunication = 0.45\n"
                    "problem = \"fixed\"\n")
                .decision,
            ProposalVerdict::kCutCommunication);
  EXPECT_EQ(checked("workers = 16\n").decision, ProposalVerdict::kUndecided);
}

TEST(PlanCheck, ARidgeByPrecisionDecidesOnlyOutsideOfItsRange) {
  const auto bound = [](std::optional<double> intensity) {
    Proposal proposal{.workers = 16, .today = 8};
    proposal.communication = 0.2;
    proposal.intensity = intensity;
    proposal.ridge = 12.6;
    proposal.ridge_most = 169;
    return check_proposal(proposal).questions[2].answer;
  };
  EXPECT_TRUE(bound(5).starts_with("by memory")) << bound(5);
  EXPECT_TRUE(bound(50).starts_with("by compute or memory")) << bound(50);
  EXPECT_TRUE(bound(500).starts_with("by compute:")) << bound(500);
  EXPECT_NE(bound(std::nullopt).find("needs flops and bytes"), std::string::npos);  // not silent
}

TEST(PlanCheck, NobodyBuysNumbersThatDisagree) {
  for (const char* text :
       {"workers = 16\ntoday = 8\nrate = 3\nrate_today = 1\n",
        "workers = 64\ntoday = 1\nrate = 60\nrate_today = 1\nserial = 0.1\nproblem = \"fixed\"\n",
        "workers = 64\ntoday = 1\nrate = 60\nrate_today = 1\ncommunication = 0.5\n"}) {
    const ProposalCheck check = checked(text);
    EXPECT_EQ(check.decision, ProposalVerdict::kDisagree) << text;
    EXPECT_FALSE(check.questions[4].given) << check.questions[4].answer;
  }
  for (const char* text : {"workers = 8\ntoday = 16\nrate = 1\nrate_today = 1\n",
                           "workers = 8\ntoday = 8\nrate = 1\nrate_today = 1\n"}) {
    EXPECT_EQ(checked(text).decision, ProposalVerdict::kNoChange) << text;
  }
}

TEST(PlanCheck, ACeilingHasAnIntervalOrIsNotFound) {
  const auto ceiling = [](const char* rate) {
    return checked((std::string("workers = 64\ntoday = 1\nrate = ") + rate +
                    "\nrate_today = 1\nproblem = \"fixed\"\n")
                       .c_str())
        .questions[0]
        .answer;
  };
  EXPECT_NE(ceiling("63.5").find("no limit found"), std::string::npos) << ceiling("63.5");
  EXPECT_NE(ceiling("32").find("at most 63x on any number of workers ("), std::string::npos)
      << ceiling("32");
}

TEST(PlanCheck, WhatIsNotGivenSaysWhatWouldAnswerIt) {
  for (const CheckedQuestion& question : checked("title = \"more\"\n").questions) {
    EXPECT_FALSE(question.given);
    EXPECT_FALSE(question.answer.empty());
  }
}

TEST(PlanCheck, RooflineNumbersNameTheBound) {
  // Williams 2009: SpMV on the Opteron X2.
  const ProposalCheck check =
      checked("flops = 0.25\nbytes = 1\npeak_flops = 17.6e9\nbandwidth = 15e9\n");
  EXPECT_NE(check.questions[2].answer.find("memory bandwidth"), std::string::npos);
  EXPECT_NE(check.questions[2].answer.find("1.17"), std::string::npos);
}

TEST(PlanCheck, AStudyAnswersWhatItKnows) {
  const Study study = *import_pairs("1:100,2:60,4:40,8:35", "--data");
  const ProposalCheck check =
      check_proposal(proposal_of(study, *analyze(study, {.regime = Regime::kStrong})));
  EXPECT_TRUE(check.questions[0].given);
  EXPECT_TRUE(check.questions[1].given);
  EXPECT_FALSE(check.questions[3].given);
  EXPECT_EQ(check.decision, ProposalVerdict::kGrowProblem);
}

TEST(PlanCheck, NothingIsBoughtThatTheVerdictLeavesOpen) {
  const auto of = [](const char* pairs, std::optional<Regime> regime) {
    const Study study = *import_pairs(pairs, "--data");
    return check_proposal(proposal_of(study, *analyze(study, {.regime = regime})));
  };
  EXPECT_EQ(of("1:100,2:51,4:26,8:13.2", Regime::kStrong).decision, ProposalVerdict::kBuy);
  // What stays fixed was assumed.
  EXPECT_EQ(of("1:100,2:51,4:26,8:13.2", {}).decision, ProposalVerdict::kUndecided);
  // The values jump.
  EXPECT_TRUE(of("1:100,2:70,4:30,8:29,16:6", Regime::kStrong).by_verdict);
  // K = 8 is good again behind a bend at 4.
  const ProposalCheck again = of("1:100,2:52,4:40,8:17", Regime::kStrong);
  EXPECT_EQ(again.decision, ProposalVerdict::kUndecided) << again.why;
}

TEST(PlanCheck, WrongFilesAreRefusedAtTheirPlace) {
  for (const char* text : {"workers = 0\n", "communication = 22\n", "rate = 1\n", "speed = 2\n",
                           "problem = \"big\"\n", "price = \"cheap\"\n"}) {
    const Result<Proposal> read = parse_proposal(text, "p.toml");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().where.find("p.toml:1"), 0U) << read.error().where;
  }
}

constexpr const char* kMachines =
    "[machine.large]\nspeed = 2\nprice = \"8/worker-hour\"\nmost_workers = 8\nmemory = \"80GB\"\n"
    "[machine.small]\nprice = \"2/worker-hour\"\nmemory = \"16GB\"\n"
    "[machine.tiny]\nprice = \"0.1/worker-hour\"\nmemory = \"1GB\"\n";

TEST(PlanMachines, TheSameJobOnEach) {
  CostModel model;
  model.serial = 0.05;
  model.parallel = 0.95;
  PlanJob job = plan_job(model, 36000, {});
  for (const double k : job.workers) job.memory.push_back(40e9 / k + 2e9);
  PlanOptions options;
  options.goals = {{GoalKind::kDeadline, 2 * 3600.0}};
  const Result<MachineComparison> all =
      compare_machines(job, options, *parse_machines(kMachines, "machines.toml"));
  ASSERT_TRUE(all);
  // 2 h on small: (1-s)/(0.2-s) = 6.33, 7 workers; on large, T(1) is 5 h: (1-s)/(0.4-s), 3.
  EXPECT_EQ(all->machines[0].machine.name, "small");
  EXPECT_EQ(all->machines[0].plan->answers[0].best->workers, 7);
  EXPECT_EQ(all->machines[1].machine.name, "large");
  EXPECT_EQ(all->machines[1].plan->answers[0].best->workers, 3);
  EXPECT_NE(all->machines[2].reason.find("needs 2"), std::string::npos) << all->machines[2].reason;
}

TEST(PlanMachines, AFasterNetworkShortensCommunicationAlone) {
  CostModel model;
  model.serial = 0;
  model.parallel = 0.8;
  model.communication = {{Growth::kConstant, 0.2}};
  const PlanJob job = plan_job(model, 3600, {});
  const Machine fast{.name = "fast", .network = 2};
  PlanOptions options;
  options.goals = {{.kind = GoalKind::kCheapest}};
  const MachineComparison all = *compare_machines(job, options, {{fast}});
  EXPECT_NEAR(all.machines[0].plan->rows[1].point.time, 3600 * (0.4 + 0.1), 1e-6);
}

}  // namespace
}  // namespace kstar
