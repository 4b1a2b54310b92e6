#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/import_files.h"

// Expected means were computed from the same files with Python's csv module.
namespace kstar {
namespace {

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
  const Study study = table_study(
      "gpus,time_s,global_batch,samples_to_converge\n8,1000,256,2000000\n64,220,2048,3000000\n");
  EXPECT_EQ(study.runs.at(0).work, 2e6);
  EXPECT_EQ(study.runs.at(1).work, 3e6);
  EXPECT_EQ(study.header.workload.at(1).batch, 2048);
  EXPECT_EQ(study.header.workload.at(1).unit, "samples");
  const Study without_batch =
      table_study("gpus,time_s,tokens until converged\n8,1000,7e9\n64,220,8e9\n");
  EXPECT_EQ(without_batch.runs.at(1).work, 8e9);
  EXPECT_EQ(without_batch.header.workload.at(0).unit, "tokens");
}

TEST(ImportCsv, EpochsOfDataWhoseSizeIsKnownAreSamples) {
  const Study epochs = table_study("gpus,time_s,batch,epochs\n8,1000,256,40\n64,220,2048,46\n");
  EXPECT_EQ(epochs.runs.at(1).work, 46);
  EXPECT_EQ(epochs.header.workload.at(0).unit, "epochs");
  const Study samples = table_study(
      "gpus,time_s,batch,epochs,dataset size\n8,1000,256,40,50000\n64,220,2048,46,50000\n");
  EXPECT_EQ(samples.runs.at(1).work, 46 * 50000);
  EXPECT_EQ(samples.header.workload.at(0).unit, "samples");
}

TEST(ImportCsv, SamplesWithoutABatchMayBeAnything) {
  const Study study = table_study("threads,time_s,samples\n1,10,30\n2,6,30\n");
  EXPECT_FALSE(study.runs.at(0).work);
  EXPECT_TRUE(has_note(study, "left-out"));
  const Study rates =
      table_study("gpus,samples_per_s,batch,epochs\n8,100,256,40\n64,600,2048,46\n");
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
  EXPECT_EQ(all.error().message, "the table contains several series");
  EXPECT_NE(all.error().hint.find("kind: strong, weak"), std::string::npos);
  EXPECT_NE(all.error().hint.find("(17 in total)"), std::string::npos);
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

TEST(ImportCsv, KeepsTheFactorsOfPop) {
  const Study study = table_study(
      "K,time_s,load_balance,comm_efficiency,parallel_efficiency\n1,100,1,1,1\n8,25,94,86,80.84\n");
  EXPECT_DOUBLE_EQ(study.runs.at(1).factors->at("load_balance"), 0.94);
  EXPECT_DOUBLE_EQ(study.runs.at(1).factors->at("communication_efficiency"), 0.86);
  EXPECT_FALSE(study.runs.at(1).claim) << "no efficiency against T(1)";
  const Study other = table_study("K,time_s,parallel_efficiency\n1,100,1\n8,25,0.5\n");
  EXPECT_FALSE(other.runs.at(1).factors) << "without a load balance it is E";
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
  const Study study = table_study("\"processors\",\"throughput\"\n1,20\n4,78\n");
  expect_times(study, {{1, 1.0 / 20}, {4, 1.0 / 78}});
  EXPECT_EQ(study.header.regime, Regime::kThroughput);
  ASSERT_EQ(study.header.workload.size(), 1U);
  EXPECT_EQ(study.header.workload[0].size, 1);
  EXPECT_TRUE(has_note(study, "rate"));
}

TEST(ImportCsv, MultipliesARateOfOneWorkerAndReadsUnitsOfRates) {
  expect_times(table_study("gpus,tokens_per_s_per_gpu\n8,100\n"), {{8, 1.0 / 800}});
  expect_times(table_study("gpus,img/min\n1,120\n"), {{1, 0.5}});
}

TEST(ImportCsv, KeepsTheWorkOfEachWorkerFixedWhereTheRegimeIsWeak) {
  const Study study = table_study("K,throughput\n1,10\n4,40\n", {.regime = Regime::kWeak});
  expect_times(study, {{1, 0.1}, {4, 0.1}});
  EXPECT_EQ(workload_at(study.header, 4)->size, 4);
}

TEST(ImportCsv, TakesSpeedupsAndEfficienciesAsRelativeTimes) {
  const Study percent = table_study("Threads,S_rel_percent\n1,100.0\n2,427.9\n");
  expect_times(percent, {{1, 1}, {2, 1 / 4.279}});
  EXPECT_TRUE(has_note(percent, "relative"));
  expect_times(table_study("K,efficiency\n2,90%\n"), {{2, 1 / 1.8}});
}

/// "S 1.9 E 0.95", as far as it is there.
std::string claim_text(const kstar::Run& run) {
  if (!run.claim) return "";
  std::string text = run.claim->speedup ? fmt::format("S {}", *run.claim->speedup) : "";
  if (!run.claim->efficiency) return text;
  return text + fmt::format("{}E {}", text.empty() ? "" : " ", *run.claim->efficiency);
}

TEST(ImportCsv, KeepsClaimsThatStandBesideTimes) {
  const Study study = table_study("K,time,speedup,efficiency\n1,10,1,100%\n2,5.5,1.9x,95%\n");
  EXPECT_EQ(claim_text(study.runs[1]), "S 1.9 E 0.95");
  expect_times(study, {{1, 10}, {2, 5.5}});
}

/// What the run of K = 2 claims.
std::string claim_in(std::string_view text) {
  const Study study = table_study(text);
  for (const kstar::Run& run : study.runs) {
    if (run.workers == 2) return claim_text(run);
  }
  return "no run";
}

TEST(ImportCsv, AScalingEfficiencyIsNoSpeedup) {
  const std::string share = "E 0.96";
  EXPECT_EQ(claim_in("K,time,scaling efficiency\n1,100,1\n2,52,0.96\n"), share);
  EXPECT_EQ(claim_in("K,time,Scaling efficiency (%)\n1,100,100\n2,52,96\n"), share);
  EXPECT_EQ(claim_in("K,time,Scaling\n1,100,100%\n2,52,96%\n"), share);
  EXPECT_EQ(claim_in("K,time,Scaling\n1,100,100\n2,52,96\n"), share);
  EXPECT_EQ(claim_in("K,time,scaling factor\n1,100,1\n2,52,0.96\n"), share);
  EXPECT_EQ(claim_in("K,time,scaling\n1,100,1\n2,52,1.92\n"), "S 1.92");
  EXPECT_EQ(claim_in("K,time,scaling\n1,100,100%\n2,52,192%\n"), "S 1.92");
  EXPECT_TRUE(has_note(table_study("K,time,scaling factor\n1,100,1\n2,52,0.96\n"), "guessed"));
  expect_times(table_study("K,scaling factor\n1,1\n2,0.8\n"), {{1, 1}, {2, 1 / 1.6}});
}

TEST(ImportCsv, AnEfficiencyFarAboveOneIsAPercentage) {
  const std::string_view text = "threads,time,efficiency\n1,100,100\n2,52,96\n4,28,89\n";
  EXPECT_EQ(claim_in(text), "E 0.96");
  EXPECT_TRUE(has_note(table_study(text), "guessed"));
  expect_times(table_study("threads,efficiency\n1,100\n4,90\n"), {{1, 1}, {4, 1 / 3.6}});
  // Above 1 at one K is a claim to check, and no other unit.
  EXPECT_EQ(claim_in("K,time,efficiency\n1,100,1\n2,40,1.6\n4,26,0.96\n"), "E 1.6");
}

TEST(ImportCsv, RefusesAnEfficiencyThatIsNone) {
  const Error error = import_error("K,efficiency\n1,1\n2,1.9\n4,3.5\n8,6.1\n");
  EXPECT_NE(error.message.find("neither a share nor a percentage: it reaches 6.1"),
            std::string::npos)
      << error.message;
  EXPECT_TRUE(
      has_note(table_study("K,time,efficiency\n1,10,1\n2,5,1.9\n4,3,3.5\n8,2,6.1\n"), "unlikely"));
}

TEST(ImportCsv, ReadsUnitsFromHeadersAndCells) {
  expect_times(table_study("K,time_h\n4,38.835\n"), {{4, 38.835 * 3600}});
  expect_times(table_study("K,T [ms]\n1,250\n"), {{1, 0.25}});
  expect_times(table_study("K,latency (\xC2\xB5s)\n1,250\n"), {{1, 250e-6}});
  expect_times(table_study("nodes,Wall time (minutes)\n1,2\n"), {{1, 120}});
  expect_times(table_study("K,time\n1,250 ms\n2,2m\n"), {{1, 0.25}, {2, 120}});
}

TEST(ImportCsv, ReadsATimeForOneOfSomething) {
  for (const std::string_view name : {"ms/step", "ms per step", "ms/it", "msec/iter"}) {
    const std::string text = "GPUs," + std::string(name) + "\n1,250\n";
    expect_times(table_study(text), {{1, 0.25}});
    expect_times(table_study(text, {.time_column = std::string(name)}), {{1, 0.25}});
  }
  expect_times(table_study("world_size,sec/epoch\n1,10\n2,5\n"), {{1, 10}, {2, 5}});
  expect_times(table_study("GPUs,s/it\n1,10\n"), {{1, 10}});
  for (const std::string_view name : {"it/s", "steps/s", "samples/s"}) {
    expect_times(table_study("GPUs," + std::string(name) + "\n1,4\n"), {{1, 0.25}});
  }
}

TEST(ImportCsv, ReadsTimesAsClocksWriteThem) {
  const Study study = table_study("K,time\n1,0:10:30\n2,1:30.5\n4,1m30s\n8,1h 2min 3.5s\n16,45\n");
  expect_times(study, {{1, 630}, {2, 90.5}, {4, 90}, {8, 3723.5}, {16, 45}});
  EXPECT_TRUE(has_note(study, "clock"));
  expect_times(table_study("K,Elapsed\n1,1-02:03:04\n"), {{1, 86400 + 2 * 3600 + 3 * 60 + 4}});
  const Error unclear = import_error("K,time,speedup\n1,10:30,1\n2,5:15,2\n");
  EXPECT_EQ(unclear.where, "t:2:3");
  EXPECT_NE(unclear.hint.find("0:10:30"), std::string::npos) << unclear.hint;
  for (const std::string_view wrong : {"0:10:3", "0:61:00", "1:2:3:4", "1s2m", "1m30", "0:00:00"}) {
    EXPECT_EQ(import_error("K,time\n1," + std::string(wrong) + "\n").where, "t:2:3") << wrong;
  }
}

TEST(ImportCsv, ReadsShortenedNumbersAndZeroIsNoTime) {
  expect_times(table_study("gpus,rate,efficiency\n1,12.3k,1\n2,0.024M,1\n"),
               {{1, 1 / 12300.0}, {2, 1 / 24000.0}});
  EXPECT_EQ(import_error("K,time\n1,12.3k\n2,8\n").where, "t:2:3") << "no time";
  EXPECT_EQ(import_error("K,time\n1,0\n").message, "expected a time above 0, got '0'");
}

TEST(ImportCsv, TellsMinutesFromAMinimum) {
  const Study minutes = table_study("K,time_min\n1,2\n");
  expect_times(minutes, {{1, 120}});
  EXPECT_TRUE(has_note(minutes, "guessed"));
  // In brackets stands a unit, whatever else the table has.
  const Study unit = table_study("gpus,Time (min),Max memory (GB)\n1,60,30\n2,31,16\n");
  expect_times(unit, {{1, 3600}, {2, 1860}});
  EXPECT_FALSE(has_note(unit, "summary"));
  expect_times(table_study("K,Time [min],Time max [min]\n1,2,3\n"), {{1, 120}});
  expect_times(table_study("K,time_min,max memory\n1,2,9\n"), {{1, 120}});
  const Study mean = table_study("K,time_min,time_mean,time_max\n1,2,3,4\n");
  expect_times(mean, {{1, 3}});
  EXPECT_TRUE(has_note(mean, "summary"));
}

TEST(ImportCsv, TakesRepeatsInRowsAndInColumns) {
  EXPECT_EQ(table_study("K,t1,t2,t3\n1,10,11,12\n2,5,,7\n").runs.size(), 5U);
  expect_times(table_study("threads\trun_1 (ms)\trun_2 (ms)\n1\t10\t30\n"), {{1, 0.02}});
  const Study rows = table_study("K,rep,time\n1,0,10\n2,0,5\n1,1,12\n2,1,6\n");
  EXPECT_EQ(rows.runs[3].block, 1);
  // By K, not by repeat: nothing says that runs of one number were near in time.
  EXPECT_EQ(table_study("K,rep,time\n1,0,10\n1,1,12\n2,0,5\n2,1,6\n").runs[1].block, std::nullopt);
}

TEST(ImportCsv, ReadsSizesBatchesAndTheTimesOfWorkers) {
  const Study study = table_study(
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
    const Study study = table_study(text);
    expect_times(study, {{1, 100}, {2, 52}});
    EXPECT_TRUE(has_note(study, "guessed"));
  }
  EXPECT_NE(import_error("1,2,3\n").message.find("expected a header"), std::string::npos);
}

TEST(ImportCsv, UnderstandsSpreadsheets) {
  expect_times(table_study("\xEF\xBB\xBFK;Zeit time (s)\r\n1;2,5\r\n2;1.234,75\r\n"),
               {{1, 2.5}, {2, 1234.75}});
  expect_times(table_study("K,time\n1,\"1,234.5\"\n"), {{1, 1234.5}});
  expect_times(table_study("K,time\n1,1 234.5\n2,1'234\n"), {{1, 1234.5}, {2, 1234}});
}

TEST(ImportCsv, RefusesNumbersThatMayMeanTwoThings) {
  const Error both = import_error("K;time\n1;1,234\n");
  EXPECT_EQ(both.where, "t:2:3");
  EXPECT_NE(both.message.find("'1,234' is ambiguous"), std::string::npos) << both.message;
  EXPECT_NE(import_error("K;time\n1;2,5\n2;1,234.5\n").message.find("in some numbers"),
            std::string::npos);
}

TEST(ImportCsv, RefusesAPointThatMayStandBetweenThousands) {
  const Error unclear = import_error("K;time\n1;1.234\n2;617\n");
  EXPECT_EQ(unclear.where, "t:2:3");
  EXPECT_NE(unclear.message.find("'1.234' is ambiguous"), std::string::npos) << unclear.message;
  EXPECT_FALSE(import_text("K;time\n1;1.234\n2;1.617\n", "t"));
  expect_times(table_study("K;time\n1;1.234.567\n2;617.000\n"), {{1, 1234567}, {2, 617000}});
  expect_times(table_study("K;time\n1;1.234\n2;617,5\n"), {{1, 1234}, {2, 617.5}});
  // Another number of digits, a zero in front or a ratio tells that points are decimal signs.
  expect_times(table_study("K;time\n1;1.234\n2;0.617\n"), {{1, 1.234}, {2, 0.617}});
  expect_times(table_study("K;time\n1;1.234\n2;1.5\n"), {{1, 1.234}, {2, 1.5}});
  expect_times(table_study("K;time;speedup\n1;1.234;1.000\n2;1.617;1.923\n"),
               {{1, 1.234}, {2, 1.617}});
  expect_times(table_study("K;time;std\n1;1.234;0.5\n2;617;2.5\n"), {{1, 1.234}, {2, 617}});
  EXPECT_FALSE(import_text("K,time\n1,1.234\n2,617\n", "t"));
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
  expect_times(
      table_study("K,samples_per_s,tokens_per_s\n1,2,4\n", {.rate_column = "tokens_per_s"}),
      {{1, 0.25}});
  EXPECT_NE(import_error("q,time\n1,2\n").hint.find("--k-column 'q'"), std::string::npos);
  EXPECT_EQ(import_error("size,time\n1,2\n").hint.find("--k-column"), std::string::npos);
  expect_times(table_study("size,time\n1,2\n", {.worker_column = "size"}), {{1, 2}});
  expect_times(table_study("Cores,Actual,Ideal\n1,2,2\n", {.rate_column = "actual"}), {{1, 0.5}});
}

TEST(ImportCsv, TakesTheFinestCountForKAndKeepsTheNodes) {
  const Study study = table_study("nodes,gpus,time\n1,8,10\n2,16,6\n");
  EXPECT_EQ(study.runs[1].workers, 16);
  EXPECT_EQ(study.runs[1].nodes, 2);
  EXPECT_EQ(study.runs[1].ranks, 8);
  // A count that is 0 is none.
  EXPECT_EQ(table_study("nodes,gpu_count,time\n4,0,10\n").runs[0].workers, 4);
}

TEST(ImportCsv, MultipliesCountsWhoseNamesSaySo) {
  const Study nodes = table_study("nodes,gpus per node,time\n1,8,100\n2,8,52\n4,8,28\n");
  expect_times(nodes, {{8, 100}, {16, 52}, {32, 28}});
  EXPECT_EQ(nodes.runs[1].nodes, 2);
  EXPECT_EQ(nodes.runs[1].ranks, 8);
  EXPECT_TRUE(has_note(nodes, "product"));
  expect_times(table_study("nodes,ppn,time\n1,1,100\n1,2,51\n1,4,27\n2,4,14\n"),
               {{1, 100}, {2, 51}, {4, 27}, {8, 14}});
  const Study hybrid = table_study("ranks,threads,time\n1,4,100\n2,4,52\n4,4,28\n");
  expect_times(hybrid, {{4, 100}, {8, 52}, {16, 28}});
  EXPECT_EQ(hybrid.runs[2].ranks, 4);
  EXPECT_EQ(hybrid.runs[2].threads, 4);
  expect_times(table_study("nodes,ranks_per_node,threads/rank,time\n2,4,8,10\n"), {{64, 10}});
  expect_times(table_study("nodes,gpus,gpus/node,time\n2,16,8,10\n"), {{16, 10}});
  expect_times(table_study("gpus,cpus_per_gpu,time\n4,12,10\n"), {{4, 10}});
}

TEST(ImportCsv, RefusesCountsThatMayMeanTwoThings) {
  const std::string_view text = "nodes,gpus,time\n1,8,100\n2,8,52\n4,8,28\n";
  const Error error = import_error(text);
  EXPECT_EQ(error.message, "'nodes' changes while 'gpus', which seems to be K, stays the same");
  EXPECT_NE(error.hint.find("--k-column 'nodes*gpus'"), std::string::npos) << error.hint;
  expect_times(table_study(text, {.worker_column = "nodes*gpus"}), {{8, 100}, {16, 52}, {32, 28}});
  expect_times(table_study(text, {.worker_column = "nodes"}), {{1, 100}, {2, 52}, {4, 28}});
  EXPECT_EQ(import_error(text, {.worker_column = "gpus"}).message,
            "the table contains several series");
  EXPECT_EQ(import_error(text, {.worker_column = "nodes*x"}).where, "--k-column");
  EXPECT_NE(import_error("ranks,threads,time\n1,4,9\n2,8,5\n").message.find("or in total"),
            std::string::npos);
  const std::string_view layouts = "ranks,threads,time\n4,1,30\n4,4,9\n2,8,12\n";
  EXPECT_NE(import_error(layouts).message.find("several layouts"), std::string::npos);
  expect_times(table_study(layouts, {.select = "ranks=4"}), {{4, 30}, {16, 9}});
}

TEST(ImportCsv, AColumnWhoseValuesComeAgainAtOtherKTellsSeriesApart) {
  const std::string_view text = "threads,n,time\n1,1000,10\n2,1000,5.2\n1,2000,80\n2,2000,41\n";
  const Error error = import_error(text);
  EXPECT_EQ(error.message, "the table contains several series");
  EXPECT_EQ(error.hint,
            "--select 'n=1000' for one of them\n"
            "   or kstar import t --series 'n' -o studies/ for a study of each\n"
            "      available: n: 1000, 2000");
  ASSERT_EQ(error.offers.size(), 2U);
  EXPECT_EQ(error.offers[1].flags[0], (std::pair<std::string, std::string>("series", "n")));
  expect_times(table_study(text, {.select = "n=2000"}), {{1, 80}, {2, 41}});
  // What is measured differs in each row; a seed and the number of a step are repeats.
  for (const std::string_view other : {"K,x,time\n1,9.1,10\n1,9.3,11\n2,4.9,5\n2,5.2,6\n",
                                       "K,seed,time\n1,7,10\n1,8,11\n2,7,5\n2,8,6\n",
                                       "K,step,time\n1,0,10\n1,1,11\n2,0,5\n2,1,6\n",
                                       "K,gpu util,time\n1,98,10\n1,99,11\n2,98,5\n2,99,6\n"}) {
    EXPECT_EQ(table_study(other).runs.size(), 4U) << other;
  }
  EXPECT_EQ(import_error("K,size,time\n1,10,1\n1,20,2\n2,30,3\n").message,
            "the table contains several series");
}

TEST(ImportCsv, KeepsStepsAndEpochsOfTheJobAtEachK) {
  for (const std::string_view name : {"steps", "iterations", "num steps", "training iterations"}) {
    const Study study =
        table_study("gpus,time_s," + std::string(name) + "\n1,100,1000\n2,55,1000\n4,28,900\n");
    EXPECT_EQ(workload_at(study.header, 4)->steps, 900) << name;
  }
  const Study epochs = table_study("gpus,time_s,epochs\n1,100,90\n4,28,80\n");
  EXPECT_EQ(workload_at(epochs.header, 4)->size, 80);
  EXPECT_EQ(workload_at(epochs.header, 4)->unit, "epochs");
  // Those of a solver are measured.
  const Study solver = table_study("K,time,iterations\n1,100,31\n1,100,32\n2,55,33\n");
  EXPECT_TRUE(solver.header.workload.empty());
  EXPECT_TRUE(has_note(solver, "left-out"));
  const Study rate = table_study("gpus,images/s,batch size\n1,100,64\n2,190,128\n");
  EXPECT_EQ(workload_at(rate.header, 2)->batch, 128);
}

TEST(ImportCsv, KeepsHowTheProgramWasBuiltAndItsPrecision) {
  const Study same = table_study("gpus,time_s,cflags\n1,100,-O0\n2,55,-O0\n");
  EXPECT_EQ(same.header.environment.versions.at("cflags"), "-O0");
  const Study build = table_study("gpus,time_s,build\n1,200,debug\n2,52,release\n4,26,release\n");
  EXPECT_FALSE(build.header.environment.versions.contains("build")) << "it is no one version";
  EXPECT_EQ(workload_at(build.header, 1)->settings, (Settings{{"build", "debug"}}));
  ASSERT_EQ(build.header.changes.size(), 1U);
  EXPECT_EQ(build.header.changes[0].values, (std::vector<std::string>{"debug", "release"}));
  EXPECT_TRUE(has_note(build, "changes-with-k"));
  const Study precision = table_study("gpus,images/s,precision\n1,100,fp32\n2,400,bf16\n");
  EXPECT_EQ(workload_at(precision.header, 2)->settings, (Settings{{"precision", "bf16"}}));
  EXPECT_EQ(workload_at(precision.header, 2)->size, 1);
}

TEST(ImportCsv, PointsAtPatternsWhereATextIsALog) {
  const std::string_view text = "Epoch 1 took 5 s\nDone after all of it, at last\n";
  const auto named = import_text(text, "train.log");
  ASSERT_FALSE(named);
  EXPECT_NE(named.error().hint.find("kstar import train.log --time-regex"), std::string::npos)
      << named.error().hint;
  EXPECT_NE(import_error(text).hint.find("--time-regex"), std::string::npos);
  EXPECT_EQ(import_error("K,time\n1,2,3\n").hint.find("--time-regex"), std::string::npos)
      << "a table with a torn row is no log";
}

TEST(ImportCsv, KeepsRunsWithoutAValueAsFailed) {
  const Study study = table_study("K,time,status\n1,10,success\n2,,aborted\n4,3,aborted\n");
  EXPECT_EQ(study.runs.size(), 3U);
  expect_times(study, {{1, 10}});
  EXPECT_EQ(study.runs[2].failure, "status: aborted");
  EXPECT_TRUE(has_note(study, "run-failed"));
}

TEST(ImportCsv, NotesAConditionThatChangesWithK) {
  EXPECT_TRUE(has_note(table_study("K,machine,time\n1,a,10\n2,b,5\n"), "changes-with-k"));
  EXPECT_EQ(import_error("K,machine,time\n1,a,10\n1,b,5\n2,b,3\n").message,
            "the table contains several series");
}

TEST(ImportCsv, ReadsTheLongForm) {
  const std::string_view text =
      "nodes,metric,value\n1,duration,10\n1,rate,5\n2,duration,6\n2,rate,9\n";
  EXPECT_NE(import_error(text).hint.find("metric=duration"), std::string::npos);
  expect_times(table_study(text, {.select = "metric=duration"}), {{1, 10}, {2, 6}});
  expect_times(table_study(text, {.select = "metric=rate"}), {{1, 0.2}, {2, 1.0 / 9}});
}

TEST(ImportCsv, AHintCanBePastedIntoAShell) {
  const Error one = import_error("threads,part,time_s\n1,l'un,4\n1,l'autre,5\n2,l'un,3\n");
  EXPECT_NE(one.hint.find("--select \"part=l'un\""), std::string::npos) << one.hint;
  const Error both = import_error("threads,part,time_s\n1,l'$un,4\n1,l'autre,5\n2,l'$un,3\n");
  EXPECT_NE(both.hint.find("--select 'part=l'\\''$un'"), std::string::npos) << both.hint;
  EXPECT_NE(both.hint.find("--series 'part'"), std::string::npos) << both.hint;
}

TEST(ImportCsv, SaysWhatASelectionMayAskFor) {
  const Error value = import_error("K,kind,time\n1,a,2\n", {.select = "kind=b"});
  EXPECT_EQ(value.message, "no row matches --select");
  EXPECT_EQ(value.hint, "available: kind: a");
  EXPECT_NE(import_error("K,kind,time\n1,a,2\n", {.select = "kin=a"}).hint.find("'kind'"),
            std::string::npos);
}

}  // namespace
}  // namespace kstar
