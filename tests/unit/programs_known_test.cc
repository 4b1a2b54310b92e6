#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "kstar/analysis.h"
#include "kstar/study_file.h"

namespace kstar {
namespace {

/// The causes that are right, from the end of the title: "...; truth: idle none".
std::string truth_of(const Study& study) {
  const std::string mark = "truth: ";
  const std::size_t at = study.header.title.find(mark);
  return at == std::string::npos ? "" : study.header.title.substr(at + mark.size());
}

bool is_right(const Cause& cause, const std::string& truth) {
  const std::string name(
      name_of(cause.kind == CauseKind::kOneCore ? CauseKind::kIdle : cause.kind));
  return (" " + truth + " ").find(" " + name + " ") != std::string::npos;
}

/// Real programs, as they are, whose loss is known (examples/programs/README.md).
TEST(KnownPrograms, HaveTheirCauseFirstAndNoConfidentWrongOne) {
  std::size_t all = 0, right = 0;
  for (const auto& entry : std::filesystem::directory_iterator(KSTAR_PROGRAMS)) {
    if (entry.path().extension() != ".jsonl") continue;
    const Result<Study> study = load_study(entry.path());
    ASSERT_TRUE(study) << entry.path();
    const Result<Analysis> analysis = analyze(*study);
    ASSERT_TRUE(analysis) << entry.path();
    const Cause& first = analysis->diagnosis.causes.front();
    const std::string truth = truth_of(*study);
    ASSERT_FALSE(truth.empty()) << entry.path();
    ++all;
    right += is_right(first, truth) ? 1U : 0U;
    const bool nothing = first.kind == CauseKind::kNone;
    EXPECT_TRUE(nothing || is_right(first, truth))
        << entry.path() << ": " << name_of(first.kind) << ", not " << truth;
  }
  EXPECT_EQ(all, 12U);
  EXPECT_GE(right, 11U);
}

}  // namespace
}  // namespace kstar
