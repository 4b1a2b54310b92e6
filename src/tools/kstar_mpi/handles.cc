// Calls that change what a handle means, too short to record: types that go (their number may come
// back as another type) and names of communicators.
#include <cstring>

#include "tools/kstar_mpi/exported.h"
#include "tools/kstar_mpi/forward.h"

namespace kstar::inside {

namespace {

template <typename... Words>
int free_type(void*& known, const char* name, const char* second_name, Words... arguments) {
  const int result = real_function<Words...>(known, name, second_name)(arguments...);
  if (recording && !this_thread.inside) forget_handles();
  return result;
}

/// Without the blanks that Fortran fills up with.
std::size_t length_of(const char* text, std::size_t length) {
  while (length > 0 && text[length - 1] == ' ') --length;
  return length;
}

/// `length` is the text's; Fortran hands it over behind everything, C not at all.
template <Language kLanguage, typename... Words>
int name_communicator(void*& known, const char* name, const char* second_name, std::size_t length,
                      Words... arguments) {
  const auto real = real_function<Words...>(known, name, second_name);
  const Word words[] = {arguments...};
  if (recording && !this_thread.inside) {
    communicator_named(key_of<kLanguage>(words[0]), as_pointer<char>(words[1]), length);
  }
  return real(arguments...);
}

}  // namespace

extern "C" {

KSTAR_EXPORTED int MPI_Type_free(Word type) {
  static constinit void* known = nullptr;
  return free_type(known, "PMPI_Type_free", nullptr, type);
}

KSTAR_EXPORTED int MPI_Comm_set_name(Word communicator, Word text) {
  static constinit void* known = nullptr;
  return name_communicator<Language::kC>(known, "PMPI_Comm_set_name", nullptr,
                                         std::strlen(as_pointer<char>(text)), communicator, text);
}

#define KSTAR_BOTH(ending)                                                                 \
  KSTAR_EXPORTED void mpi_type_free##ending(Word type, Word error) {                       \
    static constinit void* known = nullptr;                                                \
    static_cast<void>(                                                                     \
        free_type(known, "pmpi_type_free" #ending, "mpi_type_free" #ending, type, error)); \
  }                                                                                        \
  KSTAR_EXPORTED void mpi_comm_set_name##ending(Word communicator, Word text, Word error,  \
                                                Word length) {                             \
    static constinit void* known = nullptr;                                                \
    const auto* start = as_pointer<char>(text);                                            \
    static_cast<void>(name_communicator<Language::kFortran>(                               \
        known, "pmpi_comm_set_name" #ending, "mpi_comm_set_name" #ending,                  \
        length_of(start, length), communicator, text, error, length));                     \
  }
KSTAR_BOTH(_)
KSTAR_BOTH(_f08_)

}  // extern "C"

}  // namespace kstar::inside
