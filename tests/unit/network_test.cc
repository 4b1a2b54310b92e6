#include "kstar/network.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/bytes.h"
#include "kstar/network_cost.h"

namespace kstar {
namespace {

constexpr double kMicro = 1e-6, kMebi = 1048576;

double time_of(const char* name, const Wire& wire, double bytes, double workers) {
  const auto algorithm = find_algorithm(Collective::kAllReduce, name);
  EXPECT_TRUE(algorithm) << name;
  return algorithm ? algorithm_time(*algorithm, wire, bytes, workers) : 0;
}

NetworkSweep sweep_of(double workers, double nodes, double alpha, double beta) {
  NetworkSweep sweep{.collective = Collective::kAllReduce, .workers = workers, .nodes = nodes};
  sweep.pieces = {{.from = 8,
                   .to = 1e9,
                   .alpha = {alpha, 0.95 * alpha, 1.05 * alpha},
                   .beta = {beta, 0.97 * beta, 1.03 * beta},
                   .spread = 0.02}};
  return sweep;
}

TEST(NetworkAlgorithms, ThakurRabenseifnerGropp2005) {
  const Wire wire{.latency = 10 * kMicro, .per_byte = 1e-9};
  EXPECT_NEAR(time_of("recursive-doubling", wire, kMebi, 8) / kMicro, 3175.7, 0.05);
  EXPECT_NEAR(time_of("halving-doubling", wire, kMebi, 8) / kMicro, 1895.0, 0.05);
  EXPECT_NEAR(time_of("ring", wire, kMebi, 8) / kMicro, 1975.0, 0.05);
  const auto doubling = *find_algorithm(Collective::kAllReduce, "recursive-doubling");
  const auto halving = *find_algorithm(Collective::kAllReduce, "halving-doubling");
  const auto ring = *find_algorithm(Collective::kAllReduce, "ring");
  EXPECT_NEAR(*crossover(doubling, halving, wire, 8), 24000, 0.5);
  EXPECT_NEAR(*crossover(doubling, ring, wire, 8), 88000, 0.5);
  EXPECT_FALSE(crossover(halving, ring, wire, 8));  // the same volume, more rounds
}

TEST(NetworkAlgorithms, TheCheapestBySizeIsNeverBeatenAtAnySize) {
  const Wire wire{.latency = 5 * kMicro, .per_byte = 2e-10, .per_reduced = 1e-11};
  for (const Collective collective : all_collectives()) {
    for (const double workers : {2.0, 3.0, 8.0, 12.0, 1000.0}) {
      const auto best = cheapest_by_size(collective, wire, workers);
      ASSERT_FALSE(best.empty());
      EXPECT_EQ(best.front().from, 0);
      for (double bytes = 1; bytes < 1e10; bytes *= 3.7) {
        std::size_t at = 0;
        while (at + 1 < best.size() && best[at + 1].from <= bytes) ++at;
        const double chosen = algorithm_time(best[at].algorithm, wire, bytes, workers);
        for (const Algorithm& other : algorithms_of(collective)) {
          EXPECT_LE(chosen, algorithm_time(other, wire, bytes, workers) * (1 + 1e-9))
              << name_of(collective) << " " << workers << " " << bytes << " " << other.name;
        }
      }
    }
  }
}

TEST(NetworkAlgorithms, WorkersThatAreNoPowerOfTwoPayTwoRoundsMore) {
  const Wire wire{.latency = 1};
  EXPECT_EQ(time_of("recursive-doubling", wire, 0, 8), 3);
  EXPECT_EQ(time_of("recursive-doubling", wire, 0, 9), 5);
  EXPECT_EQ(time_of("halving-doubling", wire, 0, 9), 8);
  EXPECT_EQ(time_of("ring", wire, 0, 9), 16);
}

TEST(Network, BusFactors) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllReduce, 16), 2.0 * 15 / 16);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllGather, 16), 15.0 / 16);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kAllToAll, 4), 0.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::kBroadcast, 16), 1);
}

TEST(Network, CollectivesByTheNamesOfOthers) {
  EXPECT_EQ(collective_named("AllReduce"), Collective::kAllReduce);
  EXPECT_EQ(collective_named("reduce_scatter"), Collective::kReduceScatter);
  EXPECT_EQ(collective_named("bcast"), Collective::kBroadcast);
  EXPECT_EQ(collective_named("alltoall"), Collective::kAllToAll);
  EXPECT_FALSE(collective_named("allreduces"));
}

