#pragma once

#include <string>
#include <vector>

#include "kstar/analysis_report.h"

/// The parts of the page of an Analysis that a report has, too. A part that has nothing to say adds
/// nothing.
namespace kstar {

/// The answer and what to check before relying on it; that comes first where the numbers may not be
/// what they are read as.
void add_headline(const Analysis& analysis, std::string answer, Document& document);

/// T(K), then S(K) and E(K), and what they are relative to.
void add_tables(const ScalingTable& table, Document& document);

/// Steps inside runs, another baseline.
void add_questions(const Analysis& analysis, Document& document);

/// What would tell apart what is not yet; with `priced`, also the K that would narrow the answer
/// most.
void add_next(const Analysis& analysis, bool priced, Document& document);

/// What the page has not said yet: the models' own notes stand with them.
void add_notes(const Analysis& analysis, Document& document);

/// Those of the analysis, of its table and of its models, each once.
std::vector<Note> all_notes(const Analysis& analysis);

}  // namespace kstar
