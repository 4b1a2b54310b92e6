// Files of other tools, as they write them. The expected values were computed by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/import_files.h"

namespace kstar {
namespace {

constexpr std::string_view kHyperfine = R"({
  "results": [
    {"command": "./prog -t 1", "mean": 2.0, "stddev": 0.1, "times": [2.1, 1.9],
     "exit_codes": [0, 0], "memory_usage_byte": [1024, 2048], "parameters": {"threads": "1"}},
    {"command": "./prog -t 4", "mean": 0.6, "stddev": null, "times": [0.5, 0.7, 9.0],
     "exit_codes": [0, 0, 1], "parameters": {"threads": "4"}}
  ]
})";

using Factors = std::map<std::string, double>;

TEST(ImportHyperfine, ReadsAScanOverAParameter) {
  const auto study = import_text(kHyperfine, "h.json");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 2.0}, {4, 0.6}});
  EXPECT_EQ(study->runs.size(), 5U);
  EXPECT_TRUE(failed(study->runs[4]));
  EXPECT_EQ(study->runs[1].usage.peak_memory, 2048);
  EXPECT_FALSE(study->runs[1].order) << "the file has a list, and no numbers that show a gap";
}

TEST(ImportHyperfine, TellsCommandsApart) {
  constexpr std::string_view kTwo = R"({"results": [
    {"command": "a 1", "times": [1], "parameters": {"np": "1"}},
    {"command": "b 1", "times": [2], "parameters": {"np": "1"}},
    {"command": "a 2", "times": [3], "parameters": {"np": "2"}},
    {"command": "b 2", "times": [4], "parameters": {"np": "2"}}]})";
  EXPECT_NE(import_error(kTwo).hint.find("command: a {K}, b {K}"), std::string::npos);
  const auto study = import_text(kTwo, "h.json", {.select = "command=b {K}"});
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 2}, {2, 4}});
}

TEST(ImportHyperfine, RefusesWhatSaysNoWorkers) {
  EXPECT_NE(
      import_error(R"({"results": [{"command": "a", "times": [1]}]})").hint.find("-P threads"),
      std::string::npos);
  EXPECT_EQ(import_error(R"({"results": [{"command": "a", "times": [-1]}]})").where, "t:1:41");
  EXPECT_EQ(import_error(R"({"results": [{"command": "a", "times": [1], "parameters":
{"threads": "0"}}]})")
                .where,
            "t:1:14");
}

std::string gbench(std::string_view version) {
  return R"({"context": {"num_cpus": 8, "library_version": ")" + std::string(version) + R"("},
  "benchmarks": [
    {"name": "BM_x/real_time/threads:1", "run_name": "BM_x/real_time/threads:1",
     "run_type": "iteration", "threads": 1, "iterations": 10, "real_time": 100.0,
     "cpu_time": 99.0, "time_unit": "us"},
    {"name": "BM_x/real_time/threads:4", "run_name": "BM_x/real_time/threads:4",
     "run_type": "iteration", "threads": 4, "iterations": 40, "real_time": 120.0,
     "cpu_time": 118.0, "time_unit": "us"},
    {"name": "BM_x/real_time/threads:4_mean", "run_name": "BM_x/real_time/threads:4",
     "run_type": "aggregate", "aggregate_name": "mean", "threads": 4, "real_time": 1.0,
     "cpu_time": 1.0, "time_unit": "us"}]})";
}

TEST(ImportGbench, DividesTimesOfThreadsWhereTheLibraryDidNot) {
  const auto now = import_text(gbench("v1.9.1"), "g.json");
  ASSERT_TRUE(now) << now.error().message;
  EXPECT_EQ(now->header.regime, Regime::kThroughput);
  expect_times(*now, {{1, 100e-6}, {4, 30e-6}});
  const auto before = import_text(gbench("v1.8.3"), "g.json");
  ASSERT_TRUE(before);
  expect_times(*before, {{1, 100e-6}, {4, 120e-6}});
  EXPECT_TRUE(has_note(*now, "skipped")) << "the aggregate";
}

TEST(ImportGbench, KeepsHowTheLibraryWasBuilt) {
  const auto built = [](const std::string& how) {
    std::string text = gbench("v1.9.1");
    return import_text(
        text.insert(text.find("\"num_cpus\""), "\"library_build_type\": \"" + how + "\", "),
        "g.json");
  };
  const auto debug = built("debug");
  ASSERT_TRUE(debug) << debug.error().message;
  EXPECT_EQ(debug->header.environment.versions.at("library_build_type"), "debug");
  EXPECT_EQ(debug->header.environment.versions.at("google-benchmark"), "v1.9.1");
  EXPECT_TRUE(has_note(*debug, "debug-build"));
  EXPECT_FALSE(has_note(*built("release"), "debug-build"));
}

