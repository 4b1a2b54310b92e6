#include <gtest/gtest.h>

#include "support/import_files.h"

// Shapes of tables, what makes two readings, and the formats that end in a table.
namespace kstar {
namespace {

std::string fault_of(std::string_view text, const ImportOptions& options = {},
                     std::string_view name = "t.csv") {
  const auto study = import_text(text, name, options);
  return study ? "" : study.error().message + "; " + study.error().hint;
}

void expect_said(const std::string& text, std::string_view said) {
  EXPECT_NE(text.find(said), std::string::npos) << text;
}

TEST(ImportTables, MarkdownIsReadWithWhatPeopleWriteIntoCells) {
  const Study study = table_study(
      "# Results\n\nSome words.\n\n| GPUs | Throughput | Speedup | Efficiency |\n"
      "|:-----|-----------:|---------|------------|\n| 1 GPU | 10.2k | 1.00x | 100.0% |\n"
      "| **8 GPUs** | 75.1k \xC2\xB1 0.3k | 7.36\xC3\x97 | **92%** |\n");
  expect_times(study, {{1, 1 / 10200.0}, {8, 1 / 75100.0}});
  EXPECT_NEAR(*study.runs[1].claim->speedup, 7.36, 1e-9);
  expect_times(
      table_study("| threads | time |\n|---|---|\n| 1 | 100 \xC2\xB1 2 ms |\n| 2 | 52 ms |\n"),
      {{1, 0.1}, {2, 0.052}});
}

TEST(ImportTables, OfSeveralTablesTheOneWithKIsTakenOrOneIsAskedFor) {
  const std::string other = "| Metric | Value |\n|---|---|\n| size | 5 |\n\n";
  const std::string first = "| threads | time |\n|---|---|\n| 1 | 10 |\n| 2 | 6 |\n\n";
  const std::string second = "| ranks | time |\n|---|---|\n| 1 | 20 |\n| 2 | 11 |\n\n";
  expect_times(table_study(other + first), {{1, 10}, {2, 6}});
  expect_said(fault_of(other + first + second), "--table 2");
  expect_times(table_study(other + first + second, {.table = 3}), {{1, 20}, {2, 11}});
  expect_said(fault_of(first, {.table = 4}), "from 1 to 1");
}

TEST(ImportTables, ColumnsLinedUpUnderRulesAndBlanks) {
  expect_times(table_study("Benchmark of today\n\nThreads    Time (s)    Speedup\n"
                           "-------    --------    -------\n1          10.0        1.0\n"
                           "2          5.5         1.8\n\nDone.\n"),
               {{1, 10}, {2, 5.5}});
  expect_times(table_study("# nodes, cores, performance (cells/sec)\n1  96  6e6\n2  192  1.2e7\n"),
               {{96, 1 / 6e6}, {192, 1 / 1.2e7}});
  expect_times(table_study("#nodes #nproc #total time -> x = 1\n6\t24\t\t3.5\n24\t96\t\t1.0\n"),
               {{24, 3.5}, {96, 1}});
  expect_times(
      table_study("+---------+------+\n| threads | time |\n+---------+------+\n|       1 |   10 |\n"
                  "|       2 |    6 |\n+---------+------+\n"),
      {{1, 10}, {2, 6}});
  expect_times(
      table_study(
          "\xE2\x94\x82 threads \xE2\x94\x82 time "
          "\xE2\x94\x82\n\xE2\x94\x9C\xE2\x94\x80\xE2\x94\xBC"
          "\xE2\x94\x80\xE2\x94\xA4\n\xE2\x94\x82 1 \xE2\x94\x82 10 \xE2\x94\x82\n\xE2\x94\x82 2 "
          "\xE2\x94\x82 6 \xE2\x94\x82\n"),
      {{1, 10}, {2, 6}});
  expect_times(
      table_study("JobID|NTasks|Elapsed|State\n1|4|00:10:00|COMPLETED\n2|8|00:05:30|COMPLETED\n"),
      {{4, 600}, {8, 330}});
  expect_times(table_study("threads,time\n-,(ms)\n1,1000\n2,520\n"), {{1, 1}, {2, 0.52}});
}

TEST(ImportTables, ARowThatDoesNotFitIsNoEndOfTheTable) {
  EXPECT_NE(fault_of("words first\n\nthreads time\n1 10\n2 6\n4 3 9\n"), "");
  expect_said(fault_of("threads,time\n1,2,3\n"), "--columns threads,time,c3");
  expect_times(table_study("threads,time\n1,2,3\n2,1,3\n", {.columns = "threads,time_ms,other"}),
               {{1, 0.002}, {2, 0.001}});
  expect_times(table_study("1,5,9\n2,3,9\n", {.columns = "np,time,other"}), {{1, 5}, {2, 3}});
}

TEST(ImportTables, KAcrossTheColumns) {
  expect_times(table_study("Threads,1,2,4\nTime (s),10,6,4\nSpeedup,1,1.7,2.5\n"),
               {{1, 10}, {2, 6}, {4, 4}});
  expect_times(table_study("case,1 thread (ms),2 threads (ms),4 threads (ms)\na,10,6,4\n"),
               {{1, 0.01}, {2, 0.006}, {4, 0.004}});
  const std::string bare = "method,1,2,4\nx,10,6,4\n";
  expect_said(fault_of(bare + "", {.time_column = "1"}), "--across");
  expect_times(table_study(bare, {.time_column = "value", .across = true}),
               {{1, 10}, {2, 6}, {4, 4}});
}

TEST(ImportTables, AFlagAlwaysWins) {
  const Study study = table_study("K,tps_ms,time\n1,10,5\n2,6,3\n", {.time_column = "tps_ms"});
  expect_times(study, {{1, 0.01}, {2, 0.006}});
  expect_times(table_study("K,tokens_per_s\n1,10\n2,6\n", {.time_column = "tokens_per_s"}),
               {{1, 10}, {2, 6}});
  expect_times(table_study("K,time\n1,10\n2,6\n", {.rate_column = "time"}),
               {{1, 0.1}, {2, 1 / 6.0}});
}

TEST(ImportTables, AGrowingSizeIsNeverAFixedProblem) {
  const Study weak = table_study("ranks,nx,ny,time\n1,100,100,5\n2,200,100,5.1\n4,400,100,5.2\n");
  EXPECT_EQ(workload_at(weak.header, 4)->size, 40000);
  for (const std::string_view name : {"N", "mesh", "matrix size", "units", "n_elem_foo"}) {
    const std::string text =
        "ranks," + std::string(name) + ",time\n1,100,5\n2,200,5.1\n4,400,5.2\n";
    expect_said(fault_of(text), "--regime weak");
    EXPECT_EQ(table_study(text, {.regime = Regime::kWeak}).header.regime, Regime::kWeak);
    EXPECT_EQ(table_study(text, {.ignored_columns = {std::string(name)}}).runs.size(), 3U);
  }
  // What is measured grows with K, too.
  EXPECT_EQ(fault_of("ranks,messages,memory_mb,ideal speedup,time\n1,0,10,1,5\n2,8,20,2,3\n"), "");
  const auto named = import_text("ranks,time\n1,5\n2,5.1\n", "weak_scaling.csv", {});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->header.regime, Regime::kWeak);
  EXPECT_TRUE(has_note(*named, "guessed"));
}

TEST(ImportTables, ARateBesideAStepTellsThatTheBatchGrows) {
  const std::string text = "gpus,tokens/s,step_time_ms\n1,100,50\n2,190,52\n4,370,53\n";
  expect_said(fault_of(text), "--rate-column 'tokens/s'");
  expect_times(table_study(text, {.rate_column = "tokens/s"}),
               {{1, 0.01}, {2, 1 / 190.0}, {4, 1 / 370.0}});
  EXPECT_EQ(table_study(text, {.regime = Regime::kWeak}).header.regime, Regime::kWeak);
  EXPECT_EQ(fault_of("gpus,tokens/s,step_time_ms\n1,100,50\n2,190,26\n4,370,13.5\n"), "");
}

TEST(ImportTables, RowsThatDifferAreNoRepeats) {
  expect_said(fault_of("threads,variant,time\n1,7,10\n1,9,30\n2,7,5\n"), "--series 'variant'");
  expect_said(fault_of("Task,ranks,time\nsort,1,10\nscan,1,3\nsort,2,5\nscan,2,2\n"),
              "--series 'Task'");
  expect_said(fault_of("procs,threads,time\n1,3,9\n2,1,8\n1,5,7\n2,3,6\n"), "several layouts");
  EXPECT_EQ(table_study("ranks,ratio,time\n1,nan,10\n1,nan,11\n2,0.5,6\n").runs.size(), 3U);
}

TEST(ImportTables, OnlyANameThatSaysNothingElseWinsOverOthers) {
  expect_said(fault_of("K,sort_time,merge_sort_time\n1,5,9\n2,3,5\n"), "several columns");
  expect_times(table_study("K,total_time,time_per_step,comm_time\n1,5,0.1,1\n2,3,0.06,1\n"),
               {{1, 5}, {2, 3}});
  expect_times(table_study("K,T1_ms,time_ms\n1,10,10\n2,10,6\n"), {{1, 0.01}, {2, 0.006}});
}

TEST(ImportTables, AProductOfTwoCountsIsK) {
  expect_times(table_study("MPI,OMP,Total,FOM\n1,2,2,10\n2,2,4,19\n"), {{2, 0.1}, {4, 1 / 19.0}});
}

TEST(ImportTables, JsonRowsInEveryShape) {
  const auto read = [](std::string_view text) { return mean_times(table_study(text)); };
  const std::map<int, double> expected{{1, 10}, {2, 6}};
  EXPECT_EQ(read(R"([{"np": 1, "time": 10}, {"np": 2, "time": 6}])"), expected);
  EXPECT_EQ(read("{\"np\": 1, \"time\": 10}\n{\"np\": 2, \"time\": 6}\n"), expected);
  EXPECT_EQ(read(R"({"info": {"a": 1}, "results": [{"np": 1, "time": 10}, {"np": 2, "time": 6}]})"),
            expected);
  EXPECT_EQ(read(R"({"threads": [1, 2], "time": [10, 6]})"), expected);
  EXPECT_EQ(read(R"({"threads": {"1": {"time": 10}, "2": {"time": 6}}})"), expected);
  EXPECT_EQ(read(R"({"np": {"0": 1, "1": 2}, "time": {"0": 10, "1": 6}})"), expected);
  EXPECT_EQ(
      table_study(R"([{"np": 1, "times": [10, 12]}, {"np": 2, "times": [6, 7]}])").runs.size(), 4U);
  // Nobody says what the keys count, unless the efficiencies do.
  expect_said(fault_of(R"({"1": {"time": 10}, "2": {"time": 6}})"), "--k-column 'key'");
  EXPECT_EQ(fault_of(R"({"1": {"time": 10, "efficiency": 1}, "2": {"time": 6, "efficiency": 0.833},
                         "4": {"time": 4, "efficiency": 0.625}})"),
            "");
}

