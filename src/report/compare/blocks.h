#pragma once

#include "kstar/compare.h"
#include "kstar/document.h"

/// The parts of the page of a Comparison. What has no rows or items has nothing to say.
namespace kstar {

Items gate_items(const Comparison& comparison);
Table time_change_table(const Comparison& comparison);
Table efficiency_change_table(const Comparison& comparison);
Items bend_items(const Comparison& comparison);
Items part_items(const Comparison& comparison);
Items cause_items(const Comparison& comparison);

}  // namespace kstar
