#pragma once

#include <string>

#include "kstar/analysis.h"
#include "kstar/document.h"
#include "kstar/export.h"

/// An Analysis as people read it, and as programs do.
namespace kstar {

struct AnalysisView {
  bool brief = false;  ///< the table, the bend and the recommendation alone
  bool next = false;   ///< what to measure next
  bool chart = false;
};

KSTAR_EXPORT Document to_document(const Analysis& analysis, const AnalysisView& view = {});
KSTAR_EXPORT std::string to_json(const Analysis& analysis);  ///< schema/analysis.schema.json
KSTAR_EXPORT std::string to_csv(const Analysis& analysis);   ///< the table, one line a K

}  // namespace kstar
