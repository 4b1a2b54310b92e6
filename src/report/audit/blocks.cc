#include "report/audit/blocks.h"

#include <fmt/format.h>

namespace kstar {

namespace {

std::string status_words(FindingStatus status) {
  return status == FindingStatus::kNotApplicable ? "not applicable" : std::string(name_of(status));
}

bool is_asked(FindingStatus status) {
  return status == FindingStatus::kMissing || status == FindingStatus::kContradicted;
}

/// "title (rule): evidence. Ask: question".
std::string finding_text(const Finding& finding) {
  std::string text = fmt::format("{} ({}): {}.", finding.rule->title, finding.rule->name,
                                 evidence_text(finding.evidence));
  if (is_asked(finding.status)) text += fmt::format(" Ask: {}", finding.rule->question);
  return text;
}

}  // namespace

std::string evidence_text(const std::vector<std::string>& evidence) {
  return fmt::format("{}", fmt::join(evidence, "; "));
}

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
  Items items{"The checklist", {}};
  for (const Finding& finding : audit.findings) {
    if (finding.rule->group != RuleGroup::kChecklist) continue;
    items.items.push_back(
        fmt::format("{}: {}", status_words(finding.status), finding_text(finding)));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

void add_findings(const Audit& audit, FindingStatus status, const std::string& title,
                  Document& document) {
  Items items{title, {}};
  for (const Finding& finding : audit.findings) {
    if (finding.status != status || finding.rule->group == RuleGroup::kChecklist) continue;
    items.items.push_back(finding_text(finding));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
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

}  // namespace kstar
