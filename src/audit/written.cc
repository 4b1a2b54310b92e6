#include "audit/written.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kstar {

namespace {

Written written_at(const Study& study, int workers, bool inverse) {
  Written written{.workers = workers, .values = {}};
  for (const Run* run : runs_at(study, workers)) {
    const std::optional<double> time = steady_time(*run);
    if (time && *time > 0) written.values.push_back(inverse ? 1 / *time : *time);
  }
  if (written.values.empty()) return written;
  const auto n = static_cast<double>(written.values.size());
  written.mean = std::accumulate(written.values.begin(), written.values.end(), 0.0) / n;
  const auto [least, most] = std::minmax_element(written.values.begin(), written.values.end());
  if (*least == *most) return written;
  for (const double value : written.values) {
    written.variance += (value - written.mean) * (value - written.mean) / (n - 1);
  }
  return written;
}

}  // namespace

std::vector<Written> written_values(const Evidence& evidence) {
  std::vector<Written> all;
  for (const ScalingPoint* point : evidence.curve) {
    all.push_back(written_at(evidence.study, point->workers, is_inverse(evidence.study)));
  }
  return all;
}

std::map<int, OpenTime> open_times(const Evidence& evidence) {
  constexpr double kOneStep = 1.2;  // with what doubles make of it
  const std::vector<Written> all = written_values(evidence);
  WrittenDigits digits;
  for (const Written& written : all) {
    for (const double value : written.values) digits.see(value);
  }
  std::map<int, OpenTime> open;
  if (digits.significant() >= WrittenDigits::kMeant) return open;
  for (const Written& written : all) {
    if (written.values.empty()) continue;
    const double step = digits.step(written.mean);
    const auto [least, most] = std::minmax_element(written.values.begin(), written.values.end());
    open[written.workers] = {0.5 * step / written.mean, *most - *least > kOneStep * step};
  }
  return open;
}

WrittenSteps::WrittenSteps(const std::vector<Written>& all) {
  for (const Written& written : all) {
    for (const double value : written.values) digits_.see(value);
  }
  find_common(all);
}

/// Of halves and quarters of a second all numbers are multiples.
void WrittenSteps::find_common(const std::vector<Written>& all) {
  constexpr double kMostSteps = 1e15;
  double finest = INFINITY;
  for (const Written& written : all) {
    for (const double value : written.values) finest = std::min(finest, digits_.step(value));
  }
  long long common = 0;
  for (const Written& written : all) {
    for (const double value : written.values) {
      if (value / finest > kMostSteps) return;
      common = std::gcd(common, std::llround(value / finest));
    }
  }
  if (common > 0) common_ = static_cast<double>(common) * finest;
}

}  // namespace kstar
