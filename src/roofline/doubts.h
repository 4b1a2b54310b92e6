#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kstar/roofline.h"

/// Why kernels and ceilings may not belong together.
namespace kstar::roofline {

std::optional<double> reported_of(const RooflineKernel& kernel, std::string_view of);

/// What is not to be believed is not said.
void forget(RooflinePlace& place);

/// Why the machine file is not of the GPU of this profile, and not used; "" where it may be.
std::string other_gpu(const RooflineProfile& profile, const Roofline& result);

/// What makes the answer doubtful is said, and what then is not known is forgotten.
void add_doubts(const RooflineProfile& profile, Roofline& result);

/// Which threads the ceilings are of, and why.
void say_threads(const RooflineOptions& options, bool gpu, Roofline& result);

}  // namespace kstar::roofline
