#include "base/worker_list.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace kstar {
namespace {

using Counts = std::vector<std::int64_t>;

TEST(WorkerList, ReadsListsDoublingsAndSteps) {
  EXPECT_EQ(*parse_worker_list("1,2,4"), (Counts{1, 2, 4}));
  EXPECT_EQ(*parse_worker_list("1..16"), (Counts{1, 2, 4, 8, 16}));
  EXPECT_EQ(*parse_worker_list("3..20"), (Counts{3, 6, 12, 20}));
  EXPECT_EQ(*parse_worker_list("1..7:2"), (Counts{1, 3, 5, 7}));
  EXPECT_EQ(*parse_worker_list("8, 1..4:1,8"), (Counts{1, 2, 3, 4, 8}));
}

TEST(WorkerList, IsWrittenShortAndReadBackAsTheSame) {
  EXPECT_EQ(worker_list_text({1, 2, 4, 8}), "1,2,4,8");
  EXPECT_EQ(worker_list_text({1, 2, 3, 4, 5, 6, 8, 16}), "1..6:1,8,16");
  EXPECT_EQ(worker_list_text({1, 4, 8, 12, 16, 20, 24}), "1,4..24:4");
  EXPECT_EQ(worker_list_text({7}), "7");
  Random random(1);
  for (int round = 0; round < 200; ++round) {
    std::set<int> workers;
    while (workers.size() < 1 + static_cast<std::size_t>(round) % 30) {
      workers.insert(1 + static_cast<int>(40 * random.uniform()));
    }
    EXPECT_EQ(*parse_worker_list(worker_list_text(workers)), Counts(workers.begin(), workers.end()))
        << worker_list_text(workers);
  }
}

TEST(WorkerList, RefusesWhatIsNoWorkerCount) {
  for (const char* bad :
       {"", "0", "1.5", "-1", "1,,2", "8..1", "1..", "..8", "1..4:0", "nan", "1e400",
        "99999999999999999999", "1..1000000000:1", "1..60000:1,60001..120000:1", "1;2"}) {
    const auto read = parse_worker_list(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().where, "--workers");
  }
}

}  // namespace
}  // namespace kstar
