#pragma once

#include <span>
#include <string>

#include "kstar/card.h"
#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/view.h"

/// Studies as one text to pass on.
namespace kstar {

/// One paragraph: how many workers, where it bends, why, what more could give, and how far the
/// numbers can be trusted.
KSTAR_EXPORT std::string answer_of(const Subject& subject);

/// From the answers to what they rest on: charts, tables, causes, models, the checklist, findings,
/// provenance, notes. Several studies are drawn over each other, then shown one by one.
KSTAR_EXPORT Document to_document(std::span<const Subject> subjects);

/// The answer, the curve and the causes as one picture; of several studies, their answers over one
/// chart where they can share it.
KSTAR_EXPORT Card card_of(std::span<const Subject> subjects);

/// "kstar | K* = 8", an SVG. Of one study.
KSTAR_EXPORT std::string badge_of(const Subject& subject);

}  // namespace kstar
