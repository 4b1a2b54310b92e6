#include <gtest/gtest.h>
#include <cstring>

#include <filesystem>
#include <limits>
#include <random>

#include "kstar/mark.h"
#include "measure/marks.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

/// The bytes of a file; times are nanoseconds from its start.
class File {
 public:
  File() {
    std::memcpy(header.magic, KSTAR_MARK_MAGIC, sizeof header.magic);
    header.version = KSTAR_MARK_VERSION;
    header.header_size = sizeof header;
    header.record_size = sizeof(kstar_mark_record);
    header.worker = 2;
    header.monotonic = 1'000'000'000;
    header.realtime = 5'000'000'000;
    std::strcpy(header.host, "node1");
  }
  File& put(std::uint64_t time, int kind, double value = 0) {
    records.push_back({.stamp = time << 8 | static_cast<std::uint64_t>(kind), .value = value});
    return *this;
  }
  File& close(std::uint64_t time) { return put(time, KSTAR_MARK_KIND_CLOSE); }
  std::string bytes() const {
    std::string text(sizeof header + records.size() * sizeof(kstar_mark_record), '\0');
    std::memcpy(text.data(), &header, sizeof header);
    if (records.empty()) return text;
    std::memcpy(text.data() + sizeof header, records.data(), text.size() - sizeof header);
    return text;
  }

  kstar_mark_header header{};
  std::vector<kstar_mark_record> records;
};

constexpr int kBegin = KSTAR_MARK_KIND_PHASE_BEGIN, kEnd = KSTAR_MARK_KIND_PHASE_END;
constexpr int kStep = KSTAR_MARK_KIND_STEP_BEGIN, kStepEnd = KSTAR_MARK_KIND_STEP_END;

TEST(Marks, GiveTimeToTheInnermostPhase) {
  File file;
  file.put(100, kStep).put(110, kBegin, KSTAR_MARK_COMMUNICATE).put(130, kBegin, KSTAR_MARK_WAIT);
  file.put(180, kEnd, KSTAR_MARK_WAIT).put(190, kEnd, KSTAR_MARK_COMMUNICATE);
  file.put(200, kBegin, KSTAR_MARK_LOAD).put(203, kEnd, KSTAR_MARK_LOAD).put(210, kStepEnd);
  const auto marks = parse_marks(file.close(300).bytes(), "f");
  ASSERT_TRUE(marks);
  EXPECT_TRUE(marks->complete) << marks->problem;
  ASSERT_EQ(marks->steps.size(), 1U);
  const MarkedStep& step = marks->steps[0];
  EXPECT_NEAR(step.begin, 1.0000001, 1e-12);
  EXPECT_NEAR(step.communicate, 30e-9, 1e-12);
  EXPECT_NEAR(step.wait, 50e-9, 1e-12);
  EXPECT_NEAR(step.load, 3e-9, 1e-12);
  EXPECT_EQ(step.compute, 0);
  EXPECT_EQ(marks->worker, 2);
  EXPECT_EQ(marks->host, "node1");
  EXPECT_EQ(marks->clock_offset, 4);
}

TEST(Marks, OfPhasesOutsideOfStepsCountForNone) {
  File file;
  file.put(1, kBegin, KSTAR_MARK_LOAD).put(5, kEnd, KSTAR_MARK_LOAD).put(6, kStep).put(7, kStepEnd);
  const auto marks = parse_marks(file.close(8).bytes(), "f");
  EXPECT_TRUE(marks->complete) << marks->problem;
  EXPECT_EQ(marks->steps.at(0).load, 0);
}

