#include <fmt/format.h>

#include <algorithm>

#include "report/audit/document.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// The status in words and, by the style, in colour and with a sign of its own.
std::string badge(FindingStatus status) {
  return fmt::format("<span class=\"badge {}\">{}</span>", name_of(status), status_words(status));
}

std::string evidence_html(const std::vector<std::string>& evidence) {
  if (evidence.size() == 1) return html(evidence.front());
  std::string text = "<ul>";
  for (const std::string& sentence : evidence) text += fmt::format("<li>{}</li>", html(sentence));
  return text + "</ul>";
}

std::string checklist(const Audit& audit) {
  std::string rows;
  for (const Finding& finding : audit.findings) {
    if (finding.rule->group != RuleGroup::kChecklist) continue;
    rows += fmt::format(
        "<tr><th scope=\"row\" class=\"words\">{}</th><td>{}</td>"
        "<td class=\"words\">{}</td></tr>\n",
        html(finding.rule->title), badge(finding.status), evidence_html(finding.evidence));
  }
  if (rows.empty()) return "";
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"The checklist\">"
      "<table class=\"checklist\"><caption>What a scaling result is to be reported with</caption>\n"
      "<thead><tr><th scope=\"col\" class=\"words\">report</th><th scope=\"col\">status</th>"
      "<th scope=\"col\" class=\"words\">evidence</th></tr></thead>\n<tbody>\n{}</tbody></table>"
      "</div>\n",
      rows);
}

std::string finding_html(const Finding& finding) {
  return fmt::format(
      "<li>{} <b>{}</b> <code>{}</code>\n<div class=\"evidence\">{}</div>\n"
      "<p class=\"why\">{}{}</p></li>\n",
      badge(finding.status), html(finding.rule->title), html(finding.rule->name),
      evidence_html(finding.evidence), html(finding.rule->reason),
      is_asked(finding.status)
          ? fmt::format(" <span class=\"ask\">Ask: {}</span>", html(finding.rule->question))
          : "");
}

std::string group(const Audit& audit, FindingStatus status, const char* title, bool open) {
  std::string items;
  std::size_t count = 0;
  for (const Finding& finding : audit.findings) {
    if (finding.status != status) continue;
    items += finding_html(finding);
    ++count;
  }
  if (count == 0) return "";
  return fmt::format(
      "<details{}><summary>{} ({})</summary>\n<ul class=\"findings\">\n{}</ul>"
      "</details>\n",
      open ? " open" : "", title, count, items);
}

std::string claims(const Audit& audit, int level) {
  std::string text;
  for (const ClaimCheck& check : audit.claims) {
    text +=
        fmt::format("<h{0}>The claim <q>{1}</q> {2}</h{0}>\n{3}\n", level, html(check.claim.text),
                    badge(check.status),
                    fmt::format("<div class=\"evidence\">{}</div>", evidence_html(check.evidence)));
  }
  return text;
}

/// More than these say nothing more.
constexpr std::size_t kMostNotes = 200;
constexpr std::size_t kMostFailures = 20;

std::vector<Note> all_notes(const Subject& subject) {
  std::vector<Note> all;
  const auto add = [&](const std::vector<Note>& notes) {
    for (const Note& note : notes) {
      if (std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
      if (all.size() > 4 * kMostNotes) return;
    }
  };
  add(subject.study.notes);
  add(subject.analysis.notes);
  add(subject.analysis.table.notes);
  std::stable_sort(all.begin(), all.end(),
                   [](const Note& a, const Note& b) { return a.severity > b.severity; });
  return all;
}

std::string note_html(const Note& note) {
  return fmt::format("<li><span class=\"badge {0}\">{0}</span> {1}{2} <code>{3}</code></li>\n",
                     name_of(note.severity),
                     note.where.empty() ? "" : fmt::format("<bdi>{}</bdi>: ", html(note.where)),
                     html(note.text), html(note.what));
}

std::string failures(const Study& study, int level) {
  std::string items;
  std::size_t count = 0;
  for (const Run& run : study.runs) {
    if (!failed(run) || ++count > kMostFailures) continue;
    items +=
        fmt::format("<li>K = {}{}: {}", run.workers,
                    run.order ? fmt::format(", run {}", *run.order) : "", html(failure_text(run)));
    if (!run.output.empty()) {
      items += fmt::format(
          "<details><summary>the end of its output</summary><pre tabindex=\"0\">{}"
          "</pre></details>",
          html_lines(run.output.str()));
    }
    items += "</li>\n";
  }
  if (count == 0) return "";
  return heading(level, "", count == 1 ? "One run failed" : fmt::format("{} runs failed", count)) +
         fmt::format("<ul class=\"notes\">\n{}</ul>\n", items) +
         (count > kMostFailures ? fmt::format("<p>These are the first {}.</p>\n", kMostFailures)
                                : "");
}

}  // namespace

std::string audit_part(const Subject& subject, int level) {
  if (!subject.audit || subject.audit->findings.empty()) return "";
  const Audit& audit = *subject.audit;
  return heading(level, "", "The checklist") + checklist(audit) + claims(audit, level + 1) +
         heading(level, "", "Findings") +
         group(audit, FindingStatus::kContradicted, "Contradicted by the data", true) +
         group(audit, FindingStatus::kMissing, "Missing, and what to ask", true) +
         group(audit, FindingStatus::kShown, "Shown", false) +
         group(audit, FindingStatus::kNotApplicable, "Not applicable", false);
}

std::string notes_part(const Subject& subject, int level) {
  const std::vector<Note> notes = all_notes(subject);
  std::string text = heading(level, "", "What was lost, skipped or guessed");
  std::string items;
  for (std::size_t i = 0; i < std::min(notes.size(), kMostNotes); ++i) items += note_html(notes[i]);
  text += items.empty() ? "<p>Nothing is noted.</p>\n"
                        : fmt::format("<ul class=\"notes\">\n{}</ul>\n", items);
  if (notes.size() > kMostNotes) {
    text += fmt::format("<p>These are the {} gravest notes; the study has more.</p>\n", kMostNotes);
  }
  return text + failures(subject.study, level + 1);
}

}  // namespace kstar
