#include <gtest/gtest.h>

#include "kstar/study_file.h"
#include "support/study_examples.h"

namespace kstar {
namespace {

/// Two studies of one job, from two days.
std::vector<Study> two_days() {
  std::vector<Study> studies = {small_study(4), small_study(4)};
  studies[0].name = "data/monday.jsonl";
  studies[1].name = "data/tuesday.jsonl";
  for (kstar::Run& run : studies[1].runs) *run.start += 86400;
  return studies;
}

Error merge_error(const std::vector<Study>& studies) {
  const auto merged = merge_studies(studies);
  return merged ? Error{} : merged.error();
}

TEST(MergeStudies, KeepsAllRunsNotesAndUnknownRecords) {
  auto studies = two_days();
  studies[0].notes = {full_note()};
  studies[1].notes = {full_note()};
  studies[1].unknown = {"{\"record\":\"power\"}"};
  const auto merged = merge_studies(studies);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_EQ(merged->runs.size(), 8U);
  EXPECT_EQ(merged->notes.size(), 2U);
  EXPECT_EQ(merged->unknown.size(), 1U);
  EXPECT_EQ(merged->header, studies[0].header);
  EXPECT_TRUE(to_lines(*merged).has_value());
}

TEST(MergeStudies, KeepsTheSessionsOfDifferentFilesApart) {
  auto studies = two_days();
  studies[1].runs[3].session = "own";
  const auto merged = merge_studies(studies);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->runs[0].session, "monday/a");
  EXPECT_EQ(merged->runs[4].session, "tuesday/a");
  EXPECT_EQ(merged->runs[7].session, "own");
  for (Study& study : studies) {
    study.name = "same.jsonl";
    for (kstar::Run& run : study.runs) run.session.clear();
  }
  const auto unnamed = merge_studies(studies);
  EXPECT_EQ(unnamed->runs[0].session, "same");
  EXPECT_EQ(unnamed->runs[4].session, "same#2");
}

TEST(MergeStudies, NamesBothFilesTheKeyAndBothValuesWhenTheJobDiffers) {
  auto studies = two_days();
  studies[1].header.regime = Regime::kWeak;
  const Error error = merge_error(studies);
  EXPECT_EQ(error.where, "data/tuesday.jsonl");
  EXPECT_EQ(error.message, "regime is \"weak\" here, but \"strong\" in data/monday.jsonl");
}

TEST(MergeStudies, RefusesEveryKindOfDifferentJob) {
  const auto refused = [](auto change) {
    auto studies = two_days();
    for (Study& study : studies) study.header = full_header();
    change(studies[1].header);
    return merge_error(studies).message;
  };
  EXPECT_EQ(refused([](StudyHeader&) {}), "");
  EXPECT_NE(refused([](StudyHeader& h) { h.command.push_back("-x"); }), "");
  EXPECT_NE(refused([](StudyHeader& h) { h.launcher = "srun"; }), "");
  EXPECT_NE(refused([](StudyHeader& h) { h.baseline.text = "other"; }), "");
  EXPECT_NE(refused([](StudyHeader& h) { h.baseline.kind = BaselineKind::kParallelWithOne; }), "");
  EXPECT_NE(refused([](StudyHeader& h) { h.workload[0].batch = 960; }), "");
  EXPECT_EQ(refused([](StudyHeader& h) {
              h.workload[0].workers = 16;  // another K may have another problem
              h.workload[0].batch = 960;
            }),
            "");
  EXPECT_NE(refused([](StudyHeader& h) {
              h.workload[0].workers.reset();  // every K, and with it K = 8
              h.workload[0].batch = 960;
            }),
            "");
}

TEST(MergeStudies, TakesOverWhatOnlyOneFileSays) {
  auto studies = two_days();
  studies[0].header.regime.reset();
  studies[1].header.workload = {full_workload()};
  const auto merged = merge_studies(studies);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->header.regime, Regime::kStrong);
  EXPECT_EQ(merged->header.workload.size(), 1U);
}

TEST(MergeStudies, TurnsAnotherProtocolOrMachineIntoWarnings) {
  auto studies = two_days();
  studies[0].header.protocol.seed = 7;
  studies[1].header.protocol.seed = 8;
  studies[1].header.environment.binding = "core";
  const auto merged = merge_studies(studies);
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->notes.size(), 2U);
  EXPECT_EQ(merged->notes[0].severity, Severity::kWarning);
  EXPECT_EQ(note_sentence(merged->notes[0]), "protocol seed is 8 here, but 7 in data/monday.jsonl");
  EXPECT_EQ(note_sentence(merged->notes[1]),
            "environment binding is \"core\" here, but absent in data/monday.jsonl");
}

TEST(MergeStudies, RefusesTheSameRunTwiceEvenUnderAnotherSessionName) {
  auto studies = two_days();
  studies[1].runs[2] = studies[0].runs[1];
  studies[1].runs[2].session = "monday/a";
  const Error error = merge_error(studies);
  EXPECT_EQ(error.where, "data/tuesday.jsonl");
  EXPECT_NE(error.message.find("is also in data/monday.jsonl"), std::string::npos);
}

TEST(MergeStudies, TellsEqualTimesFromTheSameFileTwice) {
  auto studies = two_days();
  for (Study& study : studies) {
    for (kstar::Run& run : study.runs) run.start.reset();
  }
  EXPECT_NE(merge_error(studies).message.find("every run of it is also in"), std::string::npos);
  studies[1].runs[0].wall = 123;
  const auto merged = merge_studies(studies);  // three of four are equal: it may be chance
  ASSERT_TRUE(merged);
  ASSERT_EQ(merged->notes.size(), 1U);
  EXPECT_EQ(merged->notes[0].what, "merge-equal-runs");
}

}  // namespace
}  // namespace kstar
