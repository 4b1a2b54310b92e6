#include <gtest/gtest.h>

#include "kstar/page.h"
#include "kstar/report.h"
#include "support/planted_study.h"

// The linker sends every call of scaling_table() here (CMakeLists.txt): results are computed once,
// and shown by many.
namespace kstar {

Result<ScalingTable> real_scaling_table(const Study& study, const TableOptions& options) asm(
    "__real__ZN5kstar13scaling_tableERKNS_5StudyERKNS_12TableOptionsE");
Result<ScalingTable> counted_scaling_table(const Study& study, const TableOptions& options) asm(
    "__wrap__ZN5kstar13scaling_tableERKNS_5StudyERKNS_12TableOptionsE");

namespace {
int table_calls = 0;
}  // namespace

Result<ScalingTable> counted_scaling_table(const Study& study, const TableOptions& options) {
  ++table_calls;
  return real_scaling_table(study, options);
}

namespace {

TEST(Once, AReportOfOneStudyMakesItsTableOnce) {
  const Study study = planted::simulate({});
  table_calls = 0;
  const Result<Subject> subject = examine(study, {.name = "job"});
  ASSERT_TRUE(subject) << subject.error().message;
  EXPECT_TRUE(subject->audit);
  ASSERT_TRUE(to_page({&*subject, 1}));
  EXPECT_FALSE(to_document({&*subject, 1}).blocks.empty());
  EXPECT_EQ(table_calls, 1);
}

}  // namespace
}  // namespace kstar
