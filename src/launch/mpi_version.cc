#include "launch/mpi_version.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/text.h"

namespace kstar {

namespace {

/// The first word behind `mark`; empty when it is not there.
std::string word_behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  if (at == text.npos) return {};
  std::string_view rest = text.substr(at + mark.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  return printable(rest.substr(0, rest.find_first_of(" \t\r\n,")));
}

}  // namespace

MpiVersion mpi_version(std::string_view printed) {
  // "mpirun (Open MPI) 4.1.4", "mpirun.openmpi (OpenRTE) 4.1.4", "prterun (PRRTE) 3.0.2"
  for (const std::string_view mark : {"(Open MPI)", "(OpenRTE)"}) {
    const std::string version = word_behind(printed, mark);
    if (version.empty()) continue;
    const auto major = parse_integer(std::string_view(version).substr(0, version.find('.')));
    return {MpiKind::kOpenMpi, static_cast<int>(major.value_or(0)), "Open MPI " + version};
  }
  if (const std::string version = word_behind(printed, "(PRRTE)"); !version.empty()) {
    return {MpiKind::kOpenMpi, 5, "Open MPI's PRRTE " + version};
  }
  if (printed.find("Intel(R) MPI") != printed.npos) {
    return {MpiKind::kIntel, 0, "Intel MPI " + word_behind(printed, "Version")};
  }
  if (printed.find("HYDRA") != printed.npos) {
    return {MpiKind::kMpich, 0, "MPICH " + word_behind(printed, "Version:")};
  }
  const std::string_view first = trim(printed.substr(0, printed.find('\n')));
  return {MpiKind::kUnknown, 0,
          first.empty() ? "unknown" : fmt::format("unknown: {}", shorten(printable(first), 60))};
}

}  // namespace kstar