TEST(ImportTables, ALogThatHoldsASweep) {
  expect_times(
      table_study(
          "N_Threads: 1\nTime -- elapsed: 232.3\n-----\nN_Threads: 2\nTime -- elapsed: 143.0\n"),
      {{1, 232.3}, {2, 143}});
  expect_said(
      fault_of("n: 5\nthreads: 1\ntime: 3 s\nthreads: 2\ntime: 2 s\nthreads: 1\ntime: 9 s\n"),
      "section");
  const std::string log =
      "run with np=1\nstep took 5 s\nstep took 6 s\nrun with np=2\nstep took 3 s\n";
  expect_times(table_study(log, {.worker_regex = "np=([0-9]+)", .time_regex = "took ([0-9.]+)"}),
               {{1, 5.5}, {2, 3}});
}

TEST(ImportTables, LogsOfPrograms) {
  expect_times(
      table_study(
          "LAMMPS (9 Oct 2020)\nLoop time of 1.5 on 4 procs for 100 steps with 32000 atoms\n"),
      {{4, 1.5}});
  expect_said(fault_of("LAMMPS (9 Oct 2020)\nERROR\n"), "did not end");
  expect_times(
      table_study("HPLinpack 2.3\nT/V N NB P Q Time Gflops\nWR11C2R4 2000 96 2 2 1.0 4.0e+00\n"
                  "WR11C2R4 2000 96 1 2 1.0 2.5e+00\n"),
      {{4, 0.25}, {2, 0.4}});
  expect_times(
      table_study(
          "GROMACS version:    2022.5\nUsing 2 MPI processes\nUsing 4 OpenMP threads per MPI "
          "process\n  nsteps = 500\nPerformance:       10.0        2.4\n"),
      {{8, 8640}});
  expect_times(
      table_study("[----- bench -----]\n          |  size 8\n1 threads: ----\n      mm  |  40.0\n"
                  "2 threads: ----\n      mm  |  22.0\n\nTimes are in microseconds (us).\n"),
      {{1, 40e-6}, {2, 22e-6}});
  const ImportOptions megatron{.preset = "megatron"};
  expect_times(
      table_study(
          "using world size: 8, data-parallel\n iteration 1/ 5 | elapsed time per iteration (ms): "
          "1500.0 | x\n iteration 2/ 5 | elapsed time per iteration (ms): 500.0 | x\n",
          megatron),
      {{8, 1}});
  expect_times(table_study("world_size=4\nRunningAvgSamplesPerSec=9, CurrSamplesPerSec=10.0, Mem\n",
                           {.preset = "deepspeed"}),
               {{4, 0.1}});
}

