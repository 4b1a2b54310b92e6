#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kstar/regime.h"
#include "kstar/study.h"

namespace kstar {

/// How much work one T(K) stands for, at every K that has times, as one source tells it.
struct WorkGrowth {
  struct Point {
    int workers = 1;
    double amount = 0;
  };
  std::string what;           ///< "batch", "size", "work done by the workers"
  std::vector<Point> points;  ///< by K, two or more

  /// Runs end when they have converged: how much that takes is an outcome, and a larger batch is
  /// another problem, not more work.
  bool until_converged = false;
};

/// As the study's header says it, and as the workers counted it. None where a K has no figure.
std::optional<WorkGrowth> growth_by_header(const Study& study);
std::optional<WorkGrowth> growth_by_workers(const Study& study);

/// The work of every K that has times, where the study says it and it grows with every K but not in
/// proportion, as under Gustafson's law; else empty.
std::map<int, double> grown_work(const Study& study);

/// Fixed is strong, in proportion to K is weak, anything else is mixed; and so is every change of
/// batch in trainings that end when they have converged. Up to 5 % is rounding: a
/// batch that does not divide by K.
Regime regime_of(const WorkGrowth& growth);

/// The K whose work is farthest from what the regime asks for, where it is more than rounding.
std::optional<WorkGrowth::Point> against(const WorkGrowth& growth, Regime regime);

}  // namespace kstar
