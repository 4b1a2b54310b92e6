#pragma once

#include <string>

#include "kstar/analysis.h"
#include "kstar/document.h"

namespace kstar {

/// One paragraph: how many workers, where it bends, why, and what more could give.
std::string answer_text(const Analysis& analysis);

/// Its first sentence: how many workers, and how sure that is.
std::string advice_text(const Analysis& analysis);

/// Whether every measured K might be K*.
bool is_undecided(const Analysis& analysis);

/// Whether T(K) has a shape that some model has: otherwise it suggests no cause.
bool any_model_fits(const Analysis& analysis);

/// Nothing where the study does not say what its runs needed to converge.
void add_training(const Analysis& analysis, Document& document);

/// The K, no integer, where efficiency crosses the threshold by the models.
const Estimate* continuous_bend(const Analysis& analysis);

}  // namespace kstar
