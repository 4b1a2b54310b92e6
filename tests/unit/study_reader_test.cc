#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>

#include "base/file.h"
#include "kstar/study_file.h"
#include "support/study_examples.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

constexpr std::string_view kHeader = "{\"kstar\":\"study\",\"schema\":1}\n";

Error error_of(std::string_view text) {
  const auto study = parse_study(text, "s.jsonl");
  return study ? Error{} : study.error();
}

Error error_of_run(std::string_view members) {
  return error_of(std::string(kHeader) + "{\"record\":\"run\"," + std::string(members) + "}\n");
}

std::string gzipped(std::string_view text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<unsigned int>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<unsigned int>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(LoadStudy, DropsATornLastLineAtEveryByteWithANote) {
  Study study = small_study(3);
  study.runs.push_back(full_run());
  const std::string text = to_lines(study).value();
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t end = last; end <= text.size(); ++end) {
    const auto loaded = parse_study(std::string_view(text).substr(0, end), "s.jsonl");
    ASSERT_TRUE(loaded) << end << ": " << loaded.error().message;
    const bool whole = end + 1 >= text.size();
    EXPECT_EQ(loaded->runs.size(), whole ? 4U : 3U) << end;
    EXPECT_EQ(loaded->notes.size(), whole || end == last ? 0U : 1U) << end;
  }
}

TEST(LoadStudy, SaysWhatWasTorn) {
  const auto loaded = parse_study(std::string(kHeader) + "{\"record\":\"r", "s.jsonl");
  ASSERT_TRUE(loaded);
  ASSERT_EQ(loaded->notes.size(), 1U);
  EXPECT_EQ(loaded->notes[0].severity, Severity::kWarning);
  EXPECT_EQ(loaded->notes[0].what, "torn-line");
  EXPECT_EQ(loaded->notes[0].where, "s.jsonl:2");
  EXPECT_EQ(note_sentence(loaded->notes[0]),
            "the last line was incomplete; its 12 bytes were dropped");
}

TEST(LoadStudy, DropsTheZeroBytesThatAPowerCutLeaves) {
  const auto loaded = parse_study(std::string(kHeader) + std::string(100, '\0'), "s.jsonl");
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->notes.size(), 1U);
}

TEST(LoadStudy, ShowsABadLineInsideTheFileWithPlaceAndCaret) {
  const Error error = error_of(std::string(kHeader) + "{\"record\":\"run\",\"workers\":4,}\n{}\n");
  EXPECT_EQ(error.where.substr(0, 10), "s.jsonl:2:");
  EXPECT_NE(error.message.find("is not JSON"), std::string::npos) << error.message;
  EXPECT_NE(error.excerpt.find("\"workers\":4,}\n"), std::string::npos) << error.excerpt;
  EXPECT_EQ(error.excerpt.back(), '^');
}

TEST(LoadStudy, PointsAtTheValueThatIsWrong) {
  const Error error = error_of_run("\"workers\":4,\"wall\":\"fast\"");
  EXPECT_EQ(error.where, "s.jsonl:2:36");
  EXPECT_EQ(error.message, "expected a number not below 0, got '\"fast\"'");
  EXPECT_EQ(error.excerpt,
            "{\"record\":\"run\",\"workers\":4,\"wall\":\"fast\"}\n"
            "                                   ^");
}

TEST(LoadStudy, ShowsOfALongLineThePartAroundTheCaretWithControlCharactersEscaped) {
  const std::string pad(100000, 'x');
  const Error error =
      error_of_run("\"a\":\"" + pad + "\",\"workers\":\"\x7f\",\"b\":\"" + pad + "\"");
  EXPECT_LT(error.excerpt.size(), 300U);
  EXPECT_NE(error.excerpt.find("\"workers\":\"\\x7f\""), std::string::npos) << error.excerpt;
  EXPECT_TRUE(error.excerpt.starts_with("...x"));
}

TEST(LoadStudy, FindsTheByteThatIsNotUtf8) {
  const Error error =
      error_of(std::string(kHeader) + "{\"record\":\"run\",\"session\":\"ab\xFF\"}\n");
  EXPECT_EQ(error.where, "s.jsonl:2:30");
  EXPECT_NE(error.excerpt.find("ab\\xff"), std::string::npos) << error.excerpt;
}

