#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <filesystem>
#include <random>
#include <thread>

#include "base/file.h"
#include "kstar/study_file.h"
#include "support/study_examples.h"
#include "support/temp_folder.h"

namespace kstar {
namespace {

/// Runs `body` in a real second process and gives its exit status.
template <typename Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(StudyWriter, EveryAppendIsInTheFileWhenItReturns) {
  const TempFolder folder;
  const Study study = full_study();
  auto writer = StudyWriter::create(folder / "s.jsonl", study.header);
  ASSERT_TRUE(writer) << writer.error().message;
  EXPECT_EQ(load_study(folder / "s.jsonl")->header, study.header);
  for (std::size_t i = 0; i < study.runs.size(); ++i) {
    ASSERT_TRUE(writer->append(study.runs[i]));
    EXPECT_EQ(load_study(folder / "s.jsonl")->runs.size(), i + 1);
  }
  ASSERT_TRUE(writer->append(study.notes[0]));
  const auto loaded = load_study(folder / "s.jsonl");
  EXPECT_EQ(loaded->runs, study.runs);
  EXPECT_EQ(loaded->notes, study.notes);
}

TEST(StudyWriter, ReplacesTheFileUnderItsOwnLock) {
  const TempFolder folder;
  const std::string path = folder / "s.jsonl";
  auto writer = StudyWriter::create(path, full_study().header);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(full_run()));
  ASSERT_TRUE(writer->sync());
  ASSERT_TRUE(std::move(*writer).replace(full_study()));
  EXPECT_EQ(load_study(path)->runs, full_study().runs);
  EXPECT_TRUE(StudyWriter::resume(path));  // the lock is gone with the old file
}

TEST(StudyWriter, WaitsForAWriterThatIsAboutToEnd) {
  const TempFolder folder;
  const std::string path = folder / "s.jsonl";
  auto writer = StudyWriter::create(path, {});
  ASSERT_TRUE(writer);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    writer = fail(Error{});
  });
  EXPECT_TRUE(StudyWriter::resume(path, std::chrono::seconds(10)));
  end.join();
}

