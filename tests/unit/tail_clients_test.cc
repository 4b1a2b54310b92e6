#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kstar/tail.h"
#include "support/latency_text.h"

namespace kstar {

namespace {

using testing::HasSubstr;

using test::parsed;
using test::refused;

double stated(const LatencySet& set, double share) {
  for (const StatedPercentile& one : set.stated) {
    if (std::abs(one.share - share) < 1e-9) return one.value;
  }
  ADD_FAILURE() << share << " is not stated";
  return 0;
}

TEST(TailClients, OhaStatesSecondsAndCountsAnswersByTheirStatus) {
  const LatencySet set = parsed(
      R"({"summary":{"successRate":1.0,"total":10.0,"slowest":0.05,"average":0.0011,
      "requestsPerSec":4393.9},"latencyPercentiles":{"p10":0.0008,"p50":0.001,"p99.9":0.0057},
      "rps":{"mean":4000.0,"percentiles":{"p50":3000.0}},
      "statusCodeDistribution":{"200":43900,"503":36},
      "errorDistribution":{"aborted due to deadline":50,"connection closed":3}})");
  EXPECT_EQ(set.stated.size(), 2U);
  EXPECT_DOUBLE_EQ(stated(set, 0.999), 0.0057);
  EXPECT_EQ(set.count, 43900U);
  EXPECT_EQ(set.failed, 39U);
  EXPECT_TRUE(set.failures_stated);
  EXPECT_EQ(*set.duration, 10);
}

TEST(TailClients, AutocannonStatesWholeMilliseconds) {
  const LatencySet set = parsed(
      R"({"connections":100,"pipelining":1,"duration":30.12,"errors":2,"2xx":6400,"4xx":100,"5xx":0,
      "latency":{"mean":456.57,"max":5949,"p2_5":268,"p50":0,"p97_5":990,"p99_9":3889,
      "totalCount":6500},"requests":{"total":6500,"p99":280}})");
  EXPECT_EQ(set.stated.size(), 3U);
  EXPECT_DOUBLE_EQ(stated(set, 0.999), 3.889);
  EXPECT_DOUBLE_EQ(set.stated[0].step, 1e-3);
  EXPECT_EQ(set.count, 6400U);
  EXPECT_EQ(set.failed, 102U);
  EXPECT_NEAR(*set.served, 6500 / 30.12, 1e-9);
}

TEST(TailClients, BombardierStatesMicroseconds) {
  const std::string begin =
      R"({"spec":{"numberOfConnections":125,"method":"GET","rate":500},"result":{
      "timeTakenSeconds":10.0,"req1xx":0,"req2xx":4980,"req3xx":0,"req4xx":12,"req5xx":0,"others":3)";
  const LatencySet set = parsed(
      begin + R"(,"latency":{"mean":2045.8,"max":51000,"percentiles":{"50":1800,"99":7000}}}})");
  EXPECT_DOUBLE_EQ(stated(set, 0.99), 0.007);
  EXPECT_EQ(set.count, 4980U);
  EXPECT_EQ(set.failed, 15U);
  EXPECT_EQ(*set.offered, 500);
  EXPECT_THAT(refused(begin + R"(,"latency":{"mean":2045.8}}})").message, HasSubstr("--latencies"));
}

TEST(TailClients, FortioHasItsPercentilesInAList) {
  const LatencySet set = parsed(
      R"({"RunType":"HTTP","RequestedQPS":"1000","ActualQPS":998.7,"ActualDuration":30040000000,
      "NumThreads":8,"DurationHistogram":{"Count":30000,"Max":0.0451,"Avg":0.001,
      "Data":[{"Start":0,"End":1,"Percent":100,"Count":30000}],
      "Percentiles":[{"Percentile":50,"Value":0.0009},{"Percentile":99.9,"Value":0.02}]},
      "ErrorsDurationHistogram":{"Count":4,"Percentiles":[{"Percentile":50,"Value":9}]},
      "RetCodes":{"200":29996,"503":4}})");
  EXPECT_EQ(set.stated.size(), 2U);
  EXPECT_DOUBLE_EQ(stated(set, 0.5), 0.0009);
  EXPECT_DOUBLE_EQ(stated(set, 0.999), 0.02);
  EXPECT_EQ(set.count, 29996U);
  EXPECT_EQ(set.failed, 4U);
  EXPECT_DOUBLE_EQ(*set.duration, 30.04);
  EXPECT_EQ(*set.offered, 1000);
}

