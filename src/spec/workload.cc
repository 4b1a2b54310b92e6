#include "spec/workload.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "base/number.h"

namespace kstar {

namespace {

/// The least batch that every K divides; nothing when it is beyond all use.
std::optional<std::int64_t> common_multiple(const std::vector<std::int64_t>& workers) {
  std::int64_t common = 1;
  for (const std::int64_t k : workers) {
    const std::int64_t factor = k / std::gcd(common, k);
    if (common > kMostBatch / factor) return std::nullopt;
    common *= factor;
  }
  return common;
}

std::string nearest_batch(const MeasureSpec& spec) {
  const std::optional<std::int64_t> common = common_multiple(spec.workers);
  if (!common)
    return "no batch of a useful size is a multiple of every K: choose other worker counts";
  const std::int64_t below = *spec.batch / *common * *common, above = below + *common;
  const bool nearer_below = below > 0 && *spec.batch - below <= above - *spec.batch;
  return fmt::format("the nearest multiple of every K is {}", nearer_below ? below : above);
}

}  // namespace

Regime regime_of(const MeasureSpec& spec) {
  const bool in_proportion = spec.size_growth.empty() || spec.size_growth == "K";
  if (spec.regime == Regime::kWeak && !in_proportion) return Regime::kMixed;
  return spec.regime.value_or(Regime::kStrong);
}

std::optional<double> growth_factor(std::string_view rule, std::int64_t workers) {
  constexpr double kLeastPower = 0.01, kMostPower = 4;
  const auto k = static_cast<double>(workers);
  if (rule == "K") return k;
  if (rule == "sqrt(K)") return std::sqrt(k);
  if (rule == "cbrt(K)") return std::cbrt(k);
  if (!rule.starts_with("K^")) return std::nullopt;
  const std::optional<double> power = parse_double(rule.substr(2));
  if (!power || *power < kLeastPower || *power > kMostPower) return std::nullopt;
  return std::pow(k, *power);
}

std::int64_t global_batch(const MeasureSpec& spec, std::int64_t workers) {
  if (spec.regime != Regime::kWeak) return *spec.batch;
  return workers > kMostBatch / *spec.batch ? kMostBatch : *spec.batch * workers;
}

double size_factor(const MeasureSpec& spec, std::int64_t workers) {
  if (spec.regime != Regime::kWeak) return 1;
  return growth_factor(spec.size_growth.empty() ? "K" : spec.size_growth, workers).value_or(1);
}

Error batch_does_not_divide(const MeasureSpec& spec, std::int64_t workers) {
  return expected("--batch", fmt::format("a batch that is a multiple of K = {}", workers),
                  std::to_string(*spec.batch), nearest_batch(spec));
}

Error more_workers_than_batch(const MeasureSpec& spec, std::int64_t workers) {
  return expected("--batch", fmt::format("at least one per worker, K = {}", workers),
                  std::to_string(*spec.batch), "use a larger batch or fewer workers");
}

}  // namespace kstar