TEST(StudyWriter, RefusesAnExistingFileUnlessToldToReplaceIt) {
  const TempFolder folder;
  write_text(folder / "s.jsonl", "precious");
  const auto refused = StudyWriter::create(folder / "s.jsonl", {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "cannot create: File exists");
  EXPECT_FALSE(refused.error().hint.empty());
  EXPECT_EQ(read_text(folder / "s.jsonl"), "precious");
  {
    auto replacing = StudyWriter::create(folder / "s.jsonl", {}, Existing::kReplace);
    ASSERT_TRUE(replacing);
    EXPECT_EQ(read_text(folder / "s.jsonl"), "precious");
  }
  EXPECT_EQ(read_text(folder / "s.jsonl"), "precious") << "nothing was measured";
  auto replacing = StudyWriter::create(folder / "s.jsonl", {}, Existing::kReplace);
  ASSERT_TRUE(replacing && replacing->append(kstar::Run{}));
  EXPECT_EQ(read_text(folder / "s.jsonl"), "precious") << "a run without a time";
  kstar::Run counting;
  counting.wall = 1;
  ASSERT_TRUE(replacing->append(counting));
  EXPECT_EQ(load_study(folder / "s.jsonl").value().runs.size(), 2U);
}

TEST(StudyWriter, GoesOnBehindATornLineAtEveryByteAndNotesTheCut) {
  const TempFolder folder;
  const std::string path = folder / "s.jsonl";
  const Study study = small_study(3);
  const std::string text = to_lines(study).value();
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  for (std::size_t end = last; end <= text.size(); ++end) {
    write_text(path, text.substr(0, end));
    {
      auto resumed = StudyWriter::resume(path);
      ASSERT_TRUE(resumed) << end << resumed.error().message;
      ASSERT_TRUE(resumed->writer.append(study.runs[2]));
    }
    const bool whole = end + 1 >= text.size();
    const auto loaded = load_study(path);
    ASSERT_TRUE(loaded) << end << loaded.error().message;
    EXPECT_EQ(loaded->runs.size(), whole ? 4U : 3U) << end;
    ASSERT_EQ(loaded->notes.size(), whole || end == last ? 0U : 1U) << end;
    if (!loaded->notes.empty()) {
      EXPECT_EQ(note_sentence(loaded->notes[0]), "the last line was incomplete; its " +
                                                     std::to_string(end - last) +
                                                     " bytes were removed");
    }
  }
}

TEST(StudyWriter, KeepsASecondProcessOut) {
  const TempFolder folder;
  const std::string path = folder / "s.jsonl";
  auto writer = StudyWriter::create(path, {});
  ASSERT_TRUE(writer);
  const auto kept_out = [&](const Error& error) {
    return error.where == path && error.message == "another process is writing this study";
  };
  EXPECT_EQ(in_child([&] {
              const auto resumed = StudyWriter::resume(path);
              const auto replaced = StudyWriter::create(path, {}, Existing::kReplace);
              const auto saved = save_study({}, path);
              return !resumed && kept_out(resumed.error()) && !replaced &&
                             kept_out(replaced.error()) && !saved && kept_out(saved.error())
                         ? 0
                         : 1;
            }),
            0);
  ASSERT_TRUE(writer->append(kstar::Run{}));
  EXPECT_EQ(load_study(path)->runs.size(), 1U);  // reading needs no lock
  writer = fail(Error{});
  EXPECT_EQ(in_child([&] { return StudyWriter::resume(path) ? 0 : 1; }), 0);
}

/// Appends runs for ever, and says over the pipe how many are safe.
[[noreturn]] void append_until_killed(const std::string& path, int acknowledge) {
  auto resumed = StudyWriter::resume(path);
  if (!resumed) ::_exit(1);
  for (std::uint32_t count = 1;; ++count) {
    kstar::Run run = full_run();
    run.order = static_cast<int>(count);
    if (!resumed->writer.append(run)) ::_exit(2);
    if (::write(acknowledge, &count, sizeof count) != sizeof count) ::_exit(3);
  }
}

TEST(StudyWriter, LosesNoAcknowledgedRunWhenKilledAtAnyMoment) {
  const TempFolder folder;
  const std::string path = folder / "s.jsonl";
  ASSERT_TRUE(StudyWriter::create(path, {}));
  std::mt19937 random(1);
  std::size_t acknowledged = 0, torn = 0;
  for (int round = 0; round < 40; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t child = ::fork();
    if (child == 0) append_until_killed(path, pipe[1]);
    ::close(pipe[1]);
    ::usleep(static_cast<useconds_t>(1000 + random() % 20000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the child ended by itself: " << WEXITSTATUS(status);
    std::uint32_t count = 0, last = 0;
    while (::read(pipe[0], &count, sizeof count) == sizeof count) last = count;
    ::close(pipe[0]);
    acknowledged += last;
    const auto loaded = load_study(path);
    ASSERT_TRUE(loaded) << loaded.error().where << loaded.error().message;
    ASSERT_GE(loaded->runs.size(), acknowledged);
    // At most the run in flight is there without having been acknowledged.
    ASSERT_LE(loaded->runs.size(), acknowledged + 1);
    torn += loaded->notes.size();
    acknowledged = loaded->runs.size();
  }
  EXPECT_GT(acknowledged, 0U);
  RecordProperty("acknowledged", static_cast<int>(acknowledged));
  RecordProperty("torn", static_cast<int>(torn));
}

/// The largest size a file may have while this lives, as a full disk would say it.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_handler_ = ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit now{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_{};
  void (*old_handler_)(int) = nullptr;
};

TEST(StudyWriter, CutsBackToTheLastWholeRecordWhenTheDiskIsFull) {
  const TempFolder folder;
  const std::string path = folder / "s.jsonl";
  auto writer = StudyWriter::create(path, {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(full_run()));
  const std::string before = read_text(path);
  {
    const FileSizeLimit limit(before.size() + 20);  // part of the record fits: a short write
    const auto refused = writer->append(full_run());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, path);
    EXPECT_EQ(refused.error().message, "cannot write: File too large");
  }
  EXPECT_EQ(read_text(path), before);
  EXPECT_TRUE(writer->append(full_run()));  // room again: it goes on
  EXPECT_EQ(load_study(path)->runs.size(), 2U);
}

TEST(StudyWriter, KeepsEveryRunBeforeARealDiskIsFull) {
  const TempFolder folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    GTEST_SKIP() << "only root can mount a small disk; the limit on the file's size stands in";
  }
  std::size_t written = 0;
  {
    auto writer = StudyWriter::create(folder / "s.jsonl", {});
    ASSERT_TRUE(writer);
    auto done = writer->append(full_run());
    for (; done && written < 1000; done = writer->append(full_run())) ++written;
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "cannot write: No space left on device");
  }
  const auto loaded = load_study(folder / "s.jsonl");
  ::umount2(folder.path().c_str(), MNT_DETACH);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->runs.size(), written);
  EXPECT_TRUE(loaded->notes.empty());
}

