#pragma once

#include <cstddef>

#include "kstar/causes.h"
#include "kstar/scaling_table.h"

/// What T(K) alone says about causes: how the overhead grows with K, and how its spread does.
namespace kstar::causes {

/// The overhead o = 1/E - 1 is the time that all workers spend on something else than the base's
/// work, in units of that work. With k = K / K0, the base's, it grows as (k - 1)^p:
///   p = 0  a share of each worker's time: imbalance, a slow worker, slower computation
///   p = 1  a constant time a step in strong scaling: Karp and Flatt's e = o / (k - 1) is constant
///   more   a time that grows with K: communication, contention
struct OverheadGrowth {
  double power = 0;
  double low = 0;
  double high = 0;
  std::size_t points = 0;  ///< K with an overhead to speak of
};

Diagnosis diagnose_shape(const Study& study, const ScalingTable& table, double confidence);

}  // namespace kstar::causes
