// mpi_*_ for mpif.h and `use mpi`, mpi_*_f08_ for `use mpi_f08`. Open MPI's own call its PMPI_*
// functions, which nobody else sees; MPICH's call MPI_*, which is then not counted again. Behind
// the arguments comes the place for the error code, then the length of a text.
#include "tools/kstar_mpi/exported.h"
#include "tools/kstar_mpi/forward.h"
#include "tools/kstar_mpi/parameters.h"

namespace kstar::inside {

extern "C" {

#define KSTAR_WRAPPER(name, symbol, n, ...)                                                        \
  KSTAR_EXPORTED void mpi_##symbol(KSTAR_PARAMETERS(n),                                            \
                                   Word error __VA_OPT__(, Word) __VA_ARGS__) {                    \
    static constinit void* known = nullptr;                                                        \
    static_cast<void>(forward<k##name, Language::kFortran>(known, "pmpi_" #symbol, "mpi_" #symbol, \
                                                           KSTAR_NAMES(n),                         \
                                                           error __VA_OPT__(, ) __VA_ARGS__));     \
  }

#define KSTAR_BOTH(name, lower, n, ...)                       \
  KSTAR_WRAPPER(name, lower##_, n __VA_OPT__(, ) __VA_ARGS__) \
  KSTAR_WRAPPER(name, lower##_f08_, n __VA_OPT__(, ) __VA_ARGS__)

#define KSTAR_CALL(name, lower, n, comm, bytes, kind) KSTAR_BOTH(name, lower, n)
#define KSTAR_COUNTED(name, lower, n, comm, bytes, kind) KSTAR_BOTH(name, lower, n)
#define KSTAR_COLLECTIVE(name, lower, n, comm, bytes, sync, root) KSTAR_BOTH(name, lower, n)
#define KSTAR_BARRIER(name, lower, n, comm) KSTAR_BOTH(name, lower, n)
#define KSTAR_TEXT(name, lower, n, comm, bytes, kind) KSTAR_BOTH(name, lower, n, length)
#define KSTAR_MAKES(name, lower, n, comm, place) KSTAR_BOTH(name, lower, n)
#define KSTAR_FREES(name, lower) KSTAR_BOTH(name, lower, 1)
#include "tools/kstar_mpi/calls.def"

}  // extern "C"

}  // namespace kstar::inside