TEST(LoadStudy, RefusesANewerSchemaAndSaysWhatToDo) {
  const Error error = error_of("{\"kstar\":\"study\",\"regime\":{\"new\":1},\"schema\":2}\n");
  EXPECT_EQ(error.message, "the study has schema 2, but this kstar supports schemas up to 1");
  EXPECT_NE(error.hint.find("update kstar"), std::string::npos);
}

TEST(LoadStudy, RefusesWrongValuesInARun) {
  for (const char* bad : {"\"workers\":0",
                          "\"workers\":-1",
                          "\"workers\":1.5",
                          "\"workers\":\"4\"",
                          "\"workers\":null",
                          "\"workers\":2147483648",
                          "\"workers\":99999999999999999999",
                          "\"wall\":1",
                          "\"workers\":1,\"wall\":-1",
                          "\"workers\":1,\"wall\":NaN",
                          "\"workers\":1,\"wall\":1e400",
                          "\"workers\":1,\"wall\":Infinity",
                          "\"workers\":1,\"wall\":true",
                          "\"workers\":1,\"steps\":[1,-1]",
                          "\"workers\":1,\"steps\":[1,null]",
                          "\"workers\":1,\"steps\":[1,]",
                          "\"workers\":1,\"steps\":[1 2]",
                          "\"workers\":1,\"steps\":3",
                          "\"workers\":1,\"steps\":{}",
                          "\"workers\":1,\"steps\":[[1]]",
                          "\"workers\":1,\"role\":\"none\"",
                          "\"workers\":1,\"warm_up\":1",
                          "\"workers\":1,\"session\":5",
                          "\"workers\":1,\"workers\":2",
                          "\"workers\":1,\"per_worker\":[]",
                          "\"workers\":1,\"per_worker\":{\"host\":[1]}",
                          "\"workers\":1,\"signal\":0",
                          "\"workers\":1,\"x\":[1,}",
                          "\"workers\":1,\"x\":tru",
                          "\"workers\":1,\"x\":[1",
                          "\"workers\":1,\"x\":01",
                          "\"workers\":1}{",
                          "\"workers\":1} x {",
                          "\"workers\" 1",
                          "workers:1",
                          "\"workers\":1,\"session\":\"\\q\""}) {
    const Error error = error_of_run(bad);
    EXPECT_TRUE(error.where.starts_with("s.jsonl:2:")) << bad << " -> " << error.where;
    EXPECT_FALSE(error.message.empty()) << bad;
    EXPECT_FALSE(error.excerpt.empty()) << bad;
  }
}

TEST(LoadStudy, RefusesWhatIsNoStudy) {
  for (const std::string& text :
       {std::string(), std::string("\n\n"), std::string("\xEF\xBB\xBF"), std::string("K,T\n1,2\n"),
        std::string("[]\n"), std::string("{}\n"), std::string("42"), std::string("null\n"),
        std::string("{\"kstar\":\"trace\"}\n"),
        std::string("{\"kstar\":\"study\",\"schema\"\x01:2}\n"),
        std::string("{\"kstar\":\"study\"}\n"),
        std::string("{\"kstar\":\"study\",\"schema\":\"1\"}\n"),
        std::string("{\"kstar\":\"study\",\"schema\":0}\n"),
        std::string("{\"kstar\":\"study\",\"schema\":1"),  // a torn header is no study yet
        std::string("{\"record\":\"run\",\"workers\":1}\n"), std::string(1000, '\0'),
        std::string("\x7f"
                    "ELF\x02\x01\x01\0\0\n",
                    10)}) {
    const Error error = error_of(text);
    EXPECT_FALSE(error.message.empty()) << text;
    EXPECT_EQ(error.message.find('\x7f'), std::string::npos);
  }
}

TEST(LoadStudy, RefusesRecordsOfNoKindAndASecondHeader) {
  const std::string header(kHeader);
  EXPECT_EQ(error_of(header + header).message, "there is a second header inside the study");
  for (const char* bad : {"{}", "[]", "1", "\"x\"", "{\"workers\":1}", "{\"record\":1}"}) {
    EXPECT_FALSE(error_of(header + bad + "\n").message.empty()) << bad;
    EXPECT_FALSE(error_of(header + bad).message.empty()) << bad;  // whole, though without newline
  }
}

