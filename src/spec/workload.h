#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "kstar/measure_spec.h"

/// How the problem and its batch grow with K, and what is wrong where a batch cannot be shared.
namespace kstar {

/// How much larger the problem is on `workers` than on one, by a rule of a small set: K (in
/// proportion), sqrt(K), cbrt(K), K^P with P from 0.01 to 4. Nothing for any other text.
std::optional<double> growth_factor(std::string_view rule, std::int64_t workers);

/// For messages.
inline constexpr std::string_view kGrowthRules = "K, sqrt(K), cbrt(K) or K^P with P from 0.01 to 4";

/// No batch over all workers is larger; check_spec() refuses one that would be.
inline constexpr std::int64_t kMostBatch = 1'000'000'000'000'000;

/// The batch over all workers; the spec must have one.
std::int64_t global_batch(const MeasureSpec& spec, std::int64_t workers);

/// How much larger the size is on K workers than what the spec says: 1 unless weak.
double size_factor(const MeasureSpec& spec, std::int64_t workers);

/// Names the K and the nearest batch that every K divides.
Error batch_does_not_divide(const MeasureSpec& spec, std::int64_t workers);

/// Some workers would have nothing to do.
Error more_workers_than_batch(const MeasureSpec& spec, std::int64_t workers);

}  // namespace kstar
