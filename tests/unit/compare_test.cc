#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "compare/evidence.h"
#include "compare/rounding.h"
#include "compare/settings.h"
#include "kstar/compare.h"
#include "kstar/stats.h"

namespace kstar {
namespace {

using testing::HasSubstr;
using testing::Not;

kstar::Run run_of(int workers, double wall, int block) {
  kstar::Run run;
  run.workers = workers;
  run.wall = wall;
  run.block = block;
  run.exit_status = 0;
  run.session = "one";
  return run;
}

/// T = serial + (1 - serial) / K, six runs each, with a noise of 0.5 % in a fixed pattern.
Study study_of(double serial, const std::vector<int>& workers = {1, 2, 4, 8}) {
  Study study;
  study.name = "study.jsonl";
  study.header.regime = Regime::kStrong;
  study.header.workload = {{.size = 1000, .unit = "rows"}};
  study.header.environment.hosts = {{.name = "n1", .cpu = "A", .cores = 8, .threads = 16}};
  for (int block = 0; block < 6; ++block) {
    for (const int k : workers) {
      const double noise = 1 + 0.0025 * ((block * 2 + k * 3) % 5 - 2);
      study.runs.push_back(run_of(k, (serial + (1 - serial) / k) * noise, block));
    }
  }
  return study;
}

const WorkersChange& at(const Comparison& comparison, int workers) {
  for (const WorkersChange& point : comparison.points) {
    if (point.workers == workers) return point;
  }
  throw std::out_of_range("no such K");
}

const Note* find(const Comparison& comparison, std::string_view what) {
  for (const Note& note : comparison.notes) {
    if (note.what == what) return &note;
  }
  return nullptr;
}

Estimate estimate_of(double point, double error, double degrees) {
  return {.point = point,
          .standard_error = error,
          .n = 5,
          .method = IntervalMethod::kPooled,
          .degrees = degrees};
}

std::vector<Gate> gates_of(const std::vector<std::string>& texts) {
  std::vector<Gate> gates;
  for (const std::string& text : texts) gates.push_back(parse_gate(text, "test").value());
  return gates;
}

TEST(CompareEvidence, ARatioOfEstimatesIsWelchOnLogarithms) {
  // Relative errors of 3 % and 4 % make one of 5 %; with shares of 0.36 and 0.64 of the variance
  // and 10 degrees each, 1 / (0.36^2/10 + 0.64^2/10) = 18.546; t is 2.0967 there.
  const auto ratio = estimate_ratio(estimate_of(12, 0.36, 10), estimate_of(10, 0.4, 10), 0.95);
  ASSERT_TRUE(ratio) << ratio.error().message;
  EXPECT_DOUBLE_EQ(ratio->point, 1.2);
  EXPECT_NEAR(ratio->standard_error, 0.06, 1e-12);
  EXPECT_NEAR(ratio->degrees, 18.546, 1e-3);
  EXPECT_NEAR(ratio->low, 1.2 * std::exp(-2.0967 * 0.05), 1e-4);
  EXPECT_NEAR(ratio->high, 1.2 * std::exp(2.0967 * 0.05), 1e-4);
  EXPECT_EQ(ratio->method, IntervalMethod::kPooled);
}

TEST(CompareEvidence, AnExactNumberAddsNothingToTheErrorOfARatio) {
  Estimate one{.point = 1, .standard_error = 0};
  const auto ratio = estimate_ratio(estimate_of(2, 0.1, 7), one, 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->standard_error, 0.1, 1e-12);
  EXPECT_NEAR(ratio->degrees, 7, 1e-6);
}

TEST(CompareEvidence, ARatioOfOneRunHasNoInterval) {
  const Estimate bare{.point = 2, .standard_error = std::nan(""), .n = 1};
  const auto ratio = estimate_ratio(bare, estimate_of(1, 0.1, 7), 0.95);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->method, IntervalMethod::kNone);
  EXPECT_TRUE(std::isnan(comparing::chance_of(*ratio)));
  EXPECT_FALSE(comparing::more_runs(*ratio, {}));
}

TEST(CompareEvidence, TheChanceIsThatOfStudent) {
  // log(1.1) / 0.05 = 1.9062: with 10 degrees, two-sided, 0.0857.
  Estimate ratio{.point = 1.1, .standard_error = 0.055, .method = IntervalMethod::kPooled};
  ratio.degrees = 10;
  EXPECT_NEAR(comparing::chance_of(ratio), 0.0857, 1e-4);
  ratio.standard_error = 0;
  EXPECT_EQ(comparing::chance_of(ratio), 0);
  ratio.point = 1;
  EXPECT_EQ(comparing::chance_of(ratio), 1);
}

TEST(CompareEvidence, HolmIsAsInHisPaper) {
  // p = 0.01, 0.04, 0.03, 0.005 -> 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.06 again for 1 x 0.04.
  std::vector<RatioChange> changes(5);
  const double chances[] = {0.01, 0.04, 0.03, 0.005, std::nan("")};
  std::vector<RatioChange*> pointers;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    changes[i].p = chances[i];
    pointers.push_back(&changes[i]);
  }
  comparing::adjust(pointers);
  EXPECT_DOUBLE_EQ(changes[0].adjusted_p, 0.03);
  EXPECT_DOUBLE_EQ(changes[1].adjusted_p, 0.06);
  EXPECT_DOUBLE_EQ(changes[2].adjusted_p, 0.06);
  EXPECT_DOUBLE_EQ(changes[3].adjusted_p, 0.02);
  EXPECT_TRUE(std::isnan(changes[4].adjusted_p));
  EXPECT_FALSE(comparing::is_evident(changes[4], 0.95));
  EXPECT_TRUE(comparing::is_evident(changes[0], 0.95));
  EXPECT_FALSE(comparing::is_evident(changes[1], 0.95));
}

