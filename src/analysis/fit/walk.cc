#include "analysis/fit/walk.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "kstar/stats.h"

namespace kstar::curves {

namespace {

double doublings(const Sample& from, const Sample& to) {
  return std::log2(to.workers / from.workers);
}

/// Behind the last but one sample a flat step would read as a change: one needs two K behind it, or
/// nodes that say where it comes from.
bool may_change(const std::vector<Sample>& samples, std::size_t i) {
  if (i + 2 < samples.size()) return samples.size() >= 4;
  return samples[i].nodes == 1 && samples[i + 1].nodes > 1;
}

/// The places where a change is likeliest, by how far the slope there is from the usual one.
std::vector<std::size_t> changes_of(const std::vector<Sample>& samples) {
  constexpr std::size_t kMost = 2;
  std::vector<double> slopes;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    slopes.push_back((samples[i + 1].log_time - samples[i].log_time) /
                     doublings(samples[i], samples[i + 1]));
  }
  const double middle = slopes.empty() ? 0 : upper_median_of(slopes);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < samples.size(); ++i) {
    if (may_change(samples, i)) places.push_back(i);
  }
  const auto oddness = [&](std::size_t i) {
    return std::abs(slopes[i] - middle) * doublings(samples[i], samples[i + 1]);
  };
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return oddness(a) > oddness(b); });
  if (places.size() > kMost) places.resize(kMost);
  return places;
}

/// How far a sample is from where its two neighbours have it.
double oddness(const std::vector<Sample>& samples, std::size_t i) {
  const std::size_t middle = std::clamp<std::size_t>(i, 1, samples.size() - 2);
  const Sample &before = samples[middle - 1], &at = samples[middle], &behind = samples[middle + 1];
  const double share = doublings(before, at) / doublings(before, behind);
  const double off = at.log_time - (1 - share) * before.log_time - share * behind.log_time;
  return std::fabs(off / (i < middle ? 1 - share : i > middle ? share : 1));
}

/// The samples that were likeliest disturbed. Two neighbours show it.
std::vector<std::size_t> disturbed_of(const std::vector<Sample>& samples) {
  constexpr std::size_t kMost = 3, kFewest = 3;
  if (samples.size() < kFewest) return {};
  std::vector<std::size_t> places(samples.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return oddness(samples, a) > oddness(samples, b);
  });
  if (places.size() > kMost) places.resize(kMost);
  return places;
}

}  // namespace

Walks::Walks(const CurveSamples& samples) : samples_(samples.points) {
  const std::vector<std::size_t> changes = changes_of(samples_);
  const double places = std::max(1.0, static_cast<double>(samples_.size()) - 2);
  using MaybePlace = std::optional<std::size_t>;
  const auto add = [&](MaybePlace change, double weight, MaybePlace disturbed = {},
                       const Belief& disturbance = {0, 1}) {
    for (const Belief& drift : kDrifts) {
      for (const ErrorCase& errors : samples.cases) {
        walks_.push_back(
            {drift.size, errors, change, disturbed, disturbance,
             std::log(weight * disturbance.weight * drift.weight) + errors.log_weight});
      }
    }
  };
  const double unchanged = changes.empty() ? 1 : 1 - kChange.weight;
  add({}, unchanged);
  for (const std::size_t change : changes) add(change, kChange.weight / places);
  if (samples.single) {
    for (const std::size_t one : disturbed_of(samples_)) {
      for (const Belief& disturbance : kDisturbed) add({}, unchanged, one, disturbance);
    }
  }
  prepare();
}

double Walks::step_variance(const Walk& walk, std::size_t i) const {
  const double jump = walk.change == i ? kChange.size * kChange.size : 0;
  return walk.drift * walk.drift * doublings(samples_[i], samples_[i + 1]) + jump;
}

double Walks::error_variance(const Walk& walk, std::size_t i) const {
  const double size = walk.disturbed == i ? walk.disturbance.size : 0;
  return walk.errors.variance(samples_[i]) + size * size;
}

