#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/second_name.h"
#include "base/text.h"
#include "base/try.h"
#include "kstar/study_file.h"
#include "study/background_sync.h"
#include "study/records.h"
#include "study/study_reader.h"

namespace kstar {

struct StudyWriter::State {
  State(std::string name, FileHandle opened)
      : path(std::move(name)), file(std::move(opened)), sync(std::in_place, file.get()) {}
  ~State() {
    sync.reset();
    if (!target.empty()) ::unlink(path.c_str());  // no run is usable: the old study stays
  }

  std::string path;  ///< where the records are
  FileHandle file;
  std::optional<BackgroundSync> sync;
  std::string text;       ///< what the file has as far as is known: others may cut it at any moment
  std::string target;     ///< the study that the first usable run replaces; empty: none
  FileHandle old;         ///< that study, and the lock of it
  std::string kept;       ///< where that study is until then; empty: nowhere
  bool has_runs = false;  ///< that were appended here, usable or not
  bool dirty = false;     ///< a record is not yet asked to be synced
  bool broken = false;    ///< a failed record could not be taken back: nothing may follow it
};

namespace {

enum class Lock {
  kHeld,
  kUnavailable  ///< the file system has no locks (some parallel ones): nobody is kept out
};

/// Takes the exclusive lock of an open study, or fails when another writer still has it after
/// `patience`.
Result<Lock> lock_study(const FileHandle& file, const std::string& path,
                        std::chrono::milliseconds patience = {}) {
  constexpr std::chrono::milliseconds kPause{20};
  const auto end = std::chrono::steady_clock::now() + patience;
  bool held = lock_now(file);
  while (!held && errno == EWOULDBLOCK && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kPause);
    held = lock_now(file);
  }
  if (held) return Lock::kHeld;
  if (errno == ENOSYS || errno == ENOTSUP || errno == ENOLCK) return Lock::kUnavailable;
  if (errno != EWOULDBLOCK) return fail(file_error(path, "lock", errno));
  return fail({.where = printable(path),
               .message = "another process is writing this study",
               .hint = "wait until it ends, or use another file"});
}

/// True when `path` still names the open file: it may have been replaced before the lock was taken.
bool still_named(const FileHandle& file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file.get(), &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

struct LockedFile {
  FileHandle file;
  Lock lock = Lock::kHeld;
};

Error plain_error(std::string_view path, std::string message, std::string hint = {}) {
  return {.where = printable(path), .message = std::move(message), .hint = std::move(hint)};
}

bool is_regular(const FileHandle& file) {
  struct stat facts {};
  return ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode);
}

/// Opens and locks. A file that was replaced between the two is opened again.
Result<LockedFile> open_locked(const std::string& path, int flags, std::string_view action,
                               std::chrono::milliseconds patience = {}) {
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    // Not blocking: to open a pipe would wait for its reader, only to be refused then.
    auto file = open_file(path, flags | O_RDWR | O_APPEND | O_NONBLOCK, action);
    if (!file) return fail(std::move(file.error()));
    if (!is_regular(*file)) {
      return fail(plain_error(path, "is not a regular file: records cannot be appended safely"));
    }
    auto lock = lock_study(*file, path, patience);
    if (!lock) return fail(std::move(lock.error()));
    if (still_named(*file, path)) return LockedFile{std::move(*file), *lock};
  }
  return fail(plain_error(path, "is being replaced again and again by another process"));
}

/// Cuts the file to `size`, through signals.
bool cut(const FileHandle& file, off_t size) {
  int answer = 0;
  do {
    answer = ::ftruncate(file.get(), size);
  } while (answer != 0 && errno == EINTR);
  return answer == 0;
}

Note unlocked_note(const std::string& path) {
  return {.severity = Severity::kWarning,
          .what = "no-lock",
          .where = printable(path),
          .values = {},
          .text = {},
          .extra = {}};
}