TEST(Marks, ThatContradictEachOtherAreFlagged) {
  const auto problem = [](const File& file) { return parse_marks(file.bytes(), "f")->problem; };
  EXPECT_EQ(problem(File().put(1, kStepEnd).close(2)), "a step ended that never began");
  EXPECT_EQ(problem(File().put(1, kStep).put(2, kStep).put(3, kStepEnd).close(4)),
            "step 0 began but never ended");
  EXPECT_EQ(problem(File().put(1, kStep).put(2, kEnd, 1).put(3, kStepEnd).close(4)),
            "a phase ended that never began");
  EXPECT_EQ(problem(File().put(1, kStep).put(2, kBegin, 1).put(3, kStepEnd).close(4)),
            "a phase was still open at the end of its step");
  EXPECT_EQ(problem(File().put(9, kStep).put(2, kStepEnd).close(10)),
            "its time goes backwards: the rest is damaged");
  EXPECT_EQ(problem(File().put(1, 77).close(2)), "it has marks of an unknown kind: 77");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(problem(File().put(1, KSTAR_MARK_KIND_WORK, nan).close(2)),
            "the amount of work in a mark is not a number");
}

TEST(Marks, CutOffAtAnyByteGiveTheStepsBeforeTheCut) {
  File file;
  for (std::uint64_t i = 0; i < 5; ++i) file.put(10 * i + 1, kStep).put(10 * i + 9, kStepEnd);
  const std::string bytes = file.close(60).bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto marks = parse_marks(bytes.substr(0, size), "f");
    ASSERT_TRUE(marks) << size << ": " << marks.error().message;
    EXPECT_FALSE(marks->complete) << size;
    EXPECT_FALSE(marks->problem.empty()) << size;
    const std::size_t records = size < 256 ? 0 : (size - 256) / 16;
    EXPECT_EQ(marks->steps.size(), records / 2) << size;
  }
  EXPECT_TRUE(parse_marks(bytes, "f")->complete);
}

TEST(Marks, FollowedByZerosAreThoseOfAKilledProgram) {
  File file;
  file.put(1, kStep).put(2, kStepEnd).put(3, kStep);
  const auto marks = parse_marks(file.bytes() + std::string(4096, '\0'), "f");
  EXPECT_EQ(marks->steps.size(), 1U);
  EXPECT_FALSE(marks->complete);
}

TEST(Marks, AreRefusedWhereTheFileIsNoneOrOfAnotherKind) {
  EXPECT_EQ(parse_marks("#!/bin/sh\necho", "x.kmarks").error().message,
            "expected a file of marks, got '#!/bin/sh\\necho'");
  File file;
  file.header.version = 2;
  EXPECT_EQ(parse_marks(file.bytes(), "f").error().message, "expected marks of version 1, got '2'");
  file.header.version = 0x01000000;
  EXPECT_EQ(parse_marks(file.bytes(), "f").error().message,
            "was written by a machine with another byte order");
  file.header.version = 1;
  file.header.record_size = 8;
  EXPECT_EQ(parse_marks(file.bytes(), "f").error().message,
            "its header is damaged: impossible sizes");
}

TEST(Marks, NeverCrashTheReader) {
  std::mt19937_64 random(5);
  File file;
  for (std::uint64_t i = 0; i < 20; ++i) file.put(i, static_cast<int>(i % 9), 1);
  const std::string good = file.bytes();
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good.substr(0, random() % (good.size() + 1));
    for (std::uint64_t i = random() % 8; i > 0 && !bytes.empty(); --i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    if (const auto marks = parse_marks(bytes, "f")) {
      combine_marks({*marks}, {});
    }
  }
}

TEST(ReadMarks, SortsByWorkerAndLooksAtNothingElse) {
  const TempFolder folder;
  for (const int worker : {10, 2, 1}) {
    File file;
    file.header.worker = worker;
    write_text(folder / ("worker-" + std::to_string(worker) + ".kmarks"), file.close(1).bytes());
  }
  write_text(folder / "README", "not marks");
  const auto all = read_marks(folder.path());
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ((*all)[0].worker, 1);
  EXPECT_EQ((*all)[2].worker, 10);
}

TEST(ReadMarks, NamesTheFileThatIsWrongAndTheFolderThatIsMissing) {
  const TempFolder folder;
  EXPECT_EQ(read_marks(folder / "none").error().message,
            "cannot read the marks: No such file or directory");
  write_text(folder / "x.kmarks", "garbage");
  EXPECT_EQ(read_marks(folder.path()).error().where, folder / "x.kmarks");
}

}  // namespace
}  // namespace kstar
