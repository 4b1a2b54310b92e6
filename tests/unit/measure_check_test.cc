#include "kstar/measure_check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "support/temp_folder.h"

namespace kstar {
namespace {

/// Answers every run with the same outcome, and keeps what it was asked.
class FakeExecutor : public Executor {
 public:
  Result<Outcome> run_during(const LaunchPlan& plan, const std::function<void()>& work) override {
    work();
    asked.push_back(plan);
    for (const auto& [name, value] : plan.variables) {
      if (name == "KSTAR_OUTPUT") seen = read_text(value);
    }
    return outcome;
  }
  Outcome outcome;
  std::vector<LaunchPlan> asked;
  std::string seen;
};

Outcome run_that_printed(std::string output) {
  Outcome outcome;
  outcome.exit_status = 0;
  outcome.output = std::move(output);
  return outcome;
}

Run run_at(int workers, Role role = Role::kParallel) {
  Run run;
  run.workers = workers;
  run.role = role;
  run.order = 0;
  return run;
}

std::string verdict(AnswerCheck& check, const std::string& output, int workers = 2) {
  const Result<void> checked = check.check(run_that_printed(output), run_at(workers));
  return checked ? "" : checked.error().message;
}

std::unique_ptr<AnswerCheck> check_of(const MeasureSpec& spec, Executor& executor) {
  auto check = make_answer_check(spec, executor);
  return check ? std::move(*check) : nullptr;
}

TEST(AnswerCheck, IsNotThereWhenNothingIsAsked) {
  FakeExecutor executor;
  EXPECT_EQ(*make_answer_check({}, executor), nullptr);
}

TEST(AnswerCheck, APatternThatIsWrongIsNamed) {
  FakeExecutor executor;
  MeasureSpec spec;
  spec.check_pattern = "[";
  const auto check = make_answer_check(spec, executor);
  EXPECT_EQ(check.error().where, "--check");
  EXPECT_NE(check.error().hint.find("missing ]"), std::string::npos) << check.error().hint;
}

TEST(AnswerCheck, TheFirstGoodRunSetsTheReference) {
  FakeExecutor executor;
  MeasureSpec spec;
  spec.check_pattern = "loss (\\S+)";
  const auto check = check_of(spec, executor);
  EXPECT_EQ(verdict(*check, "loss nan"), "wrong answer 'nan': not a finite number");
  EXPECT_EQ(check->reference(), "");
  EXPECT_EQ(verdict(*check, "loss 9\nloss 0.5\n", 1), "");
  EXPECT_EQ(check->reference(), "0.5");
  EXPECT_EQ(check->reference_of(), "K = 1, run 0");
  EXPECT_EQ(verdict(*check, "loss 0.5000001"), "");
  EXPECT_EQ(verdict(*check, "loss 0.6"),
            "wrong answer '0.6', where K = 1, run 0 has '0.5': relative error 0.167, "
            "allowed 1e-06");
  EXPECT_EQ(verdict(*check, "loss NaN"),
            "wrong answer 'NaN', where K = 1, run 0 has '0.5': not a finite number");
  EXPECT_EQ(
      verdict(*check, "no"),
      "it printed no answer: nothing in its output matches the pattern 'loss (\\S+)' of --check");
}

TEST(AnswerCheck, AStatedValueIsTheReference) {
  FakeExecutor executor;
  MeasureSpec spec;
  spec.check_pattern = "sum=(\\S+)";
  spec.check_value = "12";
  const auto check = check_of(spec, executor);
  EXPECT_EQ(verdict(*check, "sum=12"), "");
  EXPECT_EQ(verdict(*check, "sum=13"),
            "wrong answer '13', where --check-value has '12': whole numbers must be equal without "
            "--check-tolerance");
}

TEST(AnswerCheck, AResumedStudyKeepsItsReference) {
  FakeExecutor executor;
  MeasureSpec spec;
  spec.check_pattern = "sum=(\\S+)";
  const auto check = check_of(spec, executor);
  check->set_reference("7", "the baseline, run 3");
  EXPECT_NE(verdict(*check, "sum=8").find("the baseline, run 3 has '7'"), std::string::npos);
}

TEST(Answer, AgreesWithinTheTolerance) {
  const auto agree = [](const char* a, const char* b, std::optional<double> tolerance = {}) {
    return !disagreement(a, b, tolerance);
  };
  EXPECT_TRUE(agree("1.0", "1.0000005"));
  EXPECT_FALSE(agree("1.0", "1.00001"));
  EXPECT_TRUE(agree("1e3", "1000"));
  EXPECT_TRUE(agree("0.0000001", "0"));
  EXPECT_FALSE(agree("0.001", "0"));
  EXPECT_FALSE(agree("-1.5", "1.5"));
  EXPECT_TRUE(agree("110", "100", 0.1));
  EXPECT_FALSE(agree("120", "100", 0.1));
  // A count or a checksum is exact, also beyond what a double holds.
  EXPECT_FALSE(agree("10000000", "10000001"));
  EXPECT_FALSE(agree("18446744073709551615", "18446744073709551614"));
  EXPECT_TRUE(agree("+007", "7"));
  EXPECT_TRUE(agree("deadbeef", "deadbeef"));
  EXPECT_FALSE(agree("deadbeef", "deadbeee"));
  EXPECT_FALSE(agree("nan", "nan"));
  EXPECT_FALSE(agree("-inf", "-inf", 0.5));
}

TEST(AnswerCheck, ACommandSeesTheOutputAndDecides) {
  FakeExecutor executor;
  executor.outcome.exit_status = 0;
  MeasureSpec spec;
  spec.check_command = {"./verify", "-k", "{K}"};
  spec.time_limit = 5;
  const auto check = check_of(spec, executor);
  EXPECT_EQ(verdict(*check, "the output", 4), "");
  ASSERT_EQ(executor.asked.size(), 1U);
  const LaunchPlan& plan = executor.asked[0];
  EXPECT_EQ(plan.command, (std::vector<std::string>{"./verify", "-k", "4"}));
  EXPECT_EQ(plan.time_limit, 5);
  EXPECT_EQ(executor.seen, "the output");
  EXPECT_NE(::access(plan.variables[0].second.c_str(), F_OK), 0) << "the file stays behind";

  executor.outcome.exit_status = 3;
  executor.outcome.error_output = "row 7 differs\n";
  EXPECT_EQ(verdict(*check, ""), "wrong answer: './verify' returned 3: row 7 differs");
  executor.outcome = {};
  executor.outcome.timed_out = true;
  EXPECT_EQ(verdict(*check, ""), "wrong answer: './verify' did not end in time");
  executor.outcome.interrupted = true;
  EXPECT_EQ(check->check(run_that_printed(""), run_at(1)).error().code, ExitCode::kInterrupted);
}

TEST(AnswerCheck, AnAnswerThatTheCommandRefusesIsNoReference) {
  FakeExecutor executor;
  executor.outcome.exit_status = 1;
  MeasureSpec spec;
  spec.check_command = {"./verify"};
  spec.check_pattern = "(\\d+)";
  const auto check = check_of(spec, executor);
  EXPECT_NE(verdict(*check, "41"), "");
  executor.outcome.exit_status = 0;
  EXPECT_EQ(verdict(*check, "42"), "");
  EXPECT_EQ(check->reference(), "42");
}

TEST(AnswerCheck, AnAnswerCountsInACutOutputWhenNothingIsMissingBehindIt) {
  FakeExecutor executor;
  MeasureSpec spec;
  spec.check_pattern = "loss (\\S+)";
  spec.check_value = "2";
  const auto check = check_of(spec, executor);
  const auto said = [&](const std::string& output) {
    Outcome outcome = run_that_printed(output);
    outcome.output_left_out = 777;
    const Result<void> checked = check->check(outcome, run_at(2));
    return checked ? "" : checked.error().message;
  };
  const std::string gap = "\n[kstar: 777 bytes left out]\n";
  const std::string lost = "; 777 bytes in the middle of its long output were omitted";
  EXPECT_EQ(said("loss 1\n" + gap + "loss 2\n"), "");
  EXPECT_EQ(said("loss 2\n" + gap + "end\n"), "there may be another answer after '2'" + lost);
  EXPECT_EQ(
      said("x\n" + gap + "y\n"),
      "it printed no answer: nothing in its output matches the pattern 'loss (\\S+)' of --check" +
          lost);
}

TEST(AnswerCheck, TheCommandIsToldWhatIsMissingOfTheOutput) {
  FakeExecutor executor;
  executor.outcome.exit_status = 1;
  MeasureSpec spec;
  spec.check_command = {"right"};
  const auto check = check_of(spec, executor);
  Outcome outcome = run_that_printed("x\n");
  outcome.output_left_out = 777;
  const Result<void> checked = check->check(outcome, run_at(2));
  ASSERT_FALSE(checked);
  EXPECT_EQ(
      checked.error().message,
      "wrong answer: 'right' returned 1; 777 bytes in the middle of its long output were omitted");
  const auto& variables = executor.asked.at(0).variables;
  EXPECT_NE(std::find(variables.begin(), variables.end(),
                      std::pair<std::string, std::string>("KSTAR_OUTPUT_LEFT_OUT", "777")),
            variables.end());
}

}  // namespace
}  // namespace kstar
