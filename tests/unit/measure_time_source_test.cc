#include "kstar/time_source.h"

#include <gtest/gtest.h>

namespace kstar {
namespace {

Outcome printed(std::string output, double wall = 10) {
  Outcome outcome;
  outcome.wall = wall;
  outcome.exit_status = 0;
  outcome.output = std::move(output);
  return outcome;
}

MeasureSpec pattern_spec(std::string pattern = "took ([^ \n]+)") {
  MeasureSpec spec;
  spec.time_from = TimeFrom::kPattern;
  spec.time_pattern = std::move(pattern);
  return spec;
}

MeasureSpec json_spec(std::string key = "step.seconds") {
  MeasureSpec spec;
  spec.time_from = TimeFrom::kJson;
  spec.time_key = std::move(key);
  return spec;
}

struct Reading {
  Run run;
  std::string failure;
};

Reading reading(const MeasureSpec& spec, const Outcome& outcome, int workers = 1) {
  const auto source = make_time_source(spec);
  if (!source) return {{}, "no source: " + source.error().message};
  Reading result;
  result.run.workers = workers;
  const Result<void> read = (*source)->read(outcome, "", result.run);
  if (!read) result.failure = read.error().message;
  return result;
}

using Steps = std::vector<double>;

TEST(TimeSource, TheWholeProcessHasNoSetup) {
  const Reading read = reading({}, printed("took 1"));
  EXPECT_EQ(read.run.wall, 10);
  EXPECT_FALSE(read.run.setup);
  EXPECT_TRUE(read.run.steps.empty());
  EXPECT_EQ(steady_time(read.run), 10);
  EXPECT_EQ((*make_time_source({}))->setup(), "nothing: the whole process counts");
}

TEST(TimeSource, EveryMatchIsAStepAndTheRestIsSetup) {
  const Reading read = reading(pattern_spec(), printed("a took 1\nb took 2.5\ntook +1e0 s"));
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.run.steps, (Steps{1, 2.5, 1}));
  EXPECT_EQ(read.run.setup, 5.5);
  EXPECT_EQ(read.run.wall, 10);
  EXPECT_EQ(steady_time(read.run), 1.5);
  EXPECT_EQ((*make_time_source(pattern_spec()))->setup_method(),
            "wall time minus the sum of the steps from the pattern 'took ([^ \\n]+)'");
}

TEST(TimeSource, LinesAreTheUnitOfAPattern) {
  EXPECT_EQ(reading(pattern_spec("^t=(.*)$"), printed("x\nt=1\nxt=7\nt=2\n")).run.steps,
            (Steps{1, 2}));
}

TEST(TimeSource, UnitsBecomeSeconds) {
  MeasureSpec spec = pattern_spec();
  const std::pair<const char*, double> kUnits[] = {{"s", 2},     {"ms", 2e-3}, {"us", 2e-6},
                                                   {"ns", 2e-9}, {"min", 120}, {"h", 7200}};
  for (const auto& [unit, seconds] : kUnits) {
    spec.time_unit = unit;
    EXPECT_DOUBLE_EQ(reading(spec, printed("took 2", 1e4)).run.steps.at(0), seconds) << unit;
  }
}

TEST(TimeSource, StandardErrorIsReadWhereStandardOutputHasNoTime) {
  Outcome outcome = printed("nothing here");
  outcome.error_output = "took 2";
  EXPECT_EQ(reading(pattern_spec(), outcome).run.steps, (Steps{2}));
  outcome.output = "took 3";
  EXPECT_EQ(reading(pattern_spec(), outcome).run.steps, (Steps{3}));
}

TEST(TimeSource, ARunWithoutATimeIsFailedWithAReason) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "it printed no time: nothing in its output matches the pattern 'took ([^ \\n]+)'"},
      {"took long", "expected a number where the pattern matches a time, got 'long'"},
      {"took nan", "expected a number where the pattern matches a time, got 'nan'"},
      {"took 1e999", "expected a number where the pattern matches a time, got '1e999'"},
      {"took -1", "it printed a time of -1"},
      {"took 0\ntook 0.00", "it printed only times of 0"},
      {"took 500", "the times it printed add up to 500 s, but it ran for 10 s"}};
  for (const auto& [output, reason] : kBad) {
    const Reading read = reading(pattern_spec(), printed(output));
    EXPECT_EQ(read.failure, reason);
    EXPECT_TRUE(read.run.steps.empty());
    EXPECT_FALSE(read.run.setup);
    EXPECT_EQ(read.run.wall, 10);
  }
}

TEST(TimeSource, RoundedTimesALittleAboveTheClockHaveNoSetup) {
  const Reading read = reading(pattern_spec(), printed("took 10.05"));
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.run.setup, 0);
}

TEST(TimeSource, RatesBecomeTheTimeOfTheWork) {
  MeasureSpec spec = pattern_spec();
  spec.time_is_rate = true;
  // Without work: the time of one unit, so that the mean is harmonic in the rates.
  Reading read = reading(spec, printed("took 100\ntook 50"));
  EXPECT_EQ(read.run.steps, (Steps{0.01, 0.02}));
  EXPECT_FALSE(read.run.setup);
  spec.batch = 200;
  read = reading(spec, printed("took 100\ntook 50"), 4);
  EXPECT_EQ(read.run.steps, (Steps{2, 4}));
  EXPECT_EQ(read.run.setup, 4);
  spec.time_work = 50;
  EXPECT_EQ(reading(spec, printed("took 100"), 4).run.steps, (Steps{0.5}));
  spec.regime = Regime::kWeak;
  EXPECT_EQ(reading(spec, printed("took 100"), 4).run.steps, (Steps{2}));
  spec.time_unit = "min";
  EXPECT_EQ(reading(spec, printed("took 6000"), 4).run.steps, (Steps{2}));
  EXPECT_EQ(reading(spec, printed("took 0"), 4).failure, "it printed a rate of 0");
}

