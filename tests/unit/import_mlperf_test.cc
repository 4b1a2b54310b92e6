#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "import/mlperf/series.h"
#include "support/import_files.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

std::string event(std::string_view key, long time_ms, std::string_view value = "null",
                  std::string_view metadata = "{}") {
  return fmt::format(
      ":::MLLOG {{\"namespace\": \"\", \"time_ms\": {}, \"key\": \"{}\", \"value\": {}, "
      "\"metadata\": {}}}\n",
      time_ms, key, value, metadata);
}

std::string log_of(long seconds, std::string_view status = "success", int batch = 64) {
  return event("init_start", 1000) + event("global_batch_size", 1500, std::to_string(batch)) +
         event("run_start", 2000) + event("eval_start", 3000) + event("eval_stop", 3500) +
         event("eval_accuracy", 3500, "0.7", "{\"samples_count\": 6400}") +
         event("run_stop", 2000 + 1000 * seconds, "null",
               fmt::format("{{\"status\": \"{}\", \"samples_count\": 12800}}", status));
}

Result<Study> one_log(const std::string& text) {
  return import_text(text, "result_0.txt", {.workers = 8});
}

TEST(ImportMlperf, TakesTheTimeFromRunStartToRunStop) {
  const auto study = one_log(log_of(100));
  ASSERT_TRUE(study) << study.error().message;
  const auto& run = study->runs.at(0);
  EXPECT_EQ(run.workers, 8);
  EXPECT_EQ(run.wall, 100);
  EXPECT_EQ(run.work, 12800);
  EXPECT_EQ(run.fixed, 0.5);
  EXPECT_EQ(run.extra, "{\"init\":1}");
  EXPECT_EQ(study->header.workload.at(0).batch, 64);
  EXPECT_EQ(study->header.workload.at(0).unit, "samples");
}

/// A run of 100 s with these events, in milliseconds behind its start.
Result<Study> run_with(std::initializer_list<std::pair<const char*, long>> events) {
  std::string log = event("run_start", 1000);
  for (const auto& [key, time] : events) log += event(key, 1000 + time);
  return one_log(log + event("run_stop", 101000, "null",
                             "{\"status\": \"success\", \"samples_count\": 12800}"));
}

std::optional<double> fixed_in(std::initializer_list<std::pair<const char*, long>> events) {
  return run_with(events)->runs.at(0).fixed;
}

TEST(ImportMlperf, FixedTimeIsEvaluationsAndWhatIsOutsideOfBlocks) {
  EXPECT_EQ(fixed_in({{"eval_start", 40000},
                      {"eval_stop", 45000},
                      {"eval_start", 90000},
                      {"eval_stop", 100000}}),
            15);
  EXPECT_EQ(fixed_in({{"block_start", 2000},
                      {"block_stop", 40000},
                      {"eval_start", 40000},
                      {"eval_stop", 45000},
                      {"block_start", 46000},
                      {"block_stop", 94000},
                      {"eval_start", 94000},
                      {"eval_stop", 99000}}),
            2 + 5 + 1 + 5 + 1);
  // Evaluated inside of an epoch that the log does not end.
  EXPECT_EQ(fixed_in({{"epoch_start", 3000}, {"eval_start", 50000}, {"eval_stop", 60000}}), 13);
}

TEST(ImportMlperf, FixedTimeIsNotKnownWhereEvaluationIsNotTimedOrRunsBesideTraining) {
  EXPECT_FALSE(fixed_in({{"block_start", 0}, {"block_stop", 100000}}));
  EXPECT_FALSE(fixed_in({{"eval_start", 1000}, {"eval_start", 2000}, {"eval_stop", 3000}}));
  EXPECT_FALSE(fixed_in(
      {{"block_start", 0}, {"eval_start", 50000}, {"block_start", 50500}, {"eval_stop", 58000}}));
  EXPECT_FALSE(fixed_in({{"eval_start", 200000}, {"eval_stop", 250000}})) << "behind the run";
  EXPECT_FALSE(fixed_in({{"eval_start", 0}, {"eval_stop", 100000}})) << "all of it";
}

