#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>

#include "kstar/executor.h"
#include "kstar/measure.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using testing::HasSubstr;

class CheckProgram : public testing::Test {
 protected:
  void SetUp() override {
    script("good", "#!/bin/sh\nexit 0\n");
    write_text(folder_ / "data", "text\n");
    script("lost", "#!/no/such/interpreter -x\n");
    std::filesystem::create_directory(folder_ / "nest");
  }
  void script(const std::string& name, const std::string& text) const {
    write_text(folder_ / name, text);
    ::chmod((folder_ / name).c_str(), 0700);
  }
  std::vector<LaunchPlan> plans_that_cannot_start() const {
    return {{.command = {"kstar-no-such-program"}},
            {.command = {"/no/such/program"}},
            {.command = {""}},
            {},
            {.command = {folder_ / "data"}},
            {.command = {folder_ / "nest"}},
            {.command = {folder_ / "lost"}},
            {.command = {"./absent"}, .folder = folder_.path()},
            {.command = {"nest"}, .variables = {{"PATH", folder_.path()}}},
            {.command = {"true"}, .variables = {{"PATH", folder_.path()}}},
            {.command = {"true"}, .folder = "/no/such/folder"},
            {.command = {"true"}, .folder = folder_ / "data"}};
  }

  TempFolder folder_;
};

TEST_F(CheckProgram, SaysWhatTheExecutorWouldSay) {
  std::atomic<bool> stop = false;
  const auto executor = process_executor(stop);
  for (const LaunchPlan& plan : plans_that_cannot_start()) {
    const std::string name = plan.command.empty() ? "nothing" : plan.command[0];
    const Result<void> before = check_program_can_start(plan);
    const Result<Outcome> tried = executor->run(plan);
    ASSERT_FALSE(tried) << name;
    ASSERT_FALSE(before) << name;
    EXPECT_EQ(before.error().where, tried.error().where) << name;
    EXPECT_EQ(before.error().message, tried.error().message) << name;
    EXPECT_EQ(before.error().hint, tried.error().hint) << name;
  }
}

TEST_F(CheckProgram, FindsProgramsWhereTheExecutorFindsThem) {
  EXPECT_TRUE(check_program_can_start({.command = {"true"}}));
  EXPECT_TRUE(check_program_can_start({.command = {folder_ / "good"}}));
  EXPECT_TRUE(check_program_can_start({.command = {"./good"}, .folder = folder_.path()}));
  EXPECT_TRUE(
      check_program_can_start({.command = {"good"}, .variables = {{"PATH", folder_.path()}}}));
}

TEST_F(CheckProgram, AFolderOfTheSameNameHidesNoProgramFurtherInPath) {
  std::filesystem::create_directory(folder_ / "true");
  EXPECT_TRUE(check_program_can_start(
      {.command = {"true"}, .variables = {{"PATH", folder_.path() + ":/usr/bin:/bin"}}}));
}

TEST_F(CheckProgram, LooksAtEveryProgramOfAStudy) {
  MeasureSpec spec;
  spec.command = {folder_ / "run-{K}"};
  spec.workers = {1, 2};
  script("run-1", "#!/bin/sh\n");
  const Result<void> second = check_programs_can_start(spec);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().where, HasSubstr("run-2"));
  script("run-2", "#!/bin/sh\n");
  EXPECT_TRUE(check_programs_can_start(spec));
  spec.baseline = {folder_ / "serial"};
  EXPECT_FALSE(check_programs_can_start(spec));
  spec.baseline = {"true"};
  EXPECT_TRUE(check_programs_can_start(spec));
  spec.check_command = {folder_ / "data"};
  EXPECT_FALSE(check_programs_can_start(spec));
}

}  // namespace
}  // namespace kstar
