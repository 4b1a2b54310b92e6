#include "tools/kstar_mpi/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/inside_windows.h"
#include "tools/kstar_mpi/clocks.h"

// The file of this process is made before MPI_Init, and longer by a block with every further
// thread.
namespace kstar::inside {

namespace {

// The path, not an open file: programs close descriptors that they do not know.
char path[4096];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
ThreadBlock* free_blocks[kMostThreads];
std::size_t free_count = 0;
pthread_key_t thread_end;

/// Maps a part of the file that is not there yet. Its room on the disk is taken first: a disk that
/// is full later would kill the program at a store.
void* map_new_part(int file, std::size_t offset, std::size_t size) {
  const int failed = ::posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(size));
  if (failed != 0) {
    errno = failed;
    return nullptr;
  }
  void* part = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file,
                      static_cast<off_t>(offset));
  return part == MAP_FAILED ? nullptr : part;
}

void fill_head(Head& fresh) {
  std::memcpy(fresh.magic, kMagic, sizeof kMagic);
  fresh.version = kVersion;
  fresh.byte_order = kByteOrder;
  fresh.head_bytes = kHeadBytes;
  fresh.thread_bytes = kThreadBytes;
  fresh.calls = kCallCount;
  fresh.rank = -1;
  fresh.process = ::getpid();
  ::gethostname(fresh.host, sizeof fresh.host - 1);
  name_clocks(fresh);
  fresh.real_at_init = read_real_time();
  for (std::size_t i = 0; i < kCallCount; ++i) {
    CallName& call = fresh.call[i];
    std::strncpy(call.name, kCalls[i].name, sizeof call.name - 1);
    call.kind = kCalls[i].kind;
    call.sync = kCalls[i].sync;
  }
}

/// The block of a thread that ended is for the next one: its sums go on.
void release_block(void* block) {
  ::pthread_mutex_lock(&mutex);
  free_blocks[free_count++] = static_cast<ThreadBlock*>(block);
  ::pthread_mutex_unlock(&mutex);
}

ThreadBlock* new_block() {
  if (head->threads >= kMostThreads) return nullptr;
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* part = map_new_part(file, kHeadBytes + head->threads * kThreadBytes, kThreadBytes);
  ::close(file);
  if (part == nullptr) return nullptr;
  auto* block = static_cast<ThreadBlock*>(part);
  block->window_shift = kFirstWindowShift;
  ++head->threads;
  return block;
}

int create_file(const char* folder, const char* host) {
  for (int attempt = 0; attempt < 100; ++attempt) {  // containers may share names and numbers
    const int length = std::snprintf(path, sizeof path, "%s/rank-%s-%d-%d%s", folder, host,
                                     static_cast<int>(::getpid()), attempt, kFileEnding);
    if (length < 0 || static_cast<std::size_t>(length) >= sizeof path) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int file = ::open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

constexpr std::size_t kMostProbes = 64;

/// The cell of a call on a communicator; null when the table is full around it.
Cell* cell_of(ThreadBlock& block, std::uint16_t call, std::uint16_t communicator) {
  std::size_t place = call + std::size_t{communicator} * 61;
  for (std::size_t probe = 0; probe < kMostProbes; ++probe, ++place) {
    Cell& cell = block.cell[place % kCells];
    if (cell.call == call && cell.communicator == communicator && cell.used != 0) return &cell;
    if (cell.used == 0) {
      cell.call = call;
      cell.communicator = communicator;
      cell.used = 1;
      return &cell;
    }
  }
  return nullptr;
}

}  // namespace

Head* open_recording(const char* folder) {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  const int file = create_file(folder, host);
  void* part = file >= 0 ? map_new_part(file, 0, kHeadBytes) : nullptr;
  const int reason = errno;
  if (file >= 0) ::close(file);
  if (part == nullptr) {
    if (file >= 0) ::unlink(path);
    // dprintf: standard error may be buffered, and belongs to the program.
    ::dprintf(STDERR_FILENO, "libkstar_mpi: cannot record in '%s': %s; the program continues\n",
              folder, std::strerror(reason));
    return nullptr;
  }
  auto* fresh = static_cast<Head*>(part);
  fill_head(*fresh);
  ::pthread_key_create(&thread_end, release_block);
  return fresh;
}

ThreadBlock* acquire_block() {
  ::pthread_mutex_lock(&mutex);
  ThreadBlock* block = free_count > 0 ? free_blocks[--free_count] : new_block();
  const bool first = head->threads == 1;
  ::pthread_mutex_unlock(&mutex);
  // The first block is that of MPI_Init's thread, and stays so.
  if (block != nullptr && !first) ::pthread_setspecific(thread_end, block);
  return block;
}

void lose_call() {
  __atomic_fetch_add(&head->lost_calls, 1, __ATOMIC_RELAXED);
}

void record(ThreadBlock& block, const Event& event) {
  block.last_leave = event.leave;
  block.enter = 0;
  Cell* cell = cell_of(block, event.call, event.communicator);
  if (cell == nullptr) cell = cell_of(block, event.call, kOtherCommunicators);
  if (cell == nullptr) return lose_call();
  ++cell->calls;
  cell->bytes += event.bytes;
  cell->time += event.leave - event.enter;
  Window& window = add_to_windows(block, head->init_leave, event.enter, event.leave);
  ++window.calls;
  window.bytes += event.bytes;
}

}  // namespace kstar::inside
