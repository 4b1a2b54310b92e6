#include <fmt/format.h>

#include <cmath>

#include "base/number.h"
#include "kstar/audit_report.h"
#include "report/audit_blocks.h"

namespace kstar {

namespace {

std::string status_words(FindingStatus status) {
  return status == FindingStatus::kNotApplicable ? "not applicable" : std::string(name_of(status));
}

std::string evidence_text(const std::vector<std::string>& evidence) {
  return fmt::format("{}", fmt::join(evidence, "; "));
}

std::string good_text(const GoodWorkers& good) {
  std::string text;
  if (!good.last_good) {
    text = fmt::format("No K measured has an efficiency of {}.", shortest(good.efficiency));
  } else {
    text = fmt::format("Efficiency stays at {} or more up to K = {}, of the K measured{}.",
                       shortest(good.efficiency), *good.last_good,
                       good.first_bad ? "" : ", which is the largest");
  }
  if (good.models && std::isfinite(good.models->point)) {
    text += fmt::format(" The fitted curve falls below it at K = {}",
                        significant(good.models->point, 3));
    if (std::isfinite(good.models->low) && std::isfinite(good.models->high)) {
      text += fmt::format(" ({} to {})", significant(good.models->low, 3),
                          significant(good.models->high, 3));
    }
    text += ".";
  }
  return text;
}

void add_findings(const Audit& audit, FindingStatus status, const std::string& title, bool ask,
                  Document& document) {
  Items items{title, {}};
  for (const Finding& finding : audit.findings) {
    if (finding.status != status) continue;
    std::string text = fmt::format("{} ({}): {}.", finding.rule->title, finding.rule->name,
                                   evidence_text(finding.evidence));
    if (ask) text += fmt::format(" Ask: {}", finding.rule->question);
    items.items.push_back(std::move(text));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

}  // namespace

std::string verdict_text(const Audit& audit) {
  const std::size_t against = audit.count(FindingStatus::kContradicted);
  const std::size_t missing = audit.count(FindingStatus::kMissing);
  std::string text = against > 0   ? fmt::format("The data contradict {} of", against)
                     : missing > 0 ? std::string("Nothing is contradicted in")
                                   : std::string("Everything is shown in");
  text +=
      fmt::format(" {} checks; {} are missing, {} are shown, {} do not apply.",
                  audit.findings.size() + audit.claims.size(), missing,
                  audit.count(FindingStatus::kShown), audit.count(FindingStatus::kNotApplicable));
  return text;
}

void add_claims(const Audit& audit, Document& document) {
  for (const ClaimCheck& check : audit.claims) {
    document.blocks.emplace_back(
        Items{fmt::format("The claim {}: {}", check.claim.text,
                          audit.findings.empty() ? "by itself" : status_words(check.status)),
              check.evidence});
  }
}

void add_checklist(const Audit& audit, Document& document) {
  Table table{.columns = {{.name = "report", .left = true}, {.name = "status", .left = true}},
              .rows = {}};
  for (const Finding& finding : audit.findings) {
    if (finding.rule->group != RuleGroup::kChecklist) continue;
    table.rows.push_back({std::string(finding.rule->title), status_words(finding.status)});
  }
  if (!table.rows.empty()) document.blocks.emplace_back(std::move(table));
}

void add_contradicted(const Audit& audit, Document& document) {
  Items items{"Contradicted", {}};
  std::vector<Items> lists;
  for (const Finding& finding : audit.findings) {
    if (finding.status != FindingStatus::kContradicted) continue;
    items.items.push_back(fmt::format("{} ({}): {}. {} Ask: {}", finding.rule->title,
                                      finding.rule->name, finding.evidence.front(),
                                      finding.rule->reason, finding.rule->question));
    if (finding.evidence.size() < 2) continue;
    lists.push_back({fmt::format("Evidence of {}", finding.rule->name),
                     {finding.evidence.begin() + 1, finding.evidence.end()}});
  }
  if (items.items.empty()) return;
  document.blocks.emplace_back(std::move(items));
  for (Items& list : lists) document.blocks.emplace_back(std::move(list));
}

void add_missing(const Audit& audit, Document& document) {
  add_findings(audit, FindingStatus::kMissing, "Missing, and what to ask", true, document);
}

Document to_document(const Audit& audit, const std::string& title) {
  Document document;
  if (!title.empty()) document.blocks.emplace_back(Heading{title});
  if (!audit.findings.empty()) {
    std::string text = verdict_text(audit);
    if (audit.good) text += " " + good_text(*audit.good);
    document.blocks.emplace_back(Paragraph{std::move(text)});
  }
  add_claims(audit, document);
  add_checklist(audit, document);
  add_contradicted(audit, document);
  add_missing(audit, document);
  add_findings(audit, FindingStatus::kShown, "Shown", false, document);
  add_findings(audit, FindingStatus::kNotApplicable, "Not applicable", false, document);
  return document;
}

}  // namespace kstar
