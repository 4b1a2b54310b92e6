#pragma once

#include <vector>

#include "compare/side.h"

/// Whether two studies differ in what was changed alone.
namespace kstar::comparing {

struct Differences {
  std::vector<Note> fatal;  ///< a ratio of the two would be one of other things
  std::vector<Note> notes;  ///< worth knowing, and what is not known
};

/// What else than the program differs, at the K compared. The hardware, the workload, the regime
/// that S and E are computed in and what is timed must be the same; a host's name, versions,
/// variables and binding may differ, and it is said.
Differences differences(const Side& before, const Side& after);

}  // namespace kstar::comparing
