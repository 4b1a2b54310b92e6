#pragma once

#include <cstdint>

#include "tools/kstar_mpi/call.h"

/// The MPI that the program uses: found at run time, so that one library serves them all.
namespace kstar::inside {

/// Which language made a call: Fortran hands over addresses of everything, and numbers for handles.
enum class Language : std::uint8_t { kC, kFortran };

/// Where to look first. A function is behind this library, which may have one of the same name; a
/// variable is where the program has it: the linker may have moved it into the program itself.
enum class Scope : std::uint8_t { kBehindUs, kProgram };

/// The address of an MPI function or variable, or null. Also found where the MPI library was loaded
/// privately (as Python does) and is in nobody's scope.
void* find_symbol(const char* name, Scope scope = Scope::kBehindUs);

/// The same, of a function that must exist because the program called it: else the process ends
/// with a line on standard error.
void* require_symbol(const char* name, const char* second_name);

/// A C handle (communicator, type, group) as one word: a pointer in Open MPI, an int in MPICH.
using Handle = Word;

/// The MPI's own constants and local functions. Filled by find_mpi().
struct RealMpi {
  Flavour flavour = Flavour::kUnknown;
  Handle world = 0;
  Handle self = 0;
  Handle no_communicator = 0;

  int (*comm_rank)(Handle, int*) = nullptr;
  int (*comm_size)(Handle, int*) = nullptr;
  int (*comm_test_inter)(Handle, int*) = nullptr;
  int (*comm_group)(Handle, Handle*) = nullptr;
  int (*group_free)(Handle*) = nullptr;
  int (*group_translate_ranks)(Handle, int, const int*, Handle, int*) = nullptr;
  int (*type_size)(Handle, int*) = nullptr;
  Handle (*comm_f2c)(int) = nullptr;  ///< null: a Fortran handle is the C handle
  Handle (*type_f2c)(int) = nullptr;

  /// The handle in a register whose upper half may hold anything.
  Handle handle_in(Word argument) const {
    return flavour == Flavour::kOpenMpi ? argument : static_cast<std::uint32_t>(argument);
  }
  /// The handle that `address` points to.
  Handle handle_at(Word address) const;
};

inline constinit RealMpi real_mpi;

/// Fills real_mpi; false when the functions that the recorder needs are not there.
bool find_mpi();

}  // namespace kstar::inside
