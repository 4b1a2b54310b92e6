// Documents on a terminal.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "kstar/document.h"
#include "kstar/prediction_report.h"
#include "support/predictions.h"

namespace kstar {
namespace {

std::string shown(Block block, int width, bool unicode = true) {
  return to_terminal(Document{{std::move(block)}},
                     {.width = width, .color = false, .unicode = unicode});
}

std::size_t widest(const std::string& text) {
  std::size_t width = 0;
  for (const std::string_view line : split(text, '\n')) {
    width = std::max(width, display_width(line));
  }
  return width;
}

TEST(TerminalTable, AlignsNumbersToTheRightAndWordsToTheLeft) {
  const Table table{{{.name = "what", .left = true}, {.name = "K"}}, {{"a", "1"}, {"long", "128"}}};
  EXPECT_EQ(shown(table, 80),
            "what    K\n"
            "a       1\n"
            "long  128\n");
}

TEST(TerminalTable, AlignsByColumnsNotByBytes) {
  const Table table{{{.name = "É", .left = true}, {.name = "n"}}, {{"é", "1"}, {"ab", "20"}}};
  EXPECT_EQ(shown(table, 80),
            "É    n\n"
            "é    1\n"
            "ab  20\n");
}

TEST(TerminalTable, ThatIsTooWideIsSplitWithItsFirstColumnRepeated) {
  const Table table{{{.name = "K"}, {.name = "aaaaaa"}, {.name = "bbbbbb"}}, {{"1", "2", "3"}}};
  EXPECT_EQ(shown(table, 12),
            "K  aaaaaa\n"
            "1       2\n"
            "\n"
            "K  bbbbbb\n"
            "1       3\n");
}

TEST(TerminalTable, BreaksHeadsOnlyWhereItWouldNotFitOtherwise) {
  const Table table{{{.name = "K"}, {.name = "of the ceiling"}, {.name = "time"}},
                    {{"1", "5%", "2"}}};
  EXPECT_EQ(shown(table, 30),
            "K  of the ceiling  time\n"
            "1              5%     2\n");
  EXPECT_EQ(shown(table, 20),
            "    of the\n"
            "K  ceiling  time\n"
            "1       5%     2\n" +
                std::string());
}

TEST(TerminalTable, BreaksNoHeadThatIsNarrowerThanItsCells) {
  const Table table{{{.name = "one change", .left = true}, {.name = "aaaa bbbb"}},
                    {{"a long name of a change", "1"}}};
  EXPECT_EQ(shown(table, 30),
            "                         aaaa\n"
            "one change               bbbb\n"
            "a long name of a change     1\n");
}

TEST(TerminalTable, BreaksTheWordsOfItsFirstColumnBeforeItLeavesTheScreen) {
  const Table table{{{.name = "question", .left = true}, {.name = "answer"}},
                    {{"the largest speedup there is", "unbounded"}, {"  of that", "1"}}};
  EXPECT_EQ(shown(table, 26),
            "question            answer\n"
            "the largest\n"
            "  speedup there\n"
            "  is             unbounded\n"
            "  of that                1\n");
}

TEST(TerminalTable, WithoutRowsIsItsHead) {
  EXPECT_EQ(shown(Table{{{.name = "K"}, {.name = "T"}}, {}}, 80), "K  T\n");
}

TEST(TerminalTable, WithoutColumnsIsNothing) {
  EXPECT_EQ(shown(Table{}, 80), "");
  EXPECT_EQ(shown(Table{{}, {{"a"}}}, 80), "");
}

TEST(TerminalTable, TakesWhatIsMissingFromARowForBlankAndLeavesOutWhatIsTooMuch) {
  const Table table{{{.name = "K"}, {.name = "T"}}, {{}, {"1"}, {"2", "3", "4"}}};
  EXPECT_EQ(shown(table, 80), "K  T\n\n1\n2  3\n");
}

TEST(TerminalTable, ACellCannotMoveTheCursorOrAddALine) {
  const Table table{{{.name = "K"}, {.name = "T"}}, {{"\x1b[2J", "a\nb"}}};
  EXPECT_EQ(shown(table, 80),
            "      K     T\n"
            "\\x1b[2J  a\\nb\n");
}

TEST(TerminalTable, DrawsItsRulesInTheCharactersThereAre) {
  const Table table{{{.name = "K"}, {.name = "T", .new_group = true}}, {{"1", "2"}}};
  EXPECT_EQ(shown(table, 80, true), "K  │ T\n1  │ 2\n");
  EXPECT_EQ(shown(table, 80, false), "K  | T\n1  | 2\n");
}

TEST(TerminalTable, RepeatsTheRuleBehindItsFirstColumn) {
  const Table table{{{.name = "K"}, {.name = "aaaa", .new_group = true}, {.name = "bbbb"}},
                    {{"1", "2", "3"}}};
  EXPECT_EQ(shown(table, 12), "K  │ aaaa\n1  │    2\n\nK  │ bbbb\n1  │    3\n");
}

TEST(TerminalTable, KeepsTogetherWhatIsJoinedWhereItFits) {
  const Table table{{{.name = "K"},
                     {.name = "S", .new_group = true},
                     {.name = "interval", .joined = true},
                     {.name = "E", .new_group = true},
                     {.name = "interval", .joined = true}},
                    {{"1", "2", "1..3", "4", "3..5"}}};
  EXPECT_EQ(shown(table, 22),
            "K  │ S  interval\n1  │ 2      1..3\n\nK  │ E  interval\n1  │ 4      3..5\n");
  EXPECT_EQ(shown(table, 12),
            "K  │ S\n1  │ 2\n\nK  │ interval\n1  │     1..3\n\n"
            "K  │ E\n1  │ 4\n\nK  │ interval\n1  │     3..5\n");
}

TEST(TerminalText, IsWrappedAtTheWidth) {
  EXPECT_EQ(shown(Paragraph{"one two three"}, 9), "one two\nthree\n");
  EXPECT_EQ(shown(Heading{"one two three"}, 9), "one two\nthree\n");
  EXPECT_EQ(shown(Items{"one two three", {"four five six"}}, 14),
            "one two three\n  - four five\n    six\n");
  EXPECT_EQ(shown(Items{"one two three", {}}, 9), "one two\nthree\n");
}

TEST(TerminalText, AWordThatIsTooLongStaysWhole) {
  EXPECT_EQ(shown(Paragraph{"a incomprehensibilities b"}, 9), "a\nincomprehensibilities\nb\n");
}

TEST(TerminalText, CannotMoveTheCursor) {
  EXPECT_EQ(shown(Paragraph{"a\x1b[2Jb"}, 80), "a\\x1b[2Jb\n");
  EXPECT_EQ(shown(Heading{"a\x1b[2Jb"}, 80), "a\\x1b[2Jb\n");
  EXPECT_EQ(shown(Items{"t\r", {"a\x9b"}}, 80), "t\\x0d\n  - a\\x9b\n");
}

TEST(TerminalDocument, HasABlankLineBetweenBlocksAndNoneAtItsEnds) {
  EXPECT_EQ(to_terminal(Document{}, {}), "");
  EXPECT_EQ(to_terminal(Document{{Heading{"a"}, Paragraph{"b"}}}, {}), "a\n\nb\n");
}

TEST(TerminalDocument, UsesColourOnlyWhenAsked) {
  const Document document{{Heading{"a"}}};
  EXPECT_EQ(to_terminal(document, {.color = true}), "\x1b[1ma\x1b[0m\n");
}

TEST(TerminalDocument, OfEveryLawStaysWithinTheWidth) {
  struct Case {
    const char* law;
    std::vector<ParameterList> lists;
  };
  const std::vector<Case> cases = {
      {"amdahl", {{"serial", {"0.01", "0.05", "0.2"}}}},
      {"gustafson", {{"serial", {"0.05"}}}},
      {"strong", {{"serial", {"0.01", "0.05"}}, {"comm", {"log2:0.005", "0.02"}}}},
      {"weak", {{"serial", {"0.05"}}, {"comm", {"ring:0.01"}}}},
      {"usl", {{"contention", {"0.03"}}, {"coherency", {"0.0005"}}, {"rate", {"20"}}}},
      {"step", {{"compute", {"240"}}, {"communication", {"60"}}, {"at", {"8"}}}}};
  for (const Case& one : cases) {
    const std::vector<Prediction> curves = predictions(one.law, one.lists, {8, 64, 512, 100000});
    for (const auto side_by_side : {std::optional<Quantity>(), std::optional(Quantity::kTime)}) {
      const Document document = to_document(curves, {.side_by_side = side_by_side, .chart = true});
      for (const int width : {40, 60, 80, 132}) {
        const std::string text = to_terminal(document, {.width = width, .unicode = true});
        EXPECT_LE(widest(text), static_cast<std::size_t>(width)) << text;
      }
    }
  }
}

}  // namespace
}  // namespace kstar
