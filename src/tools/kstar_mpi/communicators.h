#pragma once

#include <cstdint>

#include "tools/kstar_mpi/real_mpi.h"
#include "tools/kstar_mpi/recorder.h"

/// Handles of communicators and types, known again at every call.
namespace kstar::inside {

/// A handle as a number of its own: Open MPI counts Fortran handles apart from its C pointers.
using Key = std::uint64_t;
inline constexpr Key kFortranKey = Key{1} << 63;

/// The key of a handle argument.
template <Language kLanguage>
Key key_of(Word argument) {
  if constexpr (kLanguage == Language::kC) {
    return real_mpi.handle_in(argument);
  } else {
    const Key number = *as_pointer<std::uint32_t>(argument);
    return real_mpi.comm_f2c == nullptr ? number : number | kFortranKey;
  }
}

/// The key of the handle that an argument points to.
template <Language kLanguage>
Key key_at(Word argument) {
  if constexpr (kLanguage == Language::kC) {
    return real_mpi.handle_at(argument);
  } else {
    return key_of<kLanguage>(argument);
  }
}

/// A handle was freed: its number may come back as another one, so all threads look up anew.
void forget_handles();

/// Clears what this thread knows when a handle was freed since.
void refresh_known(Thread& thread);
inline constinit std::uint32_t handle_generation = 1;

std::uint16_t look_up_communicator(Key key, const char* made_by);
std::uint64_t look_up_type(Key key);

/// The place of a communicator in the file's table.
inline std::uint16_t communicator_of(Thread& thread, Key key) {
  if (thread.generation != __atomic_load_n(&handle_generation, __ATOMIC_ACQUIRE)) {
    refresh_known(thread);
  }
  auto& known = thread.communicator[(key ^ (key >> 4) ^ (key >> 9)) % Thread::kCommunicators];
  if (known.key != key) {
    known.index = look_up_communicator(key, nullptr);
    known.key = key;
  }
  return known.index;
}

/// The bytes of one element of a type.
inline std::uint64_t type_size(Thread& thread, Key key) {
  if (thread.generation != __atomic_load_n(&handle_generation, __ATOMIC_ACQUIRE)) {
    refresh_known(thread);
  }
  auto& known = thread.type[(key ^ (key >> 5) ^ (key >> 10)) % Thread::kTypes];
  if (known.key != key) {
    known.size = look_up_type(key);
    known.key = key;
  }
  return known.size;
}

/// Takes up world and self. After MPI_Init.
void start_communicators();
/// A communicator that the program freed.
void communicator_freed(Key key);
/// The name that the program gave to it.
void communicator_named(Key key, const char* name, std::size_t length);

}  // namespace kstar::inside
