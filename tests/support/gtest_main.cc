/// The main of every GoogleTest program: a skipped case has a line of its own, and where nothing
/// failed the program ends with 77, which ctest counts as skipped (tests/CMakeLists.txt).
#include <gtest/gtest.h>

#include <cstdio>

namespace {

class SkipLines : public testing::EmptyTestEventListener {
  // UnitTest cannot be asked for the test in OnTestPartResult: it holds its lock there.
  void OnTestEnd(const testing::TestInfo& test) override {
    const testing::TestResult& all = *test.result();
    for (int i = 0; all.Skipped() && i < all.total_part_count(); ++i) {
      const testing::TestPartResult& part = all.GetTestPartResult(i);
      if (!part.skipped()) continue;
      std::printf("skipped: %s.%s: %s\n", test.test_suite_name(), test.name(), part.message());
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  tests.listeners().Append(new SkipLines);
  const int failed = RUN_ALL_TESTS();
  return failed == 0 && tests.skipped_test_count() > 0 ? 77 : failed;
}