Note cut_note(const std::string& path, std::size_t bytes) {
  return {.severity = Severity::kWarning,
          .what = "torn-line",
          .where = printable(path),
          .values = {{"cut", bytes}},
          .text = {},
          .extra = {}};
}

/// The old study is as it was.
Error untouched(Error error, const std::string& path) {
  error.where = printable(path);
  error.hint = "the study that is there is untouched";
  return error;
}

Note moved_note(const std::string& lost, const std::string& name) {
  return {.severity = Severity::kWarning,
          .what = "study-moved",
          .where = printable(lost),
          .values = {{"file", printable(name)}},
          .text = {},
          .extra = {}};
}

/// PATH.saved-1, or the next that is free, locked.
Result<FileHandle> create_saved_at(const std::string& path, std::string& name) {
  constexpr int kMost = 1000;
  for (int number = 1;; ++number) {
    name = fmt::format("{}.saved-{}", path, number);
    auto file = open_file(name, O_RDWR | O_APPEND | O_CREAT | O_EXCL, "create");
    if (file) static_cast<void>(lock_now(*file));
    if (file || errno != EEXIST || number == kMost) return file;
  }
}

/// The same, also where the folder of the study is gone with it.
Result<FileHandle> create_saved(const std::string& path, std::string& name) {
  Result<FileHandle> file = create_saved_at(path, name);
  const std::string own = path.substr(path.rfind('/') + 1);
  std::error_code ignored;
  for (const std::filesystem::path& folder :
       {std::filesystem::current_path(ignored), std::filesystem::temp_directory_path(ignored)}) {
    if (file) break;
    if (folder.empty()) continue;
    std::string other;
    if (Result<FileHandle> made = create_saved_at((folder / own).string(), other)) {
      file = std::move(made);
      name = other;
    }
  }
  return file;
}

Result<ReadStudy> read_plain(const FileHandle& file, const std::string& path) {
  char magic[2] = {};
  if (::pread(file.get(), magic, sizeof magic, 0) == sizeof magic &&
      is_gzip({magic, sizeof magic})) {
    return fail(plain_error(path, "is compressed: records cannot be appended",
                            "decompress it with gunzip first"));
  }
  return read_study_file(file, path);
}

/// Makes the file end behind the newline of its last whole record.
Result<void> repair_end(const FileHandle& file, const std::string& path, const ReadStudy& read) {
  if (!cut(file, static_cast<off_t>(read.whole_bytes))) {
    return fail(file_error(path, "cut", errno));
  }
  return read.ends_with_newline ? Result<void>() : write_all(file, "\n", path);
}

}  // namespace

Result<void> save_study(const Study& study, const std::string& path) {
  KSTAR_TRY(const auto text, to_lines(study));
  // The lock of the old file, if there is one: a measurement may be writing it. Held to the end.
  const auto old = open_file(path, O_RDONLY | O_NONBLOCK, "read");
  if (old) {
    KSTAR_CHECK(lock_study(*old, path));
  }
  return write_file_atomically(path, text);
}

StudyWriter::StudyWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
StudyWriter::StudyWriter(StudyWriter&&) noexcept = default;
StudyWriter& StudyWriter::operator=(StudyWriter&&) noexcept = default;
StudyWriter::~StudyWriter() {
  if (state_) start_sync();  // and its end is waited for
}

const std::string& StudyWriter::path() const {
  return state_->path;
}

Result<StudyWriter> StudyWriter::create(const std::string& path, const StudyHeader& header,
                                        Existing existing) {
  if (existing == Existing::kReplace && ::access(path.c_str(), F_OK) == 0) {
    return create_beside(path, header);
  }
  auto opened = open_locked(path, O_CREAT | O_EXCL, "create");
  if (!opened) {
    if (errno == EEXIST) {
      opened.error().hint = "choose another name, append to this file, or replace it";
    }
    return fail(std::move(opened.error()));
  }
  StudyWriter writer(std::make_unique<State>(path, std::move(opened->file)));
  if (auto done = writer.begin(header, opened->lock == Lock::kHeld); !done) {
    // A file without header is no study; leave none behind that was not there before.
    ::unlink(path.c_str());
    return fail(std::move(done.error()));
  }
  return writer;
}

