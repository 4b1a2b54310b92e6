#pragma once

#include <array>
#include <cstddef>

/// What is believed about a curve before any data, beside the forms' weights: docs/models.md has
/// the table that chose it.
namespace kstar::curves {

struct Belief {
  double size = 0;
  double weight = 0;
};

/// How far a curve leaves its form: the standard deviation that log T gains with every doubling.
inline constexpr std::array kDrifts = {Belief{0.003, 0.04}, Belief{0.01, 0.10}, Belief{0.02, 0.18},
                                       Belief{0.04, 0.26},  Belief{0.07, 0.17}, Belief{0.12, 0.12},
                                       Belief{0.20, 0.08},  Belief{0.35, 0.04}, Belief{0.50, 0.01}};

/// How far single values are off, as a standard deviation of log T.
inline constexpr std::array kErrors = {Belief{0.004, 0.08}, Belief{0.01, 0.16}, Belief{0.02, 0.30},
                                       Belief{0.04, 0.28},  Belief{0.07, 0.12}, Belief{0.10, 0.06}};

/// A change between two K that no form has: another network, another algorithm, a cache that is
/// large enough. Size is the standard deviation of log T's step.
inline constexpr Belief kChange{1.0, 0.12};

/// A curve that changed once drifts so many times as fast beyond the largest K.
inline constexpr double kAfterChange = 1.5;

}  // namespace kstar::curves
