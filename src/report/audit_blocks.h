#pragma once

#include <string>

#include "kstar/audit.h"
#include "kstar/document.h"

/// The parts of the page of an Audit that a report has, too.
namespace kstar {

/// How many of each, the worst first.
std::string verdict_text(const Audit& audit);

void add_claims(const Audit& audit, Document& document);

/// The six rows.
void add_checklist(const Audit& audit, Document& document);

/// A rule with many pieces of evidence has a list of its own.
void add_contradicted(const Audit& audit, Document& document);

void add_missing(const Audit& audit, Document& document);

}  // namespace kstar