TEST(ImportMlperf, ReadsTheOlderMarkerAndTextInFrontOfIt) {
  const auto study = one_log(
      "0: :::MLL 1560187569.059 run_start: {\"value\": null, \"metadata\": {}}\n"
      "noise\n0: :::MLL 1560187600.5 eval_accuracy: {\"value\": 0.2, \"metadata\": "
      "{\"epoch_num\": 76}}\n"
      "0: :::MLL 1560187649.770 run_stop: {\"value\": null, \"metadata\": {\"status\": "
      "\"success\"}}\n"
      "0: :::MLL 1560187655.1 eval_accuracy: {\"value\": 0.2, \"metadata\": {\"epoch_num\": "
      "81}}\n");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_NEAR(*study->runs[0].wall, 80.711, 1e-9);
  EXPECT_EQ(study->runs[0].work, 76) << "what is evaluated behind run_stop did not decide it";
  EXPECT_EQ(study->header.workload.at(0).unit, "epochs");
}

TEST(ImportMlperf, SaysWhyALogHasNoTime) {
  const auto reason = [](const std::string& text) {
    const auto study = one_log(text);
    return study ? "" : study.error().message;
  };
  EXPECT_NE(reason(log_of(5, "aborted")).find("status: aborted"), std::string::npos);
  EXPECT_NE(reason(event("run_start", 1)).find("no run_stop"), std::string::npos);
  EXPECT_NE(reason(event("run_stop", 1)).find("no run_start"), std::string::npos);
  EXPECT_NE(
      reason(event("run_stop", 1, "null", "{\"status\": \"success\"}") + event("run_start", 9))
          .find("stops before"),
      std::string::npos);
  EXPECT_NE(import_error(log_of(5)).message.find("the number of accelerators"), std::string::npos);
}

TEST(ImportMlperf, SkipsLinesThatOtherRanksGarbled) {
  const auto study =
      one_log(":::MLLOG {\"time_ms\": 1, \"key\": \"run_start\", :::MLLOG {\n" + log_of(100));
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->runs[0].wall, 100);
}

TEST(ImportMlperf, ScoresAsTheRulesSay) {
  EXPECT_EQ(mlperf_score({5, 1, 2, 3, 100}, 0, "bert"), (2 + 3 + 5) / 3.0);
  EXPECT_EQ(mlperf_score({5, 1, 2, 3}, 1, "bert"), (2 + 3 + 5) / 3.0);
  EXPECT_EQ(mlperf_score({5, 1, 2}, 2, "bert"), std::nullopt);
  EXPECT_EQ(mlperf_score({3, 1, 2}, 0, "gpt3"), 2);
  EXPECT_EQ(mlperf_score({3, 1}, 0, "gpt3"), std::nullopt);
  EXPECT_EQ(mlperf_score({1, 2, 3, 4, 5, 6, 7, 8, 100}, 0, "unet3d"), 5);
}

class MlperfFolder : public ::testing::Test {
 protected:
  void add(const std::string& system, const std::string& accelerators, int logs, long seconds,
           int batch = 64) {
    const std::string root = folder_ / "training_results_v9.9/Us/";
    std::filesystem::create_directories(root + "systems");
    std::filesystem::create_directories(root + "results/" + system + "/bert");
    write_text(
        root + "systems/" + system + ".json",
        "{\"division\": \"closed\", \"number_of_nodes\": \"2\", \"accelerators_per_node\": " +
            accelerators + ", \"accelerator_model_name\": \"A1\"}");
    for (int i = 0; i < logs; ++i) {
      write_text(root + "results/" + system + "/bert/result_" + std::to_string(i) + ".txt",
                 log_of(seconds + i, i == 4 ? "aborted" : "success", batch));
    }
  }
  TempFolder folder_;
};

TEST_F(MlperfFolder, BecomesOneStudyASeries) {
  add("small", "\"2\"", 5, 100);
  add("large", "4", 5, 60, 128);
  write_text(folder_ / "training_results_v9.9/Us/results/large/bert/scaling.json",
             "{\"scaling_factor\": 1.5}");
  const auto study = import_file(folder_ / "training_results_v9.9");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->header.title, "MLPerf Training v9.9 closed Us bert A1");
  EXPECT_EQ(study->header.regime, Regime::kMixed);
  expect_times(*study, {{4, 101.5}, {8, 61.5}});
  EXPECT_EQ(study->runs.size(), 10U) << "failed runs stay";
  EXPECT_EQ(study->runs[0].nodes, 2);
  EXPECT_EQ(workload_at(study->header, 8)->batch, 128);
  std::string score;
  for (const Note& note : study->notes) {
    if (note.what == "mlperf-score" && note.where == "large") score = note.extra;
  }
  EXPECT_EQ(score, "{\"workers\":8,\"score\":93,\"scaling\":1.5}");  // (61+62+63)/3 x 1.5
}

