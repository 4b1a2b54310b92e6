#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/event.h"
#include "trace/splitter.h"

namespace kstar::tracing {
namespace {

/// Gives a text in pieces of `piece` bytes.
class SlowSource : public BlockSource {
 public:
  SlowSource(std::string_view text, std::size_t piece) : text_(text), piece_(piece) {}
  Result<std::size_t> read(char* to, std::size_t room) override {
    const std::size_t count = std::min({room, piece_, text_.size()});
    text_.copy(to, count);
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
  std::size_t piece_;
};

struct Pieces {
  std::vector<std::string> events, headers;
  bool torn = false;
  bool failed = false;
};

Pieces split_text(std::string_view text, std::size_t piece = 1 << 20) {
  SlowSource source(text, piece);
  EventSplitter splitter(source);
  EventText event;
  HeaderText header;
  Pieces pieces;
  for (;;) {
    const auto found = splitter.next(event, header);
    if (!found) {
      pieces.failed = true;
      return pieces;
    }
    if (*found == EventSplitter::Found::kEnd) break;
    if (*found == EventSplitter::Found::kEvent) pieces.events.emplace_back(event.text);
    if (*found == EventSplitter::Found::kHeader) {
      pieces.headers.push_back(std::string(header.key) + "=" + std::string(header.value));
    }
  }
  pieces.torn = splitter.torn();
  return pieces;
}

const std::string kTrace =
    R"({"schema": 1, "info": {"a": [1, {"b": "}]"}]},
 "traceEvents": [ {"name": "a}\"{", "args": {"x": {"y": 1}}}, {"name": "\\"},
   {"b": "[{", "c": []} ], "last": "x"})";

TEST(TraceSplitter, EventsAndHeadersComeWholeWhateverTheBlocks) {
  const Pieces whole = split_text(kTrace);
  EXPECT_THAT(whole.events, testing::ElementsAre(R"({"name": "a}\"{", "args": {"x": {"y": 1}}})",
                                                 R"({"name": "\\"})", R"({"b": "[{", "c": []})"));
  EXPECT_THAT(whole.headers,
              testing::ElementsAre("schema=1", R"(info={"a": [1, {"b": "}]"}]})", "last=\"x\""));
  EXPECT_FALSE(whole.torn);
  for (std::size_t piece = 1; piece < 70; ++piece) {
    const Pieces slow = split_text(kTrace, piece);
    EXPECT_EQ(slow.events, whole.events) << piece;
    EXPECT_EQ(slow.headers, whole.headers) << piece;
    EXPECT_FALSE(slow.torn) << piece;
  }
}

TEST(TraceSplitter, ATextCutAnywhereKeepsWhatIsWhole) {
  const std::vector<std::string> all = split_text(kTrace).events;
  for (std::size_t cut = 1; cut < kTrace.size(); ++cut) {
    const Pieces pieces = split_text(std::string_view(kTrace).substr(0, cut));
    ASSERT_LE(pieces.events.size(), all.size());
    for (std::size_t i = 0; i < pieces.events.size(); ++i) EXPECT_EQ(pieces.events[i], all[i]);
    EXPECT_TRUE(pieces.torn) << cut;
  }
}

TEST(TraceSplitter, ALongEventWithManyEscapesIsOne) {
  std::string text = "[{\"name\": \"";
  for (int i = 0; i < 200'000; ++i) text += i % 3 == 0 ? "\\\"" : (i % 3 == 1 ? "\\\\" : "{");
  text += "\"}, {\"name\": \"b\"}]";
  EXPECT_EQ(split_text(text, 4096).events.size(), 2U);
}

TEST(TraceSplitter, AListOfOtherThingsHasNoEvents) {
  EXPECT_TRUE(split_text("[1, \"a{\", null, [2, {\"x\": 1}], true]").events.empty());
  EXPECT_TRUE(split_text("hello").failed);
  EXPECT_TRUE(split_text("").events.empty());
}

TEST(TraceEvent, MicrosecondsBecomeWholeNanoseconds) {
  std::int64_t time = 0;
  bool fractions = false;
  EXPECT_TRUE(read_microseconds("1669783687464181", time, fractions));
  EXPECT_EQ(time, 1669783687464181000);
  EXPECT_FALSE(fractions);
  EXPECT_TRUE(read_microseconds("4458676522690.655", time, fractions));
  EXPECT_EQ(time, 4458676522690655);
  EXPECT_TRUE(fractions);
  EXPECT_TRUE(read_microseconds("848671.6747283936", time, fractions));
  EXPECT_EQ(time, 848671675);
  EXPECT_TRUE(read_microseconds("0.9996", time, fractions));
  EXPECT_EQ(time, 1000);
  EXPECT_TRUE(read_microseconds("1.5e3", time, fractions));
  EXPECT_EQ(time, 1500000);
  EXPECT_TRUE(read_microseconds("-3.25", time, fractions));
  EXPECT_EQ(time, -3250);
  for (const char* wrong : {"", "-", "x", "1x", "null", "1e300", "99999999999999999999", "nan"}) {
    EXPECT_FALSE(read_microseconds(wrong, time, fractions)) << wrong;
  }
}

TEST(TraceEvent, FieldsAreFoundInAnyOrder) {
  const std::string text =
      R"({"args" : {"stream": 7, "deep": {"stream": 9}} , "dur":2.5,"ts": 10,"tid": "t 1","pid":3,
 "name": "a\"b", "cat": "kernel", "ph": "X", "more": [1, {"x": "}"}]})";
  EventText event;
  const std::string padded = text + std::string(64, ' ');
  ASSERT_NE(end_of_object(padded.data(), padded.data() + text.size(), event), nullptr);
  EventFields fields;
  ASSERT_TRUE(read_event(event, fields));
  EXPECT_EQ(fields.phase, 'X');
  EXPECT_EQ(fields.category, "kernel");
  EXPECT_EQ(unescaped(fields.name), "a\"b");
  EXPECT_EQ(fields.thread, "t 1");
  EXPECT_EQ(fields.start, 10000);
  EXPECT_EQ(fields.duration, 2500);
  std::vector<std::string> keys;
  each_member(fields.args, [&](std::string_view key, std::string_view value) {
    keys.push_back(std::string(key) + "=" + std::string(value));
    return true;
  });
  EXPECT_THAT(keys, testing::ElementsAre("stream=7", R"(deep={"stream": 9})"));
}

}  // namespace
}  // namespace kstar::tracing