TEST(CompareEvidence, MoreRunsFollowFromTheNoiseAndTheDifference) {
  // An error of 3 % with 5 runs a side and many degrees: 5 % needs
  // n = 5 ((1.96 + 0.8416) 0.03 / log 1.05)^2 = 14.8, ten more.
  Estimate ratio{.point = 1.0, .standard_error = 0.03, .method = IntervalMethod::kPooled};
  ratio.degrees = 1e6;
  comparing::RunsAsked asked{.runs_before = 5, .runs_after = 5};
  EXPECT_EQ(comparing::more_runs(ratio, asked), 10U);
  // A difference of 10 % was seen: n = 5 (2.8016 x 0.03 / log 1.1)^2 = 3.9; then one more is asked.
  ratio.point = 1.1;
  ratio.standard_error = 0.033;
  EXPECT_EQ(comparing::more_runs(ratio, asked), 1U);
  // Of 12 K, 0.05 / 12 is 2.865 errors: n = 5 ((2.865 + 0.8416) 0.03 / log 1.05)^2 = 25.97.
  ratio.point = 1;
  ratio.standard_error = 0.03;
  asked.compared = 12;
  EXPECT_EQ(comparing::more_runs(ratio, asked), 21U);
}

/// One K after the other, each with its times.
Study study_with(const std::vector<std::pair<int, std::vector<double>>>& times) {
  Study study;
  study.header.regime = Regime::kStrong;
  for (const auto& [workers, walls] : times) {
    for (std::size_t i = 0; i < walls.size(); ++i) {
      study.runs.push_back(run_of(workers, walls[i], static_cast<int>(i)));
    }
  }
  return study;
}

double hidden(const Study& study, const std::vector<double>& times,
              comparing::TimeKind kind = comparing::TimeKind::kRun) {
  return comparing::hidden_by_rounding(times, comparing::digits_of(study, kind)).error;
}

TEST(CompareRounding, EqualRunsHideAStepOfTheLastDigit) {
  const double part = 1 / std::sqrt(12.0);
  const Study seconds = study_with({{1, {100, 100}}, {8, {15, 15}}});
  EXPECT_NEAR(hidden(seconds, {100, 100}), 0.01 * part, 1e-15);
  EXPECT_NEAR(hidden(seconds, {15, 15}), part / 15, 1e-15);
  EXPECT_EQ(hidden(seconds, {100}), 0);  // one run has no interval at all
  EXPECT_EQ(hidden(seconds, {100, 101}), 0);
  // Tenths of a second, or three digits: which cannot be told, and the wider step counts.
  const Study tenths = study_with({{1, {100, 100}}, {8, {15.2, 15.3}}});
  EXPECT_NEAR(hidden(tenths, {100, 100}), 0.01 * part, 1e-15);
  const Study finer = study_with({{1, {100.1, 100}}, {8, {15.2, 15.2}}});
  EXPECT_NEAR(hidden(finer, {15.2, 15.2}), 0.1 / 15.2 * part, 1e-15);
  // 0.0052 s and 0.0150 s: a tenth of a millisecond.
  const Study small = study_with({{1, {0.015, 0.015}}, {8, {0.0052, 0.0052}}});
  EXPECT_NEAR(hidden(small, {0.0052, 0.0052}), 0.0001 / 0.0052 * part, 1e-15);
  EXPECT_NEAR(hidden(small, {0.015, 0.015}), 0.001 / 0.015 * part, 1e-15);
  // A clock with all digits hides nothing that could be seen.
  EXPECT_EQ(hidden(study_with({{1, {0.1234567890123, 2}}}), {2, 2}), 0);
}

TEST(CompareRounding, OfRatesTheDigitsAreThoseOfTheRate) {
  const Study rates = study_with({{1, {1.0 / 100, 1.0 / 100}}, {4, {1.0 / 370, 1.0 / 370}}});
  EXPECT_NEAR(hidden(rates, {1.0 / 370, 1.0 / 370}, comparing::TimeKind::kUnit),
              1 / 370.0 / std::sqrt(12.0), 1e-12);
}