TEST(ImportGbench, TakesAnArgumentThatNamesWorkers) {
  const auto study = import_text(R"({"context": {}, "benchmarks": [
    {"name": "sort/n:64/threads:1", "run_name": "sort/n:64/workers:1", "threads": 1,
     "real_time": 8, "time_unit": "ms"},
    {"name": "sort/n:64/workers:2", "threads": 1, "real_time": 5, "time_unit": "ms"}]})",
                                 "g.json");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 0.008}, {2, 0.005}});
  EXPECT_NE(import_error(R"({"context": {}, "benchmarks": [{"name": "a", "real_time": 1}]})")
                .hint.find("Threads"),
            std::string::npos);
}

constexpr std::string_view kExtrap =
    "PARAMETER p\nPARAMETER n\nPOINTS ( 4 10 ) ( 8 10 )\n\nREGION main\nMETRIC time\n"
    "DATA 1.0 1.2\nDATA 0.6 0.8\nMETRIC bytes\nDATA 5 5\nDATA 9 9\n";

TEST(ImportExtrap, ReadsPointsAndRepetitions) {
  const auto study = import_text(kExtrap, "e.txt");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->runs.size(), 4U);
  expect_times(*study, {{4, 1.1}, {8, 0.7}});
  const auto bytes = import_text(kExtrap, "e.txt", {.select = "metric=bytes"});
  ASSERT_TRUE(bytes);
  expect_times(*bytes, {{4, 5}, {8, 9}});
  EXPECT_TRUE(has_note(*bytes, "guessed"));
}

TEST(ImportExtrap, RefusesWhatDoesNotFitItsPoints) {
  EXPECT_EQ(import_error("PARAMETER p\nPOINTS 1 2\nDATA 1\nDATA 2\nDATA 3\n").where, "t:5:1");
  const Error few = import_error(
      "PARAMETER p\nPOINTS (1) (2) (4)\nREGION main\nMETRIC time\nDATA 10\nDATA 2.7\n");
  EXPECT_EQ(few.where, "t:6:1");
  EXPECT_EQ(few.message,
            "expected DATA for 3 points of the region 'main' of the metric 'time', got 2");
  EXPECT_EQ(
      import_error("PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\nREGION b\nDATA 1\nDATA 2\n").where,
      "t:5:1");
  EXPECT_EQ(import_error("PARAMETER p\nPOINTS 0 2\n").where, "t:2:8");
  EXPECT_EQ(import_error("PARAMETER p\nPOINTS 1 2\nDATA nan\n").where, "t:3:6");
  EXPECT_EQ(import_error("PARAMETER a b\nPOINTS ( 1 2 )\n").where, "t:2:1");
}

TEST(ImportReframe, ReadsLogsWithAHeader) {
  constexpr std::string_view kReframeLog =
      "result|job_completion_time|descr|num_tasks|run_time_value|run_time_unit|run_time_ref|"
      "bw_value|bw_unit|bw_ref\n"
      "pass|2024-01-01T00:00:00|heat|2|10.5|s|0|100|GB/s|0\n"
      "pass|2024-01-01T00:00:00|heat|4|5500|ms|0|180|GB/s|0\n"
      "fail|2024-01-01T00:00:00|heat|4|99|s|0|1|GB/s|0\n";
  EXPECT_NE(import_error(kReframeLog).hint.find("variable: run_time, bw"), std::string::npos);
  const auto times = import_text(kReframeLog, "r.log", {.select = "variable=run_time"});
  ASSERT_TRUE(times) << times.error().message;
  expect_times(*times, {{2, 10.5}, {4, 5.5}});
  const auto rates = import_text(kReframeLog, "r.log", {.select = "bw"});
  ASSERT_TRUE(rates) << rates.error().message;
  EXPECT_EQ(rates->header.regime, Regime::kThroughput);
  expect_times(*rates, {{2, 1 / 100.0}, {4, 1 / 180.0}});
}

