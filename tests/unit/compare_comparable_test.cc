#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compare/workloads.h"
#include "kstar/compare.h"
#include "support/compared_studies.h"

// What may be compared with what.
namespace kstar {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Refused, with these words; --anyway lets it through with a warning of that name.
void expect_refused(const Study& after, const char* words, const char* what) {
  const auto refused = compare(study_of(0.05), after);
  ASSERT_FALSE(refused) << what;
  EXPECT_THAT(refused.error().message, HasSubstr(words));
  EXPECT_THAT(refused.error().hint, HasSubstr("--anyway"));
  const auto forced = compare(study_of(0.05), after, {.anyway = true});
  ASSERT_TRUE(forced) << forced.error().message;
  ASSERT_TRUE(find(*forced, what));
  EXPECT_EQ(find(*forced, what)->severity, Severity::kWarning);
}

TEST(Compare, RefusesAnotherMachineWorkloadRegimeOrKindOfTime) {
  Study other = study_of(0.05);
  other.header.environment.hosts[0].cpu = "B";
  expect_refused(other, "before on A, 8 cores, 16 threads; after on B", "other-machine");
  other = study_of(0.05);
  other.header.environment.hosts[0].accelerators = {"GPU", "GPU"};
  expect_refused(other, "2 x GPU", "other-machine");
  other = study_of(0.05);
  other.header.workload[0].size = 2000;
  expect_refused(other, "size 1000 before, 2000 after", "other-workload");
  other = study_of(0.05);
  other.header.regime = Regime::kWeak;
  expect_refused(other, "strong before, weak after", "other-regime");
  other = study_of(0.05);
  for (kstar::Run& run : other.runs) run.steps = {*run.wall};
  expect_refused(other, "T is a whole run before, one step after", "other-time");
}

Note import_note(const char* what) {
  return {.severity = Severity::kWarning, .what = what, .where = {}, .text = what, .extra = {}};
}

TEST(Compare, RefusesRatesAndSpeedupsAgainstTimes) {
  Study other = study_of(0.05);
  other.notes.push_back(import_note("rate"));
  expect_refused(other, "T is a whole run before, one unit of work (a rate) after", "other-time");
  other.notes.push_back(import_note("relative"));
  expect_refused(other, "a fraction of the base's own time (a speedup) after", "other-time");
}

TEST(Compare, OfTwoKindsOfTimeSAndEAreComparedAndTIsNot) {
  Study rates = study_of(0.08);
  rates.header.regime = Regime::kThroughput;  // the formula of S and E is that of strong scaling
  rates.notes.push_back(import_note("rate"));
  for (kstar::Run& run : rates.runs) *run.wall /= 1000;
  const Study before = study_of(0.05);
  const auto result = compare(before, rates, {.anyway = true});
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->times_compared);
  EXPECT_FALSE(result->regime);
  EXPECT_TRUE(result->parts.empty());
  const Comparison plain = compare(before, study_of(0.08)).value();
  for (const WorkersChange& point : result->points) {
    EXPECT_TRUE(std::isnan(point.time.ratio.point));
    EXPECT_TRUE(std::isnan(point.time.adjusted_p));
    EXPECT_EQ(point.verdict, ChangeVerdict::kNoEvidence);
    EXPECT_FALSE(point.settled);
    ASSERT_TRUE(point.efficiency);
    EXPECT_NEAR(point.efficiency->ratio.point, at(plain, point.workers).efficiency->ratio.point,
                1e-12);
  }
  const auto gate = compare(before, rates, {.anyway = true, .gates = gates_of({"T(8) rises 5%"})});
  ASSERT_FALSE(gate);
  EXPECT_THAT(gate.error().message, HasSubstr("T is not compared"));
  const auto other = compare(before, rates, {.anyway = true, .gates = gates_of({"E(8) drops 5%"})});
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->gates[0].verdict, GateVerdict::kFailed);
}

TEST(Compare, TwoStudiesOfSpeedupsHaveNoTimes) {
  Study before = study_of(0.05), after = study_of(0.08);
  for (Study* study : {&before, &after}) study->notes.push_back(import_note("relative"));
  const auto result = compare(before, after);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_FALSE(result->times_compared);
  EXPECT_TRUE(find(*result, "relative-times"));
}

TEST(Compare, ARegimeThatIsTakenForGrantedIsOneToo) {
  Study before = study_of(0.05), after = study_of(0.05);
  before.header.regime = Regime::kWeak;
  after.header.regime = {};
  after.header.workload = {};
  const auto refused = compare(before, after);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("weak before, strong (not said"));
  EXPECT_TRUE(compare(before, after, {.regime = Regime::kWeak}));
}

