// Files of libkstar_mpi.so that are well, cut off, damaged or hostile.
#include <gtest/gtest.h>
#include <cstring>

#include <memory>

#include "base/random.h"
#include "inside/example_file.h"
#include "inside/file.h"
#include "kstar/inside.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

using namespace inside;

/// A folder with the files of some ranks.
struct Folder {
  TempFolder folder;
  int count = 0;

  Folder& with(const std::string& bytes) {
    write_text(folder / ("rank-" + std::to_string(count++) + ".kmpi"), bytes);
    return *this;
  }
  Result<InsideRun> read() const { return read_inside(folder.path()); }
};

TEST(InsideReader, ReadsWhatIsThere) {
  const Result<InsideRun> run = Folder().with(Example().bytes()).read();
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->ranks.size(), 1U);
  const InsideRank& rank = run->ranks[0];
  EXPECT_EQ(rank.host, "node1");
  EXPECT_DOUBLE_EQ(rank.init, 1);
  EXPECT_DOUBLE_EQ(*rank.finalize, 0.5);
  EXPECT_DOUBLE_EQ(rank.span, 10);
  EXPECT_DOUBLE_EQ(rank.mpi, 5);
  EXPECT_DOUBLE_EQ(rank.useful, 5);
  EXPECT_DOUBLE_EQ(rank.file, 1);
  EXPECT_EQ(rank.calls, 9U);
  EXPECT_EQ(rank.bytes_sent, 6400U);
  EXPECT_EQ(rank.bytes_file, 100U);
  ASSERT_EQ(rank.by_call.size(), 2U);
  EXPECT_EQ(rank.by_call[0].call, "MPI_Allreduce");
  EXPECT_EQ(rank.by_call[0].communicator, "world");
  double mpi = 0;
  for (const InsideWindow& window : rank.windows) mpi += window.mpi;
  EXPECT_NEAR(mpi, 5, 1e-9);
  EXPECT_DOUBLE_EQ(rank.windows.back().end, 10);
  const PerWorker workers = inside_per_worker(*run);
  EXPECT_EQ(workers.host, std::vector<std::string>{"node1"});
  EXPECT_EQ(workers.compute, std::vector<double>{5});
  EXPECT_EQ(workers.communicate, std::vector<double>{4});
  EXPECT_EQ(workers.load, std::vector<double>{1});
  EXPECT_EQ(workers.wait, std::vector<double>{0});  // it is alone
}

TEST(InsideReader, SampledCollectivesStandForAll) {
  Example early(0, 2), late(1, 2);
  for (std::uint32_t i = 0; i < 8; ++i) late.head->log[i].enter += kSecond / 4;
  early.head->log_entries = late.head->log_entries = 4;
  const Result<InsideRun> run = Folder().with(early.bytes()).with(late.bytes()).read();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_DOUBLE_EQ(run->wait_coverage, 0.5);
  EXPECT_DOUBLE_EQ(*run->ranks[0].wait, 2);  // 8 times a quarter of a second
  EXPECT_DOUBLE_EQ(*run->ranks[1].wait, 0);
  const PerWorker workers = inside_per_worker(*run);
  EXPECT_EQ(workers.wait, (std::vector<double>{2, 0}));
  EXPECT_EQ(workers.communicate, (std::vector<double>{2, 4}));
}

TEST(InsideReader, MissingRanksAreNoted) {
  const Result<InsideRun> run = Folder().with(Example(0, 2).bytes()).read();
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->notes.size(), 2U);
  EXPECT_EQ(note_sentence(run->notes[0]), "1 of 2 ranks wrote no file");
  EXPECT_EQ(run->notes[1].what, "inside-wait");
  EXPECT_FALSE(run->ranks[0].wait);
}

TEST(InsideReader, ARankThatNeverStartedIsNoted) {
  Example starting(1, 2);
  starting.head->rank = -1;
  const Result<InsideRun> run = Folder().with(Example().bytes()).with(starting.bytes()).read();
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->ranks.size(), 1U);
  EXPECT_EQ(run->notes[0].what, "inside-no-rank");
}

TEST(InsideReader, FilesOfTwoRunsAreAnError) {
  const Result<InsideRun> twice = Folder().with(Example().bytes()).with(Example().bytes()).read();
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message.find("rank 0 again"), std::string::npos);
  const Result<InsideRun> mixed =
      Folder().with(Example(0, 2).bytes()).with(Example(1, 3).bytes()).read();
  ASSERT_FALSE(mixed);
  EXPECT_NE(mixed.error().message.find("expected a rank of 2, got 'one of 3'"), std::string::npos);
}

TEST(InsideReader, AnEmptyFolderIsAnErrorWithAdvice) {
  const Result<InsideRun> run = Folder().read();
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().hint.find("LD_PRELOAD"), std::string::npos);
  EXPECT_FALSE(read_inside("/nonexistent"));
}

