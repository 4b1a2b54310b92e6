#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "kstar/dag.h"
#include "kstar/export.h"

/// Algorithms whose work and depth are known by formulas.
namespace kstar {

/// `count` levels, one after the other, each of `width` steps that need nothing of each other.
struct StepLevels {
  double width = 1;
  double count = 1;
};

struct DagAlgorithm {
  std::string_view name;
  std::string_view help;
  std::string_view unit;  ///< what a step is, of which each counts 1
  std::string_view work;  ///< formulas
  std::string_view depth;
  std::string_view source;
  double largest;  ///< n
  std::vector<StepLevels> (*levels)(double n);
};

KSTAR_EXPORT std::span<const DagAlgorithm> algorithms();

/// Null where there is none of that name.
KSTAR_EXPORT const DagAlgorithm* find_algorithm(std::string_view name);

/// Level by level on K workers, as in Brent's theorem: the sum of ceil(width / K).
KSTAR_EXPORT DagAnalysis analyze_algorithm(const DagAlgorithm& algorithm, double n,
                                           const DagOptions& options = {});

}  // namespace kstar
