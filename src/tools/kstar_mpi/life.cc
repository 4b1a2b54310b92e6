// From MPI_Init to MPI_Finalize, MPI_Abort or the end without either.
#include <unistd.h>

#include <cstdlib>

#include "tools/kstar_mpi/clocks.h"
#include "tools/kstar_mpi/exported.h"
#include "tools/kstar_mpi/forward.h"

namespace kstar::inside {

namespace {

void start_file() {
  const char* folder = std::getenv("KSTAR_INSIDE");
  if (folder == nullptr || *folder == '\0' || head != nullptr) return;
  head = open_recording(folder);
  if (head != nullptr) head->init_enter = now();
}

void start_recording(int thread_level) {
  if (head == nullptr || !find_mpi()) return;
  int rank = -1, world = 0;
  real_mpi.comm_rank(real_mpi.world, &rank);
  real_mpi.comm_size(real_mpi.world, &world);
  head->flavour = real_mpi.flavour;
  head->world = world;
  head->thread_level = thread_level;
  start_communicators();
  this_thread.block = acquire_block();
  head->rank = rank;  // last: a file with a rank is whole
  head->init_leave = now();
  __atomic_store_n(&recording, this_thread.block != nullptr, __ATOMIC_RELEASE);
}

void stamp_end(End end) {
  if (head == nullptr || head->end != End::kRunning || head->process != ::getpid()) return;
  head->finalize_enter = now();
  head->end = end;
}

/// A program that leaves without MPI_Finalize. Not for a child that it forked.
__attribute__((destructor)) void at_exit() {
  stamp_end(End::kExited);
}

/// MPI_Init or MPI_Init_thread, in either language; `level` is where the provided level will be.
template <typename... Words>
int initialize(void*& known, const char* name, const char* second_name, const int* level,
               Words... arguments) {
  const auto real = real_function<Words...>(known, name, second_name);
  if (this_thread.inside) return real(arguments...);
  this_thread.inside = true;
  start_file();
  const int result = real(arguments...);
  int flag = 0;
  const auto initialized = reinterpret_cast<int (*)(int*)>(find_symbol("PMPI_Initialized"));
  if (initialized != nullptr) initialized(&flag);
  if (flag != 0) start_recording(level != nullptr ? *level : 0);
  this_thread.inside = false;
  return result;
}

template <typename... Words>
int finalize(void*& known, const char* name, const char* second_name, Words... arguments) {
  const auto real = real_function<Words...>(known, name, second_name);
  if (this_thread.inside) return real(arguments...);
  this_thread.inside = true;
  __atomic_store_n(&recording, false, __ATOMIC_RELEASE);
  if (head != nullptr) {
    head->finalize_enter = now();
    head->real_at_finalize = read_real_time();
  }
  const int result = real(arguments...);
  if (head != nullptr && head->end == End::kRunning && head->rank >= 0) {
    head->finalize_leave = now();
    head->end = End::kFinalized;
  }
  this_thread.inside = false;
  return result;
}

template <typename... Words>
int abort_all(void*& known, const char* name, const char* second_name, Words... arguments) {
  const auto real = real_function<Words...>(known, name, second_name);
  stamp_end(End::kAborted);
  return real(arguments...);
}

const int* as_level(Word address) {
  return as_pointer<int>(address);
}

}  // namespace

extern "C" {

KSTAR_EXPORTED int MPI_Init(Word count, Word texts) {
  static constinit void* known = nullptr;
  return initialize(known, "PMPI_Init", nullptr, nullptr, count, texts);
}

KSTAR_EXPORTED int MPI_Init_thread(Word count, Word texts, Word required, Word provided) {
  static constinit void* known = nullptr;
  return initialize(known, "PMPI_Init_thread", nullptr, as_level(provided), count, texts, required,
                    provided);
}

KSTAR_EXPORTED int MPI_Finalize() {
  static constinit void* known = nullptr;
  return finalize(known, "PMPI_Finalize", nullptr);
}

KSTAR_EXPORTED int MPI_Abort(Word communicator, Word code) {
  static constinit void* known = nullptr;
  return abort_all(known, "PMPI_Abort", nullptr, communicator, code);
}

#define KSTAR_BOTH(ending)                                                                         \
  KSTAR_EXPORTED void mpi_init##ending(Word error) {                                               \
    static constinit void* known = nullptr;                                                        \
    static_cast<void>(initialize(known, "pmpi_init" #ending, "mpi_init" #ending, nullptr, error)); \
  }                                                                                                \
  KSTAR_EXPORTED void mpi_init_thread##ending(Word required, Word provided, Word error) {          \
    static constinit void* known = nullptr;                                                        \
    static_cast<void>(initialize(known, "pmpi_init_thread" #ending, "mpi_init_thread" #ending,     \
                                 as_level(provided), required, provided, error));                  \
  }                                                                                                \
  KSTAR_EXPORTED void mpi_finalize##ending(Word error) {                                           \
    static constinit void* known = nullptr;                                                        \
    static_cast<void>(finalize(known, "pmpi_finalize" #ending, "mpi_finalize" #ending, error));    \
  }                                                                                                \
  KSTAR_EXPORTED void mpi_abort##ending(Word communicator, Word code, Word error) {                \
    static constinit void* known = nullptr;                                                        \
    static_cast<void>(                                                                             \
        abort_all(known, "pmpi_abort" #ending, "mpi_abort" #ending, communicator, code, error));   \
  }
KSTAR_BOTH(_)
KSTAR_BOTH(_f08_)

}  // extern "C"

}  // namespace kstar::inside
