#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "kstar/document.h"

namespace kstar {
namespace {

std::string markdown(Block block) {
  return to_markdown(Document{{std::move(block)}});
}

std::string markdown_cell(std::string text) {
  const std::string table =
      markdown(Table{{{.name = "a"}, {.name = "b"}}, {{std::move(text), "x"}}});
  const std::string head = "| a | b |\n|---:|---:|\n";
  EXPECT_TRUE(table.starts_with(head)) << table;
  return table.substr(head.size());
}

/// How many cells a renderer sees in a line of a table.
long cells_in(std::string_view line) {
  long bars = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      ++i;
    } else if (line[i] == '|') {
      ++bars;
    }
  }
  return bars - 1;
}

TEST(Markdown, OfATableSaysHowItsColumnsAreAligned) {
  EXPECT_EQ(markdown(Table{{{.name = "what", .left = true}, {.name = "K"}}, {{"a", "1"}}}),
            "| what | K |\n|:---|---:|\n| a | 1 |\n");
}

TEST(Markdown, NoCellCanAddAColumnOrARow) {
  for (const char* text : {"a|b", "a\\|b", "\\", "a\nb", "a\r\n| c | d |", "`a|b`", "a\\\\|b",
                           "|||", "\x0b\x0c", "\n\n# head"}) {
    const std::string row = markdown_cell(text);
    EXPECT_EQ(std::count(row.begin(), row.end(), '\n'), 1) << row;
    EXPECT_EQ(row.find('\r'), std::string::npos);
    EXPECT_EQ(cells_in(row), 2) << row;
  }
}

TEST(Markdown, RowsHaveAsManyCellsAsTheHead) {
  EXPECT_EQ(markdown(Table{{{.name = "a"}, {.name = "b"}}, {{}, {"1"}, {"1", "2", "3"}}}),
            "| a | b |\n|---:|---:|\n|  |  |\n| 1 |  |\n| 1 | 2 |\n");
  EXPECT_EQ(markdown(Table{}), "");
}

TEST(Markdown, WhatLooksLikeMarkupStaysText) {
  EXPECT_EQ(markdown_cell("`rm`"), "| \\`rm\\` | x |\n");
  EXPECT_EQ(markdown_cell("<script>"), "| \\<script\\> | x |\n");
  EXPECT_EQ(markdown_cell("[a](b)"), "| \\[a\\](b) | x |\n");
  EXPECT_EQ(markdown_cell("![a](b)"), "| \\!\\[a\\](b) | x |\n");
  EXPECT_EQ(markdown_cell("*a* _b_ ~~c~~"), "| \\*a\\* \\_b\\_ \\~\\~c\\~\\~ | x |\n");
  EXPECT_EQ(markdown_cell("&lt;"), "| \\&lt; | x |\n");
  EXPECT_EQ(markdown_cell("$x$"), "| \\$x\\$ | x |\n");
  EXPECT_EQ(markdown_cell("http://a.b www.c.d"), "| http\\://a.b www\\.c.d | x |\n");
  EXPECT_EQ(markdown_cell("log2:0.01"), "| log2:0.01 | x |\n");
  EXPECT_EQ(markdown_cell("\x1b[31m"), "| \\\\x1b\\[31m | x |\n");
  EXPECT_EQ(markdown_cell("a\xe2\x80\xae"
                          "b"),
            "| a\\\\xe2\\\\x80\\\\xaeb | x |\n");
}

TEST(Markdown, HeadsAreEscapedToo) {
  EXPECT_EQ(markdown(Table{{{.name = "a|b"}}, {}}), "| a\\|b |\n|---:|\n");
  EXPECT_EQ(markdown(Heading{"a\n# b"}), "## a \\# b\n");
}

TEST(Markdown, AParagraphIsNoListAndNoCode) {
  EXPECT_EQ(markdown(Paragraph{"- a"}), "\\- a\n");
  EXPECT_EQ(markdown(Paragraph{"+ a"}), "\\+ a\n");
  EXPECT_EQ(markdown(Paragraph{"12. a"}), "12\\. a\n");
  EXPECT_EQ(markdown(Paragraph{"1) a"}), "1\\) a\n");
  EXPECT_EQ(markdown(Paragraph{"    a"}), "a\n");
  EXPECT_EQ(markdown(Paragraph{"0.05 is fine"}), "0.05 is fine\n");
  EXPECT_EQ(markdown(Paragraph{"> a"}), "\\> a\n");
}

TEST(Markdown, ItemsAreAListUnderTheirTitle) {
  EXPECT_EQ(markdown(Items{"t*t", {"a", "- b"}}), "**t\\*t**\n\n- a\n- \\- b\n");
  EXPECT_EQ(markdown(Items{"", {"a"}}), "- a\n");
}

TEST(Markdown, NothingInAChartClosesItsFence) {
  const Chart chart{.title = "```` and more", .x = {}, .y = {}, .series = {}};
  const std::string text = markdown(chart);
  EXPECT_TRUE(text.starts_with("`````text\n````")) << text;
  EXPECT_TRUE(text.ends_with("\n`````\n")) << text;
}

TEST(Markdown, HasABlankLineBetweenBlocks) {
  EXPECT_EQ(to_markdown(Document{{Heading{"a"}, Paragraph{"b"}}}), "## a\n\nb\n");
  EXPECT_EQ(to_markdown(Document{}), "");
}

}  // namespace
}  // namespace kstar