TEST(TailClients, ArtilleryOfBothVersionsIsRead) {
  const LatencySet first = parsed(
      R"({"aggregate":{"scenariosCreated":60,"requestsCompleted":60,
      "latency":{"min":76.2,"max":363.3,"median":106.2,"p95":308.5,"p99":363.3},
      "codes":{"200":50,"500":10},"errors":{},"counters":{}},
      "intermediate":[{"latency":{"median":1}}]})");
  EXPECT_DOUBLE_EQ(stated(first, 0.95), 0.3085);
  EXPECT_EQ(first.count, 50U);
  EXPECT_EQ(first.failed, 10U);
  const std::string text =
      R"({"aggregate":{"counters":{"vusers.created":30,"http.requests":31,"http.codes.200":30,
      "errors.ETIMEDOUT":1},"firstMetricAt":1000,"lastMetricAt":11000,"summaries":{
      "http.response_time":{"min":1,"max":40,"count":30,"p50":4,"median":4,"p95":9,"p99":30,"p999":40},
      "vusers.session_length":{"count":30,"median":70,"p99":80}}}})";
  const LatencySet second = parsed(text);
  EXPECT_EQ(second.stated.size(), 4U);
  EXPECT_DOUBLE_EQ(stated(second, 0.999), 0.04);
  EXPECT_EQ(second.failed, 1U);
  EXPECT_DOUBLE_EQ(*second.duration, 10);
  LatencyOptions options;
  options.metric = "vusers.session_length";
  EXPECT_DOUBLE_EQ(stated(parsed(text, options), 0.99), 0.08);
}

TEST(TailClients, GhzHasItsRequestsByTheirEnds) {
  const std::string begin =
      R"({"count":4,"total":2000000000,"average":3,"fastest":1,"slowest":5,"rps":2,
      "options":{"concurrency":2},"statusCodeDistribution":{"OK":3,"Unavailable":1},
      "latencyDistribution":[{"percentage":50,"latency":20000000},{"percentage":99,"latency":50000000}])";
  const LatencySet set = parsed(begin + R"(,"details":[
      {"timestamp":"2019-05-04T10:00:01.020-03:00","latency":20000000,"error":"","status":"OK"},
      {"timestamp":"2019-05-04T10:00:01.010-03:00","latency":10000000,"error":"","status":"OK"},
      {"timestamp":"2019-05-04T10:00:01.500-03:00","latency":9,"error":"rpc","status":"Unavailable"},
      {"timestamp":"2019-05-04T10:00:02.050-03:00","latency":50000000,"error":"","status":"OK"}]})");
  ASSERT_EQ(set.samples.size(), 3U);
  EXPECT_EQ(set.failed, 1U);
  EXPECT_NEAR(set.starts[2], 1, 1e-6);
  const Result<Tail> tail = analyze_tail({set}, {});
  EXPECT_EQ(tail->levels[0].reproduced.size(), 2U);
  EXPECT_TRUE(tail->levels[0].differing.empty());
  const LatencySet bare = parsed(begin + R"(,"details":null})");
  EXPECT_DOUBLE_EQ(stated(bare, 0.99), 0.05);
  EXPECT_EQ(bare.count, 3U);
  EXPECT_FALSE(bare.failures_stated);
}

TEST(TailClients, K6MayHaveItsMedianAndOnePercentileAlone) {
  const LatencySet set = parsed(
      "{\"metrics\": {\"http_req_duration\": {\"type\": \"trend\", \"values\": {\"med\": 10.0, "
      "\"p(95)\": 20.0}}, \"http_reqs\": {\"values\": {\"count\": 10, \"rate\": 2.0}}}}");
  ASSERT_EQ(set.stated.size(), 2U);
  EXPECT_DOUBLE_EQ(set.stated[1].value, 20e-3);
  EXPECT_EQ(set.count, 10U);
}

TEST(TailClients, AReportWithoutARateSaysNotThatAllWasSentAtOnce) {
  const std::string rest = "\"median_ttft_ms\": 42.10, \"p99_ttft_ms\": 98.45}";
  const LatencySet silent = parsed("{\"completed\": 1000, " + rest);
  EXPECT_TRUE(silent.notes.empty());
  EXPECT_FALSE(silent.connections.has_value());
  const LatencySet burst = parsed("{\"request_rate\": \"inf\", \"completed\": 1000, " + rest);
  EXPECT_THAT(burst.notes.at(0), HasSubstr("at once"));
}

