#pragma once

#include <set>
#include <string>
#include <vector>

#include "compare/side.h"
#include "kstar/study.h"

/// Whether two studies differ in what was changed alone.
namespace kstar::comparing {

/// What differs between two studies besides their times.
struct Differences {
  std::vector<Note> fatal;  ///< a ratio of the two would be one of other things
  std::vector<Note> notes;  ///< worth knowing, and what is not known
};

Note note(Severity severity, std::string what, NoteValues values, std::string where = {});

/// Something that cannot be checked, as one study or both do not state it.
Note unknown_note(std::string what, bool before, bool after);

/// The kinds of hosts of a study, each once; empty where it does not say.
std::set<std::string> kinds_of(const Study& study);

/// What else than the program differs, at the K compared. The hardware, the workload, the regime
/// that S and E are computed in and what is timed must be the same; a host's name, versions,
/// settings of the build or the software, variables and binding may differ, and it is said.
Differences differences(const Side& before, const Side& after);

}  // namespace kstar::comparing
