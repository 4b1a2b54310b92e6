#include "tail/distribution.h"

#include <algorithm>
#include <cmath>

namespace kstar::tail {

namespace {

constexpr std::size_t kStretches = 256;
/// Buckets of this relative width, or more, are not narrow.
constexpr double kWide = 0.02;

}  // namespace

std::uint64_t rank_of(double share, std::uint64_t count) {
  const double exact = share * static_cast<double>(count);
  const double near = std::round(exact);
  const double rank =
      std::fabs(exact - near) <= 1e-9 * std::max(1.0, exact) ? near : std::ceil(exact);
  return std::clamp<std::uint64_t>(static_cast<std::uint64_t>(rank), 1, count);
}

Distribution::Distribution(const LatencySet& set) {
  if (!set.samples.empty()) {
    std::vector<double> sorted = set.samples;
    std::sort(sorted.begin(), sorted.end());
    for (const double value : sorted) add(value, 1);
  } else if (!set.spectrum.empty()) {
    wide_ = set.batches.empty() || set.bucket_error > kWide;
    for (const auto& [value, count] : set.spectrum) add(value, count);
    if (!set.rows.empty()) add_points(set);
  } else if (!set.batches.empty()) {
    // Pairwise, so that the merged ones stay small for long.
    std::vector<LatencySketch> level = set.batches;
    while (level.size() > 1) {
      for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
        level[i].merge(level[i + 1]);
        if (i > 0) level[i / 2] = std::move(level[i]);
      }
      if (level.size() % 2 == 1) level[level.size() / 2] = std::move(level.back());
      level.resize((level.size() + 1) / 2);
    }
    for (const auto& [value, count] : level[0].buckets()) add(value, count);
    if (!values_.empty()) values_.back() = level[0].max();
  }
}

Distribution::Distribution(const std::vector<std::pair<double, std::uint64_t>>& counts) {
  for (const auto& [value, count] : counts) add(value, count);
}

void Distribution::add(double value, std::uint64_t count) {
  if (count == 0) return;
  const std::uint64_t before = this->count();
  if (!values_.empty() && value <= values_.back()) {
    upto_.back() += count;
    return;
  }
  values_.push_back(value);
  upto_.push_back(before + count);
}

/// A row says what its share is within, and how many latencies are: between the two it is flat.
void Distribution::add_points(const LatencySet& set) {
  constexpr double kSame = 1e-9;
  points_ = set.rows;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    points_.emplace_back(static_cast<double>(upto_[i]) / static_cast<double>(count()), values_[i]);
  }
  for (const StatedPercentile& one : set.stated) {
    const bool known = std::any_of(set.rows.begin(), set.rows.end(), [&](const auto& row) {
      return std::fabs(row.first - one.share) < kSame;
    });
    if (!known) points_.emplace_back(one.share, one.value);
  }
  std::sort(points_.begin(), points_.end());
  double most = 0;  // what is printed with fewer digits may be out of step
  for (auto& [share, value] : points_) value = most = std::max(most, value);
}

double Distribution::at_rank(std::uint64_t rank, bool lower) const {
  const auto place = std::lower_bound(upto_.begin(), upto_.end(), rank);
  const auto i = static_cast<std::size_t>(std::min(place, upto_.end() - 1) - upto_.begin());
  return lower && wide_ && i > 0 ? values_[i - 1] : values_[i];
}

double Distribution::quantile(double share) const {
  return at_rank(rank_of(share, count()));
}

double Distribution::estimate(double share) const {
  if (points_.empty()) return quantile(share);
  const auto next = std::lower_bound(points_.begin(), points_.end(), std::pair(share - 1e-9, 0.0));
  if (next == points_.end()) return max();
  if (next == points_.begin() || next->first <= share + 1e-9) return next->second;
  const auto &a = *(next - 1), &b = *next;
  return a.second + (share - a.first) / (b.first - a.first) * (b.second - a.second);
}

double Distribution::interpolated(double share) const {
  const double place = share * static_cast<double>(count() - 1);
  const double below = std::floor(place);
  const double low = at_rank(static_cast<std::uint64_t>(below) + 1);
  const double high = at_rank(std::min(static_cast<std::uint64_t>(below) + 2, count()));
  return low + (high - low) * (place - below);
}

std::uint64_t Distribution::above(double value) const {
  const auto place = std::upper_bound(values_.begin(), values_.end(), value);
  if (place == values_.begin()) return count();
  return count() - upto_[static_cast<std::size_t>(place - values_.begin()) - 1];
}

double Distribution::mean() const {
  double sum = 0;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    sum += values_[i] * static_cast<double>(upto_[i] - before);
    before = upto_[i];
  }
  return sum / static_cast<double>(count());
}

std::vector<Exceedance> exceedances(const LatencySet& set, double value) {
  std::vector<Exceedance> all;
  if (!set.ordered) return all;
  if (set.samples.empty()) {
    for (const LatencySketch& batch : set.batches) {
      if (batch.count() == 0) continue;
      all.push_back({static_cast<double>(batch.count()), static_cast<double>(batch.above(value))});
    }
    return all;
  }
  const std::size_t n = set.samples.size();
  const std::size_t stretches = std::min(kStretches, n / 2);
  for (std::size_t i = 0; i < stretches; ++i) {
    const std::size_t begin = i * n / stretches, end = (i + 1) * n / stretches;
    Exceedance one{static_cast<double>(end - begin), 0};
    for (std::size_t j = begin; j < end; ++j) one.above += set.samples[j] > value ? 1 : 0;
    all.push_back(one);
  }
  return all;
}

}  // namespace kstar::tail
