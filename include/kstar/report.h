#pragma once

#include <span>
#include <string>

#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/view.h"

/// Studies as one text to pass on.
namespace kstar {

/// One paragraph: how many workers, where it bends, why, what more could give, and how far the
/// numbers can be trusted.
KSTAR_EXPORT std::string answer_of(const Subject& subject);

/// The subject without what is private, named "study `number`". What was found in the full study
/// may name what the redacted one does not: it is found anew.
KSTAR_EXPORT Result<Subject> redacted(const Subject& subject, std::size_t number);

/// From the answers to what they rest on: charts, tables, causes, models, the checklist, findings,
/// provenance, notes. Several studies are drawn over each other, then shown one by one.
KSTAR_EXPORT Document to_document(std::span<const Subject> subjects);

}  // namespace kstar
