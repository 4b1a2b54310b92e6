#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "kstar/audit_report.h"
#include "report/audit/blocks.h"
#include "report/note_text.h"

namespace kstar {

namespace {

/// " (3 to 5)"; an end that is beyond all machines is open.
std::string range_text(const Estimate& workers) {
  constexpr double kAnyMachine = 1e6;
  if (!std::isfinite(workers.low)) return "";
  const std::string low = significant(workers.low, 3);
  return workers.high < kAnyMachine ? fmt::format(" ({} to {})", low, significant(workers.high, 3))
                                    : fmt::format(" ({} or more)", low);
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
    text += fmt::format(" The fitted curve falls below it at K = {}{}.",
                        significant(good.models->point, 3), range_text(*good.models));
  }
  return text;
}

/// Many rules do not apply for one and the same reason.
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
  Items items{"Not applicable", {}};
  for (const auto& [reason, names] : rules) {
    items.items.push_back(fmt::format("{}: {}", reason, names));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

void add_notes(const Audit& audit, Document& document) {
  Items items{"Notes", {}};
  for (const Note& note : audit.notes) items.items.push_back(note_text(note));
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

}  // namespace

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
  add_findings(audit, FindingStatus::kMissing, "Missing besides, and what to ask", document);
  add_findings(audit, FindingStatus::kShown, "Shown besides", document);
  add_not_applicable(audit, document);
  add_notes(audit, document);
  return document;
}

}  // namespace kstar
