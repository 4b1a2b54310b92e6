#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kstar/study.h"
#include "kstar/study_file.h"
#include "support/study_examples.h"

namespace kstar {
namespace {

TEST(SteadyTime, IsTheMeanOfTheStepsBehindTheWarmUpSteps) {
  kstar::Run run;
  run.steps = {9, 1, 2};
  run.wall = 100;
  EXPECT_EQ(steady_time(run), 4);
  run.warm_up_steps = 1;
  EXPECT_EQ(steady_time(run), 1.5);
}

TEST(SteadyTime, IsWallLessSetupWhereNoStepsAreKnown) {
  kstar::Run run;
  run.wall = 10;
  EXPECT_EQ(steady_time(run), 10);
  run.setup = 4;
  EXPECT_EQ(steady_time(run), 6);
}

TEST(SteadyTime, IsAbsentRatherThanZeroOrNegative) {
  kstar::Run run;
  EXPECT_EQ(steady_time(run), std::nullopt);
  run.wall = 1;
  run.setup = 2;
  EXPECT_EQ(steady_time(run), std::nullopt);
  run.steps = {1, 1};
  run.warm_up_steps = 2;
  EXPECT_EQ(steady_time(run), std::nullopt);
}

TEST(Failed, KnowsTheThreeWaysToFailAndTakesUnknownForNone) {
  kstar::Run run;
  EXPECT_FALSE(failed(run));
  run.exit_status = 0;
  EXPECT_FALSE(failed(run));
  run.exit_status = 3;
  EXPECT_TRUE(failed(run));
  run = {};
  run.signal = 9;
  EXPECT_TRUE(failed(run));
  run = {};
  run.timed_out = true;
  EXPECT_TRUE(failed(run));
}

TEST(WorkloadAt, PrefersTheEntryOfKToTheGeneralOne) {
  StudyHeader header;
  EXPECT_EQ(workload_at(header, 4), nullptr);
  header.workload.resize(2);
  header.workload[0].size = 1;
  header.workload[1].workers = 4;
  header.workload[1].size = 2;
  EXPECT_EQ(workload_at(header, 4)->size, 2);
  EXPECT_EQ(workload_at(header, 8)->size, 1);
}

TEST(Run, IsSmallEnoughForAMillionInMemory) {
  EXPECT_LE(sizeof(kstar::Run), 320U);
}

TEST(Study, ComesBackFromItsLinesWithEveryFieldAndEveryUnknownKey) {
  const Study study = full_study();
  const auto lines = to_lines(study);
  ASSERT_TRUE(lines) << lines.error().where << lines.error().message;
  const auto back = parse_study(*lines, "x");
  ASSERT_TRUE(back) << back.error().where << " " << back.error().message << back.error().excerpt;
  EXPECT_EQ(back->header, study.header);
  EXPECT_EQ(back->runs, study.runs);
  EXPECT_EQ(back->notes, study.notes);
  EXPECT_EQ(back->unknown, study.unknown);
  EXPECT_EQ(to_lines(*back).value(), *lines);
}

TEST(Study, WritesNothingForWhatIsAbsent) {
  Study study;
  study.runs.emplace_back();
  study.notes.emplace_back();
  EXPECT_EQ(to_lines(study).value(),
            "{\"kstar\":\"study\",\"schema\":1}\n"
            "{\"record\":\"run\",\"workers\":1}\n"
            "{\"record\":\"note\",\"severity\":\"info\"}\n");
}

TEST(Study, KeepsZeroApartFromAbsent) {
  Study study;
  study.runs.emplace_back().setup = 0;
  const auto back = parse_study(to_lines(study).value(), "x");
  EXPECT_EQ(back->runs[0].setup, 0.0);
  EXPECT_EQ(back->runs[0].wall, std::nullopt);
}

TEST(Study, KeepsUnknownKeysWhateverTheirPlaceAndLayout) {
  const auto study = parse_study(
      "{\"new\": [1, {\"x\": 123456789012345678}], \"kstar\":\"study\", \"schema\" : 1}\n"
      "{ \"a\" :1.50 , \"record\":\"run\", \"b\\u0061\": \"x\" , \"workers\": 2 , \"c\":{ } }\r\n",
      "x");
  ASSERT_TRUE(study) << study.error().message << study.error().excerpt;
  EXPECT_EQ(study->header.extra, R"({"new":[1, {"x": 123456789012345678}]})");
  EXPECT_EQ(study->runs[0].extra, R"({"a":1.50,"b\u0061":"x","c":{ }})");
}

TEST(Study, ReadsAKnownKeyThatIsWrittenWithEscapes) {
  const auto study = parse_study(
      "{\"kstar\":\"study\",\"schema\":1}\n{\"record\":\"run\",\"w\\u006frkers\":3}\n", "x");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->runs[0].workers, 3);
  EXPECT_EQ(study->runs[0].extra, "");
}

TEST(Study, TakesNullForAbsent) {
  const auto study = parse_study(
      "{\"kstar\":\"study\",\"schema\":1,\"regime\":null}\n"
      "{\"record\":\"run\",\"workers\":3,\"wall\":null,\"per_worker\":null}\n",
      "x");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->header.regime, std::nullopt);
  EXPECT_EQ(study->runs[0].wall, std::nullopt);
  EXPECT_FALSE(study->runs[0].per_worker);
}

TEST(Study, RefusesToWriteWhatItCouldNotReadBack) {
  const auto refused = [](auto change) {
    Study study = small_study(1);
    change(study);
    return !to_lines(study).has_value();
  };
  EXPECT_FALSE(refused([](Study&) {}));
  EXPECT_TRUE(refused([](Study& s) { s.runs[0].workers = 0; }));
  EXPECT_TRUE(refused([](Study& s) { s.runs[0].wall = std::nan(""); }));
  EXPECT_TRUE(refused([](Study& s) { s.runs[0].setup = -1; }));
  EXPECT_TRUE(refused([](Study& s) { s.runs[0].steps = {1, HUGE_VAL}; }));
  EXPECT_TRUE(refused([](Study& s) { s.runs[0].extra = "x"; }));
  EXPECT_TRUE(refused([](Study& s) { s.runs[0].extra = R"({"wall":2})"; }));
  EXPECT_TRUE(refused([](Study& s) { s.unknown = {"[]"}; }));
}

TEST(Study, KeepsOneRecordOnOneLineWhateverTheExtraLooksLike) {
  Study study = small_study(1);
  study.runs[0].extra = "{\n \"a\": 1\n}\n";
  const auto back = parse_study(to_lines(study).value(), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->runs[0].extra, R"({"a":1})");
}

TEST(Study, ReplacesBytesOfAnOutputThatAreNotUtf8) {
  Study study = small_study(1);
  study.runs[0].output = std::string("a\xFF\0b\x1b", 5);
  const auto back = parse_study(to_lines(study).value(), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->runs[0].output, std::string("a\xEF\xBF\xBD\0b\x1b", 7));
}

TEST(Study, ItsLinesAreJsonForAnotherParser) {
  const std::string lines = to_lines(full_study()).value();
  std::istringstream stream(lines);
  int count = 0;
  for (std::string line; std::getline(stream, line); ++count) {
    EXPECT_TRUE(nlohmann::json::accept(line)) << line;
  }
  EXPECT_EQ(count, 5);
}

}  // namespace
}  // namespace kstar