TEST(LoadStudy, SurvivesDeepNestingAndLongLines) {
  for (const std::string_view open : {std::string_view("["), std::string_view("{\"a\":")}) {
    std::string deep = "\"workers\":1,\"x\":";
    for (int i = 0; i < 200000; ++i) deep += open;
    EXPECT_FALSE(error_of_run(deep).message.empty());
    std::string closed = deep + "1";
    for (int i = 0; i < 200000; ++i) closed += open == "[" ? "]" : "}";
    EXPECT_EQ(error_of_run(closed).message, "is nested deeper than 1024");
  }
  Study study = small_study(1);
  study.runs[0].steps.assign(2'000'000, 0.001);
  const auto back = parse_study(to_lines(study).value(), "x");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->runs, study.runs);
}

TEST(LoadStudy, SkipsEmptyLinesAndAByteOrderMark) {
  const auto study = parse_study(
      "\xEF\xBB\xBF" + std::string(kHeader) + "\n  \r\n{\"record\":\"run\",\"workers\":2}\r\n\n",
      "x");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->runs.size(), 1U);
}

TEST(LoadStudy, ReadsGzipOfOneOrManyMembersWhateverTheName) {
  const TempFolder folder;
  const std::string text = to_lines(small_study(8)).value();
  write_text(folder / "one", gzipped(text));
  write_text(folder / "two", gzipped(text.substr(0, 50)) + gzipped(text.substr(50)));
  for (const char* name : {"one", "two"}) {
    const auto study = load_study(folder / name);
    ASSERT_TRUE(study) << study.error().message;
    EXPECT_EQ(study->runs, small_study(8).runs);
  }
}

TEST(ParseStudy, TakesNoNumberForAnAbsentOne) {
  const std::string head = "{\"kstar\":\"study\",\"schema\":1}\n{\"record\":\"run\",\"workers\":1,";
  const auto lowest = kstar::parse_study(head + "\"exit_status\":-2147483648}\n", "s");
  ASSERT_FALSE(lowest) << "the run failed, and would not be known to have failed";
  EXPECT_NE(lowest.error().message.find("a larger number"), std::string::npos);
  const auto next = kstar::parse_study(head + "\"exit_status\":-2147483647}\n", "s");
  ASSERT_TRUE(next);
  EXPECT_TRUE(failed(next->runs.at(0)));
}

TEST(LoadStudy, RefusesDamagedGzip) {
  const TempFolder folder;
  const std::string packed = gzipped(to_lines(small_study(8)).value());
  std::string flipped = packed;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  for (const std::string& bad : {packed.substr(0, packed.size() / 2), packed.substr(0, 2),
                                 packed.substr(0, packed.size() - 1), flipped, packed + "tail"}) {
    write_text(folder / "bad.gz", bad);
    const auto study = load_study(folder / "bad.gz");
    ASSERT_FALSE(study);
    EXPECT_EQ(study.error().where, folder / "bad.gz");
    EXPECT_NE(study.error().message.find("gzip"), std::string::npos) << study.error().message;
  }
}

TEST(ReadFile, BoundsWhatASmallGzipFileMayBecome) {
  const TempFolder folder;
  std::string unpacked;
  unpacked.resize(10'000'000, 'a');
  write_text(folder / "bomb.gz", gzipped(unpacked));
  EXPECT_TRUE(read_file(folder / "bomb.gz", 10'000'000).has_value());
  const auto bomb = read_file(folder / "bomb.gz", 9'999'999);
  ASSERT_FALSE(bomb);
  EXPECT_NE(bomb.error().message.find("more than"), std::string::npos) << bomb.error().message;
  EXPECT_FALSE(read_file(folder / "bomb.gz", 100).has_value());
}

TEST(LoadStudy, SaysWhyAFileCannotBeRead) {
  const TempFolder folder;
  const auto missing = load_study(folder / "none");
  EXPECT_EQ(missing.error().where, folder / "none");
  EXPECT_EQ(missing.error().message, "cannot read: No such file or directory");
  const auto directory = load_study(folder.path());
  EXPECT_EQ(directory.error().message, "cannot read: Is a directory");
  EXPECT_FALSE(load_study("/dev/null").has_value());
}

}  // namespace
}  // namespace kstar
