#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.h"
#include "kstar/compare.h"
#include "kstar/compare_report.h"
#include "kstar/scaling_table.h"
#include "support/compared_studies.h"

// A difference between two sessions is not yet a change of the program.
namespace kstar {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr int kWorkers[] = {1, 2, 4, 8, 16, 32};

/// Five runs at each K with 2% of noise, in a session that is slower by `effect`.
void add_session(const std::string& name, double effect, Random& random, Study& study) {
  for (int block = 0; block < 5; ++block) {
    for (const int k : kWorkers) {
      kstar::Run run =
          run_of(k, (0.03 + 0.97 / k) * std::exp(effect + 0.02 * random.normal()), block);
      run.session = name;
      study.runs.push_back(run);
    }
  }
}

Study empty_study() {
  Study study = study_of(0.05);
  study.runs.clear();
  return study;
}

Study one_session(const std::string& name, double effect, Random& random) {
  Study study = empty_study();
  add_session(name, effect, random, study);
  return study;
}

std::string answer(const Comparison& comparison) {
  return to_terminal(to_document(comparison, {.brief = true}), {.width = 1000});
}

TEST(CompareSessions, AShiftBetweenTwoSessionsIsUndecidedAndTheWayOutIsNamed) {
  Random random(1);
  Study before = one_session("monday", 0, random), after = one_session("tuesday", 0.05, random);
  before.header.source.kind = after.header.source.kind = SourceKind::kMeasured;
  before.header.command = {"./old", "{K}"};
  after.header.command = {"./new", "{K}"};
  const Comparison comparison =
      compare(before, after, {.gates = gates_of({"T(any) rises 1%"})}).value();
  EXPECT_EQ(comparison.joint->verdict, ChangeVerdict::kChangeOrSession);
  EXPECT_EQ(comparison.gates[0].verdict, GateVerdict::kUndecided);
  const std::string text = answer(comparison);
  EXPECT_THAT(text, HasSubstr("Undecided between change and session"));
  EXPECT_THAT(text,
              HasSubstr("kstar measure --workers 1,2,4,8,16,32 --runs 5 --against './old {K}' "
                        "-o both.jsonl -- ./new {K}"));
  EXPECT_THAT(text, Not(HasSubstr("Slower")));
  EXPECT_THAT(text, Not(HasSubstr("the change passes")));
}

TEST(CompareSessions, InterleavedRunsOfOneSessionLeaveNoDoubt) {
  Random random(2);
  const Study before = one_session("same", 0.1, random), after = one_session("same", 0.15, random);
  const Comparison comparison = compare(before, after).value();
  EXPECT_TRUE(comparison.sessions.interleaved);
  EXPECT_EQ(comparison.joint->verdict, ChangeVerdict::kWorse);
  EXPECT_NEAR(comparison.joint->ratio.point, std::exp(0.05), 0.02);
  EXPECT_THAT(answer(comparison), HasSubstr("Slower"));
}

TEST(CompareSessions, WhatBlocksShareDoesNotWidenAnInterleavedComparison) {
  Random random(3);
  Study before = one_session("same", 0, random), after = one_session("same", 0.03, random);
  const double quiet = compare(before, after).value().joint->ratio.standard_error;
  for (Study* study : {&before, &after}) {
    for (kstar::Run& run : study->runs) run.wall = *run.wall * (1 + 0.1 * (*run.block % 3));
  }
  const Comparison moody = compare(before, after).value();
  EXPECT_LT(moody.joint->ratio.standard_error, 1.2 * quiet);
  EXPECT_EQ(moody.joint->verdict, ChangeVerdict::kWorse);
}

TEST(CompareSessions, SeveralSessionsPerSideAreUsedAsSuch) {
  Random random(4);
  const double effects[] = {-0.02, 0, 0.02};
  Study before = empty_study(), after = empty_study(), far = empty_study();
  for (int i = 0; i < 3; ++i) {
    add_session("a" + std::to_string(i), effects[i], random, before);
    add_session("b" + std::to_string(i), effects[i] + 0.02, random, after);
    add_session("c" + std::to_string(i), effects[i] + 0.30, random, far);
  }
  const Comparison near = compare(before, after).value();
  EXPECT_EQ(near.sessions.before, 3U);
  EXPECT_NEAR(*near.sessions.deviation, 0.02, 0.005);
  EXPECT_NE(near.joint->verdict, ChangeVerdict::kWorse) << "sessions differ as much";
  EXPECT_EQ(compare(before, far).value().joint->verdict, ChangeVerdict::kWorse);
}

TEST(CompareSessions, SessionsOfTheMachineDecideForOneSessionPerSide) {
  Random random(7);
  Study seen = empty_study();
  for (int i = 0; i < 6; ++i) add_session("s" + std::to_string(i), 0.01 * (i % 3), random, seen);
  const Study before = one_session("a", 0, random), after = one_session("b", 0.15, random);
  EXPECT_EQ(compare(before, after).value().joint->verdict, ChangeVerdict::kChangeOrSession);
  const Comparison known = compare(before, after, {.sessions_of = {seen}}).value();
  EXPECT_EQ(known.joint->verdict, ChangeVerdict::kWorse);
  const auto refused = compare(before, after, {.sessions_of = {before}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("at least two sessions"));
  seen.header.environment.hosts[0].cpu = "B";
  EXPECT_FALSE(compare(before, after, {.sessions_of = {seen}}));
}

TEST(CompareSessions, TheIntervalOfTOverSessionsContainsWhatTheyDifferBy) {
  Random random(5);
  Study one = empty_study(), several = empty_study();
  for (int i = 0; i < 4; ++i) {
    add_session("same", 0, random, one);
    add_session(std::to_string(i), 0.05 * (i - 1.5), random, several);
  }
  for (std::size_t i = 0; i < one.runs.size(); ++i) {  // one run of a block at each K
    one.runs[i].block = static_cast<int>(i / std::size(kWorkers));
  }
  const Estimate narrow = scaling_table(one)->points[2].time;
  const Estimate wide = scaling_table(several)->points[2].time;
  EXPECT_EQ(wide.scope, Scope::kSeveralSessions);
  // Sessions of -7.5% to 7.5%: a standard deviation of 6.5%, and 3.2 degrees' t over 4 of them.
  EXPECT_NEAR((wide.high - wide.low) / 2 / wide.point, 3.18 * 0.0645 / 2, 0.02);
  EXPECT_LT((narrow.high - narrow.low) / 2 / narrow.point, 0.02);
  const std::vector<Note> notes = scaling_table(several)->notes;
  const auto said = std::find_if(notes.begin(), notes.end(),
                                 [](const Note& note) { return note.what == "sessions-differ"; });
  ASSERT_NE(said, notes.end());
  EXPECT_THAT(note_sentence(*said), HasSubstr("4 sessions differ by 6."));
}

TEST(CompareSessions, OneSlowRunAtOneKDoesNotWidenTheOthers) {
  Random random(6);
  const Study before = one_session("same", 0, random);
  Study after = one_session("same", 0, random);
  const Comparison quiet = compare(before, after).value();
  for (kstar::Run& run : after.runs) {
    if (run.workers == 4 && *run.block == 2) run.wall = *run.wall * 3;
  }
  const Comparison slow = compare(before, after).value();
  for (const int k : kWorkers) {
    const Estimate &a = at(quiet, k).typical->ratio, &b = at(slow, k).typical->ratio;
    EXPECT_LT(std::log(b.high / b.low), 1.1 * std::log(a.high / a.low)) << k;
  }
}

}  // namespace
}  // namespace kstar
