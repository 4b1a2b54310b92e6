#include "kstar/comm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "base/random.h"
#include "kstar/comm_fit.h"
#include "kstar/comm_predict.h"
#include "kstar/comm_report.h"
#include "kstar/communication_terms.h"
#include "kstar/network_cost.h"

namespace kstar {
namespace {

CommData read(std::string_view text, const char* name = "log.txt") {
  CommData data;
  const Result<void> done = read_collectives(text, name, data);
  EXPECT_TRUE(done) << (done ? "" : done.error().message);
  apply_given({}, data);
  return data;
}

std::optional<CommData> read_public(const char* path) {
  const std::string file = std::string(KSTAR_PUBLIC_DATA) + "/" + path;
  if (!std::filesystem::exists(file)) return std::nullopt;
  const auto text = read_file(file, std::size_t{1} << 28U);
  EXPECT_TRUE(text);
  return text ? std::optional(read(text->view(), file.c_str())) : std::nullopt;
}

constexpr const char* kHead =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  algbw   busbw #wrong\n";

TEST(CommReader, NcclTestsWithPrefixesAndLinesOfTheLibraryBetween) {
  const CommData data =
      read(std::string("[1,0]<stdout>:# nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor)\n"
                       "[1,0]<stdout>:#  Rank  0 Group  0 Pid 25 on node-a device  0 [0x53] H100\n"
                       "[1,0]<stdout>:#  Rank  1 Group  0 Pid 26 on node-a device  1 [0x53] H100\n"
                       "[1,0]<stdout>:#  Rank  2 Group  0 Pid 25 on node-b device  0 [0x53] H100\n"
                       "[1,0]<stdout>:#  Rank  3 Group  0 Pid 26 on node-b device  1 [0x53] H100\n"
                       "[1,0]<stdout>:") +
           kHead +
           "[1,0]<stdout>:  1048576  262144  float  sum  -1[1,0]<stdout>:  100.0  10.49  15.73  0"
           "[1,0]<stdout>:  90.0  11.65  17.48  0\n"
           "[1,2]<stdout>:node-b:31:110 [0] NCCL INFO Connected all trees\n"
           "[1,0]<stdout>:  2097152  524288  float  sum  -1\n"
           "[1,2]<stdout>:node-b:31:110 [0] NCCL INFO comm 0x1 rank 2 nranks 4 cudaDev 0\n"
           "[1,0]<stdout>:  200.0  10.49  15.73  0  190.0  11.04  16.56  0\n"
           "[1,0]<stdout>:# Avg bus bandwidth    : 16.5\n");
  ASSERT_EQ(data.sweeps.size(), 1U);
  const CommSweep& sweep = data.sweeps[0];
  EXPECT_EQ(sweep.collective, Collective::kAllReduce);
  EXPECT_EQ(sweep.workers, 4);
  EXPECT_EQ(sweep.nodes, 2);
  ASSERT_EQ(sweep.samples.size(), 2U);
  EXPECT_DOUBLE_EQ(sweep.samples[1].seconds, 200e-6);
  EXPECT_DOUBLE_EQ(sweep.in_place[0].seconds, 90e-6);
  EXPECT_DOUBLE_EQ(*sweep.stated_average, 16.5e9);
}

TEST(CommReader, OldColumnsHaveNoRootAndAnError) {
  const CommData data = read(
      "# nThread 1 nGpus 1 minBytes 4 maxBytes 33554432 step: 2(factor) warmup iters: 5\n"
      "#   Rank  0 Pid 642298 on      a0013 device  0 [0x27] A100-SXM4-40GB\n"
      "#   Rank  1 Pid 642299 on      a0013 device  1 [0x2a] A100-SXM4-40GB\n"
      "#       size         count    type   redop     time   algbw   busbw  error     time   algbw "
      "  busbw  error\n"
      "     4194304       1048576   float     sum    292.2   14.36   14.36  5e-07    287.4   14.60 "
      " "
      " 14.60  5e-07\n");
  ASSERT_EQ(data.sweeps.size(), 1U);
  EXPECT_EQ(data.sweeps[0].collective, Collective::kAllReduce);
  EXPECT_EQ(data.sweeps[0].workers, 2);
  EXPECT_EQ(data.sweeps[0].nodes, 1);
  EXPECT_DOUBLE_EQ(data.sweeps[0].samples[0].seconds, 292.2e-6);
}

TEST(CommReader, WithoutRanksTheRatioOfBandwidthsTellsK) {
  const CommData data =
      read(std::string(kHead) +
           "   536870912     134217728     float     sum      -1   5202.3  103.20  193.50      0   "
           "5377.7   99.83  187.19      0\n");
  ASSERT_EQ(data.sweeps.size(), 1U);
  EXPECT_EQ(data.sweeps[0].workers, 16);  // 1.875 = 2 x 15 / 16
}

TEST(CommReader, CollectivesWithoutANameAreToldByTheirColumns) {
  const auto collective = [](const char* row) {
    const CommData data = read(std::string(kHead) + row);
    EXPECT_EQ(data.sweeps.size(), 1U) << row;
    return data.sweeps.empty() ? Collective::kReduce : data.sweeps[0].collective;
  };
  EXPECT_EQ(collective("1073741824 1 float none -1 9000 119.30 111.84 0 9000 119.30 111.84 0\n"),
            Collective::kAllGather);
  EXPECT_EQ(collective("1073741824 1 float none -1 9000 119.30 111.84 0 9000 119.30 111.84 N/A\n"),
            Collective::kAllToAll);
  EXPECT_EQ(collective("1073741824 1 float sum -1 9000 119.30 111.84 0 9000 119.30 111.84 0\n"),
            Collective::kReduceScatter);
  EXPECT_EQ(collective("1073741824 1 float none 0 9000 119.30 119.30 0 9000 119.30 119.30 0\n"),
            Collective::kBroadcast);
}

TEST(CommReader, JsonOfNcclTestsAndOfRcclTests) {
  const CommData nccl = read(
      R"({"version":1,"args":["./all_gather_perf"],"config":{"nthreads":1,"ngpus":1,"devices":[
      {"rank":0,"hostname":"a"},{"rank":1,"hostname":"b"}]},"results":[
      {"size":1024,"count":256,"type":"float","redop":"none","root":-1,
       "out_of_place":{"time":10.5,"alg_bw":0.1,"bus_bw":0.05,"nwrong":0},
       "in_place":{"time":9.5,"alg_bw":0.1,"bus_bw":0.05,"nwrong":0}}],
      "average_bus_bandwidth":{"bandwidth":0.05,"okay":"unchecked"}})");
  ASSERT_EQ(nccl.sweeps.size(), 1U);
  EXPECT_EQ(nccl.sweeps[0].collective, Collective::kAllGather);
  EXPECT_EQ(nccl.sweeps[0].workers, 2);
  EXPECT_EQ(nccl.sweeps[0].nodes, 2);
  EXPECT_DOUBLE_EQ(nccl.sweeps[0].samples[0].seconds, 10.5e-6);
  const CommData rccl = read(
      R"([{"numCycle":0,"name":"AllReduce","nodes":1,"ranks":8,"ranksPerNode":8,"gpusPerRank":1,
      "size":1024,"type":"float","redop":"sum","inPlace":0,"time":21.5,"algBw":0.1,"busBw":0.1,
      "wrong":"0"},{"numCycle":0,"name":"AllReduce","nodes":1,"ranks":8,"size":1024,"inPlace":1,
      "time":20.5}])");
  ASSERT_EQ(rccl.sweeps.size(), 1U);
  EXPECT_EQ(rccl.sweeps[0].workers, 8);
  EXPECT_DOUBLE_EQ(rccl.sweeps[0].samples[0].seconds, 21.5e-6);
  EXPECT_DOUBLE_EQ(rccl.sweeps[0].in_place[0].seconds, 20.5e-6);
}

TEST(CommReader, OsuSizesOfGathersAreThoseOfOneRank) {
  CommData data;
  ASSERT_TRUE(
      read_collectives("$ mpirun -np 4 ./osu_allgather\n# OSU MPI Allgather Latency Test v7.2\n"
                       "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  "
                       "Iterations\n1  10.5  9.0  11.0  1000\n1024  20.5  19.0  21.0  1000\n"
                       "# OSU MPI Bandwidth Test v7.2\n# Size      Bandwidth (MB/s)\n1  0.86\n",
                       "x", data));
  apply_given({}, data);
  ASSERT_EQ(data.sweeps.size(), 1U);
  EXPECT_EQ(data.sweeps[0].workers, 4);
  EXPECT_EQ(data.sweeps[0].samples[1].bytes, 4096);
  EXPECT_DOUBLE_EQ(data.sweeps[0].samples[1].seconds, 20.5e-6);
  EXPECT_EQ(data.skipped, std::vector<std::string>{"OSU MPI Bandwidth"});
}

