#pragma once

#include <array>
#include <cstddef>

/// What is believed about a curve before any data, beside the forms' weights: docs/models.md has
/// the tables that chose it, bench/beliefs.py makes them.
namespace kstar::curves {

struct Belief {
  double size = 0;
  double weight = 0;
};

/// How far a curve leaves its form: the standard deviation that log T gains with every doubling.
/// A median of 6 %, and a factor of 2 for each standard deviation.
inline constexpr std::array kDrifts = {
    Belief{0.00375, 0.0001}, Belief{0.0075, 0.0044}, Belief{0.015, 0.0540}, Belief{0.03, 0.2420},
    Belief{0.06, 0.3989},    Belief{0.12, 0.2420},   Belief{0.24, 0.0540},  Belief{0.48, 0.0044}};

/// How far single values are off, as a standard deviation of log T: each as likely.
inline constexpr std::array kErrors = {0.004, 0.01, 0.02, 0.04, 0.07, 0.10};

/// A single value that something disturbed: how far one is off, as a standard deviation of log T,
/// and how often one is. The second is for mistakes: another flag, a digit. Chosen on two sources
/// of repeated runs by bench/bend_chances.py, but for the second; four others are its test.
inline constexpr std::array kDisturbed = {Belief{0.2, 0.05}, Belief{1.0, 0.01}};

/// A change between two K that no form has: another network, another algorithm, a cache that is
/// large enough. Size is the standard deviation of log T's step.
inline constexpr Belief kChange{1.0, 0.06};

/// A curve that changed once drifts so many times as fast beyond the largest K.
inline constexpr double kAfterChange = 2;

}  // namespace kstar::curves
