#pragma once

#include <cstdint>

#include "kstar/measure_spec.h"

/// How a batch is shared by K workers, and what is wrong where it cannot be.
namespace kstar {

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
