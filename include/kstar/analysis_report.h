#pragma once

#include <span>
#include <string>

#include "kstar/analysis.h"
#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/view.h"

/// An Analysis as people read it, and as programs do.
namespace kstar {

struct AnalysisView {
  std::string title;   ///< what was analysed; "" for no heading
  bool brief = false;  ///< one screen: the answer, the table, and what was asked for
  bool notes = false;  ///< the notes, also of a brief one
  bool next = false;   ///< what to measure next, and its price
  bool chart = false;
};

/// From the answer to what it rests on: whoever stops reading early has the most important.
KSTAR_EXPORT Document to_document(const Analysis& analysis, const AnalysisView& view = {});

/// Everything, as schema/analysis.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Analysis& analysis);

/// The table at full precision, one line per K; the baseline program, where there is one, before.
KSTAR_EXPORT std::string to_csv(const Analysis& analysis);

/// One of several studies of a system, each with a question of its own: strong and weak.
struct NamedAnalysis {
  std::string name;
  Analysis analysis;
};

/// What each of them answers, and one table of all.
KSTAR_EXPORT Document to_document(std::span<const NamedAnalysis> all,
                                  const AnalysisView& view = {});

/// As schema/analyses.schema.json describes it.
KSTAR_EXPORT std::string to_json(std::span<const NamedAnalysis> all);

/// The same table as of one, with the study's name before each line.
KSTAR_EXPORT std::string to_csv(std::span<const NamedAnalysis> all);

}  // namespace kstar
