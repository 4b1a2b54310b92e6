#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "kstar/result.h"

/// Files, with errors that say the path and the system's reason.
namespace kstar {

/// An open file that is closed when it goes out of scope.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int fd) : fd_(fd) {}
  FileHandle(FileHandle&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileHandle();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// A file's bytes in memory, with room to read past the end: vector code loads whole registers.
class FileText {
 public:
  static constexpr std::size_t kPadding = 64;
  /// The least that is worth a buffer of its own.
  static constexpr std::size_t kFirstPiece = std::size_t{1} << 16;

  FileText() = default;
  explicit FileText(std::size_t size);
  /// A copy of `text`, padded.
  explicit FileText(std::string_view text);

  std::string_view view() const { return {data_.get(), size_}; }
  char* data() { return data_.get(); }
  /// Keeps the first `kept` bytes in a buffer that can hold `size`, and is `size` long.
  void resize(std::size_t size, std::size_t kept);

 private:
  /// A block of malloc(), so that a large one grows where it is and is never there twice.
  struct Free {
    void operator()(char* data) const;
  };
  void clear_padding();

  std::unique_ptr<char[], Free> data_;
  std::size_t size_ = 0;
};

/// "path: cannot <action>: <reason of errno value `number`>".
Error file_error(std::string_view path, std::string_view action, int number);

/// open(2) with close-on-exec, taken up again after a signal.
Result<FileHandle> open_file(const std::string& path, int flags, std::string_view action);

/// True when `bytes` start as a gzip file does.
bool is_gzip(std::string_view bytes);

/// The whole file; a gzip file (known by its first bytes, not its name) is decompressed, all of its
/// members. More than `most` bytes, packed or unpacked, is an error, and so is more than 256 MiB
/// that are more than a hundred times what was packed: a small file must not be able to fill the
/// memory. So is a line of more than `longest_line` bytes, which ends the reading where it shows.
Result<FileText> read_file(const std::string& path, std::size_t most,
                           std::size_t longest_line = std::string::npos);

/// The same from an open file, from its start.
Result<FileText> read_open_file(const FileHandle& file, const std::string& path, std::size_t most,
                                std::size_t longest_line = std::string::npos);

/// Looks through a file that is larger than that for such a line before any of it is kept.
Result<void> check_lines(const FileHandle& file, const std::string& path, std::size_t longest_line);

/// read_file() of what somebody else may have put there: a pipe or a device, which could be waited
/// for without end, is an error.
Result<FileText> read_regular_file(const std::string& path, std::size_t most);

/// Whether nothing but a regular file is there, or nothing at all.
bool is_regular_or_absent(const std::string& path);

/// Writes all of `text`, through short writes and signals.
Result<void> write_all(const FileHandle& file, std::string_view text, std::string_view path);

/// Makes a name that was just created in the folder of `path` survive a crash of the machine.
Result<void> sync_folder_of(const std::string& path);

/// Readers see the old file or the new one, never half of one: written beside, synced, renamed. A
/// link is followed, the mode of an old file is kept. What is no regular file (a pipe, a device) is
/// written in place; a pipe that nobody reads is an error.
Result<void> write_file_atomically(const std::string& path, std::string_view text);

/// A new, empty file beside `path`, locked, to be renamed to it; `name` becomes its name. It is
/// opened by name, not by mkstemp, so that the umask decides who may read it.
Result<FileHandle> open_temporary(const std::string& path, std::string& name);

/// Where a link leads; the path itself where there is nothing yet.
std::string resolved_path(const std::string& path);

/// flock(2) without waiting, taken up again after a signal; errno says why not.
bool lock_now(const FileHandle& file);

/// Removes what writers of `path` that were killed left beside it: nobody holds their locks.
void remove_abandoned(const std::string& path);

}  // namespace kstar
