#include "kstar/measure_session.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "support/fake_executor.h"
#include "support/quiet_observer.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

class MeasureSessionTest : public testing::Test {
 protected:
  MeasureSessionTest() {
    spec_.command = {"job", "{K}"};
    spec_.workers = {1, 2};
    spec_.bind = false;
    spec_.seed = 7;
    spec_.runs = 2;
    spec_.output = folder_ / "study.jsonl";
  }

  Result<MeasureSession> open(SessionStart start) {
    const Result<StudyHeader> header = study_header(spec_);
    if (!header) return fail(header.error());
    return MeasureSession::open(spec_, *header, start);
  }

  Result<MeasureResult> run(MeasureSession& session, BlockRunner* blocks = nullptr) {
    return session.run(executor_, never_, quiet_, blocks);
  }

  TempFolder folder_;
  MeasureSpec spec_;
  FakeExecutor executor_ = FakeExecutor::taking([](const LaunchPlan&, std::size_t) { return 0.5; });
  std::atomic<bool> never_{false};
  Quiet quiet_;
};

/// Direct blocks that are told how the study ends.
class Watched final : public BlockRunner {
 public:
  explicit Watched(std::unique_ptr<BlockRunner> blocks) : blocks_(std::move(blocks)) {}
  Result<void> prepare(const std::vector<MeasurePoint>& points, const Study& earlier) override {
    return blocks_->prepare(points, earlier);
  }
  Result<void> run(int block, const std::vector<std::size_t>& points,
                   BlockKeeper& keeper) override {
    return blocks_->run(block, points, keeper);
  }
  AnswerCheck* check() override { return blocks_->check(); }
  void complete(Study& study) const override { study.notes.push_back({.what = "completed"}); }
  void clean_up(const Study& study) const override { saved_notes = study.notes.size(); }

  mutable std::size_t saved_notes = 0;

 private:
  std::unique_ptr<BlockRunner> blocks_;
};

bool has_note(const Study& study, std::string_view what) {
  for (const Note& note : study.notes) {
    if (note.what == what) return true;
  }
  return false;
}

TEST_F(MeasureSessionTest, WhatJudgeAndBlocksAddIsInTheFile) {
  Watched blocks(direct_blocks(spec_, executor_));
  Result<MeasureSession> session = open(SessionStart::kNew);
  ASSERT_TRUE(session) << session.error().message;
  ASSERT_TRUE(run(*session, &blocks));
  const auto study = session->finish([](Study& all) { all.notes.push_back({.what = "judged"}); });
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_GE(blocks.saved_notes, 2U);
  const Result<Study> written = load_study(spec_.output);
  ASSERT_TRUE(written);
  EXPECT_EQ(written->runs.size(), 4U);
  EXPECT_TRUE(has_note(*written, "judged"));
  EXPECT_TRUE(has_note(*written, "completed"));
}

TEST_F(MeasureSessionTest, AStudyThatIsThereIsNotReplacedUnlessAsked) {
  ASSERT_TRUE(open(SessionStart::kNew));
  const auto refused = open(SessionStart::kNew);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("--resume"), std::string::npos);
  EXPECT_TRUE(open(SessionStart::kReplace));
}

TEST_F(MeasureSessionTest, GoesOnWithItsRunsAndItsSeed) {
  {
    Result<MeasureSession> session = open(SessionStart::kNew);
    ASSERT_TRUE(session);
    ASSERT_TRUE(run(*session));
  }
  spec_.seed = 8;
  spec_.runs = 3;
  Result<MeasureSession> session = open(SessionStart::kResume);
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ(session->header().protocol.seed, 7U);
  EXPECT_EQ(session->earlier().runs.size(), 4U);
  ASSERT_TRUE(run(*session));
  EXPECT_EQ(executor_.plans.size(), 6U);
}

TEST_F(MeasureSessionTest, AnotherMeasurementDoesNotGoOn) {
  ASSERT_TRUE(open(SessionStart::kNew));
  spec_.command = {"another", "{K}"};
  EXPECT_FALSE(open(SessionStart::kResume));
}

TEST_F(MeasureSessionTest, OnlyANewStudyWithoutRunsIsForgotten) {
  {
    const Result<MeasureSession> session = open(SessionStart::kNew);
    ASSERT_TRUE(session);
    session->forget_if_empty();
    EXPECT_FALSE(std::filesystem::exists(spec_.output));
  }
  ASSERT_TRUE(open(SessionStart::kNew));
  const Result<MeasureSession> resumed = open(SessionStart::kResume);
  ASSERT_TRUE(resumed);
  resumed->forget_if_empty();
  EXPECT_TRUE(std::filesystem::exists(spec_.output));
}

}  // namespace
}  // namespace kstar
