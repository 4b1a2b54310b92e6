#pragma once

#include <string>

#include "kstar/analysis.h"
#include "kstar/document.h"

namespace kstar {

/// One paragraph: how many workers, where it bends, why, and what more could give.
std::string answer_text(const Analysis& analysis);

/// Its first sentence: how many workers, and how sure that is.
std::string advice_text(const Analysis& analysis);

/// " By the interval of E at each K alone, K* is 8 to 16.": what those leave open, where all K
/// together say it more narrowly; the table beside it shows them.
std::string each_alone_text(const Analysis& analysis);

/// " once they no longer fail (3 of 4 runs did)"; empty of a K that works.
std::string failing_text(const Analysis& analysis, int workers);

/// Nothing where the study does not say what its runs needed to converge.
void add_training(const Analysis& analysis, Document& document);

/// Its factors alone.
void add_training_factors(const Analysis& analysis, Document& document);

/// Whether E above 1 is in question: then nothing is continued beyond it.
bool is_superlinear(const Analysis& analysis);

/// " From K = 8 to 16 S hardly grows. By the models, ...": what more workers than the largest
/// measured K would give. A ceiling without an upper end is a guess about what nobody has seen, and
/// nothing is said of what lies beyond an efficiency above 1.
std::string ceiling_text(const Analysis& analysis);

/// The K that a goal of speed alone would take. A single K has no other beside it.
std::string fastest_text(const Analysis& analysis);

/// "From K = 8 to K = 512 its efficiency falls to 0.41 = 0.62 (algorithm: ...) x 0.66 (...)".
std::string training_text(const TimeToTrain& train);

/// The K, no integer, where efficiency crosses the threshold by the models.
const Estimate* continuous_bend(const Analysis& analysis);

}  // namespace kstar
