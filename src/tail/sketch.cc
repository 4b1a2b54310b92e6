// The bits of a double are its logarithm, straight between powers of two. The exponent and the top
// ten bits of the mantissa are therefore a bucket whose width is 2^-10 of its lower end or less:
// half of that is the error of its middle. No logarithm is computed, and bucket i means the same in
// every sketch, so that merging is adding (as in DDSketch: Masson, Rim, Lee, VLDB 2019).
#include <algorithm>
#include <bit>
#include <cmath>

#include "kstar/latency.h"

namespace kstar {

namespace {

constexpr int kMantissaBits = 52, kKeptBits = 10;
constexpr int kDroppedBits = kMantissaBits - kKeptBits;
constexpr std::size_t kBuckets = std::size_t{1} << (11 + kKeptBits);  // of doubles above zero
constexpr std::size_t kMostBatches = 256;
constexpr std::uint64_t kFirstBatch = 256;

/// Of a latency that is not negative.
std::uint32_t bucket_of(double seconds) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(seconds) >> kDroppedBits);
}

double bucket_end(std::uint32_t bucket) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(bucket) << kDroppedBits);
}

double bucket_middle(std::uint32_t bucket) {
  if (bucket == 0) return 0;
  return (bucket_end(bucket) + bucket_end(bucket + 1)) / 2;
}

}  // namespace

void LatencySketch::add(double seconds, std::uint64_t count) {
  const std::uint32_t bucket = bucket_of(seconds);
  const auto place = std::lower_bound(
      buckets_.begin(), buckets_.end(), bucket,
      [](const auto& entry, std::uint32_t wanted) { return entry.first < wanted; });
  if (place != buckets_.end() && place->first == bucket) {
    place->second += count;
  } else {
    buckets_.insert(place, {bucket, count});
  }
  count_ += count;
  sum_ += seconds * static_cast<double>(count);
  max_ = std::max(max_, seconds);
}

void LatencySketch::merge(const LatencySketch& other) {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> both;
  both.reserve(buckets_.size() + other.buckets_.size());
  auto a = buckets_.begin();
  auto b = other.buckets_.begin();
  while (a != buckets_.end() || b != other.buckets_.end()) {
    if (b == other.buckets_.end() || (a != buckets_.end() && a->first < b->first)) {
      both.push_back(*a++);
    } else if (a == buckets_.end() || b->first < a->first) {
      both.push_back(*b++);
    } else {
      both.emplace_back(a->first, a->second + b->second);
      ++a, ++b;
    }
  }
  buckets_ = std::move(both);
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double LatencySketch::at_rank(std::uint64_t rank) const {
  if (rank >= count_) return max_;
  std::uint64_t below = 0;
  for (const auto& [bucket, count] : buckets_) {
    below += count;
    if (below >= rank) return std::min(bucket_middle(bucket), max_);
  }
  return max_;
}

std::uint64_t LatencySketch::above(double seconds) const {
  const std::uint32_t bucket = bucket_of(seconds);
  std::uint64_t counted = 0;
  for (auto entry = buckets_.rbegin(); entry != buckets_.rend() && entry->first > bucket; ++entry) {
    counted += entry->second;
  }
  return counted;
}

std::vector<std::pair<double, std::uint64_t>> LatencySketch::buckets() const {
  std::vector<std::pair<double, std::uint64_t>> all;
  all.reserve(buckets_.size());
  for (const auto& [bucket, count] : buckets_) {
    all.emplace_back(std::min(bucket_middle(bucket), max_), count);
  }
  return all;
}

BatchedSketch::BatchedSketch() : open_(kBuckets), lowest_(kBuckets), size_(kFirstBatch) {}

void BatchedSketch::add(double seconds) {
  const std::uint32_t bucket = bucket_of(seconds);
  ++open_[bucket];
  lowest_ = std::min(lowest_, bucket);
  highest_ = std::max(highest_, bucket);
  totals_.sum_ += seconds;
  totals_.max_ = std::max(totals_.max_, seconds);
  if (++totals_.count_ == size_) close();
}

void BatchedSketch::close() {
  for (std::uint32_t i = lowest_; i <= highest_ && i < kBuckets; ++i) {
    if (open_[i] == 0) continue;
    totals_.buckets_.emplace_back(i, open_[i]);
    open_[i] = 0;
  }
  lowest_ = kBuckets;
  highest_ = 0;
  closed_.push_back(std::exchange(totals_, {}));
  if (closed_.size() < kMostBatches) return;
  for (std::size_t i = 0; i < kMostBatches; i += 2) {
    closed_[i].merge(closed_[i + 1]);
    if (i > 0) closed_[i / 2] = std::move(closed_[i]);
  }
  closed_.resize(kMostBatches / 2);
  size_ *= 2;
}

std::vector<LatencySketch> BatchedSketch::take() {
  if (totals_.count_ > 0) close();
  return std::move(closed_);
}

}  // namespace kstar
