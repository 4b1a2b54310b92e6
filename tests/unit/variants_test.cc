#include "kstar/variants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kstar/measure_set.h"

namespace kstar {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MeasureSpec spec_of(std::vector<std::string> command) {
  MeasureSpec spec;
  spec.command = std::move(command);
  spec.workers = {1, 2};
  spec.output = "study.jsonl";
  return spec;
}

std::vector<std::string> outputs(const std::vector<Variant>& variants) {
  std::vector<std::string> all;
  for (const Variant& variant : variants) all.push_back(variant.spec.output);
  return all;
}

TEST(Variants, ACommandAgainstAnotherAreTwoStudies) {
  MeasureSpec spec = spec_of({"./new", "{K}"});
  EXPECT_FALSE(has_variants(spec));
  spec.against = {"./old", "{K}"};
  const std::vector<Variant> variants = variants_of(spec).value();
  EXPECT_THAT(outputs(variants), ElementsAre("study.jsonl", "study.against.jsonl"));
  EXPECT_THAT(variants[0].spec.command, ElementsAre("./new", "{K}"));
  EXPECT_THAT(variants[1].spec.command, ElementsAre("./old", "{K}"));
  for (const Variant& variant : variants) EXPECT_FALSE(has_variants(variant.spec));
}

TEST(Variants, EveryCombinationOfValuesIsAStudyWithItsName) {
  MeasureSpec spec = spec_of({"./prog", "--n={n}", "{{n}}", "{K}"});
  spec.variables["MODE"] = "{mode}";
  spec.parameters = {{"n", "1,{2}"}, {"mode", "a,b"}};
  const std::vector<Variant> variants = variants_of(spec).value();
  EXPECT_THAT(outputs(variants), ElementsAre("study.mode=a.n=1.jsonl", "study.mode=a.n={2}.jsonl",
                                             "study.mode=b.n=1.jsonl", "study.mode=b.n={2}.jsonl"));
  // A brace of the value is one of the program's, and {{n}} never was a place.
  EXPECT_THAT(variants[3].spec.command, ElementsAre("./prog", "--n={{2}}", "{{n}}", "{K}"));
  EXPECT_EQ(variants[3].spec.variables.at("MODE"), "b");
}

TEST(Variants, AParameterThatNothingUsesIsNamed) {
  MeasureSpec spec = spec_of({"./prog", "{K}"});
  spec.parameters = {{"n", "1,2"}};
  const auto variants = variants_of(spec);
  ASSERT_FALSE(variants);
  EXPECT_EQ(variants.error().where, "--parameter");
  EXPECT_THAT(variants.error().message, HasSubstr("expected {n} in the command"));
  EXPECT_THAT(variants.error().message, HasSubstr("n=1,2"));
}

Study with_sessions(int sessions, int runs) {
  Study study;
  for (int session = 0; session < sessions; ++session) {
    for (int i = 0; i < runs; ++i) {
      Run run;
      run.wall = 1;
      run.session = std::to_string(session);
      study.runs.push_back(run);
    }
  }
  return study;
}

TEST(Variants, SessionsShareTheRuns) {
  MeasureSpec spec = spec_of({"./prog", "{K}"});
  spec.sessions = 3;
  spec.runs = 10;
  EXPECT_EQ(session_share(spec, {}).runs, 4);
  EXPECT_EQ(session_share(spec, with_sessions(1, 4)).runs, 7);
  EXPECT_EQ(session_share(spec, with_sessions(2, 4)).runs, 10);
  EXPECT_EQ(session_share(spec, with_sessions(3, 4)).runs, 10) << "all of them are there";
  spec.runs.reset();
  EXPECT_NEAR(session_share(spec, {}).precision, spec.precision * std::sqrt(3.0), 1e-12);
  EXPECT_EQ(session_share(spec, with_sessions(1, 12)).runs, 24) << "as many as the first";
  EXPECT_EQ(session_share(spec, with_sessions(3, 12)).runs, 36);
}

}  // namespace
}  // namespace kstar
