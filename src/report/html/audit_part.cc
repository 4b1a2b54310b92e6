#include <fmt/format.h>

#include <algorithm>

#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

std::string words_of(FindingStatus status) {
  return status == FindingStatus::kNotApplicable ? "not applicable" : std::string(name_of(status));
}

/// The status in words and, by the style, in colour and with a sign of its own.
std::string badge(FindingStatus status) {
  return fmt::format("<span class=\"badge {}\">{}</span>", name_of(status), words_of(status));
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
  const bool ask =
      finding.status == FindingStatus::kMissing || finding.status == FindingStatus::kContradicted;
  return fmt::format(
      "<li>{} <b>{}</b> <code>{}</code>\n<div class=\"evidence\">{}</div>\n"
      "<p class=\"why\">{}{}</p></li>\n",
      badge(finding.status), html(finding.rule->title), html(finding.rule->name),
      evidence_html(finding.evidence), html(finding.rule->reason),
      ask ? fmt::format(" <span class=\"ask\">Ask: {}</span>", html(finding.rule->question)) : "");
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

}  // namespace kstar
