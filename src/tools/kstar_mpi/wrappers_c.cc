// MPI_* for C and C++ programs.
#include "tools/kstar_mpi/exported.h"
#include "tools/kstar_mpi/forward.h"
#include "tools/kstar_mpi/parameters.h"

namespace kstar::inside {

extern "C" {

#define KSTAR_WRAPPER(name, n)                                                            \
  KSTAR_EXPORTED int MPI_##name(KSTAR_PARAMETERS(n)) {                                    \
    static constinit void* known = nullptr;                                               \
    return forward<k##name, Language::kC>(known, "PMPI_" #name, nullptr, KSTAR_NAMES(n)); \
  }

#define KSTAR_CALL(name, lower, n, comm, bytes, kind) KSTAR_WRAPPER(name, n)
#define KSTAR_COUNTED(name, lower, n, comm, bytes, kind) KSTAR_WRAPPER(name, n)
#define KSTAR_COLLECTIVE(name, lower, n, comm, bytes, sync, root) KSTAR_WRAPPER(name, n)
#define KSTAR_BARRIER(name, lower, n, comm) KSTAR_WRAPPER(name, n)
#define KSTAR_TEXT(name, lower, n, comm, bytes, kind) KSTAR_WRAPPER(name, n)
#define KSTAR_MAKES(name, lower, n, comm, place) KSTAR_WRAPPER(name, n)
#define KSTAR_FREES(name, lower) KSTAR_WRAPPER(name, 1)
#include "tools/kstar_mpi/calls.def"

#define KSTAR_COUNTED(name, lower, n, comm, bytes, kind) KSTAR_WRAPPER(name##_c, n)
#define KSTAR_COLLECTIVE(name, lower, n, comm, bytes, sync, root) KSTAR_WRAPPER(name##_c, n)
#include "tools/kstar_mpi/calls.def"

}  // extern "C"

}  // namespace kstar::inside