TEST(TailClients, AReportThatSaysNothingIsRefused) {
  // Latencies as texts, as they stand in somebody's documentation.
  EXPECT_THAT(refused("{\"count\": 6000, \"rps\": 100.45, \"latencyDistribution\": "
                      "[{\"percentage\": 99, \"latency\": \"23.7ms\"}]}")
                  .message,
              HasSubstr("no percentiles"));
  EXPECT_THAT(refused("{\"summary\": {\"total\": 1}, \"latencyPercentiles\": {\"p50\": null}, "
                      "\"statusCodeDistribution\": {\"200\": 5}}")
                  .message,
              HasSubstr("no percentiles"));
}

TEST(TailClients, SglangMayAddRunsToItsFile) {
  const std::string run =
      R"({"backend": "sglang", "request_rate": Infinity, "max_concurrency": 16, "duration": 30.0,)"
      R"( "completed": 2, "request_throughput": 0.1, "median_ttft_ms": 150.0, "p99_ttft_ms": 199.0,)"
      R"( "p99_e2e_latency_ms": 900.0, "ttfts": [0.1, 0.0, 0.2], "errors": ["", "NaN: lost", ""],)"
      R"( "accept_length": NaN})";
  const LatencySet set = parsed(run + "\n");
  EXPECT_EQ(set.samples, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(set.failed, 1U);
  EXPECT_FALSE(set.offered);
  EXPECT_EQ(set.loop, LoopKind::kClosed);
  const Error two = refused(run + "\n" + run + "\n");
  EXPECT_THAT(two.message, HasSubstr("second run"));
  EXPECT_THAT(two.hint, HasSubstr("split -l 1"));
}

TEST(TailClients, GatlingHasTheTimesBeforeItsStatus) {
  const std::string log =
      "RUN\tsim\tsim\t1662461289902\t \t3.7.4\nUSER\tone\tSTART\t1662461290069\n"
      "REQUEST\t\tPOST /login\t1662461295167\t1662461295937\tOK\t \n"
      "REQUEST\tgroup\tGET /\t1662461296078\t1662461297038\tKO\tstatus\n"
      "REQUEST\t\tGET /\t1662461296072\t1662461296172\tOK\t \nUSER\tone\tEND\t1662461303605\n";
  const LatencySet set = parsed(log);
  ASSERT_EQ(set.samples.size(), 2U);
  EXPECT_NEAR(set.samples[0], 0.77, 1e-6);
  EXPECT_EQ(set.failed, 1U);
  LatencyOptions options;
  options.metric = "GET /";
  EXPECT_EQ(parsed(log, options).count, 1U);
  EXPECT_EQ(parsed(log + "REQUEST\t\tGET /\t16624").count, 2U);  // it is still written
  EXPECT_THAT(refused(log + "REQUEST\tbroken\n" + log).where, HasSubstr("file:7"));
  const LatencySet old = parsed(
      "sim\tRUN\t1438867590285\t \t2.0\nscn\t1\tREQUEST\t\tlogin\t1438867591000\t1438867591001\t"
      "1438867591080\t1438867591100\tOK\t \n");
  EXPECT_NEAR(old.samples.at(0), 0.1, 1e-6);
}

TEST(TailClients, JMetersTransactionsAreSumsOfOtherRows) {
  const std::string table =
      "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,Latency\n"
      "1700000000000,100,a,200,OK,t 1,true,60\n1700000000100,200,b,200,OK,t 1,true,40\n"
      "1700000000000,300,flow,,\"Number of samples in transaction : 2, failing : 0\",t 1,true,0\n";
  const LatencySet set = parsed(table);
  EXPECT_EQ(set.samples, (std::vector<double>{0.1, 0.2}));
  ASSERT_EQ(set.notes.size(), 1U);
  EXPECT_THAT(set.notes[0], HasSubstr("1 row of transactions"));
  LatencyOptions options;
  options.metric = "flow";
  EXPECT_EQ(parsed(table, options).samples, std::vector<double>{0.3});
  options.metric = "none";
  EXPECT_THAT(refused(table, options).message, HasSubstr("flow"));
  EXPECT_THAT(refused("1700000000000,100,a,200,OK,t 1,true,60\n").message, HasSubstr("JMeter"));
}

TEST(TailClients, OhasTableIsInSeconds) {
  const LatencySet set = parsed(
      "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
      "0.5,0,0,0.001,0.002,20,200\n0.6,0,0,0.001,0.004,20,500\n0.7,0,0,0.001,0.003,20,200\n");
  EXPECT_EQ(set.samples, (std::vector<double>{0.002, 0.003}));
  EXPECT_TRUE(set.seconds);
  EXPECT_NEAR(set.starts.at(1), 0.2, 1e-9);
}

}  // namespace

}  // namespace kstar
