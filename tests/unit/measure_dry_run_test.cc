#include "cli/measure/dry_run.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace kstar {
namespace {

TEST(ToldTimes, AreAFewKAndTheBaseline) {
  const auto known = given_times("1:10,8:2.5min, baseline:9.5s");
  ASSERT_TRUE(known) << known.error().message;
  ASSERT_EQ(known->size(), 3U);
  EXPECT_EQ((*known)[0].seconds, 10);
  EXPECT_EQ((*known)[1].workers, 8);
  EXPECT_EQ((*known)[1].seconds, 150);
  EXPECT_EQ((*known)[2].role, Role::kBaseline);
  EXPECT_EQ((*known)[2].seconds, 9.5);
}

TEST(ToldTimes, WhatIsNoneIsRefusedWithItsValue) {
  for (const char* wrong :
       {"1:", ":2", "1:x", "0:1", "-1:1", "1.5:1", "1:0", "1:-2s", "serial:3"}) {
    const auto known = given_times(wrong);
    ASSERT_FALSE(known) << wrong;
    EXPECT_EQ(known.error().where, "--times");
    EXPECT_EQ(known.error().code, ExitCode::kUsage);
    EXPECT_NE(known.error().message.find(std::string("got '") + wrong), std::string::npos);
  }
  EXPECT_EQ(given_times("1:2,1:3").error().message, "expected each K once, got '1:3'");
}

TEST(ToldTimes, AnythingElseIsAFile) {
  const TempFolder folder;
  EXPECT_EQ(given_times(folder / "no.jsonl").error().where, folder / "no.jsonl");
  write_text(folder / "1:2", "not a study\n");
  EXPECT_NE(given_times(folder / "1:2").error().where.find("1:2"), std::string::npos);
}

}  // namespace
}  // namespace kstar
