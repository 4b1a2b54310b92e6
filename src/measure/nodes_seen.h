#pragma once

#include "kstar/study.h"

namespace kstar {

/// Notes where runs of the same K were on different nodes, whether that shows in their times, and
/// which node is slow where the data say so. For runs that know their hosts.
///
/// Per K: every set of nodes with at least 3 runs is compared with the other runs of that K, as a
/// ratio of means (Welch on logarithms); with m sets compared, each interval has the confidence
/// 1 - (1 - c)/m, so that together they have c (Bonferroni).
///
/// A node: its runs against those of the same K without it, over all K. At each K that has both,
/// logarithms of times are taken relative to the middle between the two means, so that what K does
/// to the time cancels; then as above. The slowest node is named first, and its runs are left out
/// when the others are compared: a node is not slow because it was beside a slow one.
void note_nodes(double confidence, Study& study);

}  // namespace kstar