TEST(TimeSource, WeakRatesNeedTheWork) {
  MeasureSpec spec = pattern_spec();
  spec.time_is_rate = true;
  spec.regime = Regime::kWeak;
  EXPECT_EQ(make_time_source(spec).error().where, "--rate");
}

TEST(TimeSource, JsonLinesAmongOthersGiveSteps) {
  const Reading read =
      reading(json_spec(),
              printed("loading\n{\"step\": {\"seconds\": 0.5}}\r\n{\"other\": 1}\n{broken\n[1]\n"
                      "  {\"step\":{\"seconds\":2}}\n{\"step\":{\"seconds\":1e999}}\n"));
  EXPECT_EQ(read.failure, "");
  EXPECT_EQ(read.run.steps, (Steps{0.5, 2}));
  EXPECT_EQ(read.run.setup, 7.5);
}

TEST(TimeSource, JsonPathsReachIntoListsAndKeysWithDots) {
  EXPECT_EQ(reading(json_spec("a.1.t"), printed(R"({"a":[{"t":1},{"t":2}]})")).run.steps,
            (Steps{2}));
  EXPECT_EQ(reading(json_spec("a.t"), printed(R"({"a.t":3})")).run.steps, (Steps{3}));
  EXPECT_EQ(reading(json_spec("a.t"), printed(R"({"a":7})")).failure,
            "it printed no time: nothing in its output matches JSON lines with the key 'a.t'");
}

TEST(TimeSource, AJsonValueThatIsNoNumberIsNamed) {
  EXPECT_EQ(reading(json_spec("t"), printed("x\n{\"t\":\"fast\"}")).failure,
            "expected a number at 't', got '\"fast\"'");
  EXPECT_EQ(reading(json_spec("t"), printed("{\"t\":null}")).failure,
            "expected a number at 't', got 'null'");
}

TEST(TimeSource, HostileOutputIsRead) {
  const std::string deep(100'000, '{');
  EXPECT_NE(reading(json_spec("t"), printed(deep)).failure, "");
  EXPECT_NE(reading(json_spec("t"), printed(std::string("\0\xFF\n{\0}", 6))).failure, "");
  const std::string long_line(1'000'000, 'x');
  EXPECT_EQ(reading(pattern_spec("(x*)y"), printed(long_line)).failure.substr(0, 18),
            "it printed no time");
  EXPECT_NE(reading(pattern_spec("(x*)"), printed("ab")).failure, "");
}

TEST(TimeSource, MarksComeFromTheirReader) {
  MeasureSpec spec;
  spec.time_from = TimeFrom::kMarks;
  EXPECT_EQ(make_time_source(spec).error().where, "--time marks");
  std::string folder;
  const auto source = make_time_source(spec, [&](const Outcome&, const std::string& from) {
    folder = from;
    kstar::Run run;
    run.setup = 1;
    run.steps = {2, 3};
    run.warm_up_steps = 1;
    run.per_worker.emplace().compute = {4};
    return Result<kstar::Run>(run);
  });
  kstar::Run run;
  ASSERT_TRUE((*source)->read(printed(""), "/marks", run));
  EXPECT_EQ(folder, "/marks");
  EXPECT_EQ(run.wall, 10);
  EXPECT_EQ(run.setup, 1);
  EXPECT_EQ(run.steps, (Steps{2, 3}));
  EXPECT_EQ(run.warm_up_steps, 1);
  EXPECT_EQ(run.per_worker->compute, (Steps{4}));
  const auto empty = make_time_source(
      spec, [](const Outcome&, const std::string&) { return Result<kstar::Run>(kstar::Run{}); });
  EXPECT_EQ((*empty)->read(printed(""), "", run).error().message, "it marked no step");
}

/// What is kept of an output that is too long: a line stands for what is missing.
Outcome cut(const std::string& head, const std::string& tail) {
  Outcome outcome = printed(head + "\n[kstar: 777 bytes omitted]\n" + tail);
  outcome.output_left_out = 777;
  return outcome;
}

TEST(TimeSource, SaysThatATimeMayBeInWhatWasNotKept) {
  const std::string lost = "; 777 bytes in the middle of its long output were omitted";
  EXPECT_EQ(reading(pattern_spec("t=(.*)"), cut("x", "y")).failure,
            "it printed no time: nothing in its output matches the pattern 't=(.*)'" + lost);
  EXPECT_NE(reading(json_spec(), cut("x", "y")).failure.find(lost), std::string::npos);
}

TEST(TimeSource, OneTimeInACutOutputIsRefused) {
  EXPECT_EQ(reading(pattern_spec(), cut("x", "took 2\n")).failure,
            "its times may be incomplete: 1 was found; 777 bytes in the middle of its long output "
            "were omitted");
}

TEST(TimeSource, SeveralTimesInACutOutputAreRefused) {
  const std::string lost =
      "its times may be incomplete: 2 were found; 777 bytes in the middle of its long output were "
      "omitted";
  const Reading pattern = reading(pattern_spec(), cut("took 1\n", "took 2\n"));
  EXPECT_EQ(pattern.failure, lost);
  EXPECT_TRUE(pattern.run.steps.empty());
  EXPECT_EQ(reading(json_spec("t"), cut("{\"t\":1}\n", "{\"t\":2}\n")).failure, lost);
}

TEST(TimeSource, ACutOfTheOtherStreamDoesNotMatter) {
  Outcome outcome = printed("took 1\ntook 2\n");
  outcome.error_left_out = 777;
  EXPECT_EQ(reading(pattern_spec(), outcome).run.setup, 7);
}

}  // namespace
}  // namespace kstar
