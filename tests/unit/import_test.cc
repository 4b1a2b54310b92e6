#include "kstar/import.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include "support/import_files.h"
#include "support/study_examples.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

TEST(Import, ReadsAStudyOfItsOwn) {
  const TempFolder folder;
  const Study study = small_study(3);
  write_text(folder / "s.jsonl", to_lines(study).value());
  const auto read = import_file(folder / "s.jsonl");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->runs, study.runs);
  const auto weak = import_file(folder / "s.jsonl", {.regime = Regime::kWeak});
  EXPECT_EQ(weak->header.regime, Regime::kWeak);
}

TEST(Import, ReadsGzippedTables) {
  const TempFolder folder;
  const std::string path = folder / "t.csv.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzputs(file, "K,time\n1,10\n2,6\n");
  gzclose(file);
  const auto study = import_file(path);
  ASSERT_TRUE(study) << study.error().message;
  expect_times(*study, {{1, 10}, {2, 6}});
}

TEST(Import, RefusesAGzipBombWithinItsBounds) {
  const TempFolder folder;
  const std::string path = folder / "bomb.csv.gz";
  gzFile file = gzopen(path.c_str(), "wb1");
  const std::string line = std::string(std::size_t{1} << 20U, '1') + "\n";
  gzputs(file, "K,time\n");
  for (int i = 0; i < 300; ++i) gzwrite(file, line.data(), static_cast<unsigned>(line.size()));
  gzclose(file);
  const auto study = import_file(path);
  ASSERT_FALSE(study);
  EXPECT_NE(study.error().message.find("more than 256 MiB"), std::string::npos);
}

TEST(Import, SaysWhatAFileIsThatItCannotRead) {
  EXPECT_EQ(import_error(" \n").message, "is empty");
  EXPECT_NE(import_error("\xFF\xFEK\0").message.find("UTF-16"), std::string::npos);
  EXPECT_NE(import_error(std::string("K\0\1", 3)).message.find("zero bytes"), std::string::npos);
  const Error unknown = import_error("{\"a\": 1}");
  EXPECT_EQ(unknown.where, "t:1:1");
  EXPECT_NE(unknown.hint.find("--list"), std::string::npos);
  const Error cut = import_error("{\"results\": [\n  {\"comm");
  EXPECT_EQ(cut.where, "t:2:8") << cut.message;
  EXPECT_NE(cut.message.find("is not valid JSON"), std::string::npos);
  EXPECT_NE(import_error("{\"a\": 1}\n{\"a\": 2}\n").message.find("unknown format"),
            std::string::npos);
  EXPECT_EQ(import_error("K,time\n1,2\n", {.format = "cvs"}).hint, "did you mean 'csv'?");
  EXPECT_FALSE(import_file("/nowhere/at/all"));
}

TEST(Import, ReadsPairsGivenInPlace) {
  const auto study = import_pairs("1:100, 2:52,2:53,4:29", "--data");
  ASSERT_TRUE(study);
  EXPECT_EQ(study->runs.size(), 4U);
  expect_times(*study, {{1, 100}, {2, 52.5}, {4, 29}});
  for (const std::string_view wrong :
       {"", "1", "1:", ":2", "0:2", "1:0", "1:-2", "1:nan", "x:1", "1:2,", "1.5:3", "3e9:1"}) {
    const auto refused = import_pairs(wrong, "--data");
    ASSERT_FALSE(refused) << wrong;
    EXPECT_EQ(refused.error().where, "--data");
  }
}

TEST(Import, DescribesItsFormats) {
  for (const ImportFormat& format : import_formats()) {
    EXPECT_FALSE(format.name.empty());
    EXPECT_FALSE(format.help.empty());
  }
}

}  // namespace
}  // namespace kstar