TEST(ImportTables, FilesOfBenchmarkTools) {
  expect_times(table_study(R"({"machine_info": {}, "commit_info": {}, "benchmarks": [
      {"name": "t[1]", "params": {"threads": 1}, "stats": {"mean": 2.0, "data": [1.9, 2.1]}},
      {"name": "t[2]", "params": {"threads": 2}, "stats": {"mean": 1.1, "data": [1.0, 1.2]}}]})"),
               {{1, 2}, {2, 1.1}});
  // avgt is the time of each thread: four of them do four operations in it.
  expect_times(
      table_study(R"([{"jmhVersion": "1.37", "benchmark": "b", "mode": "avgt", "threads": 1,
      "primaryMetric": {"score": 8.0, "scoreUnit": "ms/op", "rawData": [[8.0]]}},
      {"jmhVersion": "1.37", "benchmark": "b", "mode": "avgt", "threads": 4,
      "primaryMetric": {"score": 10.0, "scoreUnit": "ms/op", "rawData": [[10.0]]}}])"),
      {{1, 0.008}, {4, 0.0025}});
  const auto criterion = import_text(
      R"({"mean":{"confidence_interval":{},"point_estimate":5000.0},"median_abs_dev":{}})",
      "criterion/sort_threads/8/new/estimates.json", {});
  ASSERT_TRUE(criterion) << criterion.error().message;
  expect_times(*criterion, {{8, 5e-6}});
  expect_times(table_study(R"({"best_metric": null, "global_step": 9, "log_history": [{"loss": 1.0},
      {"train_runtime": 10.0, "train_samples_per_second": 50.0}]})",
                           {.workers = 4}),
               {{4, 0.02}});
  expect_times(
      table_study("epoch,step,step_time_s,loss\n0,1,0.5,3\n0,2,0.7,2\n1,3,,1\n", {.workers = 2}),
      {{2, 0.6}});
}

