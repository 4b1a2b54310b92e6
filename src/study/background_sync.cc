#include "study/background_sync.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace kstar {

namespace {

int sync_file(int fd) {
  int answer = 0;
  do {
    answer = ::fdatasync(fd);
  } while (answer != 0 && errno == EINTR);
  return answer == 0 ? 0 : errno;
}

/// A thread that takes no signal: the caller's handlers run where the caller expects them.
template <typename Work>
std::thread quiet_thread(Work work) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

BackgroundSync::~BackgroundSync() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundSync::ask() {
  if (!thread_.joinable()) thread_ = quiet_thread([this] { work(); });
  {
    const std::lock_guard lock(mutex_);
    asked_ = true;
  }
  changed_.notify_all();
}

int BackgroundSync::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !asked_ && !busy_; });
  return error_;
}

int BackgroundSync::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void BackgroundSync::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return asked_ || ending_; });
    if (!asked_) return;
    asked_ = false;
    busy_ = true;
    lock.unlock();
    const int error = sync_file(fd_);
    lock.lock();
    busy_ = false;
    if (error_ == 0) error_ = error;
    changed_.notify_all();
  }
}

}  // namespace kstar
