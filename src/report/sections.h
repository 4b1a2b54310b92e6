#pragma once

#include "kstar/document.h"
#include "kstar/view.h"

/// What a report of a study is made of, for every output. A section that has nothing to say adds
/// nothing.
namespace kstar {

/// The tables, the causes, the models, and what to measure next.
void add_numbers(const Subject& subject, Document& document);

/// Its parts: what was measured, without the causes; the models, and what to measure next.
void add_measured(const Subject& subject, Document& document);
void add_outlook(const Subject& subject, Document& document);

/// K for which time and money: a plan's answer and its tables, under a heading of its own.
void add_plan(const Plan& plan, Document& document);

/// The verdict, the checklist and the findings; those that ask nothing only where `all` are wanted.
void add_audit(const Audit& audit, bool all, Document& document);

/// All that the study says of itself; keys that kstar does not know only where `all` is wanted.
void add_provenance(const Study& study, bool all, Document& document);

}  // namespace kstar