TEST(ImportTables, CellsTellWhatNamesDoNot) {
  expect_times(table_study("| Allocation | Wall time |\n|---|---|\n| Serial | 9 s |\n"
                           "| 1 vCPU | 8 s |\n| 2 vCPUs | 5 s |\n"),
               {{1, 8}, {2, 5}});
  expect_times(table_study("threads;DFT\n1;52 secondes\n2;30 secondes\n"), {{1, 52}, {2, 30}});
  expect_times(table_study("GPUs,step time (s)\n1x,8\n2x,5\n"), {{1, 8}, {2, 5}});
  expect_times(table_study("Threads,time_s\n4 (Default),82\n6,104\n"), {{4, 82}, {6, 104}});
  expect_times(table_study("mode,time\nserial,8\n", {.workers = 4}), {{4, 8}});
  // Percentiles are no T, whatever unit they have.
  expect_times(table_study("threads,Requests/s,p50\n1,100,2 ms\n2,190,2 ms\n"),
               {{1, 0.01}, {2, 1 / 190.0}});
  // "#" numbers the rows, and K is K.
  expect_times(table_study("#,threads,time\n1,1,8\n2,1,9\n3,2,5\n"), {{1, 8.5}, {2, 5}});
}

TEST(ImportTables, AGridIsASize) {
  const Study study = table_study(
      "Threads,Grid Size,Time\n1,36 x 23 x 25,0.29\n2,51 x 33 x 35,0.30\n4,64^3,0.31\n");
  ASSERT_EQ(study.header.workload.size(), 3U);
  EXPECT_EQ(study.header.workload[0].size, 20700.0);
  EXPECT_EQ(study.header.workload[2].size, 262144.0);
  const Study axes = table_study("ranks,dim_x,dim_y,time\n1,10,10,5\n2,20,10,5\n4,20,20,5\n");
  EXPECT_EQ(axes.header.workload[2].size, 400.0);
}

TEST(ImportTables, ARowOfDataIsNoHeader) {
  expect_times(table_study("1: 9000ns\n2: 5000ns\n4: 3000ns\n"), {{1, 9e-6}, {2, 5e-6}, {4, 3e-6}});
  const std::string text = "1, 46 ms, 11.3 MB/s, (52 MB)\n2, 25 ms, 20.1 MB/s, (52 MB)\n";
  expect_said(fault_of(text), "--columns");
  expect_times(table_study(text, {.columns = "K,time,rate,size"}), {{1, 0.046}, {2, 0.025}});
  // Faster than the first column: sizes, and no workers.
  expect_said(fault_of("2 12\n3 418\n4 6999\n"), "grow faster");
}

TEST(ImportTables, WeakIsBelievedWhereNothingContradicts) {
  const std::string table = "threads,N,time\n1,500,8\n2,500,5\n4,500,3\n";
  expect_said(fault_of(table, {}, "weak_scaling.csv"), "'N' is the same at every K");
  expect_said(fault_of("p,efficiency\n1,1\n4,0.485\n", {}, "weak.csv"), "--regime weak");
  for (const char* const said : {"Threads (20 000 cells per thread),time\n1,5\n2,6\n4,6\n",
                                 "# Constant work per thread\nthreads,time\n1,5\n2,6\n4,6\n"}) {
    EXPECT_EQ(table_study(said).header.regime, Regime::kWeak) << said;
  }
  // Ranks of a node are no part of the problem.
  EXPECT_NE(table_study("# 4 ranks per node\nnodes,time\n1,5\n2,3\n").header.regime, Regime::kWeak);
}

TEST(ImportTables, AStatusIsAFailureOnlyWhereItSaysSo) {
  const Study study = table_study(
      "clients,tps,Status\n8,2730,Under-utilized\n16,3604,Peak\n32,3300,OUT_OF_MEMORY\n"
      "64,3000,not converged\n");
  EXPECT_TRUE(study.runs[0].failure.empty());
  EXPECT_TRUE(study.runs[1].failure.empty());
  EXPECT_FALSE(study.runs[2].failure.empty());
  EXPECT_FALSE(study.runs[3].failure.empty());
}

