#pragma once

#include <string>
#include <vector>

#include "kstar/export.h"

/// What about this machine, at this moment, would spoil a measurement.
namespace kstar {

struct Warning {
  std::string what;    ///< a short fixed name: load, cpu-quota, oversubscribed ...
  std::string reason;  ///< one sentence with the numbers found
  std::string advice;  ///< what to do about it
  bool operator==(const Warning&) const = default;
};

struct HygieneQuestion {
  int workers = 1;         ///< the largest K to be measured, in threads of this machine; GPUs: 1
  std::string root = "/";  ///< /proc and /sys are read below this folder
};

/// In the order of how much they spoil. What a machine does not show is not warned about.
KSTAR_EXPORT std::vector<Warning> check_hygiene(const HygieneQuestion& question);

}  // namespace kstar