TEST(CommReader, ImbTakesTheAverageOfEveryNumberOfProcesses) {
  const CommData data = read(
      "# Benchmarking Alltoall \n# #processes = 1 \n       #bytes #repetitions  t_min[usec]  "
      "t_max[usec]  t_avg[usec]\n            0         1000         0.03         0.03         "
      "0.03\n"
      "        32768         1000         0.94         0.94         0.94\n\n"
      "# Benchmarking Alltoall \n# #processes = 2 \n       #bytes #repetitions  t_min[usec]  "
      "t_max[usec]  t_avg[usec]\n            0         1000         0.03         0.03         "
      "0.03\n"
      "        32768         1000        10.01        10.03        10.02\n");
  ASSERT_EQ(data.sweeps.size(), 1U);
  EXPECT_EQ(data.sweeps[0].workers, 2);
  ASSERT_EQ(data.sweeps[0].samples.size(), 1U);
  EXPECT_EQ(data.sweeps[0].samples[0].bytes, 65536);
  EXPECT_DOUBLE_EQ(data.sweeps[0].samples[0].seconds, 10.02e-6);
}

TEST(CommReader, AnOsuTableEndsWhereOneOfIntelsBegins) {
  const CommData data = read(
      "$ mpirun -np 4 ./osu_allreduce\n# OSU MPI Allreduce Latency Test v7.2\n# Size  Avg "
      "Latency(us)\n4 10.5\n8 10.5\n16 10.5\n#    Intel(R) MPI Benchmarks 2021.2, MPI-1 part\n"
      "# Benchmarking Allreduce \n# #processes = 2 \n  #bytes #repetitions  t_min[usec]  "
      "t_max[usec]  t_avg[usec]\n  32768  1000  10.01  10.03  10.02\n");
  ASSERT_EQ(data.sweeps.size(), 2U);
  EXPECT_EQ(data.sweeps[0].workers, 4);
  EXPECT_EQ(data.sweeps[0].samples.size(), 3U);
  EXPECT_EQ(data.sweeps[1].tool, "IMB");
  ASSERT_EQ(data.sweeps[1].samples.size(), 1U);
  EXPECT_DOUBLE_EQ(data.sweeps[1].samples[0].seconds, 10.02e-6);
}

TEST(CommReader, AnOsuTableHasTheRanksOfTheCommandAboveIt) {
  const CommData data = read(
      "$ mpirun -np 4 ./osu_allreduce\n# OSU MPI Allreduce Latency Test v7.2\n# Size  Avg "
      "Latency(us)\n4 10.5\n$ mpirun -np 8 ./osu_allreduce\n# OSU MPI Allreduce Latency Test "
      "v7.2\n# Size  Avg Latency(us)\n4 12.5\n");
  ASSERT_EQ(data.sweeps.size(), 2U);
  EXPECT_EQ(data.sweeps[0].workers, 4);
  EXPECT_EQ(data.sweeps[1].workers, 8);
}

TEST(CommReader, ALaunchSaysRanksAndNodesOrNothing) {
  const std::string table =
      "\n# OSU MPI Allreduce Latency Test v7.2\n# Size  Avg Latency(us)\n4 1\n";
  struct Case {
    const char* command;
    double ranks, nodes;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"$ mpirun -n 144 -N 36 -hostfile h osu_allreduce -i 10", 144, 4},
           {"mpirun -np 16 --map-by ppr:8:node ./osu_allreduce", 16, 2},
           {"mpirun -N 2 -np 2 -map-by ppr:1:node osu_allreduce", 2, 0},  // they contradict
           {"mpirun -np 1 osu_allreduce : -np 3 osu_allreduce", 1, 0},
           {"mpirun -x A=1 -np 1 env osu : -np 3 osu_allreduce", 0, 0},
           {"time flux run -N4 --tasks-per-node=96 /opt/osu_allreduce", 384, 4},
           {"srun -N 4 --ntasks-per-node 32 osu_allreduce", 128, 4},
           {"srun --nodes=2 -n 64 osu_allreduce -n 7", 64, 2},
           {"jsrun -n 4 -a 6 osu_allreduce", 24, 0},
           {"/opt/osu_7.4/bin/mpirun -np 8 -N 4 osu_allreduce", 8, 2},
           {"srun osu_allreduce", 0, 0}}) {
    // What another command above it said is over.
    const CommData data = read("mpirun -np 3 osu_allreduce" + table + one.command + table);
    ASSERT_EQ(data.sweeps.size(), 2U) << one.command;
    EXPECT_EQ(data.sweeps[1].workers, one.ranks) << one.command;
    EXPECT_EQ(data.sweeps[1].nodes, one.nodes) << one.command;
  }
}

TEST(CommReader, TablesUnderOneTitleAreNotMixed) {
  const CommData data = read(
      "# OSU MPI Latency Test v5.6.2\n$ two nodes\n# Size  Latency (us)\n0 3.5\n1 3.6\n2 3.6\n"
      "$ one node\n# Size  Latency (us)\n0 0.4\n1 0.5\n2 0.5\n0 0.41\n1 0.51\n2 0.51\n");
  ASSERT_EQ(data.sweeps.size(), 3U);
  EXPECT_DOUBLE_EQ(data.sweeps[0].samples[0].seconds, 3.5e-6);
  EXPECT_DOUBLE_EQ(data.sweeps[1].samples[0].seconds, 0.4e-6);
  EXPECT_DOUBLE_EQ(data.sweeps[2].samples[0].seconds, 0.41e-6);
}

TEST(CommReader, AnsweredMailsAndTablesWithoutColumnsAreRead) {
  const CommData data = read(
      "Somebody wrote:\n>> # OSU MPI Latency Test v3.3\n>> # Size  Latency (us)\n>> 0 0.29\n>> 1 "
      "0.32\n>\n# OSU MPI Latency Test v5.0\n0 1.5\n1 1.6\n");
  ASSERT_EQ(data.sweeps.size(), 2U);
  EXPECT_EQ(data.sweeps[0].samples.size(), 2U);
  EXPECT_EQ(data.sweeps[1].samples.size(), 2U);
}

TEST(CommReader, OneSidedMessagesAreLeftOutByName) {
  const CommData data = read(
      "# OSU MPI_Put Latency Test v5.8\n# Window creation: MPI_Win_allocate\n# Size  Latency "
      "(us)\n1 39.13\n2 39.23\n4 39.43\n# OSU MPI Latency Test v5.8\n# Size  Latency (us)\n"
      "1 19.13\n2 19.23\n4 19.43\n");
  ASSERT_EQ(data.sweeps.size(), 1U);
  EXPECT_DOUBLE_EQ(data.sweeps[0].samples[0].seconds, 19.13e-6);
  EXPECT_EQ(data.skipped, std::vector<std::string>{"OSU MPI_Put Latency"});
}

TEST(CommReader, RowsWithoutATimeAreCounted) {
  const CommData data = read(
      "# OSU MPI Allreduce Latency Test v5.6.2\n# Size  Avg Latency(us)\n8 20\n16 nan\n32 -5\n"
      "64 inf\n128 1e400\n256 0\n512 21\n12 ranks were started\n");
  ASSERT_EQ(data.sweeps.size(), 1U);
  EXPECT_EQ(data.sweeps[0].samples.size(), 2U);
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_EQ(data.notes[0], "log.txt: 5 rows left out, whose time is not a number above 0");
}

TEST(CommReader, OneWorkerAloneIsNoNetwork) {
  CommData data;
  ASSERT_TRUE(read_collectives(
      "$ mpirun -np 2 ./all_reduce_perf\n# nThread 1 nGpus 1\n"
      "#   Rank  0 Pid   1320 on a device  0 [0x00] V100\n#   Rank  0 Pid 20 on b device 0 V100\n"
      "#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  error\n"
      "  1310720000  327680000  float  sum  3463.2  378.47  0.00  0e+00  3463.2  378.47  0.00  "
      "0e+00\n",
      "x", data));
  EXPECT_TRUE(data.sweeps.empty());
  ASSERT_EQ(data.notes.size(), 1U);
  EXPECT_NE(data.notes[0].find("MPI=1"), std::string::npos) << data.notes[0];
}

TEST(CommReader, TablesOfOthersThatLookAlikeAreNotTaken) {
  CommData data;  // latency, its least and its most, and bandwidths of another tool
  const auto read = read_collectives(
      "size(B) count type redop latency(us) min_lat(us) max_lat(us) algbw(GB/s) busbw(GB/s)\n"
      "8 2 int sum 7.193600 7.194 7.194 0.001 0.002\n16 4 int sum 7.37 7.375 7.375 0.002 0.004\n"
      "1024 256 int sum 8.881746 8.882 8.882 0.115 0.202\n",
      "x", data);
  EXPECT_TRUE(data.sweeps.empty());
}

TEST(CommReader, AnOldAllToAllIsWrongInPlace) {
  const auto collective = [](const char* error) {
    const CommData data = read(
        std::string("#  size  count  type  redop  time  algbw  busbw  error  time  algbw  busbw  "
                    "error\n  1073741824  33554432  float  9000  119.30  104.39  0e+00  9000  "
                    "119.30  104.39  ") +
        error + "\n");
    return data.sweeps.empty() ? Collective::kReduce : data.sweeps[0].collective;
  };
  EXPECT_EQ(collective("1e+00"), Collective::kAllToAll);
  EXPECT_EQ(collective("0e+00"), Collective::kAllGather);
}

TEST(CommReader, OtherFilesAreRefused) {
  for (const char* text : {"", "\n\n", "K,time\n1,2\n", "{\"a\": 1}", "[1,2]", "\xFF\xFE\0x",
                           "# OSU MPI\n", "8 2 float\n"}) {
    CommData data;
    EXPECT_FALSE(read_collectives(text, "x", data)) << text;
  }
}