TEST(ImportTables, WhatStandsBesideATimeIsAskedAbout) {
  // Every run lasts a minute by design, and the rate of one thread says nothing of it.
  expect_said(fault_of("threads,duration,throughput,thread_throughput\n1,60.1,2.4e6,2.4e6\n"
                       "4,60.2,6.6e6,1.7e6\n16,60.4,2e7,1.3e6\n"),
              "--rate-column 'throughput'");
  expect_said(fault_of("threads,elapsed_s,qps\n1,60.13,104\n2,60.20,91\n3,60.24,88\n"),
              "--rate-column 'qps'");
  expect_said(fault_of("threads,Shared Memory (OpenMP) Time (s),Distributed Memory (MPI) Time (s)\n"
                       "1,54,53\n2,25,26\n"),
              "--time-column");
  expect_said(fault_of("threads,OpenMP Speedup,MPI Speedup\n1,1,1\n2,1.9,1.8\n"), "--rate-column");
  expect_said(fault_of("ranks,Time (s),Speedup\n1,fast,1\n2,faster,1.4\n"), "expected a time");
}

TEST(ImportTables, DoubtsAreSaid) {
  const Study about = table_study("ranks,Time (s)\n1,~0.51\n2,\xE2\x89\x88 0.38\n");
  expect_times(about, {{1, 0.51}, {2, 0.38}});
  EXPECT_TRUE(has_note(about, "guessed"));
  EXPECT_TRUE(
      has_note(table_study("p,T(p)\n11,4\n17,12\n97,812\n", {.worker_column = "p"}), "guessed"));
  EXPECT_TRUE(has_note(table_study("ranks,time\n4,108\n4,12\n8,7\n"), "guessed"));
  EXPECT_FALSE(has_note(table_study("ranks,time\n4,13\n4,12\n8,7\n"), "guessed"));
  // A switch that changes with K is no result.
  EXPECT_FALSE(table_study("K,time,dynamic\n1,8,0\n2,5,0\n4,3,1\n").header.changes.empty());
  const Study per_ns = table_study("nodes,hours/ns\n1,2\n2,1.2\n");
  EXPECT_FALSE(has_note(per_ns, "per-step"));
  EXPECT_EQ(per_ns.header.workload[0].unit, "ns");
}

TEST(ImportTables, RowsOfOtherJobsAreNoRepeats) {
  // Other chips at one K, and at other K.
  expect_said(fault_of("GPU,workers,time\nL4,3,90\n3090,3,140\nH200,3,80\n4090,5,50\n"),
              "several series");
  expect_said(fault_of("gpus,GPU,images/s\n1,A100,900\n2,A100,1700\n8,H100,16000\n"),
              "several series");
  expect_times(table_study("gpus,GPU,time\n1,1x A100,9\n2,2x A100,5\n"), {{1, 9}, {2, 5}});
  expect_times(table_study("K,node,time\n1,node07,9\n1,node12,9.1\n2,node13,5\n"),
               {{1, 9.05}, {2, 5}});
  // What takes five times as long beside another text is another job.
  const std::string phases = "phase,cores,time_s\n2A,8,640\n2B,8,100\n3A,1,30\n3B,1,6\n";
  expect_said(fault_of(phases), "--ignore 'phase'");
  EXPECT_TRUE(import_text(phases, "t.csv", {.ignored_columns = {"phase"}}));
  // So is what takes longer than K times as long.
  const std::string cases = "case,threads,time\none host,50,2\na net,100,40\nall ports,500,700\n";
  expect_said(fault_of(cases), "--ignore 'case'");
  expect_said(fault_of("config,gpus,samples/s\nshort,16,53\nlong,64,27\n"), "--ignore 'config'");
  expect_times(table_study("config,gpus,time\n1 node,4,5\n2 nodes,8,6\n"), {{4, 5}, {8, 6}});
  EXPECT_TRUE(import_text(cases, "t.csv", {.ignored_columns = {"case"}}));
  expect_times(table_study("case,threads,size,time\na,1,10,2\nb,2,80,40\nc,4,640,700\n"),
               {{1, 2}, {2, 40}, {4, 700}});
}

TEST(ImportTables, MoreThanAnyMachineHasMayBeASize) {
  const std::string text = "processes,time_ms\n1000,0.4\n100000,72\n1000000,1026\n";
  expect_said(fault_of(text), "--k-column 'processes'");
  EXPECT_TRUE(import_text(text, "t.csv", {.worker_column = "processes"}));
}

TEST(ImportTables, ACountThatFallsWhileKGrowsMayBeAFactor) {
  const std::string text = "workers,cores,time_s\n1,4,40\n2,4,25\n4,2,30\n";
  expect_said(fault_of(text), "--k-column 'cores*workers'");
  expect_times(table_study(text, {.worker_column = "workers"}), {{1, 40}, {2, 25}, {4, 30}});
}