TEST(Network, WhatIsWrittenReadsBackTheSame) {
  Network network{.title = "a \"network\" \\ here", .node_workers = 8, .link = 25e9};
  network.sweeps = {sweep_of(16, 2, 41e-6, 1.1e-10), sweep_of(8, 1, 11e-6, 4e-12)};
  network.sweeps[0].irregular = true;
  network.sweeps[0].pieces[0].algorithm = "ring";
  network.sweeps[0].pieces[0].beta.high = INFINITY;
  network.levels = {{.collective = Collective::kAllGather,
                     .node_workers = 8,
                     .inside_alpha = {1e-5, 9e-6, 1.1e-5},
                     .inside_beta = {1e-12, 0, 2e-12},
                     .between_alpha = {2e-5, 1e-5, 3e-5},
                     .between_beta = {1e-11, 1e-11, 1e-11},
                     .rounds = "ring"}};
  sort_sweeps(network);
  const Result<Network> read = parse_network(to_toml(network), "network.toml");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_toml(*read), to_toml(network));
  EXPECT_EQ(read->sweeps[0].workers, 8);
  EXPECT_TRUE(std::isinf(read->sweeps[1].pieces[0].beta.high));
}

TEST(Network, ErrorsNameThePlaceTheValueAndTheConstraint) {
  const auto error = [](const char* text) {
    const Result<Network> read = parse_network(text, "n.toml");
    return read ? std::string() : read.error().where + ": " + read.error().message;
  };
  const std::string piece = "[[sweep.piece]]\nfrom = 8\nto = 64\nalpha = 1e-6\nbeta = 1e-9\n";
  const std::string head = "[[sweep]]\ncollective = \"all-reduce\"\nworkers = 4\n";
  EXPECT_EQ(error((head + piece).c_str()), "");
  EXPECT_NE(error("").find("[[sweep]]"), std::string::npos);
  EXPECT_NE(error(head.c_str()).find("[[sweep.piece]]"), std::string::npos);
  EXPECT_NE(error(("[[sweep]]\ncollective = \"all\"\nworkers = 4\n" + piece).c_str())
                .find("n.toml:2:14: expected one of all-reduce"),
            std::string::npos);
  EXPECT_NE(error((head + piece + "alpha_low = 2e-6\n").c_str()).find("alpha_low <= alpha"),
            std::string::npos);
  EXPECT_NE(error((head + piece + piece).c_str()).find("from 64 bytes on"), std::string::npos);
  EXPECT_NE(error((head + piece + "alpha_hihg = 1\n").c_str()).find("alpha_hihg"),
            std::string::npos);
  EXPECT_NE(error(("schema = 2\n" + head + piece).c_str()).find("schema 1"), std::string::npos);
  EXPECT_NE(error("sweep = 5\n").find("[[sweep]]"), std::string::npos);
  EXPECT_NE(error((head + "[[sweep.piece]]\nfrom = 8\nalpha = nan\nbeta = 1\n").c_str())
                .find("n.toml:6:9: expected a number of at least 0"),
            std::string::npos);
}

TEST(NetworkCost, AtAKSeenItIsTheFittedLine) {
  Network network;
  network.sweeps = {sweep_of(16, 2, 40e-6, 1e-10)};
  const auto cost = collective_cost(network, Collective::kAllReduce, 1e6, 16);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->seconds.point, 140e-6, 1e-9);
  EXPECT_LT(cost->seconds.low, cost->seconds.point);
  EXPECT_LT(cost->seconds.high, 160e-6);
  EXPECT_EQ(cost->basis, CostBasis::kMeasured);
}

TEST(NetworkCost, BeyondTheKSeenTheIntervalHoldsEveryAlgorithmAndWidens) {
  Network network;
  network.sweeps = {sweep_of(16, 2, 40e-6, 1e-10)};
  double width = 0;
  for (const double workers : {32.0, 64.0, 256.0}) {
    const auto cost = collective_cost(network, Collective::kAllReduce, 1e6, workers);
    ASSERT_TRUE(cost);
    const double bus = bus_factor(Collective::kAllReduce, workers) / (2.0 * 15 / 16);
    EXPECT_LE(cost->seconds.low, 40e-6 * std::log2(workers) / 4 + 100e-6 * bus);
    EXPECT_GE(cost->seconds.high, 40e-6 * (workers - 1) / 15 + 100e-6 * bus);
    const double now = std::log(cost->seconds.high / cost->seconds.low);
    EXPECT_GT(now, width);
    width = now;
    EXPECT_NE(cost->from.find("from K = 16"), std::string::npos);
  }
}

TEST(NetworkCost, SeveralKSayWhichWayLatencyGrows) {
  Network rings, trees;  // latency as K - 1, and as log2 K
  for (const double workers : {8.0, 16.0, 32.0}) {
    rings.sweeps.push_back(sweep_of(workers, 0, 2e-6 * (workers - 1), 1e-12));
    trees.sweeps.push_back(sweep_of(workers, 0, 10e-6 * std::log2(workers), 1e-12));
  }
  const auto ring = collective_cost(rings, Collective::kAllReduce, 1024, 128);
  const auto tree = collective_cost(trees, Collective::kAllReduce, 1024, 128);
  ASSERT_TRUE(ring && tree);
  EXPECT_NEAR(ring->seconds.point, 2e-6 * 127, 0.05 * 2e-6 * 127);
  EXPECT_NEAR(tree->seconds.point, 70e-6, 0.05 * 70e-6);
}