TEST_F(MlperfFolder, SaysOfWhichBenchmarkItIs) {
  add("small", "\"2\"", 1, 100);
  const auto study = import_file(folder_ / "training_results_v9.9");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->header.extra,
            R"({"mlperf":{"round":"v9.9","division":"closed","submitter":"Us",)"
            R"("benchmark":"bert","accelerator":"A1"}})");
  EXPECT_EQ(workload_at(study->header, 4)->stopping, "when the quality of bert is reached");
  const auto log =
      import_file(folder_ / "training_results_v9.9/Us/results/small/bert/result_0.txt");
  ASSERT_TRUE(log) << log.error().message;
  EXPECT_EQ(workload_at(log->header, 4)->stopping, workload_at(study->header, 4)->stopping);
  EXPECT_EQ(log->header.extra, R"({"mlperf":{"benchmark":"bert"}})");
}

TEST_F(MlperfFolder, SaysHowManyFilesItDidNotRead) {
  add("small", "\"2\"", 1, 100);
  const auto said = [&] {
    const auto study = import_file(folder_.path());
    for (const Note& note : study->notes) {
      if (note.what == "skipped") return note.text;
    }
    return std::string();
  };
  EXPECT_EQ(said(), "");
  write_text(folder_ / "times.csv", "K,time\n1,2\n");
  EXPECT_EQ(said(),
            "1 file of other formats, or not at the path of MLPerf result logs, was not read");
  write_text(folder_ / "result_0.txt", log_of(5));
  EXPECT_NE(said().find("2 files"), std::string::npos);
}

TEST(ImportMlperf, LogsOfTwoBenchmarksAreNotOneStudy) {
  const TempFolder folder;
  write_text(folder / "a.txt", event("submission_benchmark", 1, "\"ssd\"") + log_of(100));
  write_text(folder / "b.txt", event("submission_benchmark", 1, "\"bert\"") + log_of(100));
  const std::vector<std::string> both = {folder / "a.txt", folder / "b.txt"};
  const auto study = import_files(both, {.workers = 8});
  ASSERT_FALSE(study);
  EXPECT_NE(study.error().message.find("the benchmark"), std::string::npos)
      << study.error().message;
}

TEST_F(MlperfFolder, WithoutASystemFileIsNotGuessed) {
  add("small", "\"N/A\"", 1, 100);
  add("odd", "\"2\"", 1, 100);
  write_text(folder_ / "training_results_v9.9/Us/systems/odd.json", "{broken");
  const auto study = import_file(folder_.path());
  ASSERT_TRUE(study) << "a system without accelerators counts its nodes: " << study.error().message;
  EXPECT_EQ(study->runs.size(), 1U);
  EXPECT_EQ(study->runs[0].workers, 2);
  EXPECT_TRUE(has_note(*study, "skipped"));
}

TEST(ImportMlperfPublic, AgreesWithTimesComputedElsewhere) {
  const std::string folder = public_file("mlperf_raw/v5.0");
  if (folder.empty()) GTEST_SKIP() << "the public data is not here";
  const auto study = import_file(folder);
  ASSERT_TRUE(study) << study.error().message;
  // time_to_train_s of mlperf_scaling_public.csv, the mean of three runs.
  expect_times(*study, {{512, (6338.166 + 6296.814 + 6284.331) / 3},
                        {1024, (3191.979 + 3192.082 + 3190.875) / 3},
                        {1536, (2148.049 + 2505.857 + 2183.805) / 3},
                        {2048, (1917.721 + 1919.681 + 1925.004) / 3},
                        {2496, (1615.551 + 1621.209 + 1619.398) / 3}});
  std::map<int, double> batch = {{512, 896}, {1024, 768}, {1536, 1152}, {2048, 1280}, {2496, 1248}};
  for (const auto& [workers, size] : batch) {
    EXPECT_EQ(workload_at(study->header, workers)->batch, size);
  }
  EXPECT_EQ(study->runs[4].work, 322560);
}

}  // namespace
}  // namespace kstar
