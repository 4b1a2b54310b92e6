#include "kstar/report.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cctype>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/analysis_report.h"
#include "kstar/chart_parts.h"
#include "kstar/worker_table.h"
#include "report/analysis/answer.h"
#include "report/analysis/document.h"
#include "report/analysis/explanation.h"
#include "report/audit/document.h"
#include "report/sections.h"

namespace kstar {

namespace {

struct PartColumn {
  const char* name;
  std::optional<Estimate> (*part)(const WorkerPoint&);
};

constexpr PartColumn kColumns[] = {
    {"compute", [](const WorkerPoint& point) { return std::optional(point.compute); }},
    {"load", [](const WorkerPoint& point) { return point.load; }},
    {"transfer", [](const WorkerPoint& point) { return point.transfer; }},
    {"wait", [](const WorkerPoint& point) { return point.wait; }},
    {"serial", [](const WorkerPoint& point) { return point.serial; }},
    {"not accounted for", [](const WorkerPoint& point) { return std::optional(point.rest); }}};

bool is_anywhere(const WorkerTable& table, const PartColumn& column) {
  for (const WorkerPoint& point : table.points) {
    if (column.part(point)) return true;
  }
  return false;
}

/// The share, and half its interval in points of a hundredth.
void add_share(const std::optional<Estimate>& part, double time, std::vector<std::string>& row) {
  row.push_back(part ? percent(part->point / time, 1) : "");
  row.push_back(!part               ? ""
                : is_bounded(*part) ? fixed((part->high - part->low) / 2 / time * 100, 1)
                                    : "?");
}

/// Nothing where no run knows its workers.
void add_breakdown(const Subject& subject, Document& document) {
  const WorkerTable workers = worker_table(subject.study, subject.analysis.table.regime,
                                           subject.analysis.options.confidence);
  if (workers.points.empty()) return;
  Table table{.columns = {{.name = "K"}, {.name = "runs"}, {.name = "time", .new_group = true}},
              .rows = {}};
  for (const WorkerPoint& point : workers.points) {
    table.rows.push_back({fmt::format("{}", point.workers), fmt::format("{}", point.runs),
                          time_text(point.time.point)});
  }
  for (const PartColumn& column : kColumns) {
    if (!is_anywhere(workers, column)) continue;
    table.columns.push_back({.name = column.name, .new_group = true});
    table.columns.push_back({.name = "+-", .joined = true});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const WorkerPoint& point = workers.points[i];
      add_share(column.part(point), point.time.point, table.rows[i]);
    }
  }
  document.blocks.emplace_back(Heading{"Where the workers' time goes"});
  document.blocks.emplace_back(std::move(table));
}

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

/// What an answer rests on.
void add_details(const Subject& subject, Document& document) {
  add_numbers(subject, document);
  if (subject.audit && !subject.audit->findings.empty()) {
    document.blocks.emplace_back(Heading{"Can it be trusted?"});
    add_audit(*subject.audit, false, document);
  }
  const auto behind = document.blocks.size();
  add_provenance(subject.study, false, document);
  if (document.blocks.size() > behind) {
    document.blocks.insert(document.blocks.begin() + static_cast<std::ptrdiff_t>(behind),
                           Heading{"Where the numbers come from"});
  }
  add_notes(subject.analysis, document);
}

/// Below the heading of their study, where there are several.
void make_parts(std::span<Block> blocks) {
  for (Block& block : blocks) {
    if (auto* heading = std::get_if<Heading>(&block)) heading->part = true;
  }
}

}  // namespace

void add_measured(const Subject& subject, Document& document) {
  add_tables(subject.analysis.table, document);
  add_training(subject.analysis, document);
  add_questions(subject.analysis, document);
  if (subject.plan && subject.plan_asked) add_plan(*subject.plan, document);
  add_breakdown(subject, document);
}

void add_outlook(const Subject& subject, Document& document) {
  add_models(subject.analysis, document);
  add_next(subject.analysis, true, document);
}

void add_numbers(const Subject& subject, Document& document) {
  add_measured(subject, document);
  add_causes(subject.analysis, document);
  add_outlook(subject, document);
}

void add_audit(const Audit& audit, bool all, Document& document) {
  document.blocks.emplace_back(Paragraph{verdict_text(audit)});
  add_checklist(audit, document);
  add_claims(audit, true, document);
  add_contradicted(audit, document);
  add_findings(audit, FindingStatus::kMissing, "Also missing, and what to ask", document);
  if (!all) return;
  add_findings(audit, FindingStatus::kShown, "Also shown", document);
  add_not_applicable(audit, document);
}

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
    add_headline(subject.analysis, answer_of(subject), document);
    if (subjects.size() == 1) add_charts(subjects, document);
    const std::size_t own = document.blocks.size();
    add_details(subject, document);
    if (subjects.size() > 1) make_parts(std::span(document.blocks).subspan(own));
  }
  return document;
}

}  // namespace kstar