/// The message when one thing in the example is wrong.
template <typename Change>
std::string message_after(Change change) {
  Example example;
  change(example);
  const Result<InsideFile> file = parse_inside(example.bytes(), "f.kmpi");
  return file ? "" : file.error().where + ": " + file.error().message;
}

TEST(InsideReader, DamageIsNamed) {
  EXPECT_EQ(message_after([](Example&) {}), "");
  EXPECT_EQ(message_after([](Example& e) { e.head->magic[0] = 'x'; }),
            "f.kmpi: expected a file of libkstar_mpi.so, got 'another file'");
  EXPECT_EQ(message_after([](Example& e) { e.head->version = 2; }),
            "f.kmpi: expected version 1, got '2'");
  EXPECT_NE(message_after([](Example& e) { e.head->byte_order = 0x04030201; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->calls = kMostCalls + 1; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->communicators = 257; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->threads = 257; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->threads = 0; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->log_entries = 8193; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->rank = 1; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->call[0].kind = Kind{9}; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->call[0].sync = Sync{9}; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->init_leave = 1; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->finalize_enter = 1; }), "");
  EXPECT_NE(message_after([](Example& e) { e.head->finalize_leave = 1; }), "");
  EXPECT_NE(message_after([](Example& e) { e.threads[0].cell[0].call = 2; }), "");
  EXPECT_NE(message_after([](Example& e) { e.threads[0].cell[0].communicator = 256; }), "");
  EXPECT_NE(message_after([](Example& e) { e.threads[0].cell[0].time = ~0ULL; }), "");
  EXPECT_NE(message_after([](Example& e) { e.threads[0].window_shift = 63; }), "");
  EXPECT_NE(message_after([](Example& e) { e.threads[0].call = 512; }), "");
}

TEST(InsideReader, ATextThatWasCutOffIsNamed) {
  const std::string whole = Example().bytes();
  for (const std::size_t kept : {kHeadBytes - 1, kHeadBytes, whole.size() - 1}) {
    const Result<InsideFile> file = parse_inside(std::string_view(whole).substr(0, kept), "f");
    ASSERT_FALSE(file) << kept;
    EXPECT_EQ(file.error().hint, "the file is truncated");
  }
  EXPECT_FALSE(parse_inside("", "f"));
}

TEST(InsideReader, AnyDamageGivesAnErrorOrARunThatAddsUp) {
  // Bytes that are used, at random: the reader must neither crash nor claim what cannot be.
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    std::string bytes = Example(0, 1).bytes();
    for (int change = 0; change < 4; ++change) {
      const std::size_t starts[] = {0, offsetof(Head, call), offsetof(Head, communicator),
                                    offsetof(Head, log), kHeadBytes};
      const std::size_t start = starts[random.below(5)];
      bytes[start + random.below(400)] = static_cast<char>(random.bits());
    }
    const Result<InsideRun> run = Folder().with(bytes).read();
    if (!run) continue;
    for (const InsideRank& rank : run->ranks) {
      EXPECT_LE(rank.mpi, rank.span);
      EXPECT_GE(rank.useful, 0);
      for (const InsideWindow& window : rank.windows) EXPECT_GE(window.useful, 0);
    }
  }
}

TEST(InsideLibrary, IsFoundBesideTheProgramAndWhereTold) {
  ::setenv("KSTAR_MPI_LIBRARY", KSTAR_MPI_LIBRARY, 1);
  const Result<std::string> told = inside_library();
  ASSERT_TRUE(told);
  EXPECT_EQ(*told, KSTAR_MPI_LIBRARY);
  ::setenv("KSTAR_MPI_LIBRARY", "/nonexistent.so", 1);
  EXPECT_FALSE(inside_library());
  ::unsetenv("KSTAR_MPI_LIBRARY");
  // This test is not beside it.
  ASSERT_FALSE(inside_library());
  EXPECT_NE(inside_library().error().hint.find("KSTAR_MPI_LIBRARY"), std::string::npos);
}

TEST(InsideLibrary, KeepsWhatWasPreloadedBefore) {
  ::setenv("LD_PRELOAD", "/other.so", 1);
  EXPECT_EQ(inside_variables("/a/lib.so", "/f").at("LD_PRELOAD"), "/other.so:/a/lib.so");
  ::unsetenv("LD_PRELOAD");
  EXPECT_EQ(inside_variables("/a/lib.so", "/f").at("LD_PRELOAD"), "/a/lib.so");
  EXPECT_EQ(inside_variables("/a/lib.so", "/f").at("KSTAR_INSIDE"), "/f");
}

}  // namespace
}  // namespace kstar
