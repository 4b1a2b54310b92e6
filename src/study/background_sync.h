#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace kstar {

/// Brings what was written to a file onto the disk while the caller goes on: a sync takes
/// milliseconds, in which the next run can already be under way. What is asked for during a sync is
/// done by the next one, so that the caller never waits for the disk.
class BackgroundSync {
 public:
  /// `fd` stays open as long as this lives.
  explicit BackgroundSync(int fd) : fd_(fd) {}
  BackgroundSync(const BackgroundSync&) = delete;
  BackgroundSync& operator=(const BackgroundSync&) = delete;
  /// Waits for what was asked.
  ~BackgroundSync();

  /// Everything written until now is to be synced. Returns at once.
  void ask();
  /// Until everything asked for is done; what error() says then.
  int wait();
  /// The errno of the first sync that failed; 0: none has.
  int error() const;

 private:
  void work();

  const int fd_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool asked_ = false;
  bool busy_ = false;
  bool ending_ = false;
  int error_ = 0;
  std::thread thread_;  ///< from the first ask() on: who only reads or forks before has none
};

}  // namespace kstar
