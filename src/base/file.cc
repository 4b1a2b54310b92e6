#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <new>
#include <optional>
#include <system_error>

#include "base/gzip.h"
#include "base/source_line.h"
#include "base/text.h"
#include "base/try.h"

namespace kstar {

namespace {

constexpr std::size_t kLargestPiece = std::size_t{16} << 20;

ssize_t read_again(int fd, char* to, std::size_t size) {
  ssize_t got = 0;
  do {
    got = ::read(fd, to, size);
  } while (got < 0 && errno == EINTR);
  return got;
}

Error too_large(std::string_view path, std::size_t most) {
  return {.where = printable(path),
          .message = fmt::format("is larger than {} MiB, the limit", most >> 20U)};
}

/// The size where the file has one (a pipe has none), as a first guess of how much will come.
std::size_t expected_size(int fd) {
  struct stat facts {};
  if (::fstat(fd, &facts) != 0 || facts.st_size < 0) return 0;
  return static_cast<std::size_t>(facts.st_size);
}

/// A large block in large pages, where the system has them: one fault for 2 MiB instead of 512. Not
/// for a block that grows: it would be there twice.
void ask_for_large_pages(char* block, std::size_t size) {
  constexpr std::size_t kLarge = std::size_t{8} << 20;
  if (size < kLarge) return;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t before = (page - reinterpret_cast<std::uintptr_t>(block) % page) % page;
  static_cast<void>(::madvise(block + before, size - before, MADV_HUGEPAGE));  // a wish
}

Result<FileText> read_raw(const FileHandle& file, const std::string& path, std::size_t most,
                          std::size_t longest_line) {
  const std::size_t guess = expected_size(file.get());
  LineWatch lines(path, longest_line);
  KSTAR_CHECK(check_lines(file, path, longest_line));
  if (guess > most) return fail(too_large(path, most));
  // One byte more than the guess, so that the end of the file shows without growing.
  FileText text(std::max(guess + 1, FileText::kFirstPiece));
  ask_for_large_pages(text.data(), guess);
  std::size_t filled = 0;
  while (true) {
    if (filled == text.view().size()) text.resize(std::min(filled * 2, most + 1), filled);
    const std::size_t room = std::min(text.view().size() - filled, kLargestPiece);
    const ssize_t got = read_again(file.get(), text.data() + filled, room);
    if (got < 0) return fail(file_error(path, "read", errno));
    const std::string_view piece(text.data() + filled, static_cast<std::size_t>(got));
    if (auto endless = lines.see(piece)) return fail(std::move(*endless));
    filled += static_cast<std::size_t>(got);
    if (filled > most) return fail(too_large(path, most));
    if (got == 0) break;
  }
  text.resize(filled, filled);
  return text;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The name of a file that open_temporary() made for `name`.
bool is_beside(std::string_view file, std::string_view name) {
  constexpr std::string_view kMiddle = ".tmp-";
  if (!file.starts_with(name)) return false;
  file.remove_prefix(name.size());
  return file.starts_with(kMiddle) && file.size() > kMiddle.size() &&
         file.find_first_not_of("0123456789-", kMiddle.size()) == file.npos;
}

/// It may have been made a moment ago, and not be locked yet.
bool is_new(const FileHandle& file) {
  constexpr std::time_t kMoment = 2;
  struct stat facts {};
  return ::fstat(file.get(), &facts) != 0 || std::time(nullptr) - facts.st_mtime <= kMoment;
}

/// A pipe is opened without waiting for its reader, and written as it is read.
Result<void> write_in_place(const std::string& target, std::string_view text) {
  auto file = open_file(target, O_WRONLY | O_NONBLOCK, "write");
  if (!file && errno == ENXIO) file.error().hint = "it is a pipe that nobody reads";
  if (!file) return fail(std::move(file.error()));
  const int flags = ::fcntl(file->get(), F_GETFL);
  if (flags < 0 || ::fcntl(file->get(), F_SETFL, flags & ~O_NONBLOCK) != 0) {
    return fail(file_error(target, "write", errno));
  }
  return write_all(*file, text, target);
}

Result<void> fill_and_rename(const FileHandle& file, const std::string& temporary,
                             const std::string& target, std::string_view text) {
  if (auto written = write_all(file, text, target); !written) return written;
  if (::fsync(file.get()) != 0) return fail(file_error(target, "write", errno));
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    return fail(file_error(target, "write", errno));
  }
  return sync_folder_of(target);
}

}  // namespace

FileHandle::~FileHandle() {
  if (fd_ >= 0) ::close(fd_);
}

void FileText::Free::operator()(char* data) const {
  std::free(data);
}

FileText::FileText(std::size_t size) {
  resize(size, 0);
}

FileText::FileText(std::string_view text) : FileText(text.size()) {
  std::copy(text.begin(), text.end(), data_.get());
}

void FileText::resize(std::size_t size, std::size_t kept) {
  if (!data_ || size > size_) {
    if (kept == 0) data_.reset();
    void* const larger = std::realloc(data_.get(), size + kPadding);
    if (larger == nullptr) throw std::bad_alloc();
    static_cast<void>(data_.release());
    data_.reset(static_cast<char*>(larger));
  }
  size_ = size;
  clear_padding();
}

void FileText::clear_padding() {
  std::memset(data_.get() + size_, 0, kPadding);
}

Error file_error(std::string_view path, std::string_view action, int number) {
  return {.where = printable(path),
          .message = fmt::format("cannot {}: {}", action,
                                 std::error_code(number, std::generic_category()).message())};
}

Result<FileHandle> open_file(const std::string& path, int flags, std::string_view action) {
  // A path with a zero byte would silently name another file.
  if (path.find('\0') != std::string::npos) return fail(file_error(path, action, EINVAL));
  int fd = -1;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) {
    const int reason = errno;
    Error error = file_error(path, action, reason);
    errno = reason;
    return fail(std::move(error));
  }
  return FileHandle(fd);
}

