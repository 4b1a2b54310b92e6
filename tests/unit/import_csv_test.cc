#include <gtest/gtest.h>

#include "support/import_files.h"

// Expected means were computed from the same files with Python's csv module.
namespace kstar {
namespace {

Study table(std::string_view text, const ImportOptions& options = {}) {
  auto study = import_text(text, "t.csv", options);
  if (study) {
    EXPECT_TRUE(to_lines(*study).has_value());
    return *study;
  }
  ADD_FAILURE() << study.error().where << ": " << study.error().message << "\n"
                << study.error().hint;
  return {};
}

TEST(ImportCsv, TakesAColumnOfAWideTable) {
  const auto triad = import_file(own_file("threads_16core.csv"), {.select = "triad"});
  ASSERT_TRUE(triad) << triad.error().message;
  EXPECT_EQ(triad->runs.size(), 56U);
  expect_times(*triad, {{1, 0.06812642857142857},
                        {2, 0.035355285714285714},
                        {3, 0.024050285714285715},
                        {4, 0.018994714285714285},
                        {6, 0.013842000000000002},
                        {8, 0.013835714285714286},
                        {12, 0.0099},
                        {16, 0.00900857142857143}});
  EXPECT_TRUE(has_note(*triad, "guessed"));
  EXPECT_EQ(triad->runs[0].block, 0);
  EXPECT_EQ(triad->header.regime, std::nullopt);
  const auto amdahl = import_file(own_file("threads_16core.csv"), {.select = "program=amdahl"});
  ASSERT_TRUE(amdahl);
  EXPECT_NEAR(mean_times(*amdahl).at(16), 0.10116757142857143, 1e-15);
}

TEST(ImportCsv, TakesWhatATrainingNeededToConverge) {
  const Study study = table(
      "gpus,time_s,global_batch,samples_to_converge\n8,1000,256,2000000\n64,220,2048,3000000\n");
  EXPECT_EQ(study.runs.at(0).work, 2e6);
  EXPECT_EQ(study.runs.at(1).work, 3e6);
  EXPECT_EQ(study.header.workload.at(1).batch, 2048);
  EXPECT_EQ(study.header.workload.at(1).unit, "samples");
  const Study without_batch = table("gpus,time_s,tokens until converged\n8,1000,7e9\n64,220,8e9\n");
  EXPECT_EQ(without_batch.runs.at(1).work, 8e9);
  EXPECT_EQ(without_batch.header.workload.at(0).unit, "tokens");
}

TEST(ImportCsv, EpochsOfDataWhoseSizeIsKnownAreSamples) {
  const Study epochs = table("gpus,time_s,batch,epochs\n8,1000,256,40\n64,220,2048,46\n");
  EXPECT_EQ(epochs.runs.at(1).work, 46);
  EXPECT_EQ(epochs.header.workload.at(0).unit, "epochs");
  const Study samples =
      table("gpus,time_s,batch,epochs,dataset size\n8,1000,256,40,50000\n64,220,2048,46,50000\n");
  EXPECT_EQ(samples.runs.at(1).work, 46 * 50000);
  EXPECT_EQ(samples.header.workload.at(0).unit, "samples");
}

TEST(ImportCsv, SamplesWithoutABatchMayBeAnything) {
  const Study study = table("threads,time_s,samples\n1,10,30\n2,6,30\n");
  EXPECT_FALSE(study.runs.at(0).work);
  EXPECT_TRUE(has_note(study, "left-out"));
  const Study rates = table("gpus,samples_per_s,batch,epochs\n8,100,256,40\n64,600,2048,46\n");
  EXPECT_FALSE(rates.runs.at(0).work) << "a rate is no time to train";
}

TEST(ImportCsv, ListsWhatAWideTableHolds) {
  const auto study = import_file(own_file("threads_16core.csv"));
  ASSERT_FALSE(study);
  EXPECT_NE(study.error().hint.find("triad, amdahl"), std::string::npos) << study.error().hint;
}

TEST(ImportCsv, PicksOneCampaignOfMany) {
  const std::string path = public_file("hpc/fds_mpi_scaling.csv");
  if (path.empty()) GTEST_SKIP() << "no public data beside the project";
  const auto all = import_file(path);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().message, "the table holds several series");
  EXPECT_NE(all.error().hint.find("kind: strong, weak"), std::string::npos);
  EXPECT_NE(all.error().hint.find("(17 in all)"), std::string::npos);
  const auto one = import_file(path, {.select = "kind=strong,date=2016-12-28"});
  ASSERT_TRUE(one) << one.error().message;
  expect_times(*one, {{1, 1796.0},
                      {8, 268.2},
                      {32, 82.13},
                      {64, 46.71},
                      {96, 31.5},
                      {192, 16.79},
                      {288, 12.25},
                      {432, 9.221}});
  EXPECT_EQ(one->header.regime, Regime::kStrong);
  const auto weak = import_file(path, {.select = "kind=weak,date=2016-12-28"});
  ASSERT_TRUE(weak);
  EXPECT_EQ(weak->header.regime, Regime::kWeak);
}

TEST(ImportCsv, ReadsTheSingleRunsOfAnMlperfSeries) {
  const std::string path = public_file("mlperf_scaling_public.csv");
  if (path.empty()) GTEST_SKIP() << "no public data beside the project";
  const auto study =
      import_file(path, {.select = "round=v3.1,submitter=NVIDIA,benchmark=gpt3,"
                                   "accelerator_model=NVIDIA H100-SXM5-80GB,division=closed"});
  ASSERT_TRUE(study) << study.error().hint;
  EXPECT_EQ(study->runs.size(), 21U);
  EXPECT_NEAR(mean_times(*study).at(512), 3498.03, 0.01);
  EXPECT_NEAR(mean_times(*study).at(10752), 235.33, 0.01);
  EXPECT_EQ(workload_at(study->header, 768)->batch, 3072);
  EXPECT_EQ(study->runs[0].nodes.value_or(0) * study->runs[0].ranks.value_or(0),
            study->runs[0].workers);
}

TEST(ImportCsv, MakesSecondsOfRates) {
  const Study study = table("\"processors\",\"throughput\"\n1,20\n4,78\n");
  expect_times(study, {{1, 1.0 / 20}, {4, 1.0 / 78}});
  EXPECT_EQ(study.header.regime, Regime::kThroughput);
  ASSERT_EQ(study.header.workload.size(), 1U);
  EXPECT_EQ(study.header.workload[0].size, 1);
  EXPECT_TRUE(has_note(study, "rate"));
}

TEST(ImportCsv, MultipliesARateOfOneWorkerAndReadsUnitsOfRates) {
  expect_times(table("gpus,tokens_per_s_per_gpu\n8,100\n"), {{8, 1.0 / 800}});
  expect_times(table("gpus,img/min\n1,120\n"), {{1, 0.5}});
}

TEST(ImportCsv, KeepsTheWorkOfEachWorkerFixedWhereTheRegimeIsWeak) {
  const Study study = table("K,throughput\n1,10\n4,40\n", {.regime = Regime::kWeak});
  expect_times(study, {{1, 0.1}, {4, 0.1}});
  EXPECT_EQ(workload_at(study.header, 4)->size, 4);
}

TEST(ImportCsv, TakesSpeedupsAndEfficienciesAsRelativeTimes) {
  const Study percent = table("Threads,S_rel_percent\n1,100.0\n2,427.9\n");
  expect_times(percent, {{1, 1}, {2, 1 / 4.279}});
  EXPECT_TRUE(has_note(percent, "relative"));
  expect_times(table("K,efficiency\n2,90%\n"), {{2, 1 / 1.8}});
}

TEST(ImportCsv, KeepsClaimsThatStandBesideTimes) {
  const Study study = table("K,time,speedup,efficiency\n1,10,1,100%\n2,5.5,1.9x,95%\n");
  EXPECT_EQ(study.runs[1].extra, R"({"claim":{"speedup":1.9,"efficiency":0.95}})");
  expect_times(study, {{1, 10}, {2, 5.5}});
}

TEST(ImportCsv, ReadsUnitsFromHeadersAndCells) {
  expect_times(table("K,time_h\n4,38.835\n"), {{4, 38.835 * 3600}});
  expect_times(table("K,T [ms]\n1,250\n"), {{1, 0.25}});
  expect_times(table("K,latency (\xC2\xB5s)\n1,250\n"), {{1, 250e-6}});
  expect_times(table("nodes,Wall time (minutes)\n1,2\n"), {{1, 120}});
  expect_times(table("K,time\n1,250 ms\n2,2m\n"), {{1, 0.25}, {2, 120}});
}

TEST(ImportCsv, TellsMinutesFromAMinimum) {
  const Study minutes = table("K,time_min\n1,2\n");
  expect_times(minutes, {{1, 120}});
  EXPECT_TRUE(has_note(minutes, "guessed"));
  const Study mean = table("K,time_min,time_mean,time_max\n1,2,3,4\n");
  expect_times(mean, {{1, 3}});
  EXPECT_TRUE(has_note(mean, "summary"));
}

TEST(ImportCsv, TakesRepeatsInRowsAndInColumns) {
  EXPECT_EQ(table("K,t1,t2,t3\n1,10,11,12\n2,5,,7\n").runs.size(), 5U);
  expect_times(table("threads\trun_1 (ms)\trun_2 (ms)\n1\t10\t30\n"), {{1, 0.02}});
  const Study rows = table("K,rep,time\n1,0,10\n2,0,5\n1,1,12\n2,1,6\n");
  EXPECT_EQ(rows.runs[3].block, 1);
  // By K, not by repeat: nothing says that runs of one number were near in time.
  EXPECT_EQ(table("K,rep,time\n1,0,10\n1,1,12\n2,0,5\n2,1,6\n").runs[1].block, std::nullopt);
}

TEST(ImportCsv, ReadsSizesBatchesAndTheTimesOfWorkers) {
  const Study study = table(
      "K,size,batch,time,compute_0,compute_1,wait_0,wait_1\n"
      "1,100,8,10,9,,1,\n2,200,8,6,5,4,1,2\n");
  EXPECT_EQ(workload_at(study.header, 2)->size, 200);
  EXPECT_EQ(workload_at(study.header, 2)->batch, 8);
  EXPECT_EQ(study.runs[1].per_worker->compute, (std::vector<double>{5, 4}));
  EXPECT_EQ(study.runs[1].per_worker->wait, (std::vector<double>{1, 2}));
  EXPECT_EQ(study.runs[0].per_worker->compute, (std::vector<double>{9}));
}

TEST(ImportCsv, ReadsAPlainListOfPairsAndSaysThatItGuessed) {
  for (const std::string_view text : {"1 100\n2 52\n", "1,100\n2,52\n", "1;100\r\n2;52\r\n"}) {
    const Study study = table(text);
    expect_times(study, {{1, 100}, {2, 52}});
    EXPECT_TRUE(has_note(study, "guessed"));
  }
  EXPECT_NE(import_error("1,2,3\n").message.find("expected a header"), std::string::npos);
}

TEST(ImportCsv, UnderstandsSpreadsheets) {
  expect_times(table("\xEF\xBB\xBFK;Zeit time (s)\r\n1;2,5\r\n2;1.234,75\r\n"),
               {{1, 2.5}, {2, 1234.75}});
  expect_times(table("K,time\n1,\"1,234.5\"\n"), {{1, 1234.5}});
  expect_times(table("K,time\n1,1 234.5\n2,1'234\n"), {{1, 1234.5}, {2, 1234}});
}

TEST(ImportCsv, RefusesNumbersThatMayMeanTwoThings) {
  const Error both = import_error("K;time\n1;1,234\n");
  EXPECT_EQ(both.where, "t:2:3");
  EXPECT_NE(both.message.find("'1,234' may be"), std::string::npos) << both.message;
  EXPECT_NE(import_error("K;time\n1;2,5\n2;1,234.5\n").message.find("in some numbers"),
            std::string::npos);
}

TEST(ImportCsv, RefusesWhatIsNoMeasurementWithItsPlace) {
  const auto refused = [](std::string_view value) {
    return import_error("K,time\n1,3\n2," + std::string(value) + "\n");
  };
  for (const std::string_view value : {"-1", "nan", "inf", "0", "1e999", "12:30", "abc", "1.2.3"}) {
    const Error error = refused(value);
    EXPECT_EQ(error.where.substr(0, 2), "t:") << value << ": " << error.message;
  }
  EXPECT_EQ(refused("-1").where, "t:3:3");
  EXPECT_EQ(refused("-1").excerpt, "2,-1\n  ^");
  for (const std::string_view workers : {"0", "-2", "1.5", "2000000000"}) {
    const Error error = import_error("K,time\n1,3\n" + std::string(workers) + ",5\n");
    EXPECT_EQ(error.where, "t:3:1") << workers;
  }
}

TEST(ImportCsv, RefusesTornAndBrokenRows) {
  EXPECT_EQ(import_error("K,time\n1,3\n2").where, "t:3:1");
  EXPECT_EQ(import_error("K,time\n1,\"3\n2,5\n").message, "the quote is never closed");
  EXPECT_EQ(import_error("K,time\n").message, "the table has no rows");
  EXPECT_NE(import_error("K,time\n1,\"3\"4\n").message.find("between a quote"), std::string::npos);
}

TEST(ImportCsv, RefusesAnEndlessLine) {
  EXPECT_NE(import_error(std::string(8'000'000, 'x')).message.find("longer than 1000"),
            std::string::npos);
  EXPECT_NE(import_error("K,time" + std::string(1'000'000, ',')).message.find("10000 cells"),
            std::string::npos);
}

TEST(ImportCsv, NamesTheColumnsItCannotTellApart) {
  EXPECT_NE(import_error("a,b\n1,2\n").message.find("no column"), std::string::npos);
  const Error two = import_error("K,samples_per_s,tokens_per_s\n1,2,3\n");
  EXPECT_NE(two.message.find("samples_per_s, tokens_per_s"), std::string::npos);
  expect_times(table("K,samples_per_s,tokens_per_s\n1,2,4\n", {.time_column = "tokens_per_s"}),
               {{1, 0.25}});
  EXPECT_NE(import_error("size,time\n1,2\n").hint.find("--k-column"), std::string::npos);
  expect_times(table("size,time\n1,2\n", {.worker_column = "size"}), {{1, 2}});
  expect_times(table("Cores,Actual,Ideal\n1,2,2\n", {.rate_column = "actual"}), {{1, 0.5}});
}

TEST(ImportCsv, TakesTheFinestCountForKAndKeepsTheNodes) {
  const Study study = table("nodes,gpus,time\n1,8,10\n2,16,6\n");
  EXPECT_EQ(study.runs[1].workers, 16);
  EXPECT_EQ(study.runs[1].nodes, 2);
  EXPECT_EQ(study.runs[1].ranks, 8);
  // A count that is 0 is none.
  EXPECT_EQ(table("nodes,gpu_count,time\n4,0,10\n").runs[0].workers, 4);
}

TEST(ImportCsv, KeepsRunsWithoutAValueAsFailed) {
  const Study study = table("K,time,status\n1,10,success\n2,,aborted\n4,3,aborted\n");
  EXPECT_EQ(study.runs.size(), 3U);
  expect_times(study, {{1, 10}});
  EXPECT_EQ(study.runs[2].failure, "status: aborted");
  EXPECT_TRUE(has_note(study, "run-failed"));
}

TEST(ImportCsv, NotesAConditionThatChangesWithK) {
  EXPECT_TRUE(has_note(table("K,machine,time\n1,a,10\n2,b,5\n"), "changes-with-k"));
  EXPECT_EQ(import_error("K,machine,time\n1,a,10\n1,b,5\n2,b,3\n").message,
            "the table holds several series");
}

TEST(ImportCsv, ReadsTheLongForm) {
  const std::string_view text =
      "nodes,metric,value\n1,duration,10\n1,rate,5\n2,duration,6\n2,rate,9\n";
  EXPECT_NE(import_error(text).hint.find("metric=duration"), std::string::npos);
  expect_times(table(text, {.select = "metric=duration"}), {{1, 10}, {2, 6}});
  expect_times(table(text, {.select = "metric=rate"}), {{1, 0.2}, {2, 1.0 / 9}});
}

TEST(ImportCsv, SaysWhatASelectionMayAskFor) {
  const Error value = import_error("K,kind,time\n1,a,2\n", {.select = "kind=b"});
  EXPECT_EQ(value.message, "no row is what --select asks for");
  EXPECT_EQ(value.hint, "there are kind: a");
  EXPECT_NE(import_error("K,kind,time\n1,a,2\n", {.select = "kin=a"}).hint.find("'kind'"),
            std::string::npos);
}

}  // namespace
}  // namespace kstar
