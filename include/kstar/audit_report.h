#pragma once

#include <string>

#include "kstar/audit.h"
#include "kstar/document.h"
#include "kstar/export.h"

/// An Audit as people read it, and as programs do.
namespace kstar {

/// From what is contradicted to what is shown: whoever stops reading early has the most important.
KSTAR_EXPORT Document to_document(const Audit& audit, const std::string& title = "");

/// Everything, as schema/audit.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Audit& audit);

/// One line per rule and claim.
KSTAR_EXPORT std::string to_csv(const Audit& audit);

}  // namespace kstar
