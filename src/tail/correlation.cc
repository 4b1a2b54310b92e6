// What correlation costs is seen twice.
// 1. In how the number of exceedances of a quantile varies between stretches of m samples each:
//    d = Var(batch) / (m p (1-p)) is how many samples are worth one independent sample (batch means
//    of exceedances: Law and Kelton; Chen and Kelton, IIE Transactions 38, 2006).
// 2. In how ranks resemble the ranks k samples later: a series with the autocorrelation r(k) = a^k
//    has d = (1 + a) / (1 - a).
// The first holds for any process, but a measurement that was quiet by chance shows too little of
// it, and would be the one that gets an answer. The second is known from neighbouring samples, much
// more precisely: of M/M/1 queues at load 0.9, 1,000 samples long, the first takes one in seven for
// quieter than nine of ten queues at load 0.7 are, the second none. The larger one counts.
#include "tail/correlation.h"

#include <algorithm>
#include <cmath>

#include "kstar/distributions.h"

namespace kstar::tail {

namespace {

// All constants were chosen on the processes that bench_tail_coverage lists above its line.

/// Stretches that vary more than independent samples would by chance alone, so rarely, are
/// correlated; those that may be count without a margin. At percentiles other than the one that is
/// asked for, more rarely still.
constexpr double kStrong = 0.01, kWeak = 0.1, kOtherStrong = 0.001, kOtherWeak = 0.01;
/// Ranks that resemble each other less say nothing.
constexpr double kAlike = 0.2;
/// How far that may be off: relative to the square root of independent samples, at the median; from
/// p90 on twice as much.
constexpr double kUnsure = 5;
/// In a queue the slowest forget more slowly than the ranks do.
constexpr double kSlowest = 1.5;
/// Of sixteen stretches of time, at least about so many must share what is slow.
constexpr double kFewestEvents = 5;

struct Variation {
  double factor = 1;
  double probability = 1;  ///< of so much by chance
};

/// How much the exceedances of `batches` groups of stretches vary, relative to independent samples.
Variation variation(const std::vector<Exceedance>& stretches, std::size_t batches) {
  double count = 0, above = 0;
  for (const Exceedance& one : stretches) {
    count += one.count;
    above += one.above;
  }
  const double share = above / count;
  if (share <= 0 || share >= 1) return {};
  double squares = 0;
  for (std::size_t i = 0; i < batches; ++i) {
    Exceedance batch;
    const std::size_t end = (i + 1) * stretches.size() / batches;
    for (std::size_t j = i * stretches.size() / batches; j < end; ++j) {
      batch.count += stretches[j].count;
      batch.above += stretches[j].above;
    }
    const double miss = batch.above - share * batch.count;
    squares += miss * miss;
  }
  const double b = static_cast<double>(batches);
  Variation found;
  found.factor = squares * b / (b - 1) / (count * share * (1 - share));
  found.probability = chi_squared_beyond(found.factor * (b - 1), b - 1);
  return found;
}

/// Batches show a variance roughly: in one of ten measurements less than a part of it, whose
/// inverse this is (chi-squared with b - 1 degrees of freedom; Wilson and Hilferty).
double margin(std::size_t batches) {
  constexpr double kOneInTen = 1.2816;
  const double spread = 2.0 / (9.0 * static_cast<double>(batches - 1));
  return std::pow(1 - spread - kOneInTen * std::sqrt(spread), -3);
}

/// In which of 32 parts of all latencies each one is, in order; of batches, on average.
std::vector<float> grades(const LatencySet& set, const Distribution& distribution) {
  constexpr int kGrades = 32;
  std::vector<double> ends;
  for (int i = 1; i < kGrades; ++i) {
    ends.push_back(distribution.quantile(static_cast<double>(i) / kGrades));
  }
  std::vector<float> all;
  for (const double sample : set.samples) {
    const auto place = std::lower_bound(ends.begin(), ends.end(), sample);
    all.push_back(static_cast<float>(place - ends.begin()));
  }
  for (const LatencySketch& batch : set.batches) {
    if (!set.samples.empty() || batch.count() == 0) continue;
    double above = 0;
    for (const double end : ends) above += static_cast<double>(batch.above(end));
    all.push_back(static_cast<float>(above / static_cast<double>(batch.count())));
  }
  return all;
}

}  // namespace

/// From the lags 1, 2, 4 and so on, as long as samples are alike: noise between neighbours does not
/// hide what lasts.
double forgetting(const std::vector<float>& series) {
  const std::size_t n = series.size();
  double mean = 0, squares = 0;
  for (const float one : series) mean += one / static_cast<double>(n);
  for (const float one : series) squares += (one - mean) * (one - mean);
  constexpr double kRounding = 1e-9;
  if (squares <= kRounding * static_cast<double>(n)) return 1;
  const double alike = std::max(kAlike, 2 / std::sqrt(static_cast<double>(n)));
  constexpr std::size_t kMostOfAll = 8;
  double most = 1;
  for (std::size_t lag = 1; lag <= n / kMostOfAll; lag *= 2) {
    double products = 0;
    for (std::size_t i = 0; i + lag < n; ++i)
      products += (series[i] - mean) * (series[i + lag] - mean);
    const double r = products / squares;
    if (r < alike) break;
    const double a = std::pow(std::min(r, 1 - 1e-6), 1 / static_cast<double>(lag));
    most = std::max(most, (1 + a) / (1 - a));
  }
  return most;
}

Correlation::Correlation(const LatencySet& set, const Distribution& distribution)
    : set_(&set), distribution_(&distribution) {
  unordered_ = exceedances(set, distribution.quantile(0.5)).size() < kFewestBatches;
  if (unordered_) return;
  const std::vector<float> series = grades(set, distribution);
  const double found = forgetting(series);
  if (found > 1) {
    lags_ = found * static_cast<double>(distribution.count()) / static_cast<double>(series.size());
  }
  median_factor_ = own_factor(0.5, kOtherStrong, kOtherWeak);
  high_factor_ = own_factor(0.9, kOtherStrong, kOtherWeak);
  tail_factor_ = own_factor(0.99, kOtherStrong, kOtherWeak);
}

/// The largest over batches of several sizes: batches that are too short are correlated themselves,
/// and show too little. Where it still grows with the last doubling, it would have grown as much
/// with the next.
double Correlation::own_factor(double share, double strong, double weak) const {
  const std::vector<Exceedance> stretches = exceedances(*set_, distribution_->quantile(share));
  if (stretches.size() < kFewestBatches) return 1;
  double largest = 1, surely = 1, rarest = 1;
  std::vector<double> factors;
  for (std::size_t batches = kFewestBatches; batches <= stretches.size(); batches *= 2) {
    const Variation found = variation(stretches, batches);
    factors.push_back(found.factor);
    largest = std::max(largest, found.factor);
    surely = std::max(surely, margin(batches) * found.factor);
    rarest = std::min(rarest, found.probability);
  }
  if (rarest >= strong) return rarest < weak ? largest : 1;
  if (factors.size() > 1) {
    surely = std::max(surely, margin(kFewestBatches) * (2 * factors[0] - factors[1]));
  }
  return surely;
}

/// By ranks: with a margin that is larger the fewer independent samples there are.
double Correlation::lag_factor(double share) const {
  if (lags_ <= 1) return 1;
  const double independent = static_cast<double>(distribution_->count()) / lags_;
  const double high = std::clamp((share - 0.5) / (0.9 - 0.5), 0.0, 1.0);
  return lags_ * (1 + kUnsure * (1 + high) / std::sqrt(independent)) * (1 + (kSlowest - 1) * high);
}

/// Not less than that of percentiles below it: in a queue the slowest come together most, and are
/// too few to show it themselves.
double Correlation::factor(double share) const {
  if (unordered_) return 1;
  double factor = std::max(own_factor(share, kStrong, kWeak), lag_factor(share));
  if (share > 0.5) factor = std::max(factor, median_factor_);
  if (share > 0.9) factor = std::max(factor, high_factor_);
  if (share > 0.99) factor = std::max(factor, tail_factor_);
  return factor;
}

/// (sum e)^2 / sum e^2 of the exceedances in sixteen stretches is their number, where all have as
/// many, and 1 where one has all: then everything rests on one stall.
bool Correlation::few_events(double value) const {
  if (unordered_) return false;
  const std::vector<Exceedance> stretches = exceedances(*set_, value);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < kFewestBatches; ++i) {
    double above = 0;
    const std::size_t end = (i + 1) * stretches.size() / kFewestBatches;
    for (std::size_t j = i * stretches.size() / kFewestBatches; j < end; ++j) {
      above += stretches[j].above;
    }
    sum += above;
    squares += above * above;
  }
  return squares > 0 && sum * sum < kFewestEvents * squares;
}

}  // namespace kstar::tail
