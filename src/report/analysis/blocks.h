#pragma once

#include <string>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/document.h"

/// The parts of the page of an Analysis. A part that has nothing to say adds nothing.
namespace kstar {

/// One paragraph: how many workers, where it bends, why, and what more could give.
std::string answer_text(const Analysis& analysis);

/// T(K), then S(K) and E(K), and what they are relative to.
void add_tables(const ScalingTable& table, Document& document);

/// Nothing where the study does not say what its runs needed to converge.
void add_training(const Analysis& analysis, Document& document);

/// "From K = 8 to K = 512 its efficiency falls to 0.41 = 0.62 (algorithm: ...) x 0.66 (...)".
std::string training_text(const TimeToTrain& train);

/// An efficiency above 1, steps inside runs, another baseline.
void add_questions(const Analysis& analysis, Document& document);

void add_models(const Analysis& analysis, Document& document);

void add_causes(const Analysis& analysis, Document& document);

/// What would tell apart what is not yet; with `priced`, also the K that would narrow the answer
/// most.
void add_next(const Analysis& analysis, bool priced, Document& document);

/// What the page has not said yet: the models' own notes stand with them.
void add_notes(const Analysis& analysis, Document& document);

/// Those of the analysis, of its table and of its models, each once.
std::vector<Note> all_notes(const Analysis& analysis);

/// The K, no integer, where efficiency crosses the threshold by the models.
const Estimate* continuous_bend(const Analysis& analysis);

/// The confidence that was asked for.
double confidence_of(const Analysis& analysis);

}  // namespace kstar
