#pragma once

#include "kstar/analysis.h"
#include "kstar/document.h"

/// Why T(K) is what it is. A part that has nothing to say adds nothing.
namespace kstar {

/// S, E and the bend of every phase; nothing where no run knows its workers.
void add_phases(const Analysis& analysis, Document& document);

/// Which phase stops scaling, as one more sentence of an answer; "" where that is not clear.
std::string phase_sentence(const Analysis& analysis);

void add_causes(const Analysis& analysis, Document& document);

/// T, S and E at the K that were asked for, and what lies beyond the largest measured one.
void add_prediction_table(const Analysis& analysis, Document& document);

void add_models(const Analysis& analysis, Document& document);

}  // namespace kstar
