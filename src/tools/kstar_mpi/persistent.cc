#include "tools/kstar_mpi/persistent.h"

#include <pthread.h>

#include "tools/kstar_mpi/exported.h"
#include "tools/kstar_mpi/forward.h"

namespace kstar::inside {

namespace {

/// A table that starts read while others are made: a key is stored behind its bytes.
struct Entry {
  Key key;
  std::uint64_t bytes;
};
constexpr std::size_t kEntries = 8192, kMostProbes = 32;
constexpr Key kEmpty = 0, kGone = 1;  // no handle has these numbers
Entry entries[kEntries];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

std::size_t home_of(Key key) {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 51);
}

Key key_at_place(std::size_t place) {
  return __atomic_load_n(&entries[place % kEntries].key, __ATOMIC_ACQUIRE);
}

Entry* find_request(Key key) {
  for (std::size_t i = home_of(key); i < home_of(key) + kMostProbes; ++i) {
    const Key here = key_at_place(i);
    if (here == key) return &entries[i % kEntries];
    if (here == kEmpty) return nullptr;
  }
  return nullptr;
}

Entry* place_for(Key key) {
  if (Entry* known = find_request(key)) return known;
  for (std::size_t i = home_of(key); i < home_of(key) + kMostProbes; ++i) {
    if (key_at_place(i) <= kGone) return &entries[i % kEntries];
  }
  return nullptr;
}

/// MPI_Send_init and its kin: buffer, count, type, destination, tag, communicator, request.
template <Language kLanguage, typename... Words>
int make_send(void*& known, const char* name, const char* second_name, Words... arguments) {
  const int result = real_function<Words...>(known, name, second_name)(arguments...);
  if (!recording || this_thread.inside) return result;
  const Word words[] = {arguments...};
  const Arguments<kLanguage, false> given{words, this_thread};
  remember_request(key_at<kLanguage>(words[6]), given.bytes(given.number(1), 2));
  return result;
}

template <Language kLanguage, typename... Words>
int free_request(void*& known, const char* name, const char* second_name, Words... arguments) {
  const Word words[] = {arguments...};
  if (recording && !this_thread.inside) forget_request(key_at<kLanguage>(words[0]));
  return real_function<Words...>(known, name, second_name)(arguments...);
}

}  // namespace

void remember_request(Key request, std::uint64_t bytes) {
  ::pthread_mutex_lock(&mutex);
  if (Entry* entry = place_for(request)) {
    entry->bytes = bytes;
    __atomic_store_n(&entry->key, request, __ATOMIC_RELEASE);
  }
  ::pthread_mutex_unlock(&mutex);
}

void forget_request(Key request) {
  ::pthread_mutex_lock(&mutex);
  if (Entry* entry = find_request(request)) {
    __atomic_store_n(&entry->key, kGone, __ATOMIC_RELEASE);
  }
  ::pthread_mutex_unlock(&mutex);
}

std::uint64_t bytes_of_request(Key request) {
  const Entry* entry = find_request(request);
  return entry != nullptr ? entry->bytes : 0;
}

extern "C" {

#define KSTAR_SEND_INIT(name, lower)                                                      \
  KSTAR_EXPORTED int MPI_##name(Word a, Word b, Word c, Word d, Word e, Word f, Word g) { \
    static constinit void* known = nullptr;                                               \
    return make_send<Language::kC>(known, "PMPI_" #name, nullptr, a, b, c, d, e, f, g);   \
  }                                                                                       \
  KSTAR_FORTRAN_INIT(lower##_)                                                            \
  KSTAR_FORTRAN_INIT(lower##_f08_)
#define KSTAR_FORTRAN_INIT(symbol)                                                                \
  KSTAR_EXPORTED void mpi_##symbol(Word a, Word b, Word c, Word d, Word e, Word f, Word g,        \
                                   Word error) {                                                  \
    static constinit void* known = nullptr;                                                       \
    static_cast<void>(make_send<Language::kFortran>(known, "pmpi_" #symbol, "mpi_" #symbol, a, b, \
                                                    c, d, e, f, g, error));                       \
  }
KSTAR_SEND_INIT(Send_init, send_init)
KSTAR_SEND_INIT(Bsend_init, bsend_init)
KSTAR_SEND_INIT(Ssend_init, ssend_init)
KSTAR_SEND_INIT(Rsend_init, rsend_init)

KSTAR_EXPORTED int MPI_Request_free(Word request) {
  static constinit void* known = nullptr;
  return free_request<Language::kC>(known, "PMPI_Request_free", nullptr, request);
}
KSTAR_EXPORTED void mpi_request_free_(Word request, Word error) {
  static constinit void* known = nullptr;
  static_cast<void>(free_request<Language::kFortran>(known, "pmpi_request_free_",
                                                     "mpi_request_free_", request, error));
}
KSTAR_EXPORTED void mpi_request_free_f08_(Word request, Word error) {
  static constinit void* known = nullptr;
  static_cast<void>(free_request<Language::kFortran>(known, "pmpi_request_free_f08_",
                                                     "mpi_request_free_f08_", request, error));
}

}  // extern "C"

}  // namespace kstar::inside
