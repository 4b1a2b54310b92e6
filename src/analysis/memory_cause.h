#pragma once

#include "kstar/analysis.h"

namespace kstar {

/// Fills in Analysis::memory and ::reach, and names shared bandwidth among the causes where it is
/// one.
void add_machine(const Study& study, Analysis& analysis);

}  // namespace kstar