TEST(StudyWriter, LeavesNoFileBehindWhenEvenTheHeaderDoesNotFit) {
  const TempFolder folder;
  {
    const FileSizeLimit limit(5);
    EXPECT_FALSE(StudyWriter::create(folder / "s.jsonl", full_header()).has_value());
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "s.jsonl"));
}

TEST(StudyWriter, RefusesWhatItCannotAppendToSafely) {
  const TempFolder folder;
  EXPECT_FALSE(StudyWriter::resume(folder / "none").has_value());
  EXPECT_FALSE(StudyWriter::resume(folder.path()).has_value());
  EXPECT_FALSE(StudyWriter::create("/dev/null", {}, Existing::kReplace).has_value());
  EXPECT_FALSE(StudyWriter::create(folder / "no/such/folder", {}).has_value());
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(StudyWriter::resume(folder / "pipe").has_value());
  write_text(folder / "newer", "{\"kstar\":\"study\",\"schema\":2}\n");
  EXPECT_FALSE(StudyWriter::resume(folder / "newer").has_value());
  write_text(folder / "table.csv", "K,T\n1,2");
  EXPECT_FALSE(StudyWriter::resume(folder / "table.csv").has_value());
  EXPECT_EQ(read_text(folder / "table.csv"), "K,T\n1,2");
  write_text(folder / "packed", "\x1f\x8b whatever");
  EXPECT_NE(StudyWriter::resume(folder / "packed").error().message.find("compressed"),
            std::string::npos);
}

TEST(StudyWriter, RefusesARecordThatCouldNotBeReadBackAndWritesNothing) {
  const TempFolder folder;
  auto writer = StudyWriter::create(folder / "s.jsonl", {});
  kstar::Run run;
  run.wall = -1;
  const auto refused = writer->append(run);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, (folder / "s.jsonl") + ": wall");
  EXPECT_EQ(refused.error().message, "expected a number not below 0, got '-1'");
  EXPECT_TRUE(load_study(folder / "s.jsonl")->runs.empty());
}

TEST(StudyWriter, KeepsALineThatAPersonAddedByHandMeanwhile) {
  const TempFolder folder;
  const std::string path = folder / "s.jsonl";
  auto writer = StudyWriter::create(path, {});
  ASSERT_TRUE(writer->append(kstar::Run{}));
  std::ofstream(path, std::ios::app) << "{\"record\":\"note\",\"severity\":\"info\"}\n";
  ASSERT_TRUE(writer->append(kstar::Run{}));
  EXPECT_EQ(load_study(path)->runs.size(), 2U);
  EXPECT_EQ(load_study(path)->notes.size(), 1U);
}

TEST(SaveStudy, ReplacesTheFileWholeKeepsItsModeAndFollowsALink) {
  const TempFolder folder;
  write_text(folder / "real", "old");
  ASSERT_EQ(::chmod((folder / "real").c_str(), 0640), 0);
  std::filesystem::create_symlink(folder / "real", folder / "link");
  ASSERT_TRUE(save_study(full_study(), folder / "link"));
  EXPECT_EQ(load_study(folder / "real")->runs, full_study().runs);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  struct stat facts {};
  ::stat((folder / "real").c_str(), &facts);
  EXPECT_EQ(facts.st_mode & 0777U, 0640U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

TEST(SaveStudy, LeavesTheOldFileAndNoRubbishWhenTheDiskIsFull) {
  const TempFolder folder;
  write_text(folder / "s", "old");
  {
    const FileSizeLimit limit(100);
    EXPECT_FALSE(save_study(full_study(), folder / "s").has_value());
  }
  EXPECT_EQ(read_text(folder / "s"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(WriteFileAtomically, WritesADeviceInPlaceAndReportsThatItIsFull) {
  EXPECT_TRUE(write_file_atomically("/dev/null", "x").has_value());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_EQ(write_file_atomically("/dev/full", "x").error().message,
            "cannot write: No space left on device");
}

}  // namespace
}  // namespace kstar