/// The lock of the old study is held until the new one is in its place.
Result<StudyWriter> StudyWriter::create_beside(const std::string& path, const StudyHeader& header) {
  auto old = open_locked(path, 0, "replace");
  if (!old) return fail(std::move(old.error()));
  const std::string target = resolved_path(path);
  std::string name;
  auto file = open_temporary(target, name);
  if (!file) return fail(untouched(std::move(file.error()), path));
  StudyWriter writer(std::make_unique<State>(name, std::move(*file)));
  writer.state_->target = target;
  writer.state_->old = std::move(old->file);
  if (auto done = writer.begin(header, old->lock == Lock::kHeld); !done) {
    return fail(untouched(std::move(done.error()), path));
  }
  return writer;
}

Result<void> StudyWriter::begin(const StudyHeader& header, bool locked) {
  KSTAR_CHECK(append_line(header_line(header)));
  KSTAR_CHECK(sync());
  KSTAR_CHECK(sync_folder_of(state_->path));
  return locked ? Result<void>() : append(unlocked_note(state_->path));
}

Result<void> StudyWriter::put_in_place() {
  if (state_->target.empty()) return {};
  if (::rename(state_->path.c_str(), state_->target.c_str()) != 0) {
    return fail(file_error(state_->target, "replace", errno));
  }
  state_->path = std::exchange(state_->target, {});
  state_->old = FileHandle();
  return sync_folder_of(state_->path);
}

Result<void> StudyWriter::put_in_place_for_now() {
  if (state_->target.empty()) return {};
  const std::string kept = state_->target + ".old";
  if (const int problem = give_second_name(state_->target, kept); problem != 0) {
    Error error = file_error(kept, "keep the old study there", problem);
    if (problem == EEXIST) error.hint = "move it away: it may be the study of an earlier --force";
    return fail(std::move(error));
  }
  state_->kept = kept;
  return put_in_place();
}

Result<std::optional<std::string>> StudyWriter::give_way() {
  State& state = *state_;
  if (state.target.empty() && state.kept.empty()) return std::nullopt;
  const std::string place = state.target.empty() ? state.path : state.target;
  std::string failed;
  if (state.has_runs) {
    KSTAR_TRY(failed, keep_failed(state.path, place));
  }
  if (!state.kept.empty() && ::rename(state.kept.c_str(), place.c_str()) != 0) {
    return fail(file_error(place, "bring back", errno));
  }
  state.kept.clear();
  if (failed.empty()) return "";
  if (!std::exchange(state.target, {}).empty()) ::unlink(state.path.c_str());
  state.path = failed;
  state.old = FileHandle();
  return failed;
}

bool StudyWriter::is_in_place() const {
  return state_->target.empty();
}

Result<ResumedStudy> StudyWriter::resume(const std::string& path,
                                         std::chrono::milliseconds patience) {
  auto opened = open_locked(path, 0, "append", patience);
  if (!opened) return fail(std::move(opened.error()));
  auto read = read_plain(opened->file, path);
  if (!read) return fail(std::move(read.error()));
  if (auto done = repair_end(opened->file, path, *read); !done)
    return fail(std::move(done.error()));
  ResumedStudy resumed{std::move(read->study),
                       StudyWriter(std::make_unique<State>(path, std::move(opened->file)))};
  std::vector<Note> notes;
  if (read->torn_bytes > 0) {
    resumed.study.notes.back() = cut_note(path, read->torn_bytes);
    notes.push_back(resumed.study.notes.back());
  }
  if (opened->lock == Lock::kUnavailable) notes.push_back(unlocked_note(path));
  KSTAR_CHECK(resumed.writer.take_over());
  for (const Note& note : notes) {
    if (auto done = resumed.writer.append(note); !done) return fail(std::move(done.error()));
  }
  return resumed;
}

