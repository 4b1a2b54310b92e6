#pragma once

#include <string>

#include "kstar/audit.h"
#include "kstar/document.h"
#include "kstar/export.h"

/// An Audit as people read it, and as programs do.
namespace kstar {

/// The verdicts, the reason that weighs most, the question to ask, and the six rows. `full`: every
/// rule with its evidence, too, from what is contradicted to what is shown.
KSTAR_EXPORT Document to_document(const Audit& audit, const std::string& title = "",
                                  bool full = false);

/// Everything, as schema/audit.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Audit& audit);

/// One line per rule and claim.
KSTAR_EXPORT std::string to_csv(const Audit& audit);

}  // namespace kstar