TEST(CommReader, PublicFilesAsTheyArePosted) {
  const auto a100 = read_public("collectives/nccl/allreduce_16xA100-40GB_2nodes_fullsweep.txt");
  if (!a100) GTEST_SKIP() << "no public data here";
  EXPECT_EQ(a100->sweeps[0].workers, 16);
  EXPECT_EQ(a100->sweeps[0].nodes, 2);
  EXPECT_EQ(a100->sweeps[0].samples.size(), 31U);
  const auto debug =
      read_public("samples/comm/KeitaW__p5-nccl-test-2024-07-19__nccl-test-output-v2.20.3-1.log");
  ASSERT_TRUE(debug);
  ASSERT_EQ(debug->sweeps.size(), 1U);
  EXPECT_EQ(debug->sweeps[0].samples.size(), 32U);
  EXPECT_DOUBLE_EQ(debug->sweeps[0].samples.back().seconds, 66108e-6);
  EXPECT_NEAR(*debug->sweeps[0].stated_average, 124.196e9, 1);
  const auto several = read_public(
      "samples/comm/xxrjun__nccl-tests-cluster__ks_example-cluster01_nccl-benchmark-results_multi-"
      "node_runs_20260129-180219_without-debug_logs_nccl_N10_G8.log");
  ASSERT_TRUE(several);
  ASSERT_EQ(several->sweeps.size(), 5U);
  EXPECT_EQ(several->sweeps[0].workers, 80);
  EXPECT_EQ(several->sweeps[4].collective, Collective::kPointToPoint);
  const auto osu = read_public("collectives/osu/aws_parallel-cluster_cpu_32nodes.out");
  ASSERT_TRUE(osu);
  EXPECT_EQ(osu->sweeps.size(), 29U);  // 28 pairs and an all-reduce
}

/// Sizes by factors of two, exact or with noise.
std::vector<CommSample> line(double from, double to, double alpha, double beta, double noise = 0) {
  static Random random(7);
  std::vector<CommSample> sizes;
  for (double bytes = from; bytes <= to; bytes *= 2) {
    sizes.push_back({bytes, (alpha + beta * bytes) * std::exp(noise * random.normal())});
  }
  return sizes;
}

CommSweep timed_sweep(std::vector<CommSample> samples, double workers, const char* tool = "IMB") {
  return {.workers = workers, .samples = std::move(samples), .tool = tool, .source = "x"};
}

TEST(CommFit, SweepsThatDifferAreSaidAndTheIntervalHoldsBoth) {
  CommData data;
  data.sweeps.push_back(timed_sweep(line(8, 1 << 24, 20e-6, 1e-10, 0.01), 8));
  data.sweeps.push_back(timed_sweep(line(8, 1 << 24, 200e-6, 1e-9, 0.01), 8));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const CommFit& fit = analysis->fits.at(0);
  EXPECT_NEAR(fit.sweeps_differ, 10, 1);
  EXPECT_LT(fit.pieces.front().alpha.low, 21e-6);
  EXPECT_GT(fit.pieces.front().alpha.high, 190e-6);
  const auto cost = collective_cost(analysis->network, Collective::kAllReduce, 1 << 20, 8);
  ASSERT_TRUE(cost);
  EXPECT_LT(cost->seconds.low, 20e-6 + 1e-10 * (1 << 20));
  EXPECT_GT(cost->seconds.high, 200e-6 + 1e-9 * (1 << 20));
  data.sweeps[1] = timed_sweep(line(8, 1 << 24, 20e-6, 1e-10, 0.01), 8);
  const auto alike = analyze_comm(data);
  ASSERT_TRUE(alike);
  EXPECT_EQ(alike->fits.at(0).sweeps_differ, 1);
}

TEST(CommFit, SizesRuledByLatencyTellNoBandwidthAndNoTimeOfLargerOnes) {
  CommData data;
  data.sweeps.push_back(timed_sweep(line(8, 1024, 20e-6, 1e-10, 0.001), 8));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  EXPECT_FALSE(tells_bandwidth(analysis->fits.at(0).pieces));
  EXPECT_TRUE(collective_cost(analysis->network, Collective::kAllReduce, 512, 8));
  const auto cost = collective_cost(analysis->network, Collective::kAllReduce, 14e9, 8);
  ASSERT_FALSE(cost);
  EXPECT_NE(cost.error().message.find("too small to tell a bandwidth"), std::string::npos);
}

TEST(CommFit, SweepsThatAreHardlyOfOneNetworkAreSaid) {
  CommData data;
  data.sweeps.push_back(timed_sweep(line(8, 1 << 24, 200e-6, 1e-9), 2));
  data.sweeps.push_back(timed_sweep(line(8, 1 << 24, 20e-6, 1e-10), 16, "nccl-tests"));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  ASSERT_FALSE(analysis->notes.empty());
  EXPECT_NE(analysis->notes[0].find("takes 10 times as long"), std::string::npos)
      << analysis->notes[0];
  data.sweeps[0] = timed_sweep(line(8, 1 << 24, 10e-6, 1e-10), 2, "nccl-tests");
  const auto one = analyze_comm(data);
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->notes.empty());
}

TEST(CommFit, OneLineComesBackExactly) {
  const auto pieces = fit_pieces(line(8, 1 << 24, 20e-6, 1e-10));
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_NEAR(pieces[0].alpha.point, 20e-6, 1e-9);
  EXPECT_NEAR(pieces[0].beta.point, 1e-10, 1e-15);
}

TEST(CommFit, TwoLinesAreTwoPiecesWithTheirBorder) {
  auto sizes = line(8, 4096, 5e-6, 2e-9, 0.01);
  const auto large = line(8192, 1 << 26, 40e-6, 1e-10, 0.01);
  sizes.insert(sizes.end(), large.begin(), large.end());
  const auto pieces = fit_pieces(sizes);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].to, 4096);
  EXPECT_EQ(pieces[1].from, 8192);
  EXPECT_NEAR(pieces[1].beta.point, 1e-10, 4e-12);
  EXPECT_LT(pieces[1].alpha.low, 40e-6);
  EXPECT_GT(pieces[1].alpha.high, 40e-6);
}

TEST(CommFit, NoiseAloneIsOnePieceAndTheIntervalsHoldTheTruth) {
  int one = 0, alpha_held = 0, beta_held = 0;
  constexpr int kTrials = 200;
  for (int i = 0; i < kTrials; ++i) {
    const auto pieces = fit_pieces(line(8, 1 << 27, 20e-6, 1e-10, 0.05));
    one += pieces.size() == 1 ? 1 : 0;
    const NetworkPiece& first = pieces.front();
    const NetworkPiece& last = pieces.back();
    alpha_held += first.alpha.low <= 20e-6 && 20e-6 <= first.alpha.high ? 1 : 0;
    beta_held += last.beta.low <= 1e-10 && 1e-10 <= last.beta.high ? 1 : 0;
  }
  EXPECT_GE(one, 0.95 * kTrials);
  EXPECT_GE(alpha_held, 0.9 * kTrials);
  EXPECT_GE(beta_held, 0.9 * kTrials);
}

TEST(CommFit, AChangeOfProtocolIsAPieceAlsoWhereTheRestHasLittleNoise) {
  // As messages on a cloud: the time nearly triples between two sizes, and the sizes above it are
  // no straight line.
  auto sizes = line(1, 65536, 16e-6, 1.5e-10, 0.003);
  const double above[] = {72e-6, 83e-6, 144e-6, 269e-6, 514e-6, 971e-6};
  double bytes = 131072;
  for (const double seconds : above) sizes.push_back({bytes, seconds}), bytes *= 2;
  const auto pieces = fit_pieces(sizes);
  EXPECT_TRUE(std::any_of(pieces.begin(), pieces.end(),
                          [](const NetworkPiece& piece) { return piece.from == 131072; }));
}

TEST(CommFit, AnOutlierMovesNothing) {
  auto sizes = line(8, 1 << 24, 20e-6, 1e-10, 0.01);
  sizes[4].seconds *= 10;
  const auto pieces = fit_pieces(sizes, 1);
  EXPECT_NEAR(pieces[0].alpha.point, 20e-6, 1e-6);
}

TEST(CommFit, FewSizesAreNotFitted) {
  EXPECT_TRUE(fit_pieces(line(8, 16, 1e-6, 1e-9)).empty());
  CommData data;
  data.sweeps.push_back({.workers = 4, .samples = line(8, 16, 1e-6, 1e-9), .source = "x"});
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  EXPECT_TRUE(analysis->fits[0].pieces.empty());
  EXPECT_TRUE(analysis->network.sweeps.empty());
}

TEST(CommFit, ThirtyTwoNodesOnACloudAreIrregular) {
  CommData data;
  auto sizes = line(8, 1 << 20, 300e-6, 1e-8, 0.01);
  sizes[2].seconds = 334e-6, sizes[3].seconds = 593e-6, sizes[4].seconds = 314e-6;
  data.sweeps.push_back({.workers = 32, .samples = sizes, .source = "x"});
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  EXPECT_TRUE(analysis->fits[0].irregular);
  EXPECT_EQ(analysis->fits[0].irregular_sizes, std::vector<double>{64});
}