TEST(CompareRounding, EqualRunsAreNoProofOfAChange) {
  const auto result = compare(study_with({{1, {100, 100, 100, 100}}, {8, {15, 15, 15, 15}}}),
                              study_with({{1, {101, 101, 101, 101}}, {8, {15, 15, 15, 15}}}),
                              {.gates = gates_of({"T(any) rises 0.5%", "E(8) rises 0.5%"})});
  ASSERT_TRUE(result) << result.error().message;
  // Relative errors of 0.2887 % and 0.2858 %, 6 degrees of freedom: t is 2.4469.
  const Estimate& ratio = at(*result, 1).time.ratio;
  const double error = std::hypot(1.0 / 100, 1.0 / 101) / std::sqrt(12.0);
  EXPECT_NEAR(ratio.degrees, 6, 0.01);
  EXPECT_NEAR(ratio.low, 1.01 * std::exp(-2.4469 * error), 1e-5);
  EXPECT_NEAR(ratio.high, 1.01 * std::exp(2.4469 * error), 1e-5);
  EXPECT_EQ(at(*result, 1).verdict, ChangeVerdict::kNoEvidence);
  EXPECT_FALSE(at(*result, 8).settled);
  EXPECT_FALSE(at(*result, 8).more_runs);
  EXPECT_NEAR(at(*result, 8).efficiency->ratio.standard_error / 1.01,
              std::hypot(error, std::sqrt(2.0) / 15 / std::sqrt(12.0)), 1e-9);
  EXPECT_EQ(at(*result, 1).efficiency->ratio.standard_error, 0);  // E of the base is 1
  for (const GateOutcome& gate : result->gates) EXPECT_EQ(gate.verdict, GateVerdict::kUndecided);
  ASSERT_TRUE(find(*result, "equal-runs"));
  EXPECT_THAT(find(*result, "equal-runs")->text, HasSubstr("at K = 1, 8: rounding hides"));
}

TEST(CompareRounding, AChangeOfManyStepsIsEvidentAllTheSame) {
  const auto result = compare(study_with({{1, {100, 100, 100, 100}}, {8, {15, 15, 15, 15}}}),
                              study_with({{1, {110, 110, 110, 110}}, {8, {20, 20, 20, 20}}}));
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(at(*result, 1).verdict, ChangeVerdict::kWorse);
  EXPECT_EQ(at(*result, 8).verdict, ChangeVerdict::kWorse);
}

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
  EXPECT_THAT(find(*comparison, "left-out")->text, HasSubstr("K = 1, 16 were measured before"));
}

TEST(Compare, RefusesStudiesWithoutACommonK) {
  const auto comparison = compare(study_of(0.05, {1, 2}), study_of(0.05, {4, 8}), {.anyway = true});
  ASSERT_FALSE(comparison);
  EXPECT_THAT(comparison.error().message, HasSubstr("(1, 2), got runs at 4, 8"));
}

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
  expect_refused(other, "a part of the base's own time (a speedup) after", "other-time");
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
                HasSubstr("the study after does not say what its rate counts"));
  }
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
  EXPECT_THAT(find(*comparison, "other-command")->text, HasSubstr("after: ./new"));
  EXPECT_THAT(find(*comparison, "other-versions")->text, HasSubstr("mpi: 4.1 -> 5.0"));
  EXPECT_TRUE(find(*comparison, "two-sessions"));
}

TEST(Compare, WhatIsNotKnownIsSaid) {
  Study before = study_of(0.05), after = study_of(0.05);
  before.header.environment = {};
  after.header.workload = {};
  const auto comparison = compare(before, after);
  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_THAT(find(*comparison, "machine-unknown")->text, HasSubstr("the study before"));
  EXPECT_THAT(find(*comparison, "workload-unknown")->text, HasSubstr("the study after"));
}

TEST(Compare, SaysThatOneIsACopyOfTheOther) {
  const Comparison copy = compare(study_of(0.05), study_of(0.05)).value();
  ASSERT_NE(find(copy, "same-times"), nullptr);
  EXPECT_EQ(find(copy, "two-sessions"), nullptr);
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
      {"", "expected T(K), S(K), E(K), bend or K*, and nothing is there"},
      {"X(8) rises 5%", "expected T(K), S(K), E(K), bend or K*, got 'X(8)'"},
      {"T8 rises 5%", "got 'T8'"},
      {"T(0) rises 5%", "expected a number of workers from 1 on, or any, in round brackets, got"},
      {"T(8 rises 5%", "got '(8'"},
      {"T() rises", "got '()'"},
      {"T(99999999999) rises", "got '(99999999999)'"},
      {"T(8)", "expected rises or drops, and nothing is there"},
      {"T(8) sinks 5%", "expected rises or drops, got 'sinks'"},
      {"T(8) rises 5", "expected a percentage from 0% on, got '5'"},
      {"T(8) rises -5%", "got '-5%'"},
      {"T(8) rises nan%", "got 'nan%'"},
      {"E(8) drops 100%", "expected a percentage from 0% to below 100%, got '100%'"},
      {"E(8) drops 5% now", "expected the end, got 'now'"},
      {"bend drops 5%", "expected the end, for the bend and K* move"}};
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
  EXPECT_EQ(comparison.error().message, "expected one of the K compared (1, 2, 4, 8), got '3'");
}

}  // namespace
}  // namespace kstar
