#pragma once

#include "base/random.h"
#include "kstar/price.h"

namespace kstar::planning {

/// One run of a job of `time` undisturbed seconds, with interruptions at random; its mean is
/// expected_time().
double drawn_time(const Interruptions& interruptions, double time, double workers, Random& random);

/// The undisturbed seconds that are expected to take `elapsed`.
double undisturbed_time(const Interruptions& interruptions, double elapsed, double workers);

}  // namespace kstar::planning