TEST(CommFit, ASizeThatNoPieceHoldsIsNamed) {
  CommData data;
  auto sizes = line(8, 1 << 20, 5e-6, 1e-9, 0.01);
  sizes.back().seconds *= 3;  // rises, and so is slower than no larger size
  data.sweeps.push_back(
      {.collective = Collective::kPointToPoint, .workers = 2, .samples = sizes, .source = "x"});
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  EXPECT_EQ(analysis->fits[0].irregular_sizes, std::vector<double>{sizes.back().bytes});
  const auto cost =
      collective_cost(analysis->network, Collective::kPointToPoint, sizes.back().bytes, 2);
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->irregular);
  EXPECT_DOUBLE_EQ(cost->seconds.point, sizes.back().seconds);
}

TEST(CommFit, APairThatIsSlowIsNamed) {
  CommData data;
  for (int pair = 0; pair < 8; ++pair) {
    CommSweep sweep{.collective = Collective::kPointToPoint, .workers = 2, .source = "x"};
    sweep.samples = line(8, 1 << 20, (pair == 5 ? 2 : 1) * 10e-6, 1e-10, 0.02);
    sweep.label = "nodes n1 n" + std::to_string(pair);
    data.sweeps.push_back(sweep);
  }
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->fits[0].odd_sweeps.size(), 1U);
  EXPECT_EQ(analysis->fits[0].odd_sweeps[0].label, "n5");
  EXPECT_NEAR(analysis->fits[0].odd_sweeps[0].factor, 2, 0.3);
}

/// Sweeps of an all-reduce by one algorithm on several K, with noise; messages as well where asked.
CommData by_algorithm(const char* name, const std::vector<double>& workers, double noise,
                      bool messages, Random& random) {
  CommData data;
  const auto algorithm = *find_algorithm(Collective::kAllReduce, name);
  const auto message = *find_algorithm(Collective::kPointToPoint, "message");
  const Wire wire{.latency = 10e-6, .per_byte = 1e-10};
  const auto sweep = [&](const Algorithm& one, Collective collective, double k) {
    CommSweep made{.collective = collective, .workers = k, .source = "x"};
    for (double bytes = 8; bytes < 1e9; bytes *= 2) {
      made.samples.push_back(
          {bytes, algorithm_time(one, wire, bytes, k) * std::exp(noise * random.normal())});
    }
    data.sweeps.push_back(made);
  };
  for (const double k : workers) sweep(algorithm, Collective::kAllReduce, k);
  if (messages) sweep(message, Collective::kPointToPoint, 2);
  return data;
}

bool names(const AlgorithmGuess& guess, const std::string& name) {
  return guess.name == name ||
         std::find(guess.others.begin(), guess.others.end(), name) != guess.others.end();
}

TEST(CommGuess, TheTrueAlgorithmIsNamedAtSeveralKAndNoise) {
  const std::vector<std::vector<double>> lists = {
      {2, 4, 8}, {8, 16, 32}, {4, 8, 16, 32, 64}, {3, 6, 12}};
  int count = 0, named = 0, wrong = 0;
  Random random(5);
  for (const auto& workers : lists) {
    for (const double noise : {0.0, 0.03, 0.1}) {
      for (const bool messages : {false, true}) {
        for (const char* name : {"ring", "recursive-doubling", "halving-doubling", "tree"}) {
          const auto analysis = analyze_comm(by_algorithm(name, workers, noise, messages, random));
          ASSERT_TRUE(analysis);
          for (const CommFit& fit : analysis->fits) {
            if (fit.collective != Collective::kAllReduce || fit.workers != workers.back()) continue;
            for (const AlgorithmGuess* guess : {&fit.small, &fit.large}) {
              ++count;
              named += names(*guess, name) ? 1 : 0;
              wrong += !guess->name.empty() && !names(*guess, name) ? 1 : 0;
            }
          }
        }
      }
    }
  }
  EXPECT_GE(named, 0.85 * count) << named << " of " << count;
  EXPECT_LE(wrong, 0.02 * count) << wrong << " of " << count;
}

TEST(CommGuess, ExactRingsAreRingsAndNothingElseIsNamed) {
  Random random(1);
  for (const std::vector<double>& workers : {std::vector<double>{2, 4, 8}, {8, 16, 32}}) {
    for (const bool messages : {false, true}) {
      const auto analysis = analyze_comm(by_algorithm("ring", workers, 0, messages, random));
      ASSERT_TRUE(analysis);
      for (const CommFit& fit : analysis->fits) {
        if (fit.collective != Collective::kAllReduce) continue;
        EXPECT_EQ(fit.small.name, "ring");
        EXPECT_TRUE(fit.small.others.empty()) << fit.small.others.front();
        EXPECT_EQ(fit.large.name, "ring");
        EXPECT_TRUE(fit.large.others.empty()) << fit.large.others.front();
      }
    }
  }
}

TEST(CommGuess, WhatCannotBeToldIsSaidWithItsReason) {
  Random random(1);
  const auto one = analyze_comm(by_algorithm("ring", {8}, 0, false, random));
  ASSERT_TRUE(one);
  EXPECT_EQ(one->fits[0].small.name, "");
  EXPECT_EQ(one->fits[0].small.unknown, "one K alone does not tell");
  CommData flat;  // time that does not depend on K is none of them
  for (const double workers : {4.0, 16.0, 64.0}) {
    flat.sweeps.push_back(timed_sweep(line(8, 1 << 26, 20e-6, 1e-10, 0.01), workers));
  }
  const auto none = analyze_comm(flat);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->fits.back().small.unknown, "no known algorithm fits");
}

TEST(CommGuess, NcclIsNotSaidToReduceByDoubling) {
  Random random(2);
  CommData data = by_algorithm("recursive-doubling", {4, 16, 64}, 0.01, false, random);
  const auto of_mpi = analyze_comm(data);
  ASSERT_TRUE(of_mpi);
  EXPECT_EQ(of_mpi->fits.back().large.name, "recursive-doubling");
  for (CommSweep& sweep : data.sweeps) sweep.tool = "nccl-tests";
  const auto of_nccl = analyze_comm(data);
  ASSERT_TRUE(of_nccl);
  for (const AlgorithmGuess& guess : {of_nccl->fits.back().small, of_nccl->fits.back().large}) {
    EXPECT_EQ(guess.name.find("doubling"), std::string::npos) << guess.name;
    for (const std::string& other : guess.others) {
      EXPECT_EQ(other.find("doubling"), std::string::npos) << other;
    }
  }
}

/// On nodes of 8: 15 us inside, and 12 us for each doubling of the nodes (or each further one).
CommData on_nodes(const std::vector<double>& nodes, bool ring, double noise) {
  CommData data;
  for (const double n : nodes) {
    const double rounds = ring ? n - 1 : std::log2(n);
    const double beta = 4e-12 + 2e-11 * bus_factor(Collective::kAllReduce, n);
    CommSweep sweep = timed_sweep(line(8, 1 << 28, 15e-6 + 12e-6 * rounds, beta, noise), 8 * n);
    sweep.nodes = n;
    data.sweeps.push_back(sweep);
  }
  return data;
}

TEST(CommLevels, InsideAndBetweenNodesComeBackAndPredictMoreNodes) {
  for (const bool ring : {false, true}) {
    const auto analysis = analyze_comm(on_nodes({1, 2, 4, 8}, ring, 0.02));
    ASSERT_TRUE(analysis);
    ASSERT_EQ(analysis->network.levels.size(), 1U);
    const NetworkLevels& both = analysis->network.levels[0];
    EXPECT_EQ(both.node_workers, 8);
    EXPECT_EQ(both.rounds, ring ? "ring" : "doubling");
    EXPECT_NEAR(both.inside_alpha.point, 15e-6, 2e-6);
    EXPECT_NEAR(both.between_alpha.point, 12e-6, 1.5e-6);
    EXPECT_NEAR(both.between_beta.point, 2e-11, 3e-12);
    EXPECT_LE(both.between_alpha.low, 12e-6);
    EXPECT_GE(both.between_alpha.high, 12e-6);
    const auto read = parse_network(to_toml(analysis->network), "n.toml");
    ASSERT_TRUE(read) << read.error().message;
    for (const double bytes : {1024.0, 1e6, 1e8}) {
      const auto cost = collective_cost(*read, Collective::kAllReduce, bytes, 256);
      ASSERT_TRUE(cost);
      const double rounds = ring ? 31 : 5;
      const double truth =
          15e-6 + 12e-6 * rounds + bytes * (4e-12 + 2e-11 * bus_factor(Collective::kAllReduce, 32));
      EXPECT_NEAR(cost->seconds.point, truth, 0.15 * truth) << ring << " " << bytes;
      EXPECT_LE(cost->seconds.low, truth);
      EXPECT_GE(cost->seconds.high, truth);
    }
  }
}

TEST(CommLevels, ShapesThatDoNotSayItHaveNone) {
  EXPECT_TRUE(analyze_comm(on_nodes({2, 4, 8}, false, 0))->network.levels.empty());
  CommData one_each = on_nodes({2, 4, 8}, false, 0);
  for (CommSweep& sweep : one_each.sweeps) sweep.workers = sweep.nodes;
  EXPECT_TRUE(analyze_comm(one_each)->network.levels.empty());
  const auto two = analyze_comm(on_nodes({1, 2}, false, 0));
  ASSERT_EQ(two->network.levels.size(), 1U);
  EXPECT_EQ(two->network.levels[0].rounds, "");  // two numbers of nodes do not tell how it grows
}

