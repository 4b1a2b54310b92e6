// Waiting from logs whose answer is known.
#include "inside/waiting.h"

#include <gtest/gtest.h>

namespace kstar {
namespace {

using inside::LogEntry;
using inside::Sync;

constexpr std::uint64_t kMs = 1'000'000;
const SyncOf kSyncs = {Sync::kAll, Sync::kFromRoot, Sync::kToRoot, Sync::kPrefix};

MemberLog member(std::initializer_list<LogEntry> entries, std::uint64_t clock = 1) {
  return {.clock = clock,
          .kernel = clock,
          .at_init = {.error = inside::kUnknownError},
          .at_finalize = {.error = inside::kUnknownError},
          .entries = entries};
}

/// Milliseconds from `enter` to `leave`.
LogEntry at(std::uint64_t sequence, std::uint64_t enter, std::uint64_t leave,
            std::uint16_t call = 0, std::int32_t root = -1) {
  return {sequence, enter * kMs, leave * kMs, 1, call, root};
}

double wait_ms(const CollectiveWaits& waits, std::size_t member, std::uint16_t call = 0) {
  return waits.members.at(member).at(call).seconds * 1e3;
}

TEST(InsideWaiting, EveryoneWaitsForTheLast) {
  const MemberLog members[] = {member({at(0, 100, 125)}), member({at(0, 120, 126)}),
                               member({at(0, 110, 125)})};
  const CollectiveWaits waits = waits_of(members, kSyncs);
  EXPECT_EQ(waits.problem, "");
  EXPECT_FALSE(waits.clock_error);
  EXPECT_NEAR(wait_ms(waits, 0), 20, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 1), 0, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 2), 10, 1e-9);
}

TEST(InsideWaiting, RootedCollectivesHoldUpOnlyThoseWhoNeedOthers) {
  // Bcast from rank 1, which comes last but one; Reduce to rank 0; Scan.
  const MemberLog members[] = {
      member({at(0, 100, 112, 1, 1), at(1, 200, 241, 2, 0), at(2, 310, 311, 3)}),
      member({at(0, 110, 111, 1, 1), at(1, 220, 221, 2, 0), at(2, 300, 311, 3)}),
      member({at(0, 130, 131, 1, 1), at(1, 240, 241, 2, 0), at(2, 330, 331, 3)})};
  const CollectiveWaits waits = waits_of(members, kSyncs);
  EXPECT_NEAR(wait_ms(waits, 0, 1), 10, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 1, 1), 0, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 2, 1), 0, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 0, 2), 40, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 1, 2), 0, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 0, 3), 0, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 1, 3), 10, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 2, 3), 0, 1e-9);
}

TEST(InsideWaiting, WaitingIsNoLongerThanTheCall) {
  // Rank 0 left before rank 2 came: its part was done.
  const MemberLog members[] = {member({at(0, 100, 105)}), member({at(0, 150, 151)})};
  EXPECT_NEAR(wait_ms(waits_of(members, kSyncs), 0), 5, 1e-9);
}

TEST(InsideWaiting, OnlyCollectivesThatAllMembersHaveCount) {
  const MemberLog members[] = {member({at(4, 400, 420), at(0, 100, 120), at(2, 200, 220)}),
                               member({at(0, 110, 120), at(4, 410, 420), at(4, 410, 420)})};
  const CollectiveWaits waits = waits_of(members, kSyncs);
  EXPECT_EQ(waits.members[0].at(0).matched, 2U);
  EXPECT_NEAR(wait_ms(waits, 0), 20, 1e-9);
}

TEST(InsideWaiting, ClocksAreAlignedByTheRealTimeClock) {
  MemberLog here = member({at(0, 100, 121)});
  MemberLog there = member({at(0, 5120, 5121)}, 2);  // 5 s ahead; 20 ms later
  here.at_init = {.offset = 1'700'000'000'000'000'000, .error = 100'000};
  there.at_init = {.offset = 1'700'000'000'000'000'000 - 5'000'000'000, .error = 100'000};
  const MemberLog members[] = {here, there};
  const CollectiveWaits waits = waits_of(members, kSyncs);
  EXPECT_EQ(waits.problem, "");
  EXPECT_NEAR(*waits.clock_error, 0.0002, 1e-9);
  EXPECT_NEAR(wait_ms(waits, 0), 20, 0.2);
}

TEST(InsideWaiting, ClocksAreAlignedByTheCollectivesThemselves) {
  // No time daemon. Clock 2 is 1 s ahead, and drifts by 10 us from one collective to the next. One
  // of them finds both at the same moment within 10 us: that bounds the offset for its segment.
  MemberLog here = member({}), there = member({}, 2);
  for (std::uint64_t i = 0; i < 200; ++i) {
    const std::uint64_t time = (100 + 100 * i) * kMs, drift = 1000 * kMs + 10'000 * i;
    const std::uint64_t late = i % 2 == 0 ? 20 * kMs : 0, done = time + late + 10'000;
    here.entries.push_back({i, time, done, 1, 0, -1});
    there.entries.push_back({i, time + late + drift, done + drift, 1, 0, -1});
  }
  const MemberLog members[] = {here, there};
  const CollectiveWaits waits = waits_of(members, kSyncs);
  EXPECT_EQ(waits.problem, "");
  EXPECT_LE(*waits.clock_error, 20e-6);
  EXPECT_NEAR(wait_ms(waits, 0), 100 * 20, 4);
  EXPECT_LE(wait_ms(waits, 1), 4);
}

TEST(InsideWaiting, ClocksThatAreNotKnownClaimNothing) {
  // Rank 1 is late every time, or its clock is ahead: nobody can tell.
  MemberLog here = member({}), there = member({}, 2);
  for (std::uint64_t i = 0; i < 100; ++i) {
    here.entries.push_back(at(i, 100 * i, 100 * i + 21));
    there.entries.push_back(at(i, 100 * i + 20, 100 * i + 21));
  }
  const MemberLog members[] = {here, there};
  EXPECT_NE(waits_of(members, kSyncs).problem.find("clock"), std::string::npos);
  const MemberLog rooted[] = {member({at(0, 1, 2, 1, 0)}), member({at(0, 1, 2, 1, 0)}, 2)};
  EXPECT_NE(waits_of(rooted, kSyncs).problem.find("clock"), std::string::npos);
}

TEST(InsideWaiting, LogsThatDisagreeClaimNothing) {
  const MemberLog members[] = {member({at(0, 1, 2, 0)}), member({at(0, 1, 2, 1, 0)})};
  EXPECT_NE(waits_of(members, kSyncs).problem.find("disagree"), std::string::npos);
  const MemberLog apart[] = {member({at(0, 1, 2)}), member({at(1, 1, 2)})};
  EXPECT_NE(waits_of(apart, kSyncs).problem.find("no collective"), std::string::npos);
}

}  // namespace
}  // namespace kstar
