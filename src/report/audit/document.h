#pragma once

#include <string>
#include <vector>

#include "kstar/audit.h"
#include "kstar/document.h"

/// The parts of the page of an Audit that a report has, too.
namespace kstar {

/// "shown", "not applicable".
std::string status_words(FindingStatus status);

/// Whether there is something to ask whoever made the claim.
bool is_asked(FindingStatus status);

/// All of it, in one line.
std::string evidence_text(const std::vector<std::string>& evidence);

/// How many of each, the worst first.
std::string verdict_text(const Audit& audit);

/// "not shown".
std::string verdict_words(ClaimVerdict verdict);

/// The verdict of each claim, its reason and the question to ask; with `evidence` also what else
/// was found.
void add_claims(const Audit& audit, bool evidence, Document& document);

/// The six rows, each with its evidence and question.
void add_checklist(const Audit& audit, Document& document);

/// The six rows as a table: what is to be reported, what the file says, and a mark.
void add_checklist_table(const Audit& audit, Document& document);

/// All rules of one status but the checklist's, which are shown together.
void add_findings(const Audit& audit, FindingStatus status, const std::string& title,
                  Document& document);

/// A rule with many pieces of evidence has a list of its own.
void add_contradicted(const Audit& audit, Document& document);

/// By the reason: many rules do not apply for one and the same.
void add_not_applicable(const Audit& audit, Document& document);

}  // namespace kstar
