#include "tools/kstar_mpi/collective_log.h"

#include <pthread.h>

namespace kstar::inside {

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
constexpr std::int32_t kThreadMultiple = 3;

void thin_out(Head& file) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < kMostCommunicators; ++i) {
    if (file.communicator[i].logged > file.communicator[most].logged) most = i;
  }
  Communicator& crowded = file.communicator[most];
  ++crowded.log_shift;
  crowded.logged = 0;
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < file.log_entries; ++i) {
    const bool its_own = file.log[i].communicator == most;
    if (its_own && !is_logged(crowded, file.log[i].sequence)) continue;
    if (its_own) ++crowded.logged;
    file.log[kept++] = file.log[i];
  }
  file.log_entries = kept;
}

void append(Head& file, const LogEntry& entry) {
  Communicator& communicator = file.communicator[entry.communicator];
  if (file.log_entries >= kMostLogEntries) {
    thin_out(file);
    if (!is_logged(communicator, entry.sequence)) return;
  }
  if (file.log_entries >= kMostLogEntries) return;
  file.log[file.log_entries] = entry;
  ++communicator.logged;
  // The entry before the number: what a killed program leaves is whole.
  __atomic_store_n(&file.log_entries, file.log_entries + 1, __ATOMIC_RELEASE);
}

}  // namespace

void log_collective(Head& file, const LogEntry& entry) {
  if (file.thread_level < kThreadMultiple) return append(file, entry);
  ::pthread_mutex_lock(&mutex);
  append(file, entry);
  ::pthread_mutex_unlock(&mutex);
}

}  // namespace kstar::inside