TEST(Compare, RefusesAnotherBenchmarkWhereverItIsSaid) {
  Study before = study_of(0.05), after = study_of(0.05);
  before.header.workload[0].extra = R"({"benchmark":"bert","seed":1})";
  const auto refused = [&](const char* message) {
    const auto result = compare(before, after);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr(message));
    EXPECT_TRUE(compare(before, after, {.anyway = true}));
  };
  EXPECT_TRUE(compare(before, after)) << "only one study says it";
  after.header.workload[0].extra = R"({"benchmark":"gpt3"})";
  refused("at K = 1: benchmark bert before, gpt3 after");
  before.header.workload[0].extra = after.header.workload[0].extra = "";
  before.header.extra = R"({"benchmark":"bert","round":"v3.1"})";
  after.header.extra = R"({"benchmark":"gpt3","round":"v4.0"})";
  refused("not comparable: benchmark bert before, gpt3 after");
  after.header.extra = R"({"mlperf":{"round":"v4.0","benchmark":"gpt3"}})";
  refused("not comparable: benchmark bert before, gpt3 after");
  after.header.extra = R"({"mlperf":{"round":"v4.0","benchmark":"bert"}})";
  EXPECT_TRUE(compare(before, after));
}

TEST(Compare, ChoicesOfTheBuildOrTheSoftwareAreSaidAndNotRefused) {
  Study before = study_of(0.05), after = study_of(0.051);
  before.header.workload[0].extra =
      R"({"settings":{"compiler":"gcc-12","kernel":"naive","model":"bert","dtype":"fp32"}})";
  after.header.workload[0].extra =
      R"({"settings":{"compiler":"gcc-13","kernel":"tiled","model":"bert","dtype":"bf16"}})";
  before.header.environment.versions = {{"compiler", "gcc-12"}};
  after.header.environment.versions = {{"compiler", "gcc-13"}};
  const auto comparison = compare(before, after);
  ASSERT_TRUE(comparison) << comparison.error().message;
  ASSERT_TRUE(find(*comparison, "other-settings"));
  EXPECT_EQ(
      find(*comparison, "other-settings")->text,
      "what changed: compiler: gcc-12 -> gcc-13; dtype: fp32 -> bf16; kernel: naive -> tiled");
  EXPECT_FALSE(find(*comparison, "other-versions")) << "it is said once";
  after.header.workload[0].extra = R"({"settings":{"compiler":"gcc-13","model":"gpt"}})";
  const auto refused = compare(before, after);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("at K = 1: model bert before, gpt after"));
  EXPECT_THAT(refused.error().message, Not(HasSubstr("compiler")));
}

TEST(CompareSettings, TheLastKnownWordDecides) {
  for (const char* name :
       {"compiler", "cflags", "CXXFLAGS", "build", "buildType", "build_type", "solver", "network",
        "mode", "library", "backend", "model precision", "compiler version", "optimizer"}) {
    EXPECT_TRUE(comparing::is_choice(name)) << name;
  }
  for (const char* name : {"model", "dataset", "dataset version", "kernel size", "batch", "unit",
                           "benchmark", "target accuracy", "resolution", "quux", ""}) {
    EXPECT_FALSE(comparing::is_choice(name)) << name;
  }
}

TEST(Compare, ATableOfStepTimesHasStepsAndNoWholeRuns) {
  Study step = study_of(0.05);
  step.notes.push_back(import_note("per-step"));
  expect_refused(step, "T is a whole run before, one step after", "other-time");
  Study more = step;
  step.header.workload[0].steps = 100;
  more.header.workload[0].steps = 200;
  const auto comparison = compare(step, more);
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_TRUE(comparison->times_compared);
  step.notes.clear();
  more.notes.clear();
  const auto refused = compare(step, more);
  ASSERT_FALSE(refused) << "of whole runs the steps count";
  EXPECT_THAT(refused.error().message, HasSubstr("steps 100 before, 200 after"));
}

/// Rates with a batch beside them.
Study rates_of(const char* unit) {
  Study study = study_of(0.05);
  study.notes.push_back(import_note("rate"));
  study.header.regime = Regime::kThroughput;
  study.header.workload = {{.unit = unit, .batch = 32}};
  return study;
}

TEST(Compare, RatesOfOtherUnitsAreRefused) {
  const auto refused = compare(rates_of("images"), rates_of("tokens"));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("unit images before, tokens after"));
  for (const auto& [one, other] : {std::pair{"images", "img"},
                                   {"tok", "Tokens"},
                                   {"sample", "samples"},
                                   {"seq", "sequences"},
                                   {"it", "iterations"},
                                   {"iter", "its"},
                                   {"step", "steps"}}) {
    const auto comparison = compare(rates_of(one), rates_of(other));
    ASSERT_TRUE(comparison) << one << ": " << comparison.error().message;
    EXPECT_FALSE(find(*comparison, "unit-unknown"));
  }
  EXPECT_FALSE(compare(rates_of("GB"), rates_of("Gb")));
}

TEST(Compare, AnUnknownUnitOfARateIsAWarning) {
  for (const char* unit : {"units of the rate", ""}) {
    const auto comparison = compare(rates_of("images"), rates_of(unit));
    ASSERT_TRUE(comparison) << comparison.error().message;
    ASSERT_TRUE(find(*comparison, "unit-unknown")) << unit;
    EXPECT_EQ(find(*comparison, "unit-unknown")->severity, Severity::kWarning);
    EXPECT_THAT(find(*comparison, "unit-unknown")->text,
                HasSubstr("the study after does not state the unit of its rate"));
  }
}

}  // namespace
}  // namespace kstar
