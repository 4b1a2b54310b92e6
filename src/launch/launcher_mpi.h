#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kstar {

enum class MpiKind : std::uint8_t { kUnknown, kOpenMpi, kMpich, kIntel };

struct MpiVersion {
  MpiKind kind = MpiKind::kUnknown;
  int major = 0;     ///< of Open MPI
  std::string text;  ///< "Open MPI 4.1.4"
};

/// From what `mpirun --version` prints.
MpiVersion mpi_version(std::string_view printed);

}  // namespace kstar
