#pragma once

#include "kstar/estimate.h"

/// Factors of efficiency multiply; their logarithms add up to the loss, and each has its share.
namespace kstar::causes {

double loss(double factor);

/// Of the whole loss, with the other losses as they are.
Estimate share_of(const Estimate& factor, double whole);

}  // namespace kstar::causes