TEST(ImportTables, NoPartOfARunTakesLongerThanTheRun) {
  expect_said(fault_of("threads,comp_s,decomp_s\n1,90,25\n2,47,13\n"), "--time-column 'comp_s'");
  expect_times(table_study("threads,comm_s,solve_s\n1,1,25\n2,3,13\n"), {{1, 25}, {2, 13}});
  expect_times(table_study("threads,comm time,solve time\n1,90 ms,2.5 s\n2,300 ms,1.5 s\n"),
               {{1, 2.5}, {2, 1.5}});
}

TEST(ImportTables, AMarkBehindANumberIsSaid) {
  const Study study = table_study(
      "| ranks | Time (s) | Speedup |\n|--|--|--|\n| 1 | 0.21 | 1.00 |\n| **8** | **0.05** | 4.2 "
      "|\n| 16 | 0.04* | 5.25* |\n\n*projected\n");
  expect_times(study, {{1, 0.21}, {8, 0.05}, {16, 0.04}});
  EXPECT_TRUE(has_note(study, "guessed"));
}

TEST(ImportTables, TablesThatAreNotReadAreCounted) {
  const std::string toy = "| threads | time |\n|--|--|\n| 1 | 10 |\n| 2 | 6 |\n";
  const std::string other = "| threads | static | guided |\n|--|--|--|\n| 1 | 90 | 91 |\n\n";
  EXPECT_TRUE(has_note(table_study(other + toy), "skipped"));
  EXPECT_FALSE(has_note(table_study(toy), "skipped"));
}

TEST(ImportTables, ATimeSinceTheStartIsNoStep) {
  const std::string text = "epoch,time\n0,10\n1,21\n2,33\n3,44\n4,55\n";
  expect_said(fault_of(text, {.workers = 2}), "--time-column 'time'");
  // A header of commas may have bars in its names.
  expect_times(
      table_study("epoch,step,train|device|samples_per_sec\n0,9,50\n0,19,50\n", {.workers = 4}),
      {{4, 0.02}});
  EXPECT_EQ(table_study(text, {.time_column = "time", .workers = 2}).runs[0].steps.size(), 5U);
}

TEST(ImportTables, WhatBenchmarkProgramsPrint) {
  // Each table of Compare has its own unit; "2 threads" as a name of a column says nothing new.
  const std::string_view torch =
      "# [---- mm ----]\n#            |  1 thread  |  2 threads\n# 1 threads: ------\n"
      "#      n=64  |  900.0 (! 21%)  |\n# 2 threads: ------\n#      n=64  |     |  500.0\n\n"
      "# Times are in microseconds (us).\n\n[---- sum ----]\n            |  a\n1 threads: ----\n"
      "      n=64  |  3.0 (+-0.1)\n2 threads: ----\n      n=64  |  2.0\n\n"
      "Times are in milliseconds (ms).\n";
  expect_times(table_study(torch, {.select = "benchmark=mm"}), {{1, 9e-4}, {2, 5e-4}});
  expect_times(table_study(torch, {.select = "benchmark=sum"}), {{1, 3e-3}, {2, 2e-3}});
  expect_times(table_study("goos: linux\nBenchmarkSum \t 1000 \t 1200 ns/op\n"
                           "BenchmarkSum-2 \t 2000 \t 650 ns/op \t 0 B/op\nPASS\n"),
               {{1, 1.2e-6}, {2, 6.5e-7}});
  expect_said(fault_of("BenchmarkSort/size-10 5 12 ns/op\nBenchmarkSort/size-20 5 22 ns/op\n"),
              "GOMAXPROCS");
  const std::string jmh =
      "\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\",\"Unit\",\"Param: n\"\n";
  expect_times(table_study(jmh + "\"b\",\"thrpt\",1,5,100,\"ops/ms\",9\n"
                                 "\"b\",\"thrpt\",4,5,400,\"ops/ms\",9\n"),
               {{1, 1e-5}, {4, 2.5e-6}});
  expect_times(table_study(jmh + "\"b\",\"avgt\",4,5,8,\"us/op\",9\n"), {{4, 2e-6}});
  const auto criterion =
      import_text(R"({"sampling_mode":"Linear","iters":[10.0,20.0],"times":[5000.0,10400.0]})",
                  "target/criterion/sum/threads/4/new/sample.json", {});
  ASSERT_TRUE(criterion) << criterion.error().message;
  expect_times(*criterion, {{4, 5.1e-7}});
  // 1000 elements in a pool of threads are no workers.
  EXPECT_FALSE(
      import_text(R"({"mean":{"confidence_interval":{},"point_estimate":5.0},"median_abs_dev":{}})",
                  "criterion/thread_pool/1000/new/estimates.json", {}));
}

