#include "study/study_lock.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <thread>

#include "base/text.h"

namespace kstar {

namespace {

/// flock(2) without waiting, taken up again after a signal.
bool lock_now(const FileHandle& file) {
  int answer = 0;
  do {
    answer = ::flock(file.get(), LOCK_EX | LOCK_NB);
  } while (answer != 0 && errno == EINTR);
  return answer == 0;
}

}  // namespace

Result<Lock> lock_study(const FileHandle& file, const std::string& path,
                        std::chrono::milliseconds patience) {
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
               .hint = "wait until it ends, or give this measurement a file of its own"});
}

bool still_named(const FileHandle& file, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file.get(), &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace kstar
