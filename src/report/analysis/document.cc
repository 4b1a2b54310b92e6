#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "kstar/analysis_report.h"
#include "report/analysis/blocks.h"
#include "report/note_text.h"
#include "report/scaling_blocks.h"

namespace kstar {

void add_notes(const Analysis& analysis, Document& document) {
  Items items{"Notes", uncounted_runs(analysis.table)};
  for (const Note& note : all_notes(analysis)) {
    if (note.what != "models") items.items.push_back(note_text(note));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

void add_next(const Analysis& analysis, bool priced, Document& document) {
  Items items{"What to measure next", {}};
  if (analysis.models && priced) {
    constexpr std::size_t kMost = 3;
    for (const NextMeasurement& next : analysis.models->next) {
      if (items.items.size() == kMost) break;
      items.items.push_back(fmt::format("K = {}, for {} worker-seconds a run: {}",
                                        significant(next.workers, 9),
                                        significant(next.worker_seconds, 3), next.why));
    }
  }
  if (analysis.diagnosis.efficiency || !analysis.time_to_train) {
    for (const std::string& next : analysis.diagnosis.next) items.items.push_back(next);
  }
  if (items.items.empty() && priced) items.items.emplace_back("nothing that is known suggests one");
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

std::vector<Note> all_notes(const Analysis& analysis) {
  std::vector<Note> all;
  const auto add = [&](const Note& note) {
    if (std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
  };
  for (const Note& note : analysis.notes) add(note);
  for (const Note& note : analysis.table.notes) add(note);
  if (!analysis.models) return all;
  for (const std::string& text : analysis.models->notes) {
    add({.severity = Severity::kInfo, .what = "models", .where = {}, .text = text, .extra = {}});
  }
  return all;
}

Document to_document(const Analysis& analysis, const AnalysisView& view) {
  Document document;
  if (!view.title.empty()) document.blocks.emplace_back(Heading{view.title});
  document.blocks.emplace_back(Paragraph{answer_text(analysis)});
  add_tables(analysis.table, document);
  if (view.chart) document.blocks.emplace_back(to_chart(analysis));
  if (!view.brief) {
    add_training(analysis, document);
    add_questions(analysis, document);
    add_causes(analysis, document);
    add_models(analysis, document);
  }
  if (view.next || !view.brief) add_next(analysis, view.next, document);
  if (!view.brief) add_notes(analysis, document);
  return document;
}

}  // namespace kstar
