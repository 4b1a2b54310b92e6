#pragma once

#include <string>

#include "kstar/analysis.h"
#include "kstar/chart.h"
#include "kstar/document.h"
#include "kstar/export.h"

/// An Analysis as people read it, and as programs do.
namespace kstar {

struct AnalysisView {
  std::string title;   ///< what was analysed; "" for no heading
  bool brief = false;  ///< the answer and the table alone
  bool next = false;   ///< what to measure next, and its price
  bool chart = false;
};

/// From the answer to what it rests on: whoever stops reading early has the most important.
KSTAR_EXPORT Document to_document(const Analysis& analysis, const AnalysisView& view = {});

/// Speedup against the ideal line or, where the work grows with K, efficiency against the flat line
/// at 1: the points that were measured, and the fitted curve through them.
KSTAR_EXPORT Chart to_chart(const Analysis& analysis);

/// Everything, as schema/analysis.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Analysis& analysis);

/// The table at full precision, one line a K; the baseline program, where there is one, before.
KSTAR_EXPORT std::string to_csv(const Analysis& analysis);

}  // namespace kstar