TEST(ImportTables, APointThatMayGroupThousandsIsNotReadSilently) {
  // 980 below 1.436: a thousand more, or a time that grew 700-fold.
  expect_said(fault_of("threads,time_ms\n1,1.436\n2,980\n4,510\n"), "'1.436' is ambiguous");
  const Study all = table_study("threads,time_ms\n1,12.345\n2,6.789\n4,3.456\n");
  expect_times(all, {{1, 0.012345}, {2, 0.006789}, {4, 0.003456}});
  EXPECT_TRUE(has_note(all, "guessed"));
  // Another number says what a point is.
  EXPECT_FALSE(has_note(table_study("threads,time_ms\n1,12.345\n2,6.7\n4,3.456\n"), "guessed"));
  EXPECT_FALSE(has_note(table_study("threads,time_s,gb\n1,12.345,0.5\n2,6.789,0.5\n"), "guessed"));
  expect_times(table_study("threads,time_ms\n1,12.345.678\n2,6.789.123\n"),
               {{1, 12345.678}, {2, 6789.123}});
}

TEST(ImportTables, AFlagSaysWhichMarkIsDecimal) {
  const std::string commas = "K;time_s\n1;1,795\n2;1,481\n",
                    points = "K;time_s\n1;1.795\n2;0.481\n";
  expect_said(fault_of(commas), "--decimal point");
  expect_times(table_study(commas, {.decimal = "comma"}), {{1, 1.795}, {2, 1.481}});
  expect_times(table_study(commas, {.decimal = "point"}), {{1, 1795}, {2, 1481}});
  expect_times(table_study(points, {.decimal = "point"}), {{1, 1.795}, {2, 0.481}});
  expect_said(fault_of(points, {.decimal = "comma"}), "got '0.481'");
}

TEST(ImportTables, RatesMayBePerHour) {
  expect_times(table_study("GPUs,Throughput\n4,320 ep/hr\n8,600 ep/hr\n"), {{4, 11.25}, {8, 6}});
  expect_said(fault_of("GPUs,Throughput\n4,320 ep/hr\n8,10 ep/min\n"), "'10 ep/min' is not in");
}

TEST(ImportTables, ARatioOfTimesIsNoTime) {
  // The times cannot be read, and what is beside them does not stand for them.
  expect_said(fault_of("| Cores | Wall time (s) | CPU / wall time |\n|--|--|--|\n"
                       "| 4 | 9:25 (565) | 2.1 |\n| 8 | 8:10 (490) | 2.5 |\n"),
              "got '9:25 (565)'");
  expect_said(fault_of("cores,CPU / wall time\n4,2.1\n8,2.5\n"), "no column name means a time");
}

TEST(ImportTables, IndicesOfRowsAreNoSettings) {
  const std::string rows = "threads,time_s\n3,1,10\n5,1,10.1\n8,2,6\n9,2,6.1\n";
  for (const std::string name : {"Unnamed: 0,", "index,", "idx,"}) {
    expect_times(table_study(name + rows), {{1, 10.05}, {2, 6.05}});
  }
  expect_times(table_study("#,threads,time_s\n1,1,10\n2,2,6\n"), {{1, 10}, {2, 6}});
}

TEST(ImportTables, WithoutAHeaderTheSizeMayStandFirst) {
  const std::string text = "64,1,0.5\n64,2,0.3\n128,1,4\n128,2,2.2\n";
  expect_said(fault_of(text), "--columns c1,K,time_s");
  expect_times(table_study(text, {.select = "c1=128", .columns = "c1,K,time_s"}),
               {{1, 4}, {2, 2.2}});
}

TEST(ImportTables, ColumnsLineUpAtTwoBlanksWhereCellsHaveOne) {
  expect_times(
      table_study("=====\nSUMMARY\n=====\nImplementation       Processes  Time(s)    Speedup\n"
                  "----------\nSerial (base)        1          5.25       1.00x\n"
                  "Data Parallel (2P)   2          2.75       1.90x\n"),
      {{1, 5.25}, {2, 2.75}});
  expect_times(table_study("=====  =====\nNumber of processes  Time required (minutes:seconds)\n"
                           "=====  =====\n1                    4:04\n2                    2:05\n"),
               {{1, 244}, {2, 125}});
  // No row stands below a header.
  EXPECT_FALSE(import_text("Time  avg  max\nLatency 5 ms  6  7\n", "t.log"));
}

TEST(ImportTables, UnitsMayBeBothSingularAndPlural) {
  expect_times(table_study("ranks | elapsed\n1 | 2.5 second(s)\n4 | 1.5 second(s)\n"),
               {{1, 2.5}, {4, 1.5}});
}

TEST(ImportTables, ListsAreColumnsThoughTheObjectSaysMore) {
  const auto study = import_text(
      R"({"nproc": 14, "repeats": 3, "threads": [1, 2, 4], "loop_time_us": [6, 4, 3]})", "t.json");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 6e-6}, {2, 4e-6}, {4, 3e-6}});
}

TEST(ImportTables, WhatAProgramComputedIsNoStatus) {
  expect_times(table_study("threads,time,result\n1,4,3.14159\n2,2.1,3.14159\n"),
               {{1, 4}, {2, 2.1}});
  expect_times(table_study("threads,itr,time,result\n1,1,4,375250\n1,2,5,375250\n"), {{1, 4.5}});
  EXPECT_FALSE(table_study("threads,time,result\n1,4,0\n2,2.1,1\n").runs[1].failure.empty());
  EXPECT_FALSE(
      table_study("threads,time,exit code\n1,4,0\n2,2.1,3221225477\n").runs[1].failure.empty());
  expect_times(table_study("threads,time,result\n1,4,4999950000\n2,2.1,4999950000\n4,1,error\n"),
               {{1, 4}, {2, 2.1}});
  expect_said(fault_of("threads,comp time,io time,status\n1,4,3,failed\n2,2,2,failed\n"),
              "no run in it has a time)");
}

