#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kstar/scaling_table.h"

/// What is seen of T(K) without any model, in numbers and in words.
namespace kstar::causes {

/// Of the program, above the base, with an efficiency; by K, at least one.
using ScaledPoints = std::vector<const ScalingPoint*>;

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

/// None with fewer than three K that lose enough.
std::optional<OverheadGrowth> growth_of(const ScaledPoints& points, int base, double confidence);
std::string growth_text(const OverheadGrowth& growth);

/// Karp and Flatt's serial fraction: constant where a serial part is all, rising where not.
std::optional<std::string> karp_flatt_text(const ScaledPoints& points);

/// T rises from the K of least time to the last one, beyond their intervals.
std::optional<std::string> rising_text(const ScaledPoints& points);

/// T does not fall any more over the last three K or more.
std::optional<std::string> flat_text(const ScaledPoints& points);

}  // namespace kstar::causes
