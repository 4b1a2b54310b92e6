#pragma once

#include <cstdint>
#include <ctime>

#include "tools/kstar_mpi/call.h"

/// Counting into the mapped file.
namespace kstar::inside {

/// What a thread keeps at hand. Of zeros at its start, and without a destructor: it lives in the
/// static thread-local memory, two instructions away.
struct Thread {
  struct KnownCommunicator {
    std::uint64_t key;
    std::uint16_t index;
  };
  struct KnownType {
    std::uint64_t key;
    std::uint64_t size;
  };
  static constexpr std::size_t kCommunicators = 16, kTypes = 32;  // powers of two

  ThreadBlock* block;
  bool inside;               ///< a call: what MPI calls in it is not counted
  bool lost;                 ///< there was no block for it
  std::uint32_t generation;  ///< of what is known below; see forget_handles()
  KnownCommunicator communicator[kCommunicators];
  KnownType type[kTypes];
};

inline constinit thread_local Thread this_thread{};

/// The mapped file; null before there is one. It stays: a thread may still be in a call when
/// another one ends the recording.
inline constinit Head* head = nullptr;
/// Whether calls are recorded: between MPI_Init and MPI_Finalize.
inline constinit bool recording = false;

inline std::uint64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// Makes the file of this process in `folder`, before MPI_Init: rank and world are still unknown.
/// Null, after one line on standard error, when it cannot be made.
Head* open_recording(const char* folder);

/// A block for this thread, or null when there are too many.
ThreadBlock* acquire_block();

/// Counts a call that could not be recorded.
void lose_call();

/// One call that ended.
struct Event {
  std::uint16_t call;
  std::uint16_t communicator;
  std::uint64_t bytes;
  std::uint64_t enter;
  std::uint64_t leave;
};
void record(ThreadBlock& block, const Event& event);

}  // namespace kstar::inside
