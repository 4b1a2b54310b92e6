#include "view/sample_bins.h"

#include <algorithm>
#include <cmath>

namespace kstar::view {

namespace {

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

std::vector<SampleBin> binned(const std::vector<DrawnSample>& samples, std::size_t bins) {
  std::vector<SampleBin> all;
  if (samples.empty()) return all;
  const double start = samples.front().x;
  const double width = (samples.back().x - start + 1) / static_cast<double>(bins);
  std::vector<double> values;
  std::size_t at = 0;
  while (at < samples.size()) {
    const double bin = std::floor((samples[at].x - start) / width);
    SampleBin one;
    one.first = samples[at].x;
    one.lowest = one.highest = samples[at];
    values.clear();
    for (; at < samples.size() && std::floor((samples[at].x - start) / width) == bin; ++at) {
      const DrawnSample& sample = samples[at];
      values.push_back(sample.y);
      if (sample.y < one.lowest.y) one.lowest = sample;
      if (sample.y > one.highest.y) one.highest = sample;
      one.last = sample.x;
    }
    one.count = values.size();
    one.median = median_of(values);
    all.push_back(one);
  }
  return all;
}

}  // namespace kstar::view
