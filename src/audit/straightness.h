#pragma once

#include <optional>

#include "audit/evidence.h"

namespace kstar {

/// How well the points sit on a smooth curve, measured by their own noise.
struct Straightness {
  std::size_t points = 0;
  double least_noise = 0;  ///< of a run, relative, within K and block: at the quietest K
  double most_noise = 0;   ///< and at the noisiest
  double scatter = 0;  ///< of the points around the curve, in standard errors (root mean square)
  double chance = 1;   ///< that honest noise leaves them as close to it, or closer; at most
};

/// None where there are too few points or repeats to say.
std::optional<Straightness> straightness(const Evidence& evidence);

}  // namespace kstar
