// What a run keeps of its ranks, and that it stays bounded.
#include <gtest/gtest.h>

#include <numeric>

#include "kstar/inside.h"

namespace kstar {
namespace {

InsideRun run_of(int ranks) {
  InsideRun run;
  run.mpi = "Open MPI";
  run.world = ranks;
  for (int i = 0; i < ranks; ++i) {
    InsideRank& rank = run.ranks.emplace_back();
    rank.rank = i;
    rank.span = 10;
    rank.by_call = {{.call = "MPI_Allreduce",
                     .communicator = "world",
                     .calls = 5,
                     .bytes = 800,
                     .seconds = 1.0 + i}};
    rank.windows = {{.begin = 0, .end = 5, .useful = 4.0 - i % 2, .mpi = 1.0 + i % 2, .bytes = 8},
                    {.begin = 5, .end = 10, .useful = 2, .mpi = 3, .bytes = 16}};
    rank.communicators = {{.id = 1, .name = "world", .size = ranks, .collectives = 5, .wait = 0.5}};
  }
  return run;
}

TEST(InsideRecord, SumsOverRanksAndKeepsTheLeastAndTheMost) {
  const Inside record = inside_record(run_of(3));
  ASSERT_EQ(record.by_call.size(), 1U);
  EXPECT_EQ(record.by_call[0].calls, 15U);
  EXPECT_EQ(record.by_call[0].bytes, 2400U);
  EXPECT_DOUBLE_EQ(record.by_call[0].seconds, 6);
  EXPECT_DOUBLE_EQ(record.by_call[0].seconds_min, 1);
  EXPECT_DOUBLE_EQ(record.by_call[0].seconds_max, 3);
  ASSERT_EQ(record.communicators.size(), 1U);
  EXPECT_EQ(record.communicators[0].collectives, 5U);
  EXPECT_DOUBLE_EQ(*record.communicators[0].wait, 1.5);
  ASSERT_TRUE(record.windows);
  EXPECT_DOUBLE_EQ(record.windows->seconds, 5);
  EXPECT_EQ(record.windows->useful_min, (std::vector<double>{3, 2}));
  EXPECT_EQ(record.windows->useful_max, (std::vector<double>{4, 2}));
  EXPECT_EQ(record.windows->bytes, (std::vector<std::uint64_t>{24, 48}));
  EXPECT_EQ(record.windows->useful[1], (std::vector<double>{3, 2}));
  EXPECT_TRUE(record.rank.empty());
  EXPECT_TRUE(record.end.empty());
}

TEST(InsideRecord, CommunicatorsOfOneMemberAreOneRow) {
  InsideRun run = run_of(2);
  for (InsideRank& rank : run.ranks) {
    rank.communicators.push_back({.id = 90U + static_cast<unsigned>(rank.rank),
                                  .name = "self",
                                  .size = 1,
                                  .collectives = 3});
    rank.communicators.push_back(
        {.id = 95U + static_cast<unsigned>(rank.rank), .name = "unused", .size = 1});
  }
  const Inside record = inside_record(run);
  ASSERT_EQ(record.communicators.size(), 2U);
  EXPECT_EQ(record.communicators[1].name, "self");
  EXPECT_EQ(record.communicators[1].collectives, 3U);
}

TEST(InsideRecord, ARankWithoutTheCallHasTheLeast) {
  InsideRun run = run_of(2);
  run.ranks[0].by_call.clear();
  EXPECT_DOUBLE_EQ(inside_record(run).by_call[0].seconds_min, 0);
}

TEST(InsideRecord, SaysWhichRanksAreMissingAndHowTheOthersEnded) {
  InsideRun run = run_of(3);
  run.ranks.erase(run.ranks.begin());
  run.ranks[1].end = InsideEnd::kKilled;
  run.ranks[1].last_call = "MPI_Recv";
  const Inside record = inside_record(run);
  EXPECT_EQ(record.rank, (std::vector<int>{1, 2}));
  EXPECT_EQ(record.end, (std::vector<std::string>{"finalized", "killed"}));
  EXPECT_EQ(record.last_call, (std::vector<std::string>{"", "MPI_Recv"}));
}

TEST(InsideRecord, IsBoundedAndLosesNoCall) {
  InsideRun run = run_of(200);
  for (InsideRank& rank : run.ranks) {
    for (int i = 0; i < 300; ++i) {
      rank.by_call.push_back({.call = "MPI_Send",
                              .communicator = "c" + std::to_string(i),
                              .calls = 1,
                              .bytes = 2,
                              .seconds = 1e-3 * i});
      rank.communicators.push_back({.id = 10U + static_cast<unsigned>(i),
                                    .name = "c" + std::to_string(i),
                                    .size = 200,
                                    .wait = 1e-3 * i});
    }
  }
  const Inside record = inside_record(run);
  ASSERT_EQ(record.by_call.size(), kMostInsideRows + 1);
  EXPECT_EQ(record.by_call.back().call, kOtherRows);
  const auto calls = [](std::uint64_t sum, const CallSum& row) { return sum + row.calls; };
  EXPECT_EQ(std::accumulate(record.by_call.begin(), record.by_call.end(), std::uint64_t{0}, calls),
            200U * (300 + 5));
  ASSERT_EQ(record.communicators.size(), kMostInsideRows + 1);
  EXPECT_EQ(record.communicators.back().name, kOtherRows);
  EXPECT_TRUE(record.windows->useful.empty());
  EXPECT_EQ(record.windows->useful_mean.size(), 2U);
}

}  // namespace
}  // namespace kstar