TEST(ImportTables, TheMeanOfRepeatsIsNoRun) {
  const Study study =
      table_study("run,threads,time\n1,1,10\n2,1,11\nPromedio,1,10.5\n1,2,6\n2,2,5\navg,2,5.5\n");
  EXPECT_EQ(study.runs.size(), 4U);
  EXPECT_EQ(table_study("run,threads,time\nmean,1,10\nmean,2,6\n").runs.size(), 2U);
}

TEST(ImportTables, AMeanGoesBeforeAMaximumInOtherLanguages) {
  for (const std::string mean : {"Zeit_mittel", "tempo_medio", "tiempo_promedio"}) {
    expect_times(table_study("threads,Zeit_max," + mean + "\n1,10.9,10.5\n2,5.9,5.5\n"),
                 {{1, 10.5}, {2, 5.5}});
  }
}

TEST(ImportTables, ALogMayHoldTheTimesOfTheShell) {
  expect_times(table_study("np=1\nreal\t0m12.345s\nuser\t0m12.1s\nsys\t0m0.1s\nnp=2\n"
                           "real\t0m6.8s\nuser\t0m13.0s\nsys\t0m0.2s\n"),
               {{1, 12.345}, {2, 6.8}});
}

TEST(ImportTables, LoopsOfAnotherKEachAreNoSize) {
  const std::string first = "Loop time of 36.5 on 1 procs for 1000 steps with 64000 atoms\n";
  expect_times(
      table_study(first + "Loop time of 20.1 on 2 procs for 1000 steps with 64000 atoms\n"),
      {{1, 36.5}, {2, 20.1}});
  expect_said(fault_of(first + first), "several series");
}

TEST(ImportTables, DaysThatAreSimulatedAreNoTime) {
  const std::string text = "ranks,total_days,avg_compute_s,avg_io_s\n1,256,0.2,0.1\n";
  expect_said(fault_of(text), "avg_compute_s, avg_io_s");
  expect_times(table_study("gpus,training days\n8,4\n16,2.5\n"), {{8, 345600}, {16, 216000}});
}

TEST(ImportTables, WhatARequestTakesIsNotT) {
  for (const std::string name : {"ITL (ms)",
                                 "lat m\xC3\xA9"
                                 "dia (ms)"}) {
    expect_times(
        table_study("| Clients | Served (req/s) | TTFT (ms) | " + name +
                    " |\n|---|---|---|---|\n| 1 | 2.3 | 273 | 5.7 |\n| 4 | 7.6 | 286 | 8.2 |\n"),
        {{1, 1 / 2.3}, {4, 1 / 7.6}});
  }
}

TEST(ImportTables, WordsMayTellThatARunFailed) {
  const Study study = table_study(
      "| ranks | wall time |\n|---|---|\n| 1 | 1457 s |\n| 2 | 797 s |\n"
      "| 6 | incomplete output / MPI termination |\n");
  EXPECT_FALSE(study.runs[2].failure.empty());
  expect_said(fault_of("ranks,wall time\n1,fast\n2,faster\n"), "expected a time");
}

TEST(ImportTables, NamesForTheColumnsSayWhatK) {
  const std::string text = "1000,0.35\n2000,0.86\n3000,1.52\n";
  expect_said(fault_of(text), "--columns K,time_s");
  expect_times(table_study(text, {.columns = "K,time_s"}),
               {{1000, 0.35}, {2000, 0.86}, {3000, 1.52}});
}

TEST(ImportTables, WhatSomebodySaysOfARunTellsNoJobsApart) {
  for (const std::string name : {"Bottleneck", "Verdict", "Beobachtung", "Remarque"}) {
    expect_times(table_study("threads,time," + name + "\n1,2,none\n2,2.4,locks\n4,3.9,memory\n"),
                 {{1, 2}, {2, 2.4}, {4, 3.9}});
  }
}

TEST(ImportTables, ALineOfPairsHeadsNoTable) {
  expect_times(table_study("Number of threads: 1, Time taken: 196248 microseconds, Sum: 10\n"
                           "Number of threads: 2, Time taken: 148194 microseconds, Sum: 10\n"),
               {{1, 0.196248}, {2, 0.148194}});
}

TEST(ImportTables, PairsMayHaveUnits) {
  const auto study = import_pairs("1:100s,2:52000ms,4:0:00:29,8:1m", "--data");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 100}, {2, 52}, {4, 29}, {8, 60}});
  EXPECT_FALSE(import_pairs("1:100x", "--data"));
}

}  // namespace
}  // namespace kstar