void Walks::prepare() {
  const std::size_t count = samples_.size(), width = walks_.size();
  gains_.assign(count * width, 1);
  precisions_.assign(count * width, 0);
  variances_.assign(count * width, 0);
  constants_.assign(width, 0);
  for (std::size_t w = 0; w < width; ++w) {
    double variance = variances_[w] = error_variance(walks_[w], 0);
    for (std::size_t i = 1; i < count; ++i) {
      const double before = variance + step_variance(walks_[w], i - 1);
      const double seen = before + error_variance(walks_[w], i);
      const std::size_t at = i * width + w;
      gains_[at] = before / seen;
      precisions_[at] = 1 / seen;
      variances_[at] = variance = before * (1 - gains_[at]);
      constants_[w] -= 0.5 * std::log(2 * std::numbers::pi * seen);
    }
  }
}

void Walks::log_densities(std::span<const double> residuals, std::size_t first, std::size_t last,
                          std::vector<double>& out) const {
  const std::size_t width = walks_.size(), count = last - first;
  out.assign(constants_.begin() + static_cast<std::ptrdiff_t>(first),
             constants_.begin() + static_cast<std::ptrdiff_t>(last));
  std::vector<double> means(count, residuals[0]);
  for (std::size_t i = 1; i < residuals.size(); ++i) {
    const double* gain = &gains_[i * width + first];
    const double* precision = &precisions_[i * width + first];
    for (std::size_t w = 0; w < count; ++w) {
      const double off = residuals[i] - means[w];
      out[w] -= 0.5 * off * off * precision[w];
      means[w] += gain[w] * off;
    }
  }
}

State Walks::at(std::size_t walk, double workers) const {
  const Walk& way = walks_[walk];
  const std::size_t count = samples_.size(), width = walks_.size();
  const auto behind = static_cast<std::size_t>(
      std::lower_bound(samples_.begin(), samples_.end(), workers,
                       [](const Sample& s, double k) { return s.workers < k; }) -
      samples_.begin());
  const double drift = behind == count ? way.drift_beyond() : way.drift;
  const auto drift_over = [&](double ratio) { return drift * drift * std::log2(ratio); };
  State state{.weights = std::vector<double>(count, 0), .variance = 0};
  // From the left: what the filter knows at the last sample before K.
  double left = 0;
  if (behind > 0) {
    double rest = 1;
    for (std::size_t i = behind; i-- > 0;) {
      const double gain = gains_[i * width + walk];
      state.weights[i] = rest * gain;
      rest *= 1 - gain;
    }
    left = variances_[(behind - 1) * width + walk] +
           drift_over(workers / samples_[behind - 1].workers);
    if (behind == count) {
      state.variance = left;
      return state;
    }
  }
  // From the right: the same filter, backwards.
  std::vector<double> gains(count, 1);
  double right = error_variance(way, count - 1);
  for (std::size_t i = count - 1; i-- > behind;) {
    const double before = right + step_variance(way, i);
    gains[i] = before / (before + error_variance(way, i));
    right = before * (1 - gains[i]);
  }
  right += drift_over(samples_[behind].workers / workers);
  if (behind > 0 && way.change == behind - 1) {  // the jump may be on either side of K
    left += kChange.size * kChange.size / 2;
    right += kChange.size * kChange.size / 2;
  }
  const double share = behind == 0 ? 1 : left / (left + right);
  for (std::size_t i = 0; i < behind; ++i) state.weights[i] *= 1 - share;
  double rest = share;
  for (std::size_t i = behind; i < count; ++i) {
    state.weights[i] = rest * gains[i];
    rest *= 1 - gains[i];
  }
  state.variance = share * right;
  return state;
}

std::vector<double> Walks::path(std::size_t walk, std::span<const double> residuals,
                                std::span<const double> normals) const {
  const std::size_t count = samples_.size(), width = walks_.size();
  std::vector<double> path(count);
  double mean = path[0] = residuals[0];
  for (std::size_t i = 1; i < count; ++i) {
    mean += gains_[i * width + walk] * (residuals[i] - mean);
    path[i] = mean;
  }
  // Backwards, each given the one behind it (Fruehwirth-Schnatter 1994).
  path[count - 1] += std::sqrt(variances_[(count - 1) * width + walk]) * normals[count - 1];
  for (std::size_t i = count - 1; i-- > 0;) {
    const double variance = variances_[i * width + walk];
    const double gain = variance / (variance + step_variance(walks_[walk], i));
    path[i] += gain * (path[i + 1] - path[i]) + std::sqrt(variance * (1 - gain)) * normals[i];
  }
  return path;
}

}  // namespace kstar::curves
