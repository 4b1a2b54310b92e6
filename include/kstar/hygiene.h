#pragma once

#include <string>
#include <vector>

#include "kstar/export.h"
#include "kstar/study_note.h"

/// What about this machine, at this moment, would spoil a measurement.
namespace kstar {

struct HygieneQuestion {
  int workers = 1;         ///< the largest K to be measured, in threads of this machine; GPUs: 1
  std::string root = "/";  ///< /proc and /sys are read below this folder
};

/// In the order of how much they spoil; those that change times are warnings. What a machine does
/// not show is not warned about.
KSTAR_EXPORT std::vector<Note> check_hygiene(const HygieneQuestion& question);

}  // namespace kstar
