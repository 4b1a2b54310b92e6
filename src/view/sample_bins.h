#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Samples in the order in which they were taken, and what is left of them where they are too many
/// to be drawn one by one.
namespace kstar::view {

struct DrawnSample {
  double x = 0;  ///< its place, from 1 on
  double y = 0;  ///< over the median of its K
  std::size_t run = 0;
  std::size_t step = 0;
};

/// Neighbours in one.
struct SampleBin {
  double first = 0;  ///< place of the first and of the last
  double last = 0;
  std::size_t count = 0;
  double median = 0;
  DrawnSample lowest;
  DrawnSample highest;
};

/// At most `bins`, of equal width in x; those without samples are left out. The lowest and the
/// highest sample of all are those of some bin.
std::vector<SampleBin> binned(const std::vector<DrawnSample>& samples, std::size_t bins);

}  // namespace kstar::view
