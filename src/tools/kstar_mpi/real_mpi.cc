#include "tools/kstar_mpi/real_mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kstar::inside {

namespace {

struct Search {
  const char* name;
  void* found;
};

/// Asks one loaded library. It is open already: opening it once more loads nothing.
int ask_library(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto* search = static_cast<Search*>(data);
  if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, "libkstar_mpi") != nullptr) {
    return 0;
  }
  if (info->dlpi_name[0] == '\0') return 0;  // the program itself: in the global scope
  void* library = ::dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return 0;
  search->found = ::dlsym(library, search->name);
  ::dlclose(library);
  return search->found != nullptr ? 1 : 0;
}

template <typename Function>
bool find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(find_symbol(name));
  return function != nullptr;
}

}  // namespace

void* find_symbol(const char* name, Scope scope) {
  void* where = scope == Scope::kBehindUs ? RTLD_NEXT : RTLD_DEFAULT;
  if (void* found = ::dlsym(where, name)) return found;
  Search search{name, nullptr};
  ::dl_iterate_phdr(ask_library, &search);
  return search.found;
}

void* require_symbol(const char* name, const char* second_name) {
  void* found = find_symbol(name);
  if (found == nullptr && second_name != nullptr) found = find_symbol(second_name);
  if (found == nullptr) {
    char text[160];
    const int length =
        std::snprintf(text, sizeof text, "libkstar_mpi: this MPI has no function %s\n", name);
    if (length > 0)
      static_cast<void>(!::write(STDERR_FILENO, text, static_cast<std::size_t>(length)));
    std::abort();
  }
  return found;
}

Handle RealMpi::handle_at(Word address) const {
  if (flavour == Flavour::kOpenMpi) return *as_pointer<Word>(address);
  return *as_pointer<std::uint32_t>(address);
}

bool find_mpi() {
  RealMpi& mpi = real_mpi;
  if (void* world = find_symbol("ompi_mpi_comm_world", Scope::kProgram)) {
    mpi.flavour = Flavour::kOpenMpi;
    mpi.world = reinterpret_cast<Handle>(world);
    mpi.self = reinterpret_cast<Handle>(find_symbol("ompi_mpi_comm_self", Scope::kProgram));
    mpi.no_communicator =
        reinterpret_cast<Handle>(find_symbol("ompi_mpi_comm_null", Scope::kProgram));
    if (!find(mpi.comm_f2c, "PMPI_Comm_f2c") || !find(mpi.type_f2c, "PMPI_Type_f2c")) return false;
  } else {  // the common ABI of MPICH, Intel MPI, MVAPICH and Cray MPI
    mpi.flavour = Flavour::kMpich;
    mpi.world = 0x44000000;
    mpi.self = 0x44000001;
    mpi.no_communicator = 0x04000000;
  }
  return find(mpi.comm_rank, "PMPI_Comm_rank") && find(mpi.comm_size, "PMPI_Comm_size") &&
         find(mpi.comm_test_inter, "PMPI_Comm_test_inter") &&
         find(mpi.comm_group, "PMPI_Comm_group") && find(mpi.group_free, "PMPI_Group_free") &&
         find(mpi.group_translate_ranks, "PMPI_Group_translate_ranks") &&
         find(mpi.type_size, "PMPI_Type_size");
}

}  // namespace kstar::inside
