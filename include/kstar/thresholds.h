#pragma once

#include <optional>
#include <span>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/bend.h"
#include "kstar/export.h"
#include "kstar/limits.h"
#include "kstar/study.h"

/// The same analysis with another threshold: K* and the bend are all that depends on it. They are
/// computed as analyze() does, from the same curves of the posterior or the same resamples.
namespace kstar {

struct ThresholdAnswer {
  double threshold = kThreshold;
  std::optional<Bend> bend;  ///< without `continuous`
  WorkersAdvice advice;
  std::vector<double> bend_chances;  ///< ModelFit::bend_chances; empty without models
};

/// Empty where the analysis has no efficiencies of its own, or one K.
KSTAR_EXPORT std::vector<ThresholdAnswer> answers_at(const Study& study, const Analysis& analysis,
                                                     std::span<const double> thresholds);

/// The analysis as it would be with that answer, for who puts it in words.
KSTAR_EXPORT Analysis with_answer(const Analysis& analysis, const ThresholdAnswer& answer);

}  // namespace kstar
