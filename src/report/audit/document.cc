#include "report/audit/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
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

/// "The runs give 5.3x. The chance that it is true is 12%."
std::string reason_text(const ClaimCheck& check) {
  std::string text = capitalized(check.reason + ".");
  if (check.chance) {
    const bool at_most = check.claim.bound == ClaimBound::kAtMost;
    text += fmt::format(" By the fitted curve, it {} with a probability of {}.",
                        at_most ? "is true" : "is reached", percent(*check.chance, 0));
  }
  return text;
}

/// The other rules that the data contradict, by name: what the reason that weighs most leaves out.
std::string also_contradicted(const Audit& audit) {
  std::string names;
  for (std::size_t i = 0; i < audit.findings.size(); ++i) {
    const Finding& finding = audit.findings[i];
    if (finding.status != FindingStatus::kContradicted || i == audit.weightiest) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", finding.rule->name);
  }
  return names.empty() ? "" : fmt::format(" Also contradicted: {}.", names);
}

/// The rule that weighs most, and the question to ask. Behind claims only what is contradicted is
/// said, and what decided one of them is not said again.
std::string weightiest_text(const Audit& audit) {
  if (!audit.weightiest) return audit.claims.empty() ? "Every rule is shown." : "";
  const Finding& finding = audit.findings[*audit.weightiest];
  const bool against = finding.status == FindingStatus::kContradicted;
  const bool said = std::any_of(audit.claims.begin(), audit.claims.end(), [&](const auto& check) {
    return check.rule == finding.rule->name;
  });
  if (said) return std::string(trim(also_contradicted(audit)));
  if (!against && !audit.claims.empty()) return "";
  const std::string text =
      fmt::format("{} ({}): {}. Ask: {}", finding.rule->title, finding.rule->name,
                  finding.evidence.front(), finding.rule->question);
  if (against) return "Contradicted: " + text + also_contradicted(audit);
  return "No rule is contradicted. What is missing most: " + text;
}

/// How many rules stand behind the first screen.
std::string rest_text(const Audit& audit) {
  const auto of_rules = [&](FindingStatus status) {
    return std::count_if(audit.findings.begin(), audit.findings.end(),
                         [&](const Finding& finding) { return finding.status == status; });
  };
  return fmt::format(
      "{} rules: {} contradicted, {} missing, {} shown, {} not applicable; "
      "--full lists them.",
      audit.findings.size(), of_rules(FindingStatus::kContradicted),
      of_rules(FindingStatus::kMissing), of_rules(FindingStatus::kShown),
      of_rules(FindingStatus::kNotApplicable));
}

/// How far a good efficiency carries, where no rule speaks against the numbers; and what is behind.
std::string brief_end(const Audit& audit) {
  const bool trusted = std::none_of(
      audit.findings.begin(), audit.findings.end(),
      [](const Finding& finding) { return finding.status == FindingStatus::kContradicted; });
  return (audit.good && trusted ? good_text(*audit.good) + " " : "") + rest_text(audit);
}

/// What an import guessed, as far as there is room.
void add_brief_notes(const Audit& audit, Document& document) {
  constexpr std::size_t kMost = 2;
  Items items{"Notes", {}};
  for (const Note& note : audit.notes) {
    if (items.items.size() == kMost) {
      items.items.push_back(fmt::format("{} more with --full", audit.notes.size() - kMost));
      break;
    }
    items.items.push_back(shorten(note_text(note), 150));
  }
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
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

std::string verdict_words(ClaimVerdict verdict) {
  std::string words(name_of(verdict));
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

void add_claims(const Audit& audit, bool evidence, Document& document) {
  for (const ClaimCheck& check : audit.claims) {
    Items items{fmt::format("The claim {}: {}", check.claim.text, verdict_words(check.verdict)),
                {reason_text(check)}};
    if (!check.question.empty()) items.items.push_back("Ask: " + check.question);
    if (evidence || audit.findings.empty()) {
      items.items.insert(items.items.end(), check.evidence.begin(), check.evidence.end());
    }
    document.blocks.emplace_back(std::move(items));
  }
}

namespace {

/// The six rows, and what --machine asks for.
bool is_row(const Finding& finding) {
  return finding.rule->group == RuleGroup::kChecklist || finding.rule->name == "machine-share";
}

}  // namespace

void add_checklist_table(const Audit& audit, Document& document) {
  constexpr std::size_t kShownText = 110;
  Table table{.columns = {{.name = "The checklist", .left = true}, {.name = "", .left = true}},
              .rows = {}};
  for (const Finding& finding : audit.findings) {
    if (!is_row(finding)) continue;
    table.rows.push_back(
        {fmt::format("{}: {}", finding.rule->title, shorten(finding.evidence.front(), kShownText)),
         status_words(finding.status)});
  }
  if (!table.rows.empty()) document.blocks.emplace_back(std::move(table));
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

namespace {

void add_all(const Audit& audit, Document& document) {
  add_contradicted(audit, document);
  add_checklist(audit, document);
  add_findings(audit, FindingStatus::kMissing, "Also missing, and what to ask", document);
  add_findings(audit, FindingStatus::kShown, "Also shown", document);
  add_not_applicable(audit, document);
  add_notes(audit, document);
}

}  // namespace

Document to_document(const Audit& audit, const std::string& title, bool full) {
  Document document;
  if (!title.empty()) document.blocks.emplace_back(Heading{title});
  add_claims(audit, full, document);
  if (!audit.findings.empty()) {
    if (std::string most = weightiest_text(audit); !most.empty()) {
      document.blocks.emplace_back(Paragraph{std::move(most)});
    }
    std::string text = verdict_text(audit);
    if (audit.good) text += " " + good_text(*audit.good);
    if (full) document.blocks.emplace_back(Paragraph{std::move(text)});
  }
  if (full) {
    add_all(audit, document);
  } else {
    add_checklist_table(audit, document);
    add_brief_notes(audit, document);
    if (!audit.findings.empty()) document.blocks.emplace_back(Paragraph{brief_end(audit)});
  }
  return document;
}

}  // namespace kstar
