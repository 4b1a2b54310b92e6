#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "kstar/study_file.h"

/// Studies of 0.1.0, which said in sentences what is a field now.
namespace kstar {
namespace {

constexpr const char* kImported =
    R"({"kstar":"study","schema":1,"writer":"kstar 0.1.0","title":"imported: t.csv","workload":[{"workers":1,"settings":{"precision":"fp32"}}],"protocol":{"stopping":"5 runs at each K"}})"
    "\n"
    R"({"record":"run","workers":1,"wall":1,"claim":{"speedup":7.1,"base":{"workers":1,"seconds":2.5},"line":3}})"
    "\n"
    R"({"record":"run","workers":2,"wall":1,"pop":{"load_balance":0.9}})"
    "\n"
    R"({"record":"note","severity":"info","what":"imported","where":"t.csv","text":"read as csv, as asked"})"
    "\n"
    R"({"record":"note","severity":"warning","what":"relative","text":"'traffic speedup' is relative, and no time stands beside it: a run's seconds are parts of the base's time, whatever that was"})"
    "\n"
    R"({"record":"note","severity":"warning","what":"summary","text":"'t' holds a median of runs, not runs: each counts as one run, and the spread of those behind it is lost"})"
    "\n"
    R"x({"record":"note","severity":"warning","what":"changes-with-k","text":"'precision' changes with K: fp32, fp16 ... (7 in all)"})x"
    "\n"
    R"({"record":"note","severity":"info","what":"left-out","text":"columns that were not used: a, b ..."})"
    "\n"
    R"({"record":"note","severity":"info","what":"mlperf-score","where":"large","text":"the official score is 1.550 minutes, scaled by 1.5","workers":8,"score":93,"scaling":1.5})"
    "\n";

TEST(OldStudy, OfAnImportSaysInFieldsWhatItsSentencesSaid) {
  const Result<Study> study = parse_study(kImported, "t.jsonl");
  ASSERT_TRUE(study) << study.error().message;
  const StudyHeader& header = study->header;
  EXPECT_EQ(header.source.kind, SourceKind::kImported);
  EXPECT_EQ(header.source.format, "csv");
  EXPECT_EQ(header.source.files, std::vector<std::string>{"t.csv"});
  EXPECT_EQ(header.source.summary, "median");
  EXPECT_EQ(header.source.unused, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(header.time, TimeKind::kSpeedup) << "traffic is no efficiency";
  EXPECT_EQ(header.protocol.runs, 5);
  ASSERT_EQ(header.changes.size(), 1U);
  EXPECT_EQ(header.changes[0].name, "precision");
  EXPECT_EQ(header.changes[0].values, (std::vector<std::string>{"fp32", "fp16"}));
  EXPECT_EQ(workload_at(header, 1)->settings.at("precision"), "fp32");
  EXPECT_EQ(study->runs[0].claim->base->seconds, 2.5);
  EXPECT_EQ(study->runs[1].factors->at("load_balance"), 0.9);
  EXPECT_EQ(study->notes[5].values, (NoteValues{{"workers", 8}, {"score", 93}, {"scaling", 1.5}}));
}

TEST(OldStudy, ShowsTheSentencesThatItHas) {
  const Result<Study> study = parse_study(kImported, "t.jsonl");
  ASSERT_TRUE(study);
  EXPECT_EQ(note_sentence(study->notes[3]),
            "'precision' changes with K: fp32, fp16 ... (7 in all)");
  EXPECT_EQ(note_sentence(study->notes[5]), "the official score is 1.550 minutes, scaled by 1.5");
}

TEST(OldStudy, OfSlurmSaysWhichJobsItHadAndLost) {
  const Result<Study> study = parse_study(
      R"({"kstar":"study","schema":1,"spec":"title = 1"})"
      "\n"
      R"({"record":"run","workers":4,"session":"slurm job 12","failure":"the cluster lost the job: NODE_FAIL"})"
      "\n"
      R"({"record":"note","severity":"info","what":"slurm-job","where":"K = 4","text":"job 12: b0-k4-t0"})"
      "\n"
      R"({"record":"note","severity":"info","what":"check-reference","where":"K = 1","text":"42"})"
      "\n",
      "s.jsonl");
  ASSERT_TRUE(study) << study.error().message;
  EXPECT_EQ(study->header.source.kind, SourceKind::kMeasured);
  EXPECT_TRUE(study->runs[0].lost);
  EXPECT_EQ(study->runs[0].job, "12");
  EXPECT_EQ(study->notes[0].values, (NoteValues{{"job", "12"}, {"part", "b0-k4-t0"}}));
  EXPECT_EQ(text_value(study->notes[1], "answer"), "42");
}

TEST(OldStudy, IsWrittenOnceAndThenStaysTheSame) {
  std::size_t files = 0;
  const auto check = [](const Result<Study>& study, const std::string& name) {
    ASSERT_TRUE(study) << study.error().message;
    const std::string first = to_lines(*study).value();
    const Result<Study> again = parse_study(first, name);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(to_lines(*again).value(), first) << name;
    EXPECT_EQ(again->header, study->header) << name;
    EXPECT_EQ(again->notes, study->notes) << name;
  };
  check(parse_study(kImported, "t.jsonl"), "t.jsonl");
  for (const auto& entry : std::filesystem::directory_iterator(KSTAR_EXAMPLES)) {
    if (entry.path().extension() != ".gz") continue;
    const Result<Study> study = load_study(entry.path().string());
    check(study, entry.path().string());
    EXPECT_EQ(study->header.source.kind, SourceKind::kMeasured) << entry.path();
    EXPECT_FALSE(study->header.spec.empty());
    EXPECT_EQ(study->header.extra, "") << "nothing of it is unknown";
    ++files;
  }
  EXPECT_GT(files, 10U);
}

}  // namespace
}  // namespace kstar
