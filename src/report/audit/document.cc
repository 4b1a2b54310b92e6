#include "report/audit/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "kstar/audit_report.h"
#include "kstar/words.h"

namespace kstar {

namespace {

/// "title (rule): evidence. Ask: question".
std::string finding_text(const Finding& finding) {
  std::string text = fmt::format("{} ({}): {}.", finding.rule->title, finding.rule->name,
                                 evidence_text(finding.evidence));
  if (is_asked(finding.status)) text += fmt::format(" Ask: {}", finding.rule->question);
  return text;
}

std::string good_text(const GoodWorkers& good) {
  std::string text;
  if (!good.last_good) {
    text = fmt::format("No measured K has an efficiency of {}.", shortest(good.efficiency));
  } else {
    text = fmt::format("Efficiency stays at {} or more up to K = {} of the measured K{}.",
                       shortest(good.efficiency), *good.last_good,
                       good.first_bad ? "" : ", which is the largest");
  }
  // What lies beyond the largest measured K was not seen.
  if (good.models && good.first_bad && std::isfinite(good.models->point)) {
    constexpr double kAnyMachine = 1e6;
    Estimate models = *good.models;
    if (models.high >= kAnyMachine) models.high = INFINITY;
    text += fmt::format(" The fitted curve falls below it at K = {}.", with_interval(models, 3));
  }
  return text;
}

void add_notes(const Audit& audit, Document& document) {
  Items items{"Notes", {}};
  for (const Note& note : audit.notes) items.items.push_back(note_text(note));
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

}  // namespace

std::string status_words(FindingStatus status) {
  return status == FindingStatus::kNotApplicable ? "not applicable" : std::string(name_of(status));
}

bool is_asked(FindingStatus status) {
  return status == FindingStatus::kMissing || status == FindingStatus::kContradicted;
}

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
    document.blocks.emplace_back(Items{
        fmt::format("The claim {}: {}", check.claim.text,
                    audit.findings.empty() ? "checked without data" : status_words(check.status)),
        check.evidence});
  }
}

void add_checklist(const Audit& audit, Document& document) {
  Items items{"The checklist", {}};
  for (const Finding& finding : audit.findings) {
    if (finding.rule->group != RuleGroup::kChecklist) continue;
    items.items.push_back(finding_text(finding));
    items.marks.push_back(status_words(finding.status));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

void add_findings(const Audit& audit, FindingStatus status, const std::string& title,
                  Document& document) {
  Items items{.title = title, .items = {}, .folded = status == FindingStatus::kShown};
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

void add_not_applicable(const Audit& audit, Document& document) {
  std::vector<std::pair<std::string, std::string>> rules;  // by the reason, in the rules' order
  for (const Finding& finding : audit.findings) {
    if (finding.status != FindingStatus::kNotApplicable) continue;
    const std::string reason = evidence_text(finding.evidence);
    const auto same = std::find_if(rules.begin(), rules.end(),
                                   [&](const auto& known) { return known.first == reason; });
    if (same == rules.end()) {
      rules.emplace_back(reason, finding.rule->name);
    } else {
      same->second += fmt::format(", {}", finding.rule->name);
    }
  }
  Items items{.title = "Not applicable", .items = {}, .folded = true};
  for (const auto& [reason, names] : rules) {
    items.items.push_back(fmt::format("{}: {}", reason, names));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
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
  add_contradicted(audit, document);
  add_checklist(audit, document);
  add_findings(audit, FindingStatus::kMissing, "Also missing, and what to ask", document);
  add_findings(audit, FindingStatus::kShown, "Also shown", document);
  add_not_applicable(audit, document);
  add_notes(audit, document);
  return document;
}

}  // namespace kstar
