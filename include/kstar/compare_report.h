#pragma once

#include <string>

#include "kstar/compare.h"
#include "kstar/document.h"
#include "kstar/export.h"

/// A Comparison as people read it, also in a pull request (to_markdown), and as programs do.
namespace kstar {

struct ComparisonView {
  bool brief = false;  ///< one screen: the answer, the gates, the ratios of T and the notes
};

/// The answer and the gates first.
KSTAR_EXPORT Document to_document(const Comparison& comparison, const ComparisonView& view = {});

/// Everything, as schema/compare.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Comparison& comparison);

/// One line per K, at full precision.
KSTAR_EXPORT std::string to_csv(const Comparison& comparison);

}  // namespace kstar
