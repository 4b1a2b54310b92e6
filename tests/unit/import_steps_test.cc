#include <gtest/gtest.h>

#include "support/import_files.h"

// Expected values were computed from the same file with Python's json module.
namespace kstar {
namespace {

const std::string kFile = "ddp_gloo_steps.jsonl.gz";

TEST(ImportSteps, ListsTheStudiesOfTheFile) {
  const auto study = import_file(own_file(kFile));
  ASSERT_FALSE(study);
  EXPECT_EQ(study.error().message, "the file contains 3 studies");
  EXPECT_NE(study.error().hint.find("strong, strong_straggler, weak"), std::string::npos);
}

TEST(ImportSteps, TakesTheSlowestRankOfEachStep) {
  const auto study = import_file(own_file(kFile), {.select = "study=strong"});
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->runs.size(), 64U);
  expect_times(*study, {{1, 0.037670484375},
                        {2, 0.034432328125},
                        {3, 0.0281403375},
                        {4, 0.027458337500000003},
                        {6, 0.029692235416666664},
                        {8, 0.03172003958333333},
                        {12, 0.03663302187499999},
                        {16, 0.04345591354166667}});
  EXPECT_EQ(study->header.regime, Regime::kStrong);
  EXPECT_EQ(workload_at(study->header, 7)->batch, 480);
}

TEST(ImportSteps, TellsWaitingFromCommunication) {
  const auto study = import_file(own_file(kFile), {.select = "study=strong_straggler"});
  ASSERT_TRUE(study);
  for (const kstar::Run& run : study->runs) {
    if (run.workers != 4 || run.block != 3) continue;
    const PerWorker& workers = *run.per_worker;
    const double compute[] = {0.2213147, 0.1585321, 0.1691775, 0.1477391};
    const double wait[] = {0, 0.0627826, 0.0521372, 0.0735756};
    const double comm[] = {0.1476139, 0.214826, 0.1940819, 0.2173575};
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(workers.compute[i], compute[i], 1e-12);
      EXPECT_NEAR(workers.wait[i], wait[i], 1e-12);
      EXPECT_NEAR(workers.communicate[i], comm[i] - wait[i], 1e-12);
      EXPECT_EQ(workers.work[i], 120 * 12);
    }
  }
}

TEST(ImportSteps, KeepsAGrowingBatch) {
  const auto study = import_file(own_file(kFile), {.select = "study=weak"});
  ASSERT_TRUE(study);
  EXPECT_EQ(study->header.regime, Regime::kWeak);
  EXPECT_EQ(workload_at(study->header, 1)->batch, 60);
  EXPECT_EQ(workload_at(study->header, 16)->batch, 960);
  EXPECT_NEAR(mean_times(*study).at(16), 0.047982623958333345, 1e-15);
}

const std::string kRank = R"({"rank":0,"step":[1.5],"compute":[1],"comm":[0.5]})";

std::string line(std::string_view k, std::string_view ranks) {
  return "{\"K\":" + std::string(k) + ",\"ranks\":[" + std::string(ranks) + "]}\n";
}

TEST(ImportSteps, RefusesWhatIsNoRunWithItsPlace) {
  EXPECT_TRUE(import_text(line("1", kRank), "t"));
  EXPECT_EQ(import_error(line("0", kRank)).where, "t:1:6");
  EXPECT_EQ(import_error(line("2", kRank)).message, "expected 2 ranks, as given by K, got 1");
  EXPECT_EQ(import_error(line("NaN", kRank)).where, "t:1:6");
  const Error negative = import_error(line("1", R"({"step":[-1],"compute":[1],"comm":[0]})"));
  EXPECT_EQ(negative.where, "t:1:26");
  EXPECT_EQ(negative.message, "expected a time of 0 or more, got '-1'");
  EXPECT_NE(import_error(line("1", R"({"step":[1,2],"compute":[1],"comm":[0]})"))
                .message.find("the same number of steps"),
            std::string::npos);
  EXPECT_NE(import_error(line("1", kRank) + "{\"K\":1,\"ranks\":[{\"ste").message.find("JSON"),
            std::string::npos);
  EXPECT_NE(import_error("{\"K\":1,\"ranks\":" + std::string(100'000, '[')).message, "");
  EXPECT_NE(import_error(line("1", kRank).substr(0, line("1", kRank).size() - 1) + " x\n").message,
            "");
}

TEST(ImportSteps, KeepsTheNumbersOfRepeatsAndInventsNone) {
  const auto run = [](int k, int repeat) {
    std::string text = line(std::to_string(k), kRank);
    return text.insert(1, "\"repeat\":" + std::to_string(repeat) + ",");
  };
  const auto study = import_text(run(1, 0) + run(1, 1) + run(1, 3), "t");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->runs[2].block, 3) << "that 2 is missing must show";
  EXPECT_FALSE(study->runs[2].order) << "the file does not say it";
}

TEST(ImportSteps, RecordsNoWorkWhereTheSplitIsNotKnown) {
  const auto study = import_text(
      "{\"K\":1,\"global_batch\":8,\"imbalance\":0.3,\"ranks\":[" + kRank + "]}\n", "t");
  ASSERT_TRUE(study);
  EXPECT_TRUE(study->runs[0].per_worker->work.empty());
}

}  // namespace
}  // namespace kstar
