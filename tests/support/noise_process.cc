#include "support/noise_process.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <stdexcept>

namespace kstar::noise {

namespace {

/// The sum over lags that every stationary process shares; `covariance(0)` is the variance.
template <typename Covariance>
double mean_variance(std::size_t n, std::size_t lags, Covariance covariance) {
  double sum = covariance(0);
  for (std::size_t lag = 1; lag < std::min(n, lags); ++lag) {
    sum += 2 * (1 - static_cast<double>(lag) / static_cast<double>(n)) * covariance(lag);
  }
  return sum / static_cast<double>(n);
}

// 0.3^40 is nothing.
constexpr std::size_t kLags = 40;

class Autoregressive : public Process {
 public:
  Autoregressive(double variation, double correlation)
      : variation_(variation), correlation_(correlation) {}

 protected:
  double step(Random& random, double& state) const {
    const double z = random.normal();
    state = std::isinf(state)
                ? z
                : correlation_ * state + std::sqrt(1 - correlation_ * correlation_) * z;
    return state;
  }
  double correlation(std::size_t lag) const {
    return std::pow(correlation_, static_cast<double>(lag));
  }
  double variation_;
  double correlation_;
};

class Normal : public Autoregressive {
 public:
  Normal(double variation, double correlation, double rare)
      : Autoregressive(variation, correlation), rare_(rare) {}
  double next(Random& random, double& state) const override {
    const double sample = 1 + variation_ * step(random, state);
    if (rare_ == 0) return sample;
    return random.uniform() < rare_ ? sample + random.uniform(kLeast, kMost) : sample;
  }
  double mean() const override { return 1 + rare_ * kMiddle; }
  double variance_of_mean(std::size_t n) const override {
    const double square = kMiddle * kMiddle + (kMost - kLeast) * (kMost - kLeast) / 12;
    const double of_rare = rare_ * square - rare_ * rare_ * kMiddle * kMiddle;
    const double of_normal = mean_variance(
        n, kLags, [&](std::size_t lag) { return variation_ * variation_ * correlation(lag); });
    return (of_normal + of_rare / static_cast<double>(n)) / (mean() * mean());
  }

 private:
  static constexpr double kLeast = 0.1, kMost = 0.5, kMiddle = 0.3;
  double rare_;
};

class Lognormal : public Autoregressive {
 public:
  using Autoregressive::Autoregressive;
  double next(Random& random, double& state) const override {
    return std::exp(deviation() * step(random, state) - deviation() * deviation() / 2);
  }
  double variance_of_mean(std::size_t n) const override {
    return mean_variance(n, kLags, [&](std::size_t lag) {
      return std::expm1(deviation() * deviation() * correlation(lag));
    });
  }

 private:
  double deviation() const { return std::sqrt(std::log1p(variation_ * variation_)); }
};

class Resampled : public Process {
 public:
  Resampled(std::vector<double> record, double block) : record_(std::move(record)), block_(block) {
    const double mean = std::accumulate(record_.begin(), record_.end(), 0.0) / count();
    for (double& sample : record_) sample /= mean;
    const auto lags = static_cast<std::size_t>(std::min(count(), 12 * block + 1));
    for (std::size_t lag = 0; lag < lags; ++lag) {
      double sum = 0;
      for (std::size_t i = 0; i < record_.size(); ++i) {
        sum += (record_[i] - 1) * (record_[(i + lag) % record_.size()] - 1);
      }
      covariance_.push_back(sum / count() * std::pow(1 - 1 / block, static_cast<double>(lag)));
    }
  }
  double next(Random& random, double& state) const override {
    auto at = static_cast<std::size_t>(std::max(state, 0.0));
    const bool jump = std::isinf(state) || random.uniform() * block_ < 1;
    at = jump ? static_cast<std::size_t>(random.below(record_.size())) : (at + 1) % record_.size();
    state = static_cast<double>(at);
    return record_[at];
  }
  double variance_of_mean(std::size_t n) const override {
    return mean_variance(n, covariance_.size(), [&](std::size_t lag) { return covariance_[lag]; });
  }

 private:
  double count() const { return static_cast<double>(record_.size()); }
  std::vector<double> record_;
  double block_;
  std::vector<double> covariance_;
};

}  // namespace

ProcessPointer normal(double variation, double correlation, double rare) {
  return std::make_shared<Normal>(variation, correlation, rare);
}

ProcessPointer lognormal(double variation, double correlation) {
  return std::make_shared<Lognormal>(variation, correlation);
}

ProcessPointer resampled(const std::vector<double>& record, double block) {
  return std::make_shared<Resampled>(record, block);
}

std::vector<ProcessPointer> recorded(const std::string& name, double block) {
  std::ifstream file(std::string(KSTAR_TEST_DATA) + "/noise/" + name);
  std::map<int, std::vector<double>> series;
  int workers = 0;
  double seconds = 0;
  while (file >> workers >> seconds) series[workers].push_back(seconds);
  if (series.empty()) throw std::runtime_error("no recorded noise in " + name);
  std::vector<ProcessPointer> processes;
  for (const auto& [k, record] : series) processes.push_back(resampled(record, block));
  return processes;
}

}  // namespace kstar::noise
