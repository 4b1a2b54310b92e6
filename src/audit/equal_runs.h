#pragma once

#include <vector>

#include "audit/evidence.h"

namespace kstar {

/// K whose runs are all equal, and whether rounding alone explains it.
struct EqualRuns {
  std::size_t repeated = 0;  ///< K with two runs or more
  std::vector<int> equal;    ///< of those, the K whose runs are all equal
  std::size_t often = 0;     ///< of those, with three runs or more: two may be equal by chance
  std::size_t precise = 0;   ///< of those, equal in four digits or more
  bool some_differ = false;  ///< there are K whose runs differ: their noise is known
  /// That as many runs as there are at each equal K are rounded to one value, by the noise of the
  /// K that makes it likeliest; 1 where no K differs.
  double chance = 1;
};

EqualRuns equal_runs(const Evidence& evidence);

}  // namespace kstar
