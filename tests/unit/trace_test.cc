#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kstar/trace.h"
#include "kstar/trace_totals.h"
#include "trace/part.h"
#include "trace/sorter.h"
#include "trace/sweep.h"

namespace kstar {
namespace {

std::string event_text(std::string_view name, std::int64_t start, std::int64_t duration,
                       int stream) {
  return fmt::format(
      R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": {}, "ts": {}, "dur": {}, )"
      R"("args": {{"stream": {}}}}})",
      name, stream, start, duration, stream);
}

struct Piece {
  int start, end;
  unsigned kind;
};

TEST(TraceSweep, StretchesAddUpAsCountedUnitByUnit) {
  std::uint64_t state = 7;
  const auto next = [&](int most) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<int>((state >> 33U) % static_cast<unsigned>(most));
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<Piece> pieces;
    for (int i = 0; i < 12; ++i) {
      const int start = next(100);
      pieces.push_back({start, start + next(30), static_cast<unsigned>(next(3))});
    }
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.start < b.start; });
    std::array<int, 140> active{};
    for (const Piece& piece : pieces) {
      for (int t = piece.start; t < piece.end; ++t) {
        active[static_cast<std::size_t>(t)] |= 1 << piece.kind;
      }
    }
    std::array<std::int64_t, 16> found{}, counted{};
    tracing::Sweep sweep(
        0, [&](std::int64_t from, std::int64_t to, unsigned mask) { found[mask] += to - from; });
    for (const Piece& piece : pieces) sweep.add(piece.start, piece.end, piece.kind);
    sweep.flush(140);
    for (const int mask : active) ++counted[static_cast<std::size_t>(mask)];
    ASSERT_EQ(found, counted) << round;
  }
}

std::string small_trace() {
  std::string text = R"({"distributedInfo": {"rank": 0, "world_size": 2}, "traceEvents": [)";
  for (int step = 0; step < 3; ++step) {
    text += event_text("gemm", 1000 * step, 800, 7) + ",\n";
    text += event_text("ncclDevKernel_AllReduce(x)", 1000 * step + 700, 300, 20) + ",\n";
    text += fmt::format(R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", )"
                        R"("pid": 1, "tid": 1, "ts": {}, "dur": 1000}},)",
                        step, 1000 * step);
  }
  text.pop_back();
  return text + "]}";
}

