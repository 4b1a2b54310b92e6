#pragma once

#include <vector>

#include "compare/side.h"

namespace kstar::comparing {

/// What a reader of the ratios must know: K that were left out, another base, what the intervals do
/// not hold, and each side's own warnings. `before` and `after` are the times of all K.
std::vector<Note> notes_on(const Times& before, const Times& after, const Side& first,
                           const Side& second);

}  // namespace kstar::comparing