TEST(CommLevels, LargeSizesOnOneNodeTellNoLatencyOfIt) {
  CommData data = on_nodes({1, 2, 4}, false, 0);
  std::erase_if(data.sweeps[0].samples,
                [](const CommSample& one) { return one.bytes < (1 << 24); });
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->network.levels.size(), 1U);
  EXPECT_TRUE(std::isinf(analysis->network.levels[0].inside_alpha.high));
  EXPECT_NEAR(analysis->network.levels[0].inside_beta.point, 4e-12, 2e-12);
  // Small sizes, which were not seen on one node, are predicted as if there were no levels.
  Network without = analysis->network;
  without.levels.clear();
  const auto small = collective_cost(analysis->network, Collective::kAllReduce, 1024, 64);
  const auto as_before = collective_cost(without, Collective::kAllReduce, 1024, 64);
  ASSERT_TRUE(small && as_before);
  EXPECT_EQ(small->seconds.point, as_before->seconds.point);
  EXPECT_TRUE(parse_network(to_toml(analysis->network), "n.toml"));
}

TEST(CommFit, AboveTheSizesSeenTimesGoOnFromTheLargestAndNotFromTheLineBelowIt) {
  CommData data;
  data.sweeps.push_back(timed_sweep(line(8, 1 << 22, 5e-6, 2e-10, 0.01), 4));
  auto& samples = data.sweeps[0].samples;
  for (std::size_t i = samples.size() - 2; i < samples.size(); ++i) samples[i].seconds *= 4;
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const auto cost = collective_cost(analysis->network, Collective::kAllReduce, 1 << 26, 4);
  ASSERT_TRUE(cost);
  const double by_line = 5e-6 + 2e-10 * (1 << 26);
  EXPECT_NEAR(cost->seconds.point, 4 * by_line, 0.5 * by_line);
  EXPECT_LE(cost->seconds.low, by_line);  // they may also have been disturbed
  EXPECT_GE(cost->seconds.high, 4 * by_line);
}

CommSweep listed_sweep(std::vector<CommSample> samples, double workers) {
  return {.workers = workers, .samples = std::move(samples), .tool = "nccl-tests", .source = "x"};
}

std::string page_of(const CommData& data) {
  CommReport report{.title = "x"};
  report.analysis = *analyze_comm(data);
  return to_terminal(to_document(report, CommView{}), TerminalStyle{.width = 400});
}

TEST(CommFit, MoreBytesOrMoreWorkersAreNotPredictedBelowWhatFewerTook) {
  CommData data;
  data.sweeps.push_back(timed_sweep(line(1 << 16, 1 << 26, 20e-6, 1e-10, 0.001), 8));
  // A cliff on more workers, at sizes that are too few for a piece.
  data.sweeps.push_back(listed_sweep({{65536, 108e-6},
                                      {131072, 210e-6},
                                      {262144, 211e-6},
                                      {524288, 692e-6},
                                      {1048576, 1457e-6},
                                      {2097152, 70e-3}},
                                     32));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  for (const double workers : {32.0, 64.0, 128.0}) {
    double before = 0;
    for (const double bytes : {2.2e6, 4e6, 64e6, 1e9}) {
      const auto cost = collective_cost(analysis->network, Collective::kAllReduce, bytes, workers);
      ASSERT_TRUE(cost) << bytes;
      EXPECT_GE(cost->seconds.low, 70e-3) << bytes << " on " << workers;
      EXPECT_GE(cost->seconds.point, before);
      before = cost->seconds.point;
    }
  }
}

TEST(CommFit, MoreWorkersThanSeenTakeNoLessThanTheCurveOfTheLargestK) {
  CommData data;
  data.sweeps.push_back(
      listed_sweep({{32, 22e-6}, {1024, 23e-6}, {1 << 20, 63e-6}, {1 << 30, 8163e-6}}, 8));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  double before = 0;
  for (const double workers : {8.0, 16.0, 32.0}) {
    const auto cost = collective_cost(analysis->network, Collective::kAllReduce, 1 << 28, workers);
    ASSERT_TRUE(cost);
    EXPECT_GE(cost->seconds.point, before * (1 - 1e-12));
    before = cost->seconds.point;
    const bool alone = cost->from.find("from K = 8 alone") != std::string::npos;
    EXPECT_EQ(alone, workers > 8) << cost->from;
  }
  // The largest size tells a rate by itself, in coarse steps too.
  const auto far = predict_comm(analysis->network, {.bytes = 14e9, .workers = {8}});
  ASSERT_TRUE(far);
  EXPECT_NEAR(far->rows[0].cost.seconds.point, 0.1064, 0.001);
  EXPECT_NE(page_of(data).find("1 GiB, reaches a bus bandwidth of 230 GB/s"), std::string::npos);
}

TEST(CommFit, AFirstSizeThatTookAMillionTimesAsLongLeavesALatency) {
  CommData data;
  data.sweeps.push_back(listed_sweep({{4, 1300}, {8, 2e-6}, {218, 2e-6}}, 4));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  EXPECT_GT(analysis->fits[0].pieces[0].alpha.point, 1e-6);
  EXPECT_TRUE(parse_network(to_toml(analysis->network), "n.toml"));
}

TEST(CommFit, ASizeBetweenThoseOfTheFileIsNotMeasuredAndAJumpIsHeld) {
  CommData data;
  data.sweeps.push_back(listed_sweep(
      {{1 << 17, 18e-6}, {1 << 18, 36e-6}, {1 << 19, 72e-6}, {1 << 20, 275e-6}, {1 << 21, 550e-6}},
      2));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const auto seen = collective_cost(analysis->network, Collective::kAllReduce, 1 << 19, 2);
  const auto between = collective_cost(analysis->network, Collective::kAllReduce, 3 << 18, 2);
  ASSERT_TRUE(seen && between);
  EXPECT_EQ(seen->from, "measured");
  EXPECT_EQ(between->from, "between 512 KiB and 1 MiB measured");
  EXPECT_LE(between->seconds.low, 72e-6);
  EXPECT_GE(between->seconds.high, 275e-6);
}

TEST(CommFit, BelowSizesThatTellNoLatencyATimeIsAtMostThatOfTheSmallest) {
  CommData data;
  data.sweeps.push_back(timed_sweep(line(1 << 30, 1LL << 34, 0, 1e-11, 0.001), 8));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const auto cost = collective_cost(analysis->network, Collective::kAllReduce, 8, 8);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->seconds.point, 1e-11 * (1 << 30), 1e-11 * (1 << 26));
  EXPECT_LT(cost->seconds.low, 1e-6);
  EXPECT_EQ(analysis->fits[0].pieces[0].alpha.low, 0);
}

TEST(CommFit, TheHalfOfTheBandwidthIsBetweenTheSizesThatDoAndDoNotReachIt) {
  CommData data;
  data.sweeps.push_back(listed_sweep({{1 << 10, 30e-6},
                                      {1 << 14, 31e-6},
                                      {1 << 20, 60e-6},
                                      {1 << 24, 280e-6},
                                      {1 << 28, 3.4e-3},
                                      {1 << 30, 13e-3},
                                      {4LL << 30, 52e-3}},
                                     16));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const CommFit& fit = analysis->fits[0];
  ASSERT_TRUE(fit.half_size);
  EXPECT_GT(*fit.half_size, 1 << 20);
  EXPECT_LT(*fit.half_size, 1 << 24);  // which reaches more than half
}

TEST(CommReport, WhyNoBandwidthIsToldAndThatItFallsStandInTheFirstSentence) {
  const auto page = [](std::vector<CommSample> samples) {
    CommData data;
    data.sweeps.push_back(listed_sweep(std::move(samples), 8));
    return page_of(data);
  };
  const std::string flat =
      page({{1 << 10, 50e-6}, {1 << 20, 50e-6}, {1 << 24, 50e-6}, {1 << 28, 50e-6}});
  EXPECT_NE(flat.find("Time hardly grows with size"), std::string::npos) << flat;
  const std::string falls =
      page({{1 << 10, 500e-6}, {1 << 20, 400e-6}, {1 << 24, 300e-6}, {1 << 28, 200e-6}});
  EXPECT_NE(falls.find("Times fall with size"), std::string::npos) << falls;
  const std::string small = page({{8, 20e-6}, {64, 20e-6}, {512, 20e-6}, {4096, 21e-6}});
  EXPECT_NE(small.find("too small to tell a bandwidth"), std::string::npos) << small;
  std::vector<CommSample> samples = line(1 << 10, 1 << 25, 20e-6, 1e-10, 0.001);
  for (const double bytes : {67108864.0, 134217728.0, 268435456.0, 536870912.0}) {
    samples.push_back({bytes, 6e-10 * bytes});
  }
  const std::string collapse = page(samples);
  EXPECT_NE(collapse.find("Bandwidth falls with size: "), std::string::npos) << collapse;
  EXPECT_NE(collapse.find("at 32 MiB"), std::string::npos) << collapse;
  EXPECT_EQ(collapse.find("fuse"), std::string::npos) << collapse;
}