Result<void> StudyWriter::append(const Run& run) {
  KSTAR_CHECK(append_line(run_line(run)));
  state_->has_runs = true;
  if (!counts(run)) return {};  // a typo, or a job that cannot start, replaces no study
  if (!state_->kept.empty()) ::unlink(std::exchange(state_->kept, {}).c_str());
  return put_in_place();
}

Result<void> StudyWriter::append(const Note& note) {
  return append_line(note_line(note));
}

Result<void> StudyWriter::append_line(Result<std::string> line) {
  if (!line) {
    line.error().where = fmt::format("{}: {}", printable(state_->path), line.error().where);
    return fail(std::move(line.error()));
  }
  if (state_->broken) {
    return fail(plain_error(state_->path, "an earlier record could not be written or removed"));
  }
  if (const int error = state_->sync->error(); error != 0) return fail(sync_error(error));
  KSTAR_CHECK(save_elsewhere_if_lost());
  *line += '\n';
  auto done = write_all(state_->file, *line, state_->path);
  if (done) {
    state_->text += *line;
    state_->dirty = true;
  } else {
    state_->broken = !cut(state_->file, static_cast<off_t>(state_->text.size()));
    done.error().hint = state_->broken ? "the file may end with part of this record"
                                       : "the records before it are complete";
  }
  return done;
}

/// What the file has is known from here on.
Result<void> StudyWriter::take_over() {
  if (::lseek(state_->file.get(), 0, SEEK_SET) != 0) {
    return fail(file_error(state_->path, "read", errno));
  }
  KSTAR_TRY(const auto text, read_open_file(state_->file, state_->path, kMostStudyBytes));
  state_->text = text.view();
  return {};
}

/// Whether somebody cut or overwrote the file. A line that a person added by hand stays.
Result<bool> StudyWriter::is_overwritten() {
  struct stat now {};
  if (::fstat(state_->file.get(), &now) != 0) return fail(file_error(state_->path, "read", errno));
  const auto size = static_cast<std::size_t>(now.st_size);
  if (size <= state_->text.size()) return size < state_->text.size();
  const std::string known = state_->text;
  KSTAR_CHECK(take_over());
  if (state_->text.starts_with(known)) return false;
  state_->text = known;
  return true;
}

/// A study that was removed, renamed or overwritten while it is measured goes on in a file of its
/// own: what is open here would be lost, or would grow in somebody else's hands.
Result<void> StudyWriter::save_elsewhere_if_lost() {
  KSTAR_TRY(const bool overwritten, is_overwritten());
  if (!overwritten && still_named(state_->file, state_->path)) return {};
  std::string name;
  KSTAR_TRY(FileHandle file,
            create_saved(state_->target.empty() ? state_->path : state_->target, name));
  KSTAR_CHECK(write_all(file, state_->text, name));
  static_cast<void>(state_->sync->wait());
  state_->sync.reset();
  state_->file = std::move(file);
  state_->sync.emplace(state_->file.get());
  const std::string lost = std::exchange(state_->path, name);
  state_->dirty = true;
  state_->target.clear();
  return append(moved_note(lost, name));
}

void StudyWriter::start_sync() {
  if (std::exchange(state_->dirty, false)) state_->sync->ask();
}

Result<void> StudyWriter::sync() {
  start_sync();
  if (const int error = state_->sync->wait(); error != 0) return fail(sync_error(error));
  return {};
}

Error StudyWriter::sync_error(int number) const {
  Error error = file_error(state_->path, "sync the records to disk", number);
  error.hint = "the last records may be lost if the machine crashes now";
  return error;
}

Result<std::string> StudyWriter::replace(const Study& study) && {
  KSTAR_TRY(const auto text, to_lines(study));
  KSTAR_CHECK(save_elsewhere_if_lost());
  const std::unique_ptr<State> held = std::move(state_);  // and the lock with it, to the end
  const std::string& path = held->target.empty() ? held->path : held->target;
  KSTAR_CHECK(write_file_atomically(path, text));
  return path;
}

}  // namespace kstar
