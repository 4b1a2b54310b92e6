#pragma once

#include "tools/kstar_mpi/byte_count.h"
#include "tools/kstar_mpi/collective_log.h"

/// What every wrapper does: hand the words on to the MPI's own function, and record the call.
namespace kstar::inside {

template <typename... Words>
using Function = int (*)(Words...);

/// The MPI's own function, found at the first call.
template <typename... Words>
Function<Words...> real_function(void*& known, const char* name, const char* second_name) {
  void* function = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (__builtin_expect(function == nullptr, 0)) {
    function = require_symbol(name, second_name);
    __atomic_store_n(&known, function, __ATOMIC_RELAXED);
  }
  return reinterpret_cast<Function<Words...>>(function);
}

/// The block of this thread, or null when the call is not to be recorded: nothing is being
/// recorded, the MPI calls itself, or there are too many threads.
inline ThreadBlock* block_to_record(Thread& thread) {
  if (!__atomic_load_n(&recording, __ATOMIC_ACQUIRE) || thread.inside) return nullptr;
  if (__builtin_expect(thread.block == nullptr, 0)) {
    if (!thread.lost) thread.block = acquire_block();
    thread.lost = thread.block == nullptr;
    if (thread.lost) lose_call();
  }
  return thread.block;
}

/// A blocking collective of the log, between its start and its end.
template <CallId kCall, Language kLanguage>
LogEntry entry_of(const Word* words, Thread& thread, std::uint16_t index) {
  constexpr int kRoot = kCalls[kCall].bytes.root;
  LogEntry entry{.communicator = index, .call = kCall, .root = -1};
  entry.sequence = head->communicator[index].sequence++;
  if constexpr (kRoot != kAbsent) {
    entry.root = Arguments<kLanguage, false>{words, thread}.rank(kRoot);
  }
  return entry;
}

/// Whether a collective holds its members together: alone, or without data, it need not.
template <CallId kCall>
bool worth_logging(const LogEntry& entry, std::uint64_t bytes) {
  const Communicator& on = head->communicator[entry.communicator];
  return on.size > 1 && on.inter == 0 && entry.communicator != kOtherCommunicators &&
         (bytes > 0 || kCall == kBarrier) && is_logged(on, entry.sequence);
}

template <CallId kCall, Language kLanguage, typename... Words>
int record_call(ThreadBlock& block, Function<Words...> real, Words... arguments) {
  constexpr const Call& kMade = kCalls[kCall];
  constexpr bool kLogged = kMade.sync != Sync::kNone;
  Thread& thread = this_thread;
  const Word words[] = {static_cast<Word>(arguments)...};
  // Before the call: afterwards a handle may be gone, and a count overwritten.
  Event event{.call = kCall, .communicator = kNoCommunicator};
  if constexpr (kMade.communicator != kAbsent) {
    event.communicator = communicator_of(thread, key_of<kLanguage>(words[kMade.communicator]));
  }
  event.bytes = bytes_of<kCall, kLanguage>(words, thread, head->communicator[event.communicator]);
  LogEntry entry{};
  if constexpr (kLogged) entry = entry_of<kCall, kLanguage>(words, thread, event.communicator);
  if constexpr (kMade.frees) communicator_freed(key_at<kLanguage>(words[0]));

  thread.inside = true;
  block.call = kCall;
  event.enter = now();
  block.enter = event.enter;
  const int result = real(arguments...);
  event.leave = now();
  thread.inside = false;

  record(block, event);
  if constexpr (kLogged) {
    if (worth_logging<kCall>(entry, event.bytes)) {
      entry.enter = event.enter;
      entry.leave = event.leave;
      log_collective(*head, entry);
    }
  }
  if constexpr (kMade.makes != kAbsent) {
    look_up_communicator(key_at<kLanguage>(words[kMade.makes]), kMade.name);
  }
  return result;
}

/// Fortran hands over more words than the call has arguments, behind them.
template <CallId kCall, Language kLanguage, typename... Words>
int forward(void*& known, const char* name, const char* second_name, Words... arguments) {
  const auto real = real_function<Words...>(known, name, second_name);
  ThreadBlock* block = block_to_record(this_thread);
  if (block == nullptr) return real(arguments...);
  return record_call<kCall, kLanguage>(*block, real, arguments...);
}

}  // namespace kstar::inside