TEST(CommReader, ResultsThatTheBenchmarkFoundWrongAreSaidFirst) {
  const CommData nccl = read(
      std::string(kHead) +
      "  8  2  float  sum  -1  130.1  0.00  0.00  0  118.6  0.00  0.00  0\n"
      "  262144  65536  float  sum  -1  325.1  0.81  0.81  0  325.3  0.81  0.81  0\n"
      "  524288  131072  float  sum  -1  663.1  0.79  0.79  237858  569.4  0.92  0.92  238038\n");
  ASSERT_EQ(nccl.failed.size(), 1U);
  EXPECT_NE(nccl.failed[0].find("237858 wrong values at 512 KiB (1 of 3 sizes)"), std::string::npos)
      << nccl.failed[0];
  const CommData osu = read(
      "# OSU MPI Allreduce Latency Test v7.5\n# Size  Avg Latency(us)  Validation\n"
      "4  12.0  Pass\n1024  13.0  Pass\n65536  60.11  Fail\n");
  ASSERT_EQ(osu.failed.size(), 1U);
  const std::string page = page_of(osu);
  EXPECT_LT(page.find("failed validation at 64 KiB"), page.find("the smallest")) << page;
}

TEST(CommReader, PartsOfASizeSayHowManyWorkersThereAre) {
  const std::string rows =
      "  65536  512  float  none  -1  107.5  0.61  0.59  0  105.6  0.62  0.60  0\n"
      "  131072  1024  float  none  -1  210.0  0.62  0.60  0  202.6  0.65  0.63  0\n";
  const CommData gather = read("all_gather_perf -b 64K\n" + std::string(kHead) + rows);
  ASSERT_EQ(gather.sweeps.size(), 1U);
  EXPECT_EQ(gather.sweeps[0].workers, 32);
  // nccl-tests 2.0: a worker's own part is not in the bandwidth.
  const CommData older = read(
      "./all_gather_perf -b 8 -g 2\n"
      "  32768  4096  float  13.39  1.22  1.22  0e+00  11.85  1.38  1.38  0e+00\n"
      "  65536  8192  float  16.57  1.98  1.98  0e+00  13.83  2.37  2.37  0e+00\n");
  ASSERT_EQ(older.sweeps.size(), 1U);
  EXPECT_EQ(older.sweeps[0].workers, 2);
  EXPECT_EQ(older.sweeps[0].samples.size(), 2U);
}

TEST(CommReader, ATableWithoutANameIsOfTheCollectiveThatIsGiven) {
  const std::string text = std::string(kHead) +
                           "  8  2  float  sum  -1  30.1  0.00  0.00  0  30.6  0.00  0.00  0\n"
                           "  16  4  float  sum  -1  30.2  0.00  0.00  0  30.3  0.00  0.00  0\n";
  EXPECT_TRUE(read(text).sweeps.empty());
  CommData data;
  data.unnamed = Collective::kReduce;
  ASSERT_TRUE(read_collectives(text, "x", data));
  ASSERT_EQ(data.sweeps.size(), 1U);
  EXPECT_EQ(data.sweeps[0].collective, Collective::kReduce);
}

TEST(CommFit, BytesBetweenNodesGrowWithTheNodesAndTheIntervalHoldsIt) {
  // From two nodes to four the links between them carry half as much again: 1.42 times the time.
  const auto analysis = analyze_comm(on_nodes({2}, false, 0));
  ASSERT_TRUE(analysis);
  const auto cost = collective_cost(analysis->network, Collective::kAllReduce, 1 << 28, 32);
  ASSERT_TRUE(cost);
  const double truth = 15e-6 + 24e-6 + (1 << 28) * (4e-12 + 2e-11 * 1.5);
  EXPECT_LE(cost->seconds.low, truth);
  EXPECT_GE(cost->seconds.high, truth);
}

TEST(CommFit, TheLargestKIsPredictedFromTheSmaller) {
  CommData data;
  const auto ring = *find_algorithm(Collective::kAllReduce, "ring");
  for (const double workers : {8.0, 16.0, 32.0, 64.0}) {
    CommSweep sweep{.workers = workers, .source = "x"};
    for (double bytes = 64; bytes < 1e9; bytes *= 4) {
      sweep.samples.push_back(
          {bytes, algorithm_time(ring, {.latency = 5e-6, .per_byte = 1e-10}, bytes, workers)});
    }
    data.sweeps.push_back(sweep);
  }
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  ASSERT_EQ(analysis->hindcasts.size(), 1U);
  EXPECT_LT(analysis->hindcasts[0].worst_error, 0.10);
  EXPECT_EQ(analysis->hindcasts[0].covered, analysis->hindcasts[0].sizes);
}

TEST(CommPredict, GradientsInBytes) {
  EXPECT_EQ(parse_gradient("7e9:bf16", "--gradient")->bytes(), 14e9);
  EXPECT_EQ(parse_gradient("7B:fp32", "--gradient")->bytes(), 28e9);
  for (const char* wrong : {"", "7e9", "7e9:", "x:bf16", "7e9:bf17", "-1:bf16", "nan:bf16"}) {
    EXPECT_FALSE(parse_gradient(wrong, "--gradient")) << wrong;
  }
}

TEST(CommPredict, BucketsHideWhatFitsBehindTheBackwardPass) {
  Network network;
  NetworkSweep sweep{.workers = 16};
  sweep.pieces = {
      {.from = 8, .to = 1e10, .alpha = {1e-4, 1e-4, 1e-4}, .beta = {1e-11, 1e-11, 1e-11}}};
  network.sweeps = {sweep};
  CommQuestion question{.bytes = 10e9, .workers = {16}, .compute = 0.3};
  const auto answer = predict_comm(network, question);
  ASSERT_TRUE(answer);
  const BucketPlan& bucket = answer->rows[0].bucket;
  EXPECT_NEAR(bucket.exposed_in_one, 0.1001, 1e-6);
  // 100 ms of communication behind 200 ms: what stays is one bucket, as small as latency allows.
  EXPECT_LT(bucket.exposed.point, 0.01);
  EXPECT_GT(bucket.count, 8);
  EXPECT_NEAR(answer->rows[0].twice_bandwidth, 0.0501, 1e-6);
  EXPECT_NEAR(answer->rows[0].half_latency, 0.10005, 1e-6);
}

TEST(CommPredict, ANetworkBecomesTermsOfALaw) {
  Network network;
  for (const double workers : {8.0, 64.0, 512.0}) {
    NetworkSweep sweep{.workers = workers};
    const double alpha = 2e-6 * (workers - 1),
                 beta = 1e-10 * bus_factor(Collective::kAllReduce, workers);
    sweep.pieces = {
        {.from = 8, .to = 1e10, .alpha = {alpha, alpha, alpha}, .beta = {beta, beta, beta}}};
    network.sweeps.push_back(sweep);
  }
  const auto terms = communication_terms(network, Collective::kAllReduce, 1e8, 8, 512);
  ASSERT_TRUE(terms);
  EXPECT_LT(terms->worst, 0.05);
  double at = 0;
  for (const Communication& term : terms->terms) at += term.cost * growth_at(term.growth, 64);
  EXPECT_NEAR(at, 2e-6 * 63 + 1e-2 * 2 * 63 / 64, 0.05 * at);
}

TEST(CommReport, ThePageSaysTheAnswerFirstAndFitsAScreen) {
  CommData data;
  data.sweeps.push_back({.workers = 16,
                         .nodes = 2,
                         .samples = line(8, 1 << 28, 20e-6, 1e-10, 0.02),
                         .tool = "nccl-tests",
                         .source = "x"});
  CommReport report{.title = "x"};
  report.analysis = *analyze_comm(data, {.link = 25e9, .link_text = "25GB/s"});
  report.prediction = *predict_comm(
      report.analysis.network,
      {.bytes = 14e9, .gradient = *parse_gradient("7e9:bf16", ""), .workers = {16, 64}});
  const std::string text = to_terminal(to_document(report, CommView{}), TerminalStyle{.width = 80});
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 40) << text;
  EXPECT_NE(text.find("On 64 workers the gradient of 7e9 parameters"), std::string::npos) << text;
  EXPECT_NE(text.find("25GB/s;"), std::string::npos);
}

TEST(CommFit, AtAMeasuredSizeTheAnswerIsTheMeasurementWithItsNoiseAlsoWhereNoPieceHoldsIt) {
  CommData data;
  auto sizes = line(8, 1 << 22, 5e-6, 1e-9, 0.005);
  sizes[12].seconds *= 2;  // a hump that the pieces miss
  data.sweeps.push_back(timed_sweep(sizes, 4));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const auto read = parse_network(to_toml(analysis->network), "n.toml");
  ASSERT_TRUE(read) << read.error().message;
  for (const CommSample& one : sizes) {
    const auto cost = collective_cost(*read, Collective::kAllReduce, one.bytes, 4);
    ASSERT_TRUE(cost);
    EXPECT_DOUBLE_EQ(cost->seconds.point, one.seconds);
    EXPECT_LT(cost->seconds.high, 1.3 * one.seconds) << one.bytes;
    EXPECT_GT(cost->seconds.low, one.seconds / 1.3) << one.bytes;
  }
}

