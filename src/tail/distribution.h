#pragma once

#include <cstdint>
#include <vector>

#include "kstar/latency.h"

/// How latencies are distributed, whatever they were read from.
namespace kstar::tail {

/// Values, ascending, with how many latencies are at or below each. Of a spectrum, a latency lies
/// between the value before and its own.
class Distribution {
 public:
  Distribution() = default;
  explicit Distribution(const LatencySet& set);
  /// Of values with counts, ascending.
  explicit Distribution(const std::vector<std::pair<double, std::uint64_t>>& counts);

  bool empty() const { return values_.empty(); }
  std::uint64_t count() const { return upto_.empty() ? 0 : upto_.back(); }
  /// Its values are the ends of buckets that may be far apart.
  bool wide() const { return wide_; }
  /// They are the rows of a table of percentiles.
  bool table() const { return !points_.empty(); }
  double max() const { return values_.back(); }
  /// The latency at this rank, from 1 to count(); `lower` takes the lower end of a wide bucket.
  double at_rank(std::uint64_t rank, bool lower = false) const;
  /// The smallest latency that at least this share is at or below.
  double quantile(double share) const;
  /// The same; of a table of percentiles as it states it, or in a straight line between its rows.
  double estimate(double share) const;
  /// Between the two nearest ranks, as numpy, R (type 7) and spreadsheets have it.
  double interpolated(double share) const;
  /// How many are above.
  std::uint64_t above(double value) const;
  double mean() const;
  const std::vector<double>& values() const { return values_; }
  const std::vector<std::uint64_t>& upto() const { return upto_; }

 private:
  void add(double value, std::uint64_t count);
  void add_points(const LatencySet& set);

  std::vector<double> values_;
  std::vector<std::uint64_t> upto_;
  std::vector<std::pair<double, double>> points_;  ///< of a table: shares and values, ascending
  bool wide_ = false;
};

/// ceil(share n), without the rounding of 0.07 x 100.
std::uint64_t rank_of(double share, std::uint64_t count);

/// A stretch of time: how many latencies, and how many above a value.
struct Exceedance {
  double count = 0;
  double above = 0;
};

/// In at most 256 stretches of about the same size, in order; empty where there is no order.
std::vector<Exceedance> exceedances(const LatencySet& set, double value);

}  // namespace kstar::tail
