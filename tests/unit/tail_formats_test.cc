#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/gzip.h"
#include "kstar/tail.h"
#include "support/latency_text.h"

namespace kstar {

namespace {

using testing::HasSubstr;

using test::parsed;
using test::refused;

TEST(TailLines, NumbersAreReadToTheirLastDigit) {
  LatencyOptions options;
  options.unit = 1;
  const LatencySet set = parsed("0.1\n12.345678901234567\n3\n1e-3\n 0.25 \r\n7", options);
  EXPECT_EQ(set.samples, (std::vector<double>{0.1, 12.345678901234567, 3, 1e-3, 0.25, 7}));
  EXPECT_TRUE(set.seconds);
}

TEST(TailLines, UnitsAreReadAndWithoutOneThereIsNone) {
  EXPECT_EQ(parsed("latency\n12.5ms\n3 us\n2s\n").samples, (std::vector<double>{12.5e-3, 3e-6, 2}));
  EXPECT_FALSE(parsed("1\n2\n3\n").seconds);
  LatencyOptions options;
  options.unit = 1e-3;
  EXPECT_DOUBLE_EQ(parsed("1\n2\n3\n", options).samples[1], 0.002);
}

TEST(TailLines, WhatIsNoLatencyIsRefusedWithItsPlace) {
  EXPECT_THAT(refused("1\n2\n-3\n").where, HasSubstr("file:3"));
  EXPECT_THAT(refused("1\n2\nnan\n4\n").where, HasSubstr("file:3"));
  EXPECT_THAT(refused("1\n2\n3ms\n").message, HasSubstr("unit"));
  EXPECT_THAT(refused("").message, HasSubstr("empty"));
  EXPECT_THAT(refused("hello\nworld\n").message, HasSubstr("no format"));
  EXPECT_THAT(refused(std::string_view("1\n\0\n2\n", 6)).message, HasSubstr("no text"));
}

TEST(TailLines, AFirstLineThatIsANumberIsNeverAHeading) {
  EXPECT_EQ(parsed("\xef\xbb\xbf"
                   "1.5\r\n2.5\r\n3.5\r\n")
                .samples,
            (std::vector<double>{1.5, 2.5, 3.5}));
  EXPECT_THAT(refused("1m30s\n2s\n3s\n").where, HasSubstr("file:1"));
  EXPECT_THAT(refused("1.2e3x\n2\n3\n").where, HasSubstr("file:1"));
  EXPECT_THAT(refused("NaN\n2\n3\n").where, HasSubstr("file:1"));
  EXPECT_THAT(refused("1\n2\nNaN\n3\ninf\n4\n").where, HasSubstr("file:3"));
  EXPECT_EQ(parsed("time taken\n2\n3\n").count, 2U);
}

TEST(TailLines, ATimeBeforeALatencyIsWhenItStarted) {
  const LatencySet set = parsed(
      "2026-01-13T14:48:15.5Z 12ms\n2026-01-13 14:48:15.250 7ms\n"
      "2026-01-13 14:48:16.000 +0000 UTC 9ms\n");
  EXPECT_THAT(set.samples, testing::Pointwise(testing::DoubleEq(), {7e-3, 12e-3, 9e-3}));
  EXPECT_NEAR(set.starts.at(2), 0.75, 1e-6);
  EXPECT_EQ(parsed("1700000000.5 12\n1700000001 13\n").samples, (std::vector<double>{12, 13}));
  EXPECT_THAT(refused("2026-01-13T14:48:15Z 12ms\n7ms\n9ms\n").message, HasSubstr("others"));
  EXPECT_THAT(refused("1 12\n2 13\n").message, HasSubstr("no format"));
}

TEST(TailCsv, AColumnNamedTimeIsAClockWhereItsValuesAre) {
  const LatencySet set = parsed("time,latency_ms\n1700000000500,12\n1700000000250,7\n");
  EXPECT_EQ(set.samples, (std::vector<double>{7e-3, 12e-3}));
  EXPECT_TRUE(parsed("time,latency_ms\n0.5,12\n0.2,7\n").starts.empty());
  EXPECT_EQ(parsed("started_at,latency_ms\n2024-03-01 12:00:00.5 +0000 UTC m=+0.1,12\n"
                   "2024-03-01 12:00:00.25 +0000 UTC m=+0.2,7\n")
                .samples[0],
            7e-3);
  EXPECT_THAT(refused("lat,lon,loc\n21.0,105.8,a\n").message, HasSubstr("no column"));
  EXPECT_EQ(parsed("lat,host\n21ms,a\n").samples.at(0), 21e-3);
}

TEST(TailLines, WhatIsMeantIsNamed) {
  EXPECT_THAT(refused("25,610\n19,972\n").hint, HasSubstr("decimal comma"));
  EXPECT_THAT(refused("t;latency (ms)\n1;20,504\n").hint, HasSubstr("thousands"));
  EXPECT_THAT(refused("t;latency (ms)\n1;20,5\n").hint, HasSubstr("sed"));
  EXPECT_THAT(refused("{\"date\": \"2025\", \"list\": [1, 2").message, HasSubstr("ends early"));
  EXPECT_THAT(refused("{\"date\": \"2025\"}").message, HasSubstr("no format"));
  EXPECT_THAT(refused("<testResults version=\"1.2\">\n<httpSample t=\"1\"/>\n").message,
              HasSubstr("JMeter"));
  EXPECT_THAT(refused("{\"avg_latency\": 1, \"latencies\": [1]}").hint, HasSubstr("jq"));
}

TEST(TailCsv, AQuotedCellMayHaveEndsOfLines) {
  const LatencySet set = parsed(
      "latency_ms,success,message\n10,true,\n30,false,\"one\ntwo, "
      "\"\"three\"\"\nfour\"\n20,true,\n");
  EXPECT_EQ(set.samples, (std::vector<double>{0.01, 0.02}));
  EXPECT_EQ(set.failed, 1U);
  const Error open = refused("latency_ms,message\n10,a\n20,\"b\n30,c\n");
  EXPECT_THAT(open.where, HasSubstr("file:3"));
  EXPECT_THAT(open.message, HasSubstr("not closed"));
}

TEST(TailReports, TheTableOfServingBenchmarksIsRead) {
  const std::string table =
      "# Maximum request concurrency: 32\n# ====== Serving Benchmark Result ======\n"
      "# Successful requests:      32\n# Benchmark duration (s):   160.00\n"
      "# Mean TTFT (ms):    7279.56\n# Median TTFT (ms):  7099.88\n# P99 TTFT (ms):     10999.46\n"
      "# Mean TPOT (ms):    70.14\n# P99 TPOT (ms):     72.63\n";
  const LatencySet set = parsed(table);
  ASSERT_EQ(set.stated.size(), 2U);
  EXPECT_DOUBLE_EQ(set.stated[1].value, 10.99946);
  EXPECT_NEAR(set.stated[1].step, 1e-5, 1e-9);
  EXPECT_EQ(set.count, 32U);
  EXPECT_DOUBLE_EQ(*set.served, 0.2);
  EXPECT_EQ(set.concurrency, 32);
  LatencyOptions options;
  options.metric = "tpot";
  EXPECT_DOUBLE_EQ(parsed(table, options).stated[0].value, 0.07263);
  EXPECT_THAT(refused(table + table).message, HasSubstr("second"));
}

TEST(TailReports, TimeoutsOfWrkAreAnswersAndThoseOfWrk2AreNoRequests) {
  const std::string begin = "Running 30s test @ http://x\n  4 threads and 10 connections\n";
  const std::string rows =
      "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
      "  Latency Distribution\n     50%   10.00ms\n     99%   20.00ms\n";
  const std::string end =
      "  5000 requests in 30.00s, 1.00MB read\n"
      "  Socket errors: connect 0, read 100, write 0, timeout 1000\n"
      "  Non-2xx or 3xx responses: 400\nRequests/sec:    200.00\n";
  const LatencySet wrk = parsed(begin + rows + end);
  EXPECT_EQ(wrk.failed, 1100U);
  EXPECT_EQ(wrk.count, 4000U);
  EXPECT_EQ(wrk.requests(), 5100U);
  EXPECT_DOUBLE_EQ(*wrk.served, 160);
  const LatencySet wrk2 = parsed(begin + "  Thread calibration: mean lat.: 1ms\n" + rows + end);
  EXPECT_EQ(wrk2.failed, 500U);
  EXPECT_EQ(wrk2.count, 5000U);
}

TEST(TailLines, AnErrorFarInTheFileHasItsLine) {
  std::string text;
  for (int i = 1; i <= 300000; ++i) text += "12.25\n";
  text += "oops\n";
  EXPECT_THAT(refused(text).where, HasSubstr("file:300001"));
}

TEST(TailCsv, ColumnsAreKnownByTheirNames) {
  const LatencySet set = parsed("start,latency_ms,status\n0.0,12,200\n0.1,15,200\n0.2,99,500\n");
  EXPECT_EQ(set.samples, (std::vector<double>{0.012, 0.015}));
  EXPECT_EQ(set.failed, 1U);
  ASSERT_EQ(set.starts.size(), 2U);
  EXPECT_NEAR(set.starts[1], 0.1, 1e-12);
}

TEST(TailCsv, JMeterHeyGhzK6AndVegetaAreKnown) {
  const LatencySet jmeter = parsed(
      "timeStamp,elapsed,label,responseCode,success,Latency\n"
      "1700000000000,120,a,200,true,60\n1700000000500,80,a,200,true,40\n1700000001000,9,a,500,"
      "false,1\n");
  EXPECT_EQ(jmeter.samples, (std::vector<double>{0.12, 0.08}));
  EXPECT_NEAR(jmeter.starts[1], 0.5, 1e-6);
  EXPECT_EQ(jmeter.failed, 1U);
  const LatencySet hey = parsed(
      "response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n"
      "0.0012,0.0002,0.0001,0.0000,0.0008,0.0000,200,0.0001\n"
      "0.0031,0.0002,0.0001,0.0000,0.0008,0.0000,200,0.0201\n");
  EXPECT_EQ(hey.samples, (std::vector<double>{0.0012, 0.0031}));
  EXPECT_NEAR(hey.starts[1], 0.02, 1e-9);
  const LatencySet ghz =
      parsed("duration (ms),status,error\n1.43,OK,\n0.39,OK,\n5,Unavailable,x\n");
  ASSERT_EQ(ghz.samples.size(), 2U);
  EXPECT_DOUBLE_EQ(ghz.samples[1], 0.00039);
  EXPECT_EQ(ghz.failed, 1U);
  const LatencySet k6 = parsed(
      "metric_name,timestamp,metric_value,check\nhttp_reqs,1700000000,1,\n"
      "http_req_duration,1700000001,250.5,\n");
  EXPECT_EQ(k6.samples, std::vector<double>{0.2505});
  const LatencySet vegeta = parsed(
      "1700000000000000000,200,1500000,0,10,,aGk=,a,0,GET,http://x\n"
      "1700000000100000000,200,2500000,0,10,,aGk=,a,1,GET,http://x\n");
  EXPECT_EQ(vegeta.samples, (std::vector<double>{0.0015, 0.0025}));
}

TEST(TailCsv, AHeadingAloneSaysTheUnit) {
  const LatencySet set = parsed("latency_ms\n12\n13\n");
  EXPECT_DOUBLE_EQ(set.samples[0], 0.012);
  EXPECT_TRUE(set.seconds);
}

TEST(TailCsv, SeveralColumnsAskForOne) {
  const Error error = refused("latency_ms,duration_ms\n1,2\n3,4\n");
  EXPECT_THAT(error.message, HasSubstr("latency_ms, duration_ms"));
  EXPECT_THAT(error.hint, HasSubstr("--column"));
  LatencyOptions options;
  options.column = "duration_ms";
  EXPECT_EQ(parsed("latency_ms,duration_ms\n1,2\n3,4\n", options).samples[1], 0.004);
  options.column = "nope";
  EXPECT_THAT(refused("latency_ms,duration_ms\n1,2\n", options).where, HasSubstr("--column"));
}

TEST(TailCsv, APartOfALatencyIsNotTakenForTheWhole) {
  EXPECT_THAT(refused("ttfb_ms,total_ms\n1,2\n3,4\n").message, HasSubstr("ttfb_ms, total_ms"));
  EXPECT_EQ(parsed("start_ms,ttfb_ms\n1,2\n3,4\n").samples[1], 0.004);
}

TEST(TailCsv, CellsThatAreNoLatencyAreRefused) {
  EXPECT_THAT(refused("a,latency_ms\nx,12\ny,-4\n").where, HasSubstr("file:3"));
  EXPECT_THAT(refused("a,latency_ms\nx,\n").message, HasSubstr("latency_ms"));
  EXPECT_THAT(refused("a,latency_ms\nx\n").message, HasSubstr("columns"));
}

constexpr const char* kWrk =
    "Running 30s test @ http://localhost:8080/pvz\n  4 threads and 100 connections\n"
    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
    "    Latency    10.75ms   25.69ms 331.27ms   88.63%\n"
    "  Latency Distribution\n     50%   12.82ms\n     99%  126.68ms\n"
    "  209440 requests in 30.06s, 217.51MB read\n  Socket errors: connect 0, read 3, write 0, "
    "timeout 7\n"
    "Requests/sec:   6968.07\n";

TEST(TailCsv, FailuresAreKnownByTheirColumns) {
  for (const char* column : {"response_code", "http_status", "Status Code", "http_code"}) {
    const LatencySet set =
        parsed(std::string(column) + ",latency_ms\n200,5\n503,6\n302,7\n503 Unavailable,8\n");
    EXPECT_EQ(set.count, 2U) << column;
    EXPECT_EQ(set.failed, 2U) << column;
  }
  EXPECT_EQ(parsed("ok,latency_ms\ntrue,5\nno,-1\n1,7\n0,\n").failed, 2U);
  EXPECT_EQ(parsed("errors,latency_ms\n0,5\ntimeout,6\nNone,7\n,8\n").failed, 1U);
  EXPECT_EQ(parsed("status,latency_ms\ncompleted,5\ntimeout,6\nsucceeded,7\n").failed, 1U);
}

TEST(TailCsv, HintsNameWhatMayBeMeant) {
  EXPECT_THAT(refused("seq,hop_us\n1,55\n").hint, HasSubstr("--column 'hop_us'"));
  EXPECT_THAT(refused("17,200,55\n18,200,56\n").hint, HasSubstr("cut -d, -fN"));
  EXPECT_THAT(refused("endpoint,avg_ms,p99_ms\n/a,10,30\n").hint, HasSubstr("computed from"));
  EXPECT_THAT(refused("timestamp,latency_ms\n11/14/2023 22:13:20,5\n").hint,
              HasSubstr("cut -d, -f2 FILE"));
  EXPECT_THAT(refused("latency_ms,b\ntimeout,1\n").hint, HasSubstr("'success'"));
  EXPECT_THAT(refused("Percentage served,Time in ms\n0,0.1\n").message, HasSubstr("ab -e"));
}

TEST(TailCsv, TablesOfPercentilesAndHistogramsAreNotOneRequestPerRow) {
  EXPECT_THAT(refused("percentile,latency_ms\n50,12\n90,20\n99,40\n").message,
              HasSubstr("percentiles"));
  const Error histogram = refused("latency_ms,count\n1,500\n2,300\n5,150\n");
  EXPECT_THAT(histogram.message, HasSubstr("histogram"));
  EXPECT_THAT(histogram.hint, HasSubstr("awk -F',' 'NR>1{for(i=0;i<$2;i++)print $1}'"));
  EXPECT_EQ(parsed("latency_ms,count\n7,3\n2,3\n5,1\n").count, 3U);  // of tokens, or the like
}

TEST(TailWrk, PercentilesRateAndErrorsAreRead) {
  const LatencySet set = parsed(kWrk);
  EXPECT_EQ(set.format, "wrk");
  EXPECT_EQ(set.loop, LoopKind::kClosed);
  EXPECT_EQ(set.count, 209433U);  // a timeout is an answer without a latency
  EXPECT_EQ(set.failed, 10U);
  EXPECT_EQ(*set.connections, 100);
  ASSERT_EQ(set.stated.size(), 2U);
  EXPECT_NEAR(set.stated[1].value, 0.12668, 1e-12);
  EXPECT_NEAR(set.stated[1].step, 1e-5, 1e-12);
  EXPECT_THAT(refused(std::string(kWrk) + kWrk).message, HasSubstr("second run"));
}

TEST(TailHey, PercentilesAndStatusCodesAreRead) {
  const LatencySet set = parsed(
      "\nSummary:\n  Total:\t0.5014 secs\n  Slowest:\t0.0051 secs\n  Fastest:\t0.0001 secs\n"
      "  Average:\t0.0004 secs\n  Requests/sec:\t1994.2\n\nResponse time histogram:\n"
      "  0.000 [1]\t|\n\nLatency distribution:\n  50% in 0.0003 secs\n  99% in 0.0021 secs\n\n"
      "Details (average, fastest, slowest):\n  resp wait:\t0.0003 secs, 0.0001 secs, 0.0044 "
      "secs\n\n"
      "Status code distribution:\n  [200]\t990 responses\n  [503]\t10 responses\n");
  EXPECT_EQ(set.count, 990U);
  EXPECT_EQ(set.failed, 10U);
  EXPECT_NEAR(set.stated[1].value, 0.0021, 1e-12);
  EXPECT_NEAR(*set.served, 1994.2, 1e-9);
}

TEST(TailHey, ASecondReportIsNotLeftOut) {
  const std::string one =
      "Summary:\n  Total:\t0.5 secs\n  Slowest:\t0.0051 secs\n  Requests/sec:\t1994.2\n\n"
      "Latency distribution:\n  50% in 0.0003 secs\n  99% in 0.0021 secs\n\n"
      "Status code distribution:\n  [200]\t990 responses\n";
  EXPECT_EQ(parsed(one).count, 990U);
  EXPECT_THAT(refused(one + "\n" + one).message, HasSubstr("second report"));
}

TEST(TailVegeta, AReportWithoutItsLastLinesIsRead) {
  const std::string one =
      "Requests      [total, rate, throughput]         1000, 100.10, 100.08\n"
      "Duration      [total, attack, wait]             9.992s, 9.99s, 1.62ms\n"
      "Latencies     [min, mean, 50, 90, 95, 99, max]  0.6ms, 1.4ms, 1.3ms, 2ms, 2.3ms, 2.8ms, "
      "3.2ms\n";
  const LatencySet set = parsed(one);
  EXPECT_EQ(set.format, "vegeta");
  EXPECT_THAT(refused(one + one).message, HasSubstr("second report"));
}

TEST(TailHdr, TheSecondColumnMayBeTheEnd) {
  // The histogram of HdrHistogram's own tests with the values 1 to 3.
  const std::string row = ",0.003,HISTFAAAAB542pNpmSzMwMDAxAABzFCaEUoz2X+AMIKZAEARAtM=\n";
  const LatencySet lengths = parsed("#[Histogram log format version 1.2]\n5.0,10.0" + row);
  const LatencySet ends = parsed(
      "#[Histogram log format version 1.2]\n\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\","
      "\"Interval_Compressed_Histogram\"\n5.0,10.0" +
      row);
  ASSERT_TRUE(lengths.duration && ends.duration);
  EXPECT_DOUBLE_EQ(*lengths.duration, 10);
  EXPECT_DOUBLE_EQ(*ends.duration, 5);
}

TEST(TailTable, BetweenTwoRowsAPercentileIsInAStraightLine) {
  const std::string head = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
  LatencyOptions options;
  options.unit = 1e-3;
  TailOptions asked;
  asked.shares = {0.5, 0.75, 0.99};
  // p50 is a row though 5,020 are within it; from p98.75 to p99.0625 nothing is known.
  const std::string rows =
      "1.0 0.0 1 1.00\n2.0 0.5 5020 2.00\n3.0 0.75 7500 4.00\n4.0 0.9875 9880 80.00\n"
      "8.0 0.990625 9910 106.67\n9.0 1.0 10000\n";
  Result<Tail> tail = analyze_tail({parsed(head + rows, options)}, asked);
  ASSERT_TRUE(tail);
  const std::vector<TailPercentile>& all = tail->levels[0].percentiles;
  EXPECT_DOUBLE_EQ(all[0].value, 2e-3);
  EXPECT_DOUBLE_EQ(all[1].value, 3e-3);
  EXPECT_NEAR(all[2].value, 4e-3 + (0.99 - 0.988) / (0.990625 - 0.988) * 4e-3, 1e-9);
  EXPECT_EQ(all[2].beyond, 100U);
  EXPECT_LE(all[2].low, 4e-3);
  EXPECT_GE(all[2].high, 8e-3);
  // Cut off after it: anything from the row before to the row after.
  const LatencySet cut = parsed(head + rows.substr(0, rows.find("9.0 1.0")), options);
  const auto p99 = std::find_if(cut.stated.begin(), cut.stated.end(),
                                [](const StatedPercentile& one) { return one.share == 0.99; });
  ASSERT_NE(p99, cut.stated.end());
  EXPECT_DOUBLE_EQ(p99->value, 6e-3);
  EXPECT_DOUBLE_EQ(p99->step, 4e-3);
}

TEST(TailTable, WhatWrk2PrintsOfAPercentileIsItsValue) {
  const LatencySet set = parsed(
      "Running 30s test @ http://a/\n  1 threads and 10 connections\n"
      "  Thread calibration: mean lat.: 1.000ms, rate sampling interval: 10ms\n"
      "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
      "    Latency     2.00ms    1.00ms   9.00ms   80.00%\n"
      "  Latency Distribution (HdrHistogram - Recorded Latency)\n"
      " 50.000%    2.00ms\n 99.000%    5.50ms\n100.000%    9.00ms\n\n"
      "  Detailed Percentile spectrum:\n"
      "       Value   Percentile   TotalCount 1/(1-Percentile)\n\n"
      "       1.000     0.000000            1         1.00\n"
      "       2.000     0.500000         5000         2.00\n"
      "       4.000     0.987500         9875        80.00\n"
      "       8.000     0.990625         9907       106.67\n"
      "       9.000     1.000000        10000          inf\n"
      "  10000 requests in 30.00s, 1.00MB read\nRequests/sec:    333.33\n");
  const Result<Tail> tail = analyze_tail({set}, {.shares = {0.5, 0.99}});
  ASSERT_TRUE(tail);
  EXPECT_DOUBLE_EQ(tail->levels[0].percentiles[1].value, 5.5e-3);
  EXPECT_DOUBLE_EQ(tail->levels[0].percentiles[1].low, 4e-3);
  EXPECT_TRUE(tail->levels[0].differing.empty());
}

TEST(TailHdr, DamagedHistogramsAreRefusedWithTheirPlace) {
  const std::string head = "#[Histogram log format version 1.3]\n";
  EXPECT_THAT(refused(head + "0.1,1.0,2.0,HISTFAAA\n").message, HasSubstr("cut off"));
  EXPECT_THAT(refused(head + "0.1,1.0,2.0,!!!!\n").message, HasSubstr("base64"));
  EXPECT_THAT(refused(head + "0.1,1.0,HISTFAAA\n").where, HasSubstr("file:2"));
  EXPECT_THAT(refused(head).message, HasSubstr("no intervals"));
  EXPECT_THAT(refused(head + "0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsP\n")
                  .message,
              HasSubstr("cut off"));
}

TEST(TailHdr, ALogThatEndsWithinALineKeepsWhatIsWhole) {
  const std::string head = "#[Histogram log format version 1.3]\n";
  const std::string whole =
      "0.1,1.0,5,HISTEwAAAAMAAAAAAAAAAwAAAAAAAAABAAAAAAAAA+g/8AAAAAAAAAnIAQ==\n";
  const LatencySet set = parsed(head + whole + whole + whole.substr(0, 40));
  EXPECT_EQ(set.count, 200U);
  ASSERT_FALSE(set.notes.empty());
  EXPECT_THAT(set.notes.back(), HasSubstr("line 4"));
  EXPECT_THAT(refused(head + whole + whole.substr(0, 40) + "\n" + whole).where,
              HasSubstr("file:3"));
}

TEST(TailJson, WhatIsNoJsonIsRefused) {
  EXPECT_THAT(refused("{\"latencies\":{\"50th\":1,\"99th\":").message, HasSubstr("JSON"));
  EXPECT_THAT(refused("{\"mean_ttft_ms\": 1, \"ttfts\": [0.1, -2]}").message,
              HasSubstr("0 or more"));
  const std::string deep(3000, '[');
  refused("{\"mean_ttft_ms\": 1, \"ttfts\": " + deep);
}

TEST(TailLog, RequestsWithoutAnAnswerAreNotLost) {
  const std::string head =
      "{\"kstar\":\"tail-log\",\"schema\":1,\"rate\":10,\"arrivals\":\"constant\",\"seed\":1}\n";
  const std::string killed = head +
                             "{\"i\":0,\"due\":0,\"sent\":0,\"latency\":0.01,\"status\":200}\n"
                             "{\"i\":2,\"due\":0.2,\"sent\":0.2,\"latency\":0.02,\"status\":200}\n"
                             "{\"t\":1.0,\"sent\":5}\n{\"i\":4,\"due\":0.";
  const LatencySet set = parsed(killed);
  EXPECT_EQ(set.count, 5U);
  EXPECT_EQ(set.unanswered, 3U);
  // Due at 0.1, 0.3 and 0.4 s, and seen last at 1.0 s.
  EXPECT_THAT(set.samples,
              testing::ElementsAre(testing::DoubleNear(0.01, 1e-9), testing::DoubleNear(0.9, 1e-9),
                                   testing::DoubleNear(0.02, 1e-9), testing::DoubleNear(0.7, 1e-9),
                                   testing::DoubleNear(0.6, 1e-9)));
  EXPECT_EQ(set.loop, LoopKind::kOpen);
  EXPECT_THAT(
      refused(head + "{\"i\":0,\"due\":0,\"latency\":1}\n{\"i\":0,\"due\":0,\"latency\":1}\n")
          .message,
      HasSubstr("second time"));
}

TEST(TailArrivals, APoissonProcessHasItsRate) {
  const std::vector<double> times = arrival_times(100, true, 5, 100000);
  EXPECT_EQ(times[0], 0);
  EXPECT_NEAR(100000 / times.back(), 100, 2);
  double squares = 0;
  for (std::size_t i = 1; i < times.size(); ++i) squares += std::pow(times[i] - times[i - 1], 2);
  EXPECT_NEAR(squares / 100000, 2e-4, 1e-5);  // of an exponential: 2 / rate^2
  EXPECT_EQ(times, arrival_times(100, true, 5, 100000));
}

// Files of others, with what they state of themselves.

class TailPublic : public testing::Test {
 protected:
  static std::string file(const std::string& start) {
    const std::filesystem::path folder =
        std::filesystem::path(KSTAR_PUBLIC_DATA) / "samples" / "tail";
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
      if (entry.path().filename().string().find(start) != std::string::npos) return entry.path();
    }
    return "";
  }
  static Tail tail(const std::string& path, const LatencyOptions& reading = {},
                   std::vector<double> shares = {0.5, 0.99}) {
    const Result<LatencySet> set = read_latencies(path, reading);
    EXPECT_TRUE(set.has_value()) << (set ? "" : set.error().message);
    TailOptions options;
    options.shares = std::move(shares);
    std::vector<LatencySet> sets;
    if (set) sets.push_back(*set);
    return *analyze_tail(std::move(sets), options);
  }
};

#define KSTAR_PUBLIC_FILE(path, start)  \
  const std::string path = file(start); \
  if (path.empty()) GTEST_SKIP() << "no public samples beside the project"

TEST_F(TailPublic, HistogramLogsHaveTheValuesOfTheirOwnTests) {
  KSTAR_PUBLIC_FILE(v1, "jHiccup-2.0.6.logV1");
  const Tail one = tail(v1, {}, {0.999});
  EXPECT_EQ(one.levels[0].set.count, 65964U);
  EXPECT_NEAR(one.levels[0].percentiles[0].value * 1e9, 1829765119, 1);
  EXPECT_NEAR(*one.levels[0].set.max * 1e9, 1888485375, 1);
  const std::string v2 = file("jHiccup-2.0.7S.logV2");
  ASSERT_FALSE(v2.empty());
  const Tail two = tail(v2, {}, {0.999});
  EXPECT_EQ(two.levels[0].set.count, 48761U);
  EXPECT_NEAR(two.levels[0].percentiles[0].value * 1e9, 1745879039, 1);
  EXPECT_NEAR(*two.levels[0].set.max * 1e9, 1796210687, 1);
}

TEST_F(TailPublic, TagsAreSeparate) {
  KSTAR_PUBLIC_FILE(tagged, "jHiccup-2tags");
  LatencyOptions reading;
  for (const char* tag : {"win", "osx"}) {
    reading.metric = tag;
    const Result<LatencySet> part = read_latencies(tagged, reading);
    const Result<LatencySet> alone = read_latencies(file(std::string("jHiccup-") + tag));
    ASSERT_TRUE(part && alone) << tag;
    EXPECT_EQ(part->count, alone->count) << tag;
    EXPECT_EQ(part->spectrum, alone->spectrum) << tag;
  }
  reading.metric = "amiga";
  EXPECT_FALSE(read_latencies(tagged, reading).has_value());
}

TEST_F(TailPublic, EveryStatedPercentileOfVllmIsReproduced) {
  for (const char* name : {"np10.json", "np40.json", "np160.json"}) {
    KSTAR_PUBLIC_FILE(path, name);
    for (const char* metric : {"ttft", "itl"}) {
      LatencyOptions reading;
      reading.metric = metric;
      const Tail found = tail(path, reading);
      EXPECT_TRUE(found.levels[0].differing.empty()) << name << metric;
      ASSERT_EQ(found.levels[0].reproduced.size(), 2U) << name << metric;
      // The median of an odd number is the same by every definition; p99 is not.
      for (const auto& [stated, way] : found.levels[0].reproduced) {
        if (stated.share > 0.5) {
          EXPECT_THAT(way, HasSubstr("numpy")) << stated.name;
        }
      }
    }
  }
}

TEST_F(TailPublic, EveryStatedPercentileOfWrk2IsInItsTable) {
  for (const char* name : {"wrkLogsGet", "wrkLogsPut", "runAndResults_GET", "runAndResults_PUT",
                           "results_get.log", "results_get_alloc"}) {
    KSTAR_PUBLIC_FILE(path, name);
    const Tail found = tail(path);
    EXPECT_EQ(found.levels[0].set.format, "wrk2") << name;
    EXPECT_TRUE(found.levels[0].differing.empty()) << name;
    EXPECT_EQ(found.levels[0].reproduced.size(), 7U) << name;
    EXPECT_EQ(found.levels[0].omission.verdict, OmissionVerdict::kImpossible) << name;
  }
}

/// What a file states, as SOURCES.tsv lists it.
TEST_F(TailPublic, StatedPercentilesAreReadToTheirDigits) {
  const auto stated = [](const Tail& found, double share) {
    for (const TailPercentile& one : found.levels[0].percentiles) {
      if (std::fabs(one.share - share) < 1e-9) return one.value;
    }
    return -1.0;
  };
  KSTAR_PUBLIC_FILE(wrk, "pvz_avito");
  EXPECT_NEAR(stated(tail(wrk), 0.99), 126.68e-3, 1e-9);
  EXPECT_NEAR(stated(tail(wrk), 0.75), 26.36e-3, 1e-9);
  EXPECT_TRUE(tail(wrk).levels[0].little_fails);
  EXPECT_NEAR(stated(tail(file("gm-15")), 0.95), 202.7574799999992e-3, 1e-12);
  EXPECT_NEAR(stated(tail(file("mn1809__K6PerformanceTesting__k6")), 0.9), 101.9042e-3, 1e-12);
  EXPECT_NEAR(stated(tail(file("khamonsol")), 0.99), 30.008855750, 1e-9);
  EXPECT_NEAR(stated(tail(file("Samet")), 0.95), 632134e-9, 1e-12);
  EXPECT_NEAR(stated(tail(file("instarwxp")), 0.99), 0.540, 1e-12);
  EXPECT_NEAR(stated(tail(file("veroliut__loadTestRetailDemoStore__results_stats.csv")), 0.5), 1.5,
              1e-12);
  EXPECT_EQ(tail(file("anyscale_7b")).levels[0].set.format, "llmperf");
  EXPECT_EQ(tail(file("mn1809__K6PerformanceTesting__output")).levels[0].set.format, "k6");
  EXPECT_NEAR(stated(tail(file("ghz__www_docs_output")), 0.99), 69.60e-3, 1e-9);
}

}  // namespace

}  // namespace kstar