TEST(CommFit, BetweenSizesTheTimeIsBetweenTheNeighboursAndNearAHumpTheIntervalIsWide) {
  CommData data;
  auto sizes = line(8, 1 << 22, 5e-6, 1e-9, 0.005);
  sizes[12].seconds *= 2;
  data.sweeps.push_back(timed_sweep(sizes, 4));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    const double bytes = 1.4 * sizes[i].bytes;
    const auto cost = collective_cost(analysis->network, Collective::kAllReduce, bytes, 4);
    ASSERT_TRUE(cost);
    const auto [low, high] = std::minmax(sizes[i].seconds, sizes[i + 1].seconds);
    EXPECT_GE(cost->seconds.point, low);
    EXPECT_LE(cost->seconds.point, high);
    const double wide = cost->seconds.high / cost->seconds.low;
    if (i == 11 || i == 12) {
      EXPECT_GT(wide, 2) << bytes;
    }
    if (i > 15) {
      EXPECT_LT(wide, 1.5) << bytes;
    }
  }
}

TEST(CommFit, ANetworkFileHoldsTheFastestAndSlowestOfSeveralSweeps) {
  CommData data;
  for (const double factor : {1.0, 1.1, 1.5}) {
    data.sweeps.push_back(timed_sweep(line(8, 1 << 20, factor * 20e-6, factor * 1e-10), 8));
  }
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  std::string text = to_toml(analysis->network);
  const auto read = parse_network(text, "n.toml");
  ASSERT_TRUE(read) << read.error().message;
  const auto cost = collective_cost(*read, Collective::kAllReduce, 8, 8);
  ASSERT_TRUE(cost);
  EXPECT_LE(cost->seconds.low, 20.01e-6);
  EXPECT_GE(cost->seconds.high, 29.9e-6);
  text.replace(text.find("curve_fastest = ["), 17, "curve_fastest = [1, ");
  const auto wrong = parse_network(text, "n.toml");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("or neither"), std::string::npos) << wrong.error().message;
}

TEST(CommPredict, ALawIsRightWhereItWasMeasured) {
  // Beyond the K seen the network grows more slowly than any term of a law after these times.
  CommData data;
  data.sweeps.push_back(timed_sweep(line(8, 1 << 24, 100e-6, 1e-9), 2));
  data.sweeps.push_back(timed_sweep(line(8, 1 << 24, 210e-6, 2.1e-9), 4));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const auto terms =
      communication_terms(analysis->network, Collective::kAllReduce, 1 << 22, 2, 128);
  ASSERT_TRUE(terms);
  EXPECT_LT(terms->worst, 0.05);
  EXPECT_GT(terms->beyond, terms->worst);
}

TEST(CommReader, WrongValuesInJsonAreSaidAsThoseOfTables) {
  const char* nccl = R"({"args":["./all_reduce_perf"],"results":[
      {"size":1024,"out_of_place":{"time":10.5,"alg_bw":0.1,"bus_bw":0.1,"nwrong":0},
       "in_place":{"time":9.5,"alg_bw":0.1,"bus_bw":0.1,"nwrong":0}},
      {"size":2048,"out_of_place":{"time":12.5,"alg_bw":0.1,"bus_bw":0.1,"nwrong":3},
       "in_place":{"time":9.5,"alg_bw":0.1,"bus_bw":0.1,"nwrong":0}}],
      "config":{"nthreads":1,"ngpus":1,"devices":[{"rank":0,"hostname":"a"},
      {"rank":1,"hostname":"b"}]}})";
  ASSERT_EQ(read(nccl).failed.size(), 1U);
  EXPECT_NE(read(nccl).failed[0].find("3 wrong values at 2 KiB (1 of 2 sizes)"), std::string::npos);
  const auto rccl = [](std::string_view name, std::string_view outside, std::string_view inside) {
    std::string text = "[";
    for (const int size : {1024, 2048}) {
      for (const int in_place : {0, 1}) {
        text += (text.size() > 1 ? "," : "") + std::string(R"({"name":")") + std::string(name) +
                R"(","nodes":1,"ranks":8,"size":)" + std::to_string(size) +
                R"(,"time":21.5,"inPlace":)" + std::to_string(in_place) + R"(,"wrong":")" +
                std::string(size == 1024    ? "0"
                            : in_place == 1 ? inside
                                            : outside) +
                "\"}";
      }
    }
    return read(text + "]").failed;
  };
  EXPECT_TRUE(rccl("AllReduce", "0", "0").empty());
  EXPECT_TRUE(rccl("AllReduce", "N/A", "N/A").empty());
  const auto outside = rccl("AllReduce", "5", "0"), inside = rccl("AllReduce", "0", "7");
  ASSERT_EQ(outside.size(), 1U);
  EXPECT_NE(outside[0].find("5 wrong values at 2 KiB (1 of 2 sizes)"), std::string::npos)
      << outside[0];
  ASSERT_EQ(inside.size(), 1U);
  EXPECT_NE(inside[0].find("7 wrong values at 2 KiB"), std::string::npos) << inside[0];
  EXPECT_TRUE(rccl("AlltoAll", "0", "7").empty());  // in place it always is
}

TEST(CommFit, AKThatCollapsedIsNamedAndFarBeyondItNothingIsKnown) {
  const auto ring = *find_algorithm(Collective::kAllReduce, "ring");
  const Wire wire{.latency = 2e-6, .per_byte = 1e-10};
  const auto network = [&](double factor) {
    CommData data;
    for (const double workers : {8.0, 16.0, 32.0, 64.0}) {
      CommSweep sweep{.workers = workers, .nodes = workers, .tool = "OSU v7.5", .source = "x"};
      for (double bytes = 8; bytes < 1 << 25; bytes *= 2) {
        const double seconds = algorithm_time(ring, wire, bytes, workers);
        sweep.samples.push_back({bytes, workers == 64 ? factor * seconds : seconds});
      }
      data.sweeps.push_back(std::move(sweep));
    }
    return *analyze_comm(data);
  };
  EXPECT_TRUE(network(1).notes.empty());
  EXPECT_EQ(network(10).grave_notes, 1U);
  const CommAnalysis collapsed = network(10);
  ASSERT_EQ(collapsed.notes.size(), 1U);
  EXPECT_NE(collapsed.notes[0].find("K = 64 takes 20 times as long as on K = 32"),
            std::string::npos)
      << collapsed.notes[0];
  const auto prediction = predict_comm(collapsed.network, {.bytes = 8, .workers = {64, 4096}});
  ASSERT_TRUE(prediction);
  const std::string text = to_terminal(to_document(*prediction, {}), TerminalStyle{.width = 400});
  EXPECT_NE(text.find("On 4096 workers nothing says what all-reduce of 8 B takes"),
            std::string::npos)
      << text;
}

TEST(CommReport, AFirstSizeWithoutWarmUpIsNamedAsNoLatency) {
  const auto report = [](double first) {
    CommData data;
    CommSweep sweep{.workers = 8, .tool = "OSU v7.5", .source = "x"};
    for (double bytes = 8; bytes < 1 << 25; bytes *= 2) {
      sweep.samples.push_back({bytes, bytes == 8 ? first : 20e-6 + bytes * 1e-10});
    }
    data.sweeps.push_back(std::move(sweep));
    return page_of(data);
  };
  EXPECT_NE(report(9e-3).find("8 B takes 450 times as long as 16 B"), std::string::npos);
  EXPECT_EQ(report(30e-6).find("warmed up"), std::string::npos);
}

TEST(CommReader, ATableThatBeginsAgainIsAnotherSweepAndTheMeasurementHoldsBoth) {
  // Heads without their '#', as they are pasted.
  const auto table = [](double latency) {
    std::string text =
        "       size   count  type  redop  root  time  algbw  busbw #wrong  time  "
        "algbw  busbw #wrong\n";
    for (int bytes = 1024; bytes <= 1 << 26; bytes *= 4) {
      const double us = latency + bytes / 1e4;
      text +=
          fmt::format("{0} {1} float sum -1 {2:.1f} {3:.2f} {4:.2f} 0 {2:.1f} {3:.2f} {4:.2f} 0\n",
                      bytes, bytes / 4, us, bytes / us / 1e3, 1.5 * bytes / us / 1e3);
    }
    return text;
  };
  const CommData data = read("// Ring\n" + table(90) + "// Tree\n" + table(60));
  ASSERT_EQ(data.sweeps.size(), 2U);
  EXPECT_EQ(data.sweeps[1].workers, 4);
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const auto cost = collective_cost(analysis->network, Collective::kAllReduce, 1024, 4);
  ASSERT_TRUE(cost);
  EXPECT_LE(cost->seconds.low, 60.2e-6);
  EXPECT_GE(cost->seconds.high, 90e-6);
}