TEST(ImportReframe, ReadsOlderLines) {
  const auto study = import_text(
      "2019-10-23T13:46:27|reframe 2.20|T on sys using env|jobid=822|num_tasks=1|perf=8.5|ref=0 "
      "(l=null, u=null)|s\n"
      "2019-10-23T13:47:27|reframe 2.20|T on sys using env|jobid=823|num_tasks=2|perf=4.5|ref=0 "
      "(l=null, u=null)|s\n",
      "r.log");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 8.5}, {2, 4.5}});
}

TEST(ImportReframe, KMayStandAmongTheTags) {
  const std::string start = "2020-09-30T16:28:34|reframe 3.2|T_%s on sys:part using env|jobid=1|";
  const auto study = import_text(
      start + "total_time=322.5|s|ref=0 (l=None, u=None)|case,num_nodes=1,num_procs=56\n" + start +
          "peak_mem=7952440.0|kB|ref=0 (l=None, u=None)|case,num_nodes=1,num_procs=56\n" + start +
          "total_time=172500|ms|ref=0 (l=None, u=None)|num_procs=112,num_nodes=2,case\n",
      "r.log");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{56, 322.5}, {112, 172.5}});
}

TEST(ImportTalp, ReadsTheRegionOfTheWholeRun) {
  const auto study = import_text(
      R"({"Application": {"Global": {"numCpus": 8, "numMpiRanks": 4, "elapsedTime": 2500000000,
      "parallelEfficiency": 0.83, "mpiLoadBalance": 0.9},
      "solve": {"numCpus": 8, "elapsedTime": 1500000000}}})",
      "t.json");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{8, 2.5}});
  EXPECT_EQ(*study->runs[0].factors,
            (Factors{{"parallel_efficiency", 0.83}, {"load_balance", 0.9}}));
  const auto list =
      import_text(R"({"dlbVersion": "3.5", "popMetrics": [{"name": "solve", "elapsedTime": 3e9}]})",
                  "t.json", {.workers = 2});
  ASSERT_TRUE(list) << list.error().message;
  expect_times(*list, {{2, 3}});
}

TEST(ImportPop, ReadsFactorsAndRuntimes) {
  const auto study = import_text(
      "Number of processes;1;2\nParallel efficiency;100;90\nSpeedup;1;1.8\n#\n"
      "#Runtime (us);2000000;1100000\n#Runtime (ideal);1;1\n",
      "p.csv");
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 2}, {2, 1.1}});
  EXPECT_EQ(study->runs[1].claim->speedup, 1.8);
  EXPECT_EQ(*study->runs[1].factors, (Factors{{"parallel_efficiency", 0.9}}));
  const auto relative = import_text("Number of processes;1;2\nSpeedup;1;1.6\n", "p.csv");
  ASSERT_TRUE(relative);
  expect_times(*relative, {{1, 1}, {2, 0.625}});
  EXPECT_TRUE(has_note(*relative, "relative"));
}

TEST(ImportPop, TakesFactorsInPercentOrAsShares) {
  for (const char* row : {"90;45", "90%;45 %", "0.9;0.45"}) {
    const auto study = import_text(
        fmt::format("Number of processes;1;2\nLoad balance;{}\nRuntime (s);2;1\n", row), "p.csv");
    ASSERT_TRUE(study) << row;
    EXPECT_EQ(*study->runs[1].factors, (Factors{{"load_balance", 0.45}})) << row;
  }
}

TEST(ImportPop, ReadsThePublicTable) {
  const std::string file = public_file("hpc/pypop_epoch_modelfactors.csv");
  if (file.empty()) GTEST_SKIP() << "the public data is not here";
  const auto study = import_file(file);
  ASSERT_TRUE(study) << study.error().message;
  expect_times(
      *study,
      {{1, 21.89865914}, {2, 11.52837356}, {4, 6.08235221}, {8, 3.51356533}, {16, 2.33956072}});
}

TEST(ImportTools, RefuseDeepNestingAndTornFiles) {
  const std::string deep = R"({"results": [{"command": "x", "parameters": {"a": )" +
                           std::string(5000, '[') + std::string(5000, ']') + "}}]}";
  for (const std::string_view format : {"hyperfine", "gbench", "talp", "steps"}) {
    EXPECT_FALSE(import_error(deep, {.format = std::string(format)}).where.empty()) << format;
    for (std::size_t size = 1; size < kHyperfine.size(); size += 7) {
      const Error error = import_error(kHyperfine.substr(0, size), {.format = std::string(format)});
      EXPECT_FALSE(error.where.empty()) << format << " " << size;
    }
  }
}

}  // namespace
}  // namespace kstar
