#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace kstar::stats {

/// A sum that keeps what rounding drops. Neumaier, Rundungsfehleranalyse einiger Verfahren zur
/// Summation endlicher Summen, ZAMM 54 (1974).
class Sum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    // Whichever is smaller lost its low bits.
    lost_ += std::fabs(sum_) >= std::fabs(value) ? (sum_ - next) + value : (value - next) + sum_;
    sum_ = next;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0;
  double lost_ = 0;
};

/// What the intervals around means need. The variance, with n - 1, is NaN when n is 1.
struct Moments {
  std::size_t n = 0;
  double mean = 0;
  double variance = 0;

  double count() const { return static_cast<double>(n); }
};

/// Of at least one finite sample.
Moments moments(std::span<const double> samples);

/// Of at least one sample, in ascending order.
double median_of_sorted(std::span<const double> sorted);

}  // namespace kstar::stats
