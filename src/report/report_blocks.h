#pragma once

#include "kstar/document.h"
#include "kstar/view.h"

/// The parts of a report that no other page has.
namespace kstar {

/// What was run, where and how: all that the study says of itself.
void add_provenance(const Study& study, Document& document);

/// Where the workers' time goes at each K; nothing where no run knows its workers.
void add_breakdown(const Subject& subject, Document& document);

}  // namespace kstar
