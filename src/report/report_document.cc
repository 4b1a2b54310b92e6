#include <fmt/format.h>

#include <cctype>

#include "kstar/analysis_report.h"
#include "kstar/chart_parts.h"
#include "kstar/report.h"
#include "report/analysis_blocks.h"
#include "report/audit_blocks.h"
#include "report/report_blocks.h"

namespace kstar {

namespace {

/// The charts that lines and marks can show; the others are tables here.
void add_charts(std::span<const Subject> subjects, Document& document) {
  for (const ChartKind& kind : text_chart_kinds()) {
    Result<Chart> chart = chart_of(kind.name, subjects);
    if (!chart) continue;
    for (const std::string& note : chart->notes) {
      document.blocks.emplace_back(Paragraph{note});
    }
    name_axes(*chart);
    document.blocks.emplace_back(std::move(*chart));
  }
}

std::string title_of(const Subject& subject) {
  const std::string& title = subject.study.header.title;
  if (title.empty() || title == subject.name) return subject.name;
  return subject.name.empty() ? title : fmt::format("{}: {}", subject.name, title);
}

/// The verdict as the end of a sentence, with the rules that the data speak against.
std::string trust_text(const Audit& audit) {
  std::string text = verdict_text(audit);
  text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  std::string against;
  for (const Finding& finding : audit.findings) {
    if (finding.status != FindingStatus::kContradicted) continue;
    against.append(against.empty() ? "" : ", ").append(finding.rule->name);
  }
  return against.empty() ? text : fmt::format("{} Contradicted: {}.", text, against);
}

void add_audit(const Audit& audit, Document& document) {
  if (audit.findings.empty()) return;
  document.blocks.emplace_back(Heading{"May it be believed?"});
  document.blocks.emplace_back(Paragraph{verdict_text(audit)});
  add_checklist(audit, document);
  add_claims(audit, document);
  add_contradicted(audit, document);
  add_findings(audit, FindingStatus::kMissing, "Missing besides, and what to ask", document);
}

/// What an answer rests on.
void add_details(const Subject& subject, Document& document) {
  add_tables(subject.analysis.table, document);
  add_training(subject.analysis, document);
  add_questions(subject.analysis, document);
  add_breakdown(subject, document);
  add_causes(subject.analysis, document);
  add_models(subject.analysis, document);
  add_next(subject.analysis, true, document);
  if (subject.audit) add_audit(*subject.audit, document);
  add_provenance(subject.study, document);
  add_notes(subject.analysis, document);
}

/// Below the heading of their study, where there are several.
void make_parts(std::span<Block> blocks) {
  for (Block& block : blocks) {
    if (auto* heading = std::get_if<Heading>(&block)) heading->part = true;
  }
}

}  // namespace

std::string answer_of(const Subject& subject) {
  std::string text = answer_text(subject.analysis);
  if (!subject.audit || subject.audit->findings.empty()) return text;
  return text + " How far to trust it: " + trust_text(*subject.audit);
}

Document to_document(std::span<const Subject> subjects) {
  Document document;
  if (subjects.size() > 1) {
    document.blocks.emplace_back(Heading{fmt::format("{} studies", subjects.size())});
    for (const Subject& subject : subjects) {
      document.blocks.emplace_back(
          Paragraph{fmt::format("{}: {}", subject.name, answer_of(subject))});
    }
    add_charts(subjects, document);
  }
  for (const Subject& subject : subjects) {
    document.blocks.emplace_back(Heading{title_of(subject)});
    document.blocks.emplace_back(Paragraph{answer_of(subject)});
    if (subjects.size() == 1) add_charts(subjects, document);
    const std::size_t own = document.blocks.size();
    add_details(subject, document);
    if (subjects.size() > 1) make_parts(std::span(document.blocks).subspan(own));
  }
  return document;
}

}  // namespace kstar