TEST(CommPredict, WhatABrokenRunTookIsDoubtfulAlsoInTheNetworkFile) {
  std::string rows;
  for (const int wrong : {0, 0, 0, 3, 0}) {
    const int bytes = 262144 << (rows.empty() ? 0 : std::count(rows.begin(), rows.end(), '\n'));
    const double us = 100 + bytes / 1000.0;
    rows += fmt::format("  {} {} float sum -1 {:.1f} {:.2f} {:.2f} {} {:.1f} {:.2f} {:.2f} 0\n",
                        bytes, bytes / 4, us, bytes / us / 1e3, 1.5 * bytes / us / 1e3, wrong, us,
                        bytes / us / 1e3, 1.5 * bytes / us / 1e3);
  }
  const auto analysis = analyze_comm(read(kHead + rows));
  ASSERT_TRUE(analysis);
  const auto network = parse_network(to_toml(analysis->network), "n.toml");
  ASSERT_TRUE(network);
  for (const double workers : {4.0, 64.0}) {
    const auto cost = collective_cost(*network, Collective::kAllReduce, 1 << 20, workers);
    ASSERT_TRUE(cost);
    EXPECT_EQ(doubt_of(*cost), "the benchmark found its results wrong");
  }
  const auto prediction = predict_comm(*network, {.bytes = 1 << 20, .workers = {4, 64}});
  ASSERT_TRUE(prediction);
  EXPECT_NE(to_csv(*prediction).find("doubtful"), std::string::npos) << to_csv(*prediction);
}

TEST(CommReader, ValuesOutOfBoundsAreThoseOfTheirTable) {
  const auto table = [](const char* verdict) {
    return std::string("# nThread 1 nGpus 2 minBytes 8\n") + kHead +
           "  262144  65536  float  sum  -1  325.1  0.81  0.81  0  325.3  0.81  0.81  0\n"
           "# Out of bounds values : " +
           verdict + "\n# Avg bus bandwidth    : 16.5\n";
  };
  const CommData data = read(table("2 FAILED") + table("0 OK"));
  ASSERT_EQ(data.sweeps.size(), 2U);
  EXPECT_TRUE(data.sweeps[0].wrong);
  EXPECT_FALSE(data.sweeps[1].wrong);
}

TEST(CommReader, StampsOfMpirunAndNodesOfItsCommand) {
  const std::string stamp = "Thu Jul 18 15:41:05 2024<stdout>:";
  const auto nccl = [&](std::string_view flags) {
    return read(
        fmt::format("mpirun {} --timestamp-output ./all_reduce_perf -b 1M -g 1\n", flags) + stamp +
        kHead + stamp +
        "  1048576  262144  float  sum  -1  35.49  29.55  44.32  0  34.57  30.33  45.5  0\n");
  };
  ASSERT_EQ(nccl("-np 4 -N 2").sweeps.size(), 1U);
  EXPECT_EQ(nccl("-np 4 -N 2").sweeps[0].workers, 4);
  EXPECT_EQ(nccl("-np 4 -N 2").sweeps[0].nodes, 2);
  EXPECT_EQ(nccl("-np 8 -N 2").sweeps[0].nodes, 0);  // of another run
  EXPECT_EQ(nccl("-np 4 -H 10.0.0.1:2,10.0.0.2:2").sweeps[0].nodes, 2);
  EXPECT_EQ(nccl("-np 4 -H 10.0.0.1,10.0.0.2").sweeps[0].nodes, 0);
  const CommData osu = read(
      "mpirun -x UCX_TLS=rc -H a:128,b:128 ./osu_allreduce\n\\# OSU MPI Allreduce Latency Test "
      "v7.4\n"
      "\\# Size  Avg Latency(us)\n4 7.9\n8 8.1\n");
  ASSERT_EQ(osu.sweeps.size(), 1U);
  EXPECT_EQ(osu.sweeps[0].workers, 256);
  EXPECT_EQ(osu.sweeps[0].nodes, 2);
  const CommData imb = read(
      "mpirun -n 8 -ppn 4 IMB-MPI1 -npmin 1 Allreduce\n"
      "# Benchmarking Allreduce\n# #processes = 1\n#bytes #repetitions t_min[usec] t_max[usec] "
      "t_avg[usec]\n1024 1000 0.04 0.04 0.04\n"
      "# Benchmarking Allreduce\n# #processes = 4\n#bytes #repetitions t_min[usec] t_max[usec] "
      "t_avg[usec]\n1024 1000 2.04 2.04 2.04\n"
      "# Benchmarking Allreduce\n# #processes = 8\n#bytes #repetitions t_min[usec] t_max[usec] "
      "t_avg[usec]\n1024 1000 3.04 3.04 3.04\n");
  ASSERT_EQ(imb.sweeps.size(), 2U);
  EXPECT_EQ(imb.sweeps[0].nodes, 0);
  EXPECT_EQ(imb.sweeps[1].nodes, 2);
  EXPECT_TRUE(imb.notes.empty());
  CommData none;
  const auto alone = read_collectives(
      "# Benchmarking Allreduce\n# #processes = 1\n#bytes #repetitions t_avg[usec]\n8 10 0.04\n",
      "alone", none);
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.error().message.find("one process alone"), std::string::npos);
}

TEST(CommFit, BeyondAKThatCollapsedTheLowEndHoldsThatItWasTheExceptionAndSaysSo) {
  const auto ring = *find_algorithm(Collective::kAllReduce, "ring");
  const Wire wire{.latency = 2e-6, .per_byte = 1e-10};
  CommData data;
  for (const double workers : {8.0, 16.0, 32.0, 64.0}) {
    CommSweep sweep{.workers = workers, .nodes = workers, .source = "x"};
    for (double bytes = 64; bytes < 1e9; bytes *= 4) {
      const double slower = workers == 64 ? 6 : 1;
      sweep.samples.push_back({bytes, slower * algorithm_time(ring, wire, bytes, workers)});
    }
    data.sweeps.push_back(sweep);
  }
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  for (const double bytes : {1024.0, 1e6, 1e8}) {
    for (const double workers : {128.0, 512.0}) {
      const auto cost = collective_cost(analysis->network, Collective::kAllReduce, bytes, workers);
      ASSERT_TRUE(cost);
      const double sound = algorithm_time(ring, wire, bytes, workers);
      EXPECT_LE(cost->seconds.low, sound) << bytes << " on " << workers;
      EXPECT_GE(cost->seconds.high, 6 * sound);
      EXPECT_NE(cost->condition.find("slower than those before say"), std::string::npos)
          << basis_text(*cost);
    }
  }
}

TEST(CommFit, AboveASizeWhoseBandwidthFellTheLowEndHoldsThatItComesBack) {
  CommData data;
  auto sizes = line(8, 1 << 24, 20e-6, 1e-10, 0.005);
  for (std::size_t i = sizes.size() - 4; i < sizes.size(); ++i) sizes[i].seconds *= 8;
  data.sweeps.push_back(timed_sweep(sizes, 8));
  const auto analysis = analyze_comm(data);
  ASSERT_TRUE(analysis);
  const double bytes = 1 << 30;
  const auto cost = collective_cost(analysis->network, Collective::kAllReduce, bytes, 8);
  ASSERT_TRUE(cost);
  EXPECT_LE(cost->seconds.low, sizes.back().seconds + 1.3e-10 * bytes);
  EXPECT_GE(cost->seconds.low, sizes.back().seconds);
  EXPECT_GE(cost->seconds.high, 8e-10 * bytes);
}

TEST(CommFit, AnExtrapolationOverKSaysWhatAddedWorkersAreTakenToBe) {
  const auto from = [](std::initializer_list<std::pair<double, double>> shapes, double workers) {
    CommData data;
    for (const auto& [k, nodes] : shapes) {
      CommSweep sweep = timed_sweep(line(8, 1 << 20, 1e-5 * k, 1e-10), k);
      sweep.nodes = nodes;
      data.sweeps.push_back(sweep);
    }
    return basis_text(
        *collective_cost(analyze_comm(data)->network, Collective::kAllReduce, 1024, workers));
  };
  EXPECT_TRUE(from({{2, 2}, {4, 4}}, 16).ends_with("from K = 4 if every added worker is a node"));
  EXPECT_TRUE(from({{16, 2}, {32, 4}}, 64).ends_with(" if added nodes have 8 workers each"));
  EXPECT_TRUE(
      from({{8, 1}, {16, 2}, {32, 4}}, 64).ends_with(" if added nodes have 8 workers each"));
  EXPECT_TRUE(from({{10, 10}, {20, 10}}, 40)
                  .ends_with(" if more nodes cost what more workers on each did"));
  EXPECT_EQ(from({{2, 0}, {4, 0}}, 16).find(" if "), std::string::npos);
  EXPECT_EQ(from({{16, 2}, {32, 4}}, 24).find(" if "), std::string::npos);
}

TEST(CommReport, FewerWorkersThatAreFarSlowerAtLargeSizesAloneAreHardlyOfTheSameNetwork) {
  CommData data;
  data.sweeps.push_back(timed_sweep(line(8, 1 << 30, 20e-6, 1e-9), 8));
  data.sweeps.push_back(timed_sweep(line(8, 1 << 30, 60e-6, 1e-10), 1024));
  const std::string page = page_of(data);
  EXPECT_NE(page.find("hardly one network"), std::string::npos) << page;
  // Recursive doubling on three workers sends half as much again as on four.
  CommData three;
  three.sweeps.push_back(timed_sweep(line(8, 1 << 30, 30e-6, 3e-10), 3));
  three.sweeps.push_back(timed_sweep(line(8, 1 << 30, 20e-6, 2e-10), 4));
  EXPECT_EQ(page_of(three).find("hardly one network"), std::string::npos);
}

}  // namespace
}  // namespace kstar
