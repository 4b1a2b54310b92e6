#include <fmt/format.h>

#include "kstar/analysis_report.h"
#include "report/html/document_html.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// What the page says elsewhere: the answer on top, the notes below.
Document without_answer_and_notes(Document document) {
  Document kept;
  bool answered = false;
  for (Block& block : document.blocks) {
    if (!answered && std::holds_alternative<Paragraph>(block)) {
      answered = true;
      continue;
    }
    const auto* items = std::get_if<Items>(&block);
    if (items != nullptr && items->title == "Notes") continue;
    kept.blocks.push_back(std::move(block));
  }
  return kept;
}

}  // namespace

std::string analysis_part(const Subject& subject, int level) {
  if (subject.analysis.table.points.empty()) return "";
  const Document document =
      without_answer_and_notes(to_document(subject.analysis, {.title = "", .next = true}));
  return heading(level, "", "The numbers, and why") + to_html(document, level + 1);
}

}  // namespace kstar