TEST(Trace, ASmallTraceHasTheTimesThatWereBuiltIn) {
  const auto analysis = analyze_trace_text(small_trace(), {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  EXPECT_EQ(analysis->workers, 2);
  EXPECT_EQ(analysis->steps.size(), 3U);
  EXPECT_NEAR(analysis->mean.compute, 800e-6, 1e-12);
  EXPECT_NEAR(analysis->mean.communication, 300e-6, 1e-12);
  EXPECT_NEAR(analysis->mean.exposed, 200e-6, 1e-12);
  EXPECT_NEAR(analysis->serial.point, 0.2, 1e-12);
  // A third of the communication is hidden, and needs computation to hide behind.
  EXPECT_NEAR(analysis->changes.front().ceiling, 1000.0 / 300, 1e-9);
}

TEST(Trace, OfAPyTorchWithoutKinetoItHasNoCategories) {
  std::string text = "[";
  const auto add = [&](std::string_view name, int start, int duration, int thread) {
    text += fmt::format(R"({{"name": "{}", "ph": "X", "ts": {}, "dur": {}, "tid": {}, )"
                        R"("pid": "CPU functions", "args": {{}}}}, )",
                        name, start, duration, thread);
  };
  for (int step = 0; step < 3; ++step) {
    add(fmt::format("ProfilerStep#{}", step), 1000 * step, 1000, 1);
    add("aten::mm", 1000 * step, 700, 1);
    add("gloo:all_reduce", 1000 * step + 600, 300, 2);
  }
  text.resize(text.size() - 2);
  const auto analysis = analyze_trace_text(text + "]", {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  EXPECT_EQ(analysis->steps.size(), 3U);
  EXPECT_FALSE(analysis->device);
  EXPECT_NEAR(analysis->mean.compute, 700e-6, 1e-12);
  EXPECT_NEAR(analysis->mean.communication, 300e-6, 1e-12);
  EXPECT_NEAR(analysis->mean.exposed, 200e-6, 1e-12);
  EXPECT_NEAR(analysis->mean.idle, 100e-6, 1e-12);
}

TEST(Trace, CutAtEveryByteItIsAnalyzedOrRefusedWithAReason) {
  const std::string text = small_trace();
  std::size_t analyzed = 0;
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const auto analysis = analyze_trace_text(std::string_view(text).substr(0, cut), {});
    if (!analysis) {
      EXPECT_FALSE(analysis.error().message.empty());
      continue;
    }
    ++analyzed;
    const TraceTimes& times = analysis->mean;
    EXPECT_NEAR(times.compute + times.exposed + times.copies + times.idle, times.step, 1e-12);
    EXPECT_THAT(analysis->notes, testing::Contains(testing::HasSubstr("cut off at the end")));
  }
  EXPECT_GT(analyzed, text.size() / 2);
}

TEST(Trace, EveryByteChangedItIsAnalyzedOrRefused) {
  const std::string text = small_trace();
  constexpr std::string_view kWrong("\"{}\\\0009]", 7);
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = kWrong[at % kWrong.size()];
    const auto analysis = analyze_trace_text(changed, {});
    if (!analysis) {
      EXPECT_FALSE(analysis.error().message.empty());
    }
  }
}

TEST(Trace, AValueThatIsMissingIsNoName) {
  for (const std::string_view value : {"", "\t", "\r", "\t\r\t"}) {
    const auto analysis = analyze_trace_text(
        fmt::format(R"([{{"ph": "X", "cat": "kernel", "name": "gemm", "ts": 1, "dur": 2, )"
                    R"("pid": 0, "tid":{}, "args": {{"stream":{}, "device": 0}}}}])",
                    value, value),
        {});
    EXPECT_FALSE(analysis) << value;
  }
}

TEST(Trace, MoreNamesThanAreKeptAreOneName) {
  std::string text = "[";
  for (int i = 0; i < 200'010; ++i) {
    text += fmt::format(
        R"({{"ph":"X","cat":"kernel","name":"n{}","tid":1,"ts":{},"dur":1,"args":{{}}}},)", i, i);
  }
  text.back() = ']';
  const auto analysis = analyze_trace_text(text, {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  EXPECT_NEAR(analysis->mean.compute, 0.200010, 1e-9);
}

TEST(Trace, AStepOfNoLengthLeavesTheNextOneWhole) {
  const char* const lanes =
      R"({"name":"thread_name","pid":0,"tid":0,"ph":"M","args":{"name":"PP rank 0, compute"}},)"
      R"({"name":"thread_name","pid":1,"tid":1,"ph":"M","args":{"name":"PP rank 1, compute"}},)";
  const auto one = [](int process, int start, int duration, int step) {
    return fmt::format(R"({{"ph":"X","cat":"a","name":"a","pid":{},"tid":{},"ts":{},"dur":{},)"
                       R"("args":{{"step":{}}}}})",
                       process, process, start, duration, step);
  };
  const std::string text = std::string("[") + lanes + one(1, 0, 50, 2) + "," + one(0, 60, 0, 0) +
                           "," + one(0, 60, 25, 1) + "]";
  const auto analysis = analyze_trace_text(text, {});
  ASSERT_TRUE(analysis) << analysis.error().message;
  ASSERT_EQ(analysis->by_step.back().size(), 2U);
  for (const TraceTimes& times : analysis->by_step.back()) {
    EXPECT_NEAR(times.compute + times.exposed + times.copies + times.idle, times.step, 1e-15);
  }
  EXPECT_NEAR(analysis->by_step.back()[1].idle, 25e-6, 1e-12);
}

/// What a trace is reduced to, with so many operations in memory at a time.
std::string reduced(const std::string& text, std::size_t run_length) {
  const auto rules = tracing::Rules::load("");
  const auto source = tracing::text_source(text);
  auto file = tracing::read_trace(*source, "t", *rules, run_length);
  auto ranks = tracing::summarize_ranks(*file, {});
  return *tracing::part_text(*ranks, {}, 1);
}

TEST(Trace, OperationsInTemporaryFilesGiveTheSameBytes) {
  std::string marked = R"({"traceEvents": [)", unmarked = marked, host = marked;
  for (int i = 0; i < 400; ++i) {
    const int at = 100 * ((i * 37) % 400);  // in no order
    const std::string kernel = event_text(i % 4 == 0 ? "ncclDevKernel_AllGather(x)" : "gemm",
                                          at + 10, 80 + i % 50, i % 4 == 0 ? 20 : 7);
    const std::string mark = fmt::format(
        R"({{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#{}", "pid": 1, "tid": 1, )"
        R"("ts": {}, "dur": 100}},)",
        at / 100, at);
    marked += kernel + "," + mark;
    unmarked += kernel + ",";
    host += fmt::format(R"({{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, )"
                        R"("ts": {}, "dur": 70}},)",
                        at) +
            mark;
  }
  for (std::string text : {marked, unmarked, host}) {
    text.back() = ']';
    text += "}";
    const std::string all = reduced(text, 100'000);
    for (const std::size_t run_length : {2U, 7U, 64U, 399U, 400U}) {
      EXPECT_EQ(reduced(text, run_length), all) << run_length;
    }
  }
}

struct Less {
  bool operator()(int a, int b) const { return a < b; }
};

TEST(TraceSorter, PutsAnyNumberInOrderAndGivesAnyPartOfIt) {
  for (const int count : {0, 1, 5, 6, 7, 12, 13, 1000, 20'000}) {
    tracing::Sorter<int, Less> sorter(6);
    for (int i = 0; i < count; ++i) sorter.add(static_cast<int>((7919LL * i) % 20'011));
    std::vector<int> expected;
    sorter.sort();
    sorter.each([&](int value) { expected.push_back(value); });
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(std::is_sorted(expected.begin(), expected.end()));
    std::vector<int> walked;
    for (tracing::Sorter<int, Less>::Cursor at(sorter); !at.empty(); at.pop()) {
      walked.push_back(at.front());
    }
    EXPECT_EQ(walked, expected);
    const std::size_t first = expected.size() / 3, last = expected.size() / 2;
    std::vector<int> part;
    sorter.each(first, last, [&](int value) { part.push_back(value); });
    EXPECT_EQ(part, std::vector<int>(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                     expected.begin() + static_cast<std::ptrdiff_t>(last)));
  }
}

TEST(TraceTotals, BoundsHoldForEveryOverlap) {
  for (const double communication : {0.1, 0.5, 2.0}) {
    for (const double compute : {0.2, 1.0}) {
      for (const double hidden : {0.0, 0.5, 1.0}) {
        for (const double idle : {0.0, 0.3}) {
          TraceTotals totals;
          totals.communication = communication;
          totals.total = communication + compute;
          const double beside = hidden * std::min(communication, compute);
          const double step = totals.total - beside + idle;
          const double share = (communication - beside) / step;
          EXPECT_LE(share, exposed_bounds(totals).high + 1e-12);
          totals.steps_seconds = step;
          EXPECT_LE(share, exposed_bounds(totals).high + 1e-12);
          EXPECT_GE(share, exposed_bounds(totals).low - 1e-12);
        }
      }
    }
  }
}

TEST(TracePart, IsReadBackAsItWas) {
  tracing::RankSummary rank;
  rank.file = "a b:\n3";
  rank.rank = 3;
  rank.world = 8;
  rank.steps = {{"1", -5, 1000, 500, 300, 200, 100, 200, 800}};
  rank.kinds = {{"all-reduce", "dp", "[0, 1]", "NCCL", 2, 4096}};
  rank.operations = {{10, 20, -1, 0, 0}};
  rank.exposed = {{12, 20}};
  rank.lanes = {"stream 7"};
  rank.names = {"gemm"};
  rank.stretches = {{10, 20, 5, 0, 0, 0, 1, tracing::Kind::kCommunication}};
  TraceOptions options;
  const auto text = tracing::part_text({rank}, options, 1);
  ASSERT_TRUE(text);
  const auto read = tracing::parse_part(*text, "x");
  ASSERT_TRUE(read) << read.error().message;
  const auto again = tracing::part_text(*read, options, 1);
  EXPECT_EQ(*again, *text);
  rank.operations[0].kind = 1;  // there is no such kind
  EXPECT_FALSE(tracing::parse_part(*tracing::part_text({rank}, options, 1), "x"));
}

}  // namespace
}  // namespace kstar
