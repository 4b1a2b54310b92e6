#include "import/reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/gzip.h"
#include "support/import_files.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

/// Lines of all lengths up to more than a block, some of them empty.
std::vector<std::string> many_lines() {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < 3000; ++i) lines.push_back(std::to_string(i * 7919));
  for (std::size_t i = 0; i < 20; ++i) lines.emplace_back((i * 37'111) % 700'000, 'x');
  lines.emplace_back("the last");
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class Reading : public testing::Test {
 protected:
  /// A reader of a file with these bytes.
  Reader& open(std::string_view bytes) {
    const std::string path = folder_ / "file";
    write_text(path, std::string(bytes));
    return reader_.emplace(open_file(path, O_RDONLY, "read").value(), path);
  }

  static std::vector<std::string> all_lines(Reader& reader) {
    std::vector<std::string> lines;
    Input line;
    auto more = reader.next_line(line);
    for (; more && *more; more = reader.next_line(line)) {
      lines.emplace_back(line.text);
      EXPECT_EQ(line.first_line, lines.size());
    }
    EXPECT_TRUE(more) << more.error().message;
    return lines;
  }

  TempFolder folder_;
  std::optional<Reader> reader_;
};

TEST_F(Reading, GivesTheLinesOfPlainAndPackedFilesAndOfATextInTheirOrder) {
  const std::vector<std::string> lines = many_lines();
  EXPECT_EQ(all_lines(open(joined(lines))), lines);
  EXPECT_EQ(all_lines(open(gzip(joined(lines)))), lines);
  EXPECT_EQ(all_lines(open(gzip("a\nb") + gzip("c\n\nd"))),
            (std::vector<std::string>{"a", "bc", "", "d"}));
  Reader text(joined(lines), "t");
  EXPECT_EQ(all_lines(text), lines);
  EXPECT_TRUE(all_lines(open("")).empty());
  EXPECT_EQ(all_lines(open("a\r\n")), std::vector<std::string>{"a\r"});
}

TEST_F(Reading, GivesAllOfAFileInBlocks) {
  const std::string text = joined(many_lines());
  for (const std::string& bytes : {text, gzip(text)}) {
    Reader& reader = open(bytes);
    EXPECT_EQ(reader.head(), text.substr(0, Reader::kHead));
    std::string all;
    for (auto block = reader.next_block(); !block.value().empty(); block = reader.next_block()) {
      EXPECT_LE(block->size(), std::size_t{1} << 20U);
      all += *block;
    }
    EXPECT_EQ(all, text);
  }
}

TEST_F(Reading, GivesTheBeginningAndThenAllOfIt) {
  const std::string text = joined(many_lines());
  for (const std::string& bytes : {text, gzip(text)}) {
    Reader& reader = open(bytes);
    EXPECT_EQ(reader.head(), text.substr(0, Reader::kHead));
    EXPECT_EQ(reader.whole().value().text, text);
    EXPECT_EQ(all_lines(open(bytes)), many_lines());
  }
}

TEST_F(Reading, SaysWhatIsDamagedBehindWhatIsGood) {
  const std::string packed = gzip(joined(many_lines()));
  Reader& reader = open(packed.substr(0, packed.size() - 9));
  EXPECT_FALSE(reader.head().empty());
  Input line;
  EXPECT_TRUE(reader.next_line(line).value());
  EXPECT_EQ(line.text, "0");
  const auto rest = reader.check_rest();
  ASSERT_FALSE(rest);
  EXPECT_EQ(rest.error().message, "is a truncated gzip file");
  EXPECT_EQ(reader.whole().error().message, "is a truncated gzip file");
}

TEST_F(Reading, RefusesALineWithoutEnd) {
  Reader& reader = open("a\n" + std::string(Reader::kLongestLine + 1, 'x') + "\nb\n");
  Input line;
  EXPECT_TRUE(reader.next_line(line).value());
  const auto more = reader.next_line(line);
  ASSERT_FALSE(more);
  EXPECT_NE(more.error().where.find("file:2:"), std::string::npos);
  EXPECT_NE(more.error().message.find("longer than 64 MiB"), std::string::npos);
  EXPECT_FALSE(reader.next_line(line));
}

TEST_F(Reading, GivesBlocksOfALineOfAnyLength) {
  Reader& reader = open(std::string(Reader::kLongestLine + 1, 'x'));
  std::size_t size = 0;
  for (auto block = reader.next_block(); !block.value().empty(); block = reader.next_block()) {
    size += block->size();
  }
  EXPECT_EQ(size, Reader::kLongestLine + 1);
}

TEST_F(Reading, ShowsAnErrorInTheLineWhereItStands) {
  Reader& reader = open("one\ntwo words\n");
  Input line;
  EXPECT_TRUE(reader.next_line(line).value() && reader.next_line(line).value());
  const Error error = expected_at(line, line.text.substr(4), "a number");
  EXPECT_TRUE(error.where.ends_with("file:2:5")) << error.where;
}

}  // namespace
}  // namespace kstar