bool is_gzip(std::string_view bytes) {
  return bytes.starts_with("\x1f\x8b");
}

Result<void> check_lines(const FileHandle& file, const std::string& path,
                         std::size_t longest_line) {
  if (expected_size(file.get()) <= longest_line) return {};
  LineWatch lines(path, longest_line);
  std::string piece(FileText::kFirstPiece, '\0');
  for (off_t seen = 0;;) {
    const ssize_t got = ::pread(file.get(), piece.data(), piece.size(), seen);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return {};  // what cannot be read shows when it is read for good
    seen += got;
    auto endless = lines.see({piece.data(), static_cast<std::size_t>(got)});
    if (endless) return fail(std::move(*endless));
  }
}

Result<FileText> read_open_file(const FileHandle& file, const std::string& path, std::size_t most,
                                std::size_t longest_line) {
  auto raw = read_raw(file, path, most, longest_line);
  if (!raw || !is_gzip(raw->view())) return raw;
  most = std::min(most, most_unpacked(raw->view().size()));
  return gunzip(raw->view(), path, most, longest_line);
}

Result<FileText> read_file(const std::string& path, std::size_t most, std::size_t longest_line) {
  auto file = open_file(path, O_RDONLY, "read");
  if (!file) return fail(std::move(file.error()));
  return read_open_file(*file, path, most, longest_line);
}

Result<FileText> read_regular_file(const std::string& path, std::size_t most) {
  auto file = open_file(path, O_RDONLY | O_NONBLOCK, "read");
  if (!file) return fail(std::move(file.error()));
  struct stat facts {};
  if (::fstat(file->get(), &facts) != 0) return fail(file_error(path, "read", errno));
  if (!S_ISREG(facts.st_mode)) {
    return fail({.where = printable(path), .message = "is not a regular file: it is not read"});
  }
  return read_open_file(*file, path, most);
}

bool is_regular_or_absent(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) != 0 || S_ISREG(facts.st_mode);
}

Result<void> write_all(const FileHandle& file, std::string_view text, std::string_view path) {
  while (!text.empty()) {
    const ssize_t put = ::write(file.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(file_error(path, "write", errno));
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

Result<void> sync_folder_of(const std::string& path) {
  auto folder = open_file(folder_of(path), O_RDONLY | O_DIRECTORY, "sync the folder");
  if (!folder) return fail(std::move(folder.error()));
  // Some file systems cannot sync a folder and say EINVAL; there is nothing more to do there.
  if (::fsync(folder->get()) != 0 && errno != EINVAL) {
    return fail(file_error(path, "sync the folder", errno));
  }
  return {};
}

std::string resolved_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

bool lock_now(const FileHandle& file) {
  int answer = 0;
  do {
    answer = ::flock(file.get(), LOCK_EX | LOCK_NB);
  } while (answer != 0 && errno == EINTR);
  return answer == 0;
}

Result<FileHandle> open_temporary(const std::string& path, std::string& name) {
  for (int attempt = 0;; ++attempt) {
    name = fmt::format("{}.tmp-{}-{}", path, ::getpid(), attempt);
    auto file = open_file(name, O_RDWR | O_APPEND | O_CREAT | O_EXCL, "create");
    if (file) static_cast<void>(lock_now(*file));  // where there are no locks, nobody removes it
    if (file || errno != EEXIST || attempt == 100) return file;
  }
}

void remove_abandoned(const std::string& path) {
  const std::filesystem::path target = resolved_path(path);
  std::error_code problem;
  const std::filesystem::path folder = folder_of(target.string());
  for (std::filesystem::directory_iterator entries(folder, problem), end;
       !problem && entries != end; entries.increment(problem)) {
    const std::string name = entries->path().string();
    if (!is_beside(entries->path().filename().string(), target.filename().string())) continue;
    const auto file = open_file(name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, "read");
    if (file && is_regular_or_absent(name) && !is_new(*file) && lock_now(*file)) {
      ::unlink(name.c_str());
    }
  }
}

Result<void> write_file_atomically(const std::string& path, std::string_view text) {
  const std::string target = resolved_path(path);
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    return write_in_place(target, text);
  }
  // A rename would replace what its owner made read-only.
  if (exists && ::access(target.c_str(), W_OK) != 0) return fail(file_error(path, "write", errno));
  std::string temporary;
  auto file = open_temporary(target, temporary);
  if (!file) {
    file.error().where = printable(path);
    return fail(std::move(file.error()));
  }
  // What cannot be kept of the mode (a foreign owner) is no reason to lose the data.
  if (exists && ::fchmod(file->get(), old.st_mode & 07777U) != 0) errno = 0;
  auto done = fill_and_rename(*file, temporary, target, text);
  if (!done) ::unlink(temporary.c_str());
  return done;
}

}  // namespace kstar