TEST(NetworkCost, OneNodeIsOnlyALowerBoundBetweenNodes) {
  Network network;
  network.sweeps = {sweep_of(8, 1, 20e-6, 4e-12)};
  const auto cost = collective_cost(network, Collective::kAllReduce, 1e9, 64);
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->leaves_node);
  EXPECT_TRUE(std::isinf(cost->seconds.high));
  network.node_workers = 72;  // a rack of them is one node to its network
  EXPECT_FALSE(collective_cost(network, Collective::kAllReduce, 1e9, 64)->leaves_node);
}

TEST(NetworkCost, WhatMayShareOneNodeIsOnlyALowerBoundOfMoreWorkers) {
  const auto cost_of = [](std::vector<NetworkSweep> sweeps, double workers, double of_node = 0) {
    Network network;
    network.sweeps = std::move(sweeps);
    if (of_node > 0) network.node_workers = of_node;
    return collective_cost(network, Collective::kAllReduce, 1e9, workers).value();
  };
  const auto sweep = [](double workers, double nodes) {
    return sweep_of(workers, nodes, 20e-6, 4e-12);
  };
  const CollectiveCost one = cost_of({sweep(8, 0)}, 16);
  EXPECT_TRUE(std::isinf(one.seconds.high));
  EXPECT_NE(basis_text(one).find("from K = 8 alone, which may share one node"), std::string::npos);
  EXPECT_TRUE(std::isinf(cost_of({sweep(2, 0), sweep(4, 0), sweep(8, 0)}, 16).seconds.high));
  EXPECT_TRUE(std::isfinite(cost_of({sweep(8, 0)}, 8).seconds.high));
  EXPECT_TRUE(std::isfinite(cost_of({sweep(8, 0)}, 16, 72).seconds.high));
  EXPECT_TRUE(std::isfinite(cost_of({sweep(8, 8)}, 16).seconds.high));
  EXPECT_TRUE(std::isfinite(cost_of({sweep(8, 0), sweep(64, 0)}, 128).seconds.high));
  EXPECT_TRUE(std::isfinite(cost_of({sweep(1024, 0)}, 2048).seconds.high));
}

TEST(NetworkCost, NodesAreUsedWhereKFitsThereAndTheNetworkWhereNot) {
  Network network{.node_workers = 8};
  network.sweeps = {sweep_of(4, 1, 20e-6, 4e-12), sweep_of(16, 2, 40e-6, 1e-10)};
  EXPECT_LT(collective_cost(network, Collective::kAllReduce, 1e9, 8)->seconds.point, 0.01);
  EXPECT_GT(collective_cost(network, Collective::kAllReduce, 1e9, 12)->seconds.point, 0.05);
}

TEST(NetworkCost, SizesBeyondALatencyBoundSweepAreALowerBoundAndFarOnesHaveNoTime) {
  Network network;
  network.sweeps = {sweep_of(4, 0, 20e-6, 1e-10)};
  network.sweeps[0].pieces[0].to = 1024;
  const auto cost = collective_cost(network, Collective::kAllReduce, 1500, 4);
  ASSERT_TRUE(cost);
  EXPECT_TRUE(cost->size_beyond);
  EXPECT_TRUE(std::isinf(cost->seconds.high));
  EXPECT_FALSE(collective_cost(network, Collective::kAllReduce, 1e9, 4));
}

TEST(NetworkCost, AnotherCollectiveFollowsFromTheFormulas) {
  Network network;
  network.sweeps = {sweep_of(16, 0, 1e-6, 1e-10)};
  const auto gather = collective_cost(network, Collective::kAllGather, 1e9, 16);
  ASSERT_TRUE(gather);
  EXPECT_EQ(gather->basis, CostBasis::kDerived);
  EXPECT_LE(gather->seconds.low, 0.05);  // half of an all-reduce by rings
  EXPECT_GE(gather->seconds.high, 0.05);
}

TEST(NetworkCost, OneWorkerSendsNothingAndNonsenseIsRefused) {
  Network network;
  network.sweeps = {sweep_of(16, 0, 1e-6, 1e-10)};
  EXPECT_EQ(collective_cost(network, Collective::kAllReduce, 1e9, 1)->seconds.point, 0);
  EXPECT_FALSE(collective_cost(network, Collective::kAllReduce, -1, 16));
  EXPECT_FALSE(collective_cost(network, Collective::kAllReduce, NAN, 16));
  EXPECT_FALSE(collective_cost(network, Collective::kAllReduce, 1, 0));
  EXPECT_FALSE(collective_cost(Network{}, Collective::kAllReduce, 1, 4));
}

TEST(Bytes, SizesForPeople) {
  EXPECT_EQ(size_text(8), "8 B");
  EXPECT_EQ(size_text(262144), "256 KiB");
  EXPECT_EQ(size_text(14e9), "14 GB");
  EXPECT_EQ(size_text(24000), "24 kB");
  EXPECT_EQ(parse_bytes("8MiB"), 8388608);
  EXPECT_FALSE(parse_bytes("8 elephants"));
}

}  // namespace
}  // namespace kstar
