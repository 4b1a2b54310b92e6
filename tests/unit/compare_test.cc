#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kstar/compare.h"
#include "kstar/stats.h"
#include "support/compared_studies.h"

namespace kstar {
namespace {

using testing::HasSubstr;

TEST(Compare, TheSameStudyTwiceHasNoChange) {
  const auto comparison =
      compare(study_of(0.05), study_of(0.05),
              {.gates = gates_of({"T(8) rises 5%", "E(any) drops 5%", "bend drops", "K* drops"})});
  ASSERT_TRUE(comparison) << comparison.error().message;
  ASSERT_EQ(comparison->points.size(), 4U);
  for (const WorkersChange& point : comparison->points) {
    EXPECT_DOUBLE_EQ(point.time.ratio.point, 1);
    EXPECT_EQ(point.verdict, ChangeVerdict::kNoEvidence);
    EXPECT_TRUE(point.settled);
    EXPECT_FALSE(point.more_runs);
  }
  for (const GateOutcome& gate : comparison->gates) {
    EXPECT_EQ(gate.verdict, GateVerdict::kPassed) << gate.gate.text << ": " << gate.evidence;
  }
  EXPECT_TRUE(comparison->passed);
  EXPECT_FALSE(comparison->bend.bend_clear);
}

TEST(Compare, APlantedSerialPartIsFoundWithItsSize) {
  const auto comparison =
      compare(study_of(0.05), study_of(0.10),
              {.gates = gates_of({"E(8) drops 5%", "bend drops", "K* drops", "T(1) rises 1%",
                                  "T(any) rises 10%", "T(8) drops 1%"})});
  ASSERT_TRUE(comparison) << comparison.error().message;
  // T(8) = 0.16875 before, 0.2125 after.
  EXPECT_NEAR(at(*comparison, 8).time.ratio.point, 0.2125 / 0.16875, 1e-3);
  EXPECT_EQ(at(*comparison, 8).verdict, ChangeVerdict::kWorse);
  EXPECT_EQ(at(*comparison, 1).verdict, ChangeVerdict::kNoEvidence);
  EXPECT_NEAR(at(*comparison, 8).efficiency->ratio.point, 0.16875 / 0.2125, 2e-3);
  EXPECT_FALSE(comparison->bend.before);  // E(8) was 0.74
  EXPECT_EQ(comparison->bend.after->first_bad, 8);
  EXPECT_TRUE(comparison->bend.bend_clear);
  const GateVerdict expected[] = {GateVerdict::kFailed, GateVerdict::kFailed, GateVerdict::kFailed,
                                  GateVerdict::kPassed, GateVerdict::kFailed, GateVerdict::kPassed};
  for (std::size_t i = 0; i < comparison->gates.size(); ++i) {
    EXPECT_EQ(comparison->gates[i].verdict, expected[i])
        << comparison->gates[i].gate.text << ": " << comparison->gates[i].evidence;
  }
  EXPECT_FALSE(comparison->passed);
  ASSERT_FALSE(comparison->parts.empty());
  for (const PartChange& part : comparison->parts) {
    if (!part.name.starts_with("serial")) continue;
    EXPECT_TRUE(part.clear);
    EXPECT_NEAR(part.before->point, 0.05, 0.005);
    EXPECT_NEAR(part.after->point, 0.10, 0.005);
  }
}

TEST(Compare, TheOtherWayRoundItIsBetter) {
  const auto comparison =
      compare(study_of(0.10), study_of(0.05), {.gates = gates_of({"E(8) drops 5%", "bend drops"})});
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_EQ(at(*comparison, 8).verdict, ChangeVerdict::kBetter);
  EXPECT_TRUE(comparison->passed);
  for (const GateOutcome& gate : comparison->gates) {
    EXPECT_EQ(gate.verdict, GateVerdict::kPassed) << gate.evidence;
  }
}

TEST(Compare, OneRunASideDecidesNothing) {
  Study before = study_of(0.05), after = study_of(0.10);
  before.runs.resize(4);
  after.runs.resize(4);
  CompareOptions options{.gates = gates_of({"T(8) rises 5%"})};
  const auto lenient = compare(before, after, options);
  ASSERT_TRUE(lenient) << lenient.error().message;
  EXPECT_EQ(at(*lenient, 8).verdict, ChangeVerdict::kNoEvidence);
  EXPECT_FALSE(at(*lenient, 8).more_runs);
  EXPECT_EQ(lenient->gates[0].verdict, GateVerdict::kUndecided);
  EXPECT_TRUE(lenient->passed);
  options.strict = true;
  EXPECT_FALSE(compare(before, after, options)->passed);
}

TEST(Compare, OnlyWorkersThatBothHaveAreCompared) {
  const auto comparison = compare(study_of(0.05, {1, 2, 4, 8, 16}), study_of(0.05, {2, 4, 8, 32}));
  ASSERT_TRUE(comparison) << comparison.error().message;
  ASSERT_EQ(comparison->points.size(), 3U);
  EXPECT_EQ(comparison->points.front().workers, 2);
  EXPECT_EQ(comparison->base_workers, 2);
  ASSERT_TRUE(find(*comparison, "left-out"));
  EXPECT_THAT(note_sentence(*find(*comparison, "left-out")),
              HasSubstr("K = 1, 16 were measured before"));
}

TEST(Compare, RefusesStudiesWithoutACommonK) {
  const auto comparison = compare(study_of(0.05, {1, 2}), study_of(0.05, {4, 8}), {.anyway = true});
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message, HasSubstr("(1, 2), got runs at 4, 8"));
}

TEST(Compare, AnotherHostOfTheSameKindAndAnotherProgramAreSaid) {
  Study before = study_of(0.05), after = study_of(0.051);
  before.header.command = {"./old", "{K}"};
  after.header.command = {"./new", "{K}"};
  after.header.environment.hosts[0].name = "n2";
  before.header.environment.versions = {{"mpi", "4.1"}};
  after.header.environment.versions = {{"mpi", "5.0"}};
  const auto comparison = compare(before, after);
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_EQ(find(*comparison, "other-hosts")->severity, Severity::kWarning);
  EXPECT_THAT(note_sentence(*find(*comparison, "other-command")), HasSubstr("after: ./new"));
  EXPECT_THAT(note_sentence(*find(*comparison, "other-versions")), HasSubstr("mpi: 4.1 -> 5.0"));
}

TEST(Compare, WhatIsNotKnownIsSaid) {
  Study before = study_of(0.05), after = study_of(0.05);
  before.header.environment = {};
  after.header.workload = {};
  const auto comparison = compare(before, after);
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_THAT(note_sentence(*find(*comparison, "machine-unknown")), HasSubstr("the study before"));
  EXPECT_THAT(note_sentence(*find(*comparison, "workload-unknown")), HasSubstr("the study after"));
}

TEST(Compare, SaysThatOneIsACopyOfTheOther) {
  const Comparison copy = compare(study_of(0.05), study_of(0.05)).value();
  ASSERT_NE(find(copy, "same-times"), nullptr);
  const Comparison other = compare(study_of(0.05), study_of(0.06)).value();
  EXPECT_EQ(find(other, "same-times"), nullptr);
}

TEST(Compare, SaysOnceWhatBothSidesWarnOf) {
  Study before = study_of(0.05), after = study_of(0.06);
  for (Study* study : {&before, &after}) {
    study->header.regime.reset();
    study->header.workload.clear();
  }
  std::size_t said = 0;
  const Comparison comparison = compare(before, after).value();
  for (const Note& note : comparison.notes) {
    if (note.where.starts_with("before and after, regime")) ++said;
    EXPECT_FALSE(note.where.starts_with("after, regime"));
  }
  EXPECT_EQ(said, 1U);
}

TEST(CompareGate, ReadsTheGrammar) {
  const Gate time = parse_gate(" t(8)  RISES 2.5% ", "--fail-if").value();
  EXPECT_EQ(time.text, "t(8)  RISES 2.5%");
  EXPECT_EQ(time.quantity, GateQuantity::kTime);
  EXPECT_EQ(time.workers, 8);
  EXPECT_TRUE(time.rises);
  EXPECT_DOUBLE_EQ(time.limit, 0.025);
  EXPECT_DOUBLE_EQ(parse_gate("T(8) rises 5 %", "").value().limit, 0.05);
  const Gate any = parse_gate("E(any) drops", "--fail-if").value();
  EXPECT_EQ(any.quantity, GateQuantity::kEfficiency);
  EXPECT_FALSE(any.workers);
  EXPECT_FALSE(any.rises);
  EXPECT_EQ(any.limit, 0);
  EXPECT_EQ(parse_gate("bend drops", "").value().quantity, GateQuantity::kBend);
  EXPECT_EQ(parse_gate("K* drops", "").value().quantity, GateQuantity::kBestWorkers);
}

TEST(CompareGate, EveryMistakeIsNamedWithItsValueAndPlace) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "expected T(K), S(K), E(K), bend or K*, got nothing"},
      {"X(8) rises 5%", "expected T(K), S(K), E(K), bend or K*, got 'X(8)'"},
      {"T8 rises 5%", "got 'T8'"},
      {"T(0) rises 5%", "expected a number of workers of at least 1, or any, in parentheses, got"},
      {"T(8 rises 5%", "got '(8'"},
      {"T() rises", "got '()'"},
      {"T(99999999999) rises", "got '(99999999999)'"},
      {"T(8)", "expected rises or drops, got nothing"},
      {"T(8) sinks 5%", "expected rises or drops, got 'sinks'"},
      {"T(8) rises 5", "expected a percentage of at least 0%, got '5'"},
      {"T(8) rises -5%", "got '-5%'"},
      {"T(8) rises nan%", "got 'nan%'"},
      {"E(8) drops 100%", "expected a percentage from 0% to below 100%, got '100%'"},
      {"E(8) drops 5% now", "expected the end, got 'now'"},
      {"bend drops 5%", "expected the end: the bend and K* take no percentage"}};
  for (const auto& [text, message] : wrong) {
    const auto gate = parse_gate(text, "--fail-if");
    ASSERT_FALSE(gate) << text;
    EXPECT_EQ(gate.error().where, "--fail-if");
    EXPECT_THAT(gate.error().message, HasSubstr(message)) << text;
    EXPECT_EQ(gate.error().excerpt.find('^') != std::string::npos, *text != '\0') << text;
    EXPECT_EQ(gate.error().code, ExitCode::kUsage);
  }
}

TEST(CompareGate, WithoutSAndEThereIsNoBendToJudge) {
  Study before = study_of(0.05), after = study_of(0.08);
  for (Study* study : {&before, &after}) study->header.regime = Regime::kMixed;
  for (const char* gate : {"bend drops", "K* rises", "E(8) drops 5%"}) {
    const auto result = compare(before, after, {.gates = gates_of({gate})});
    ASSERT_FALSE(result) << gate;
    EXPECT_THAT(result.error().message, HasSubstr("no S and E to compare"));
  }
  EXPECT_TRUE(compare(before, after, {.gates = gates_of({"T(8) rises 5%"})}));
}

TEST(CompareGate, AKThatIsNotComparedIsAnError) {
  const auto comparison =
      compare(study_of(0.05), study_of(0.05), {.gates = gates_of({"T(3) rises 5%"})});
  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().where, "gate 'T(3) rises 5%'");
  EXPECT_EQ(comparison.error().message, "expected one of the compared K (1, 2, 4, 8), got '3'");
}

}  // namespace
}  // namespace kstar
