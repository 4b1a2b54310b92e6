#pragma once

#include <set>
#include <string>
#include <vector>

#include "kstar/study.h"

/// Whether two studies differ in what was changed alone.
namespace kstar::comparing {

struct Differences {
  std::vector<Note> fatal;  ///< a ratio of the two would be one of other things
  std::vector<Note> notes;  ///< worth knowing, and what is not known
};

/// What else than the program differs, at these K. The hardware, the workload, the regime and what
/// is timed must be the same; a host's name, versions, variables and binding may differ, and it is
/// said.
Differences differences(const Study& before, const Study& after, const std::set<int>& workers);

}  // namespace kstar::comparing
