#include "kstar/audit_report.h"

#include <fmt/format.h>

#include "report/audit/document.h"
#include "report/csv.h"
#include "report/json_parts.h"

namespace kstar {

namespace {

using kstar::to_json;

constexpr int kSchemaVersion = 1;

Json to_json(const Finding& finding) {
  return {{"rule", finding.rule->name},
          {"group", name_of(finding.rule->group)},
          {"title", finding.rule->title},
          {"status", name_of(finding.status)},
          {"evidence", finding.evidence},
          {"reason", finding.rule->reason},
          {"question", is_asked(finding.status) ? Json(finding.rule->question) : Json()}};
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json to_json(const ClaimCheck& check) {
  const Claim& claim = check.claim;
  return {{"claim", claim.text},
          {"workers", claim.workers},
          {"base_workers", claim.base_workers},
          {"regime", claim.regime ? Json(name_of(*claim.regime)) : Json()},
          {"speedup", claim.speedup},
          {"efficiency", claim.efficiency},
          {"verdict", name_of(check.verdict)},
          {"reason", check.reason},
          {"question", text_or_null(check.question)},
          {"rule", text_or_null(check.rule)},
          {"chance", check.chance},
          {"idle_workers", check.idle_workers},
          {"serial_fraction", check.serial_fraction},
          {"measured", check.measured},
          {"data_speedup", to_json(check.speedup)},
          {"base_time_needed", to_json(check.base_time)},
          {"base_time", check.base_measured},
          {"evidence", check.evidence}};
}

Json to_json(const GoodWorkers& good) {
  return {{"efficiency", good.efficiency},
          {"last_good", good.last_good},
          {"first_bad", good.first_bad},
          {"models", to_json(good.models)}};
}

std::string row(const std::string& rule, std::string_view group, std::string_view status,
                const std::vector<std::string>& evidence, const std::string& question) {
  return fmt::format("{},{},{},{},{}\n", csv_cell(rule), group, status,
                     csv_cell(evidence_text(evidence)), csv_cell(question));
}

}  // namespace

std::string to_json(const Audit& audit) {
  Json counts;
  for (const FindingStatus status : {FindingStatus::kShown, FindingStatus::kMissing,
                                     FindingStatus::kContradicted, FindingStatus::kNotApplicable}) {
    counts[name_of(status)] = audit.count(status);
  }
  Json weightiest;
  if (audit.weightiest) weightiest = audit.findings[*audit.weightiest].rule->name;
  const Json json = {{"kstar", "audit"},
                     {"schema", kSchemaVersion},
                     {"counts", std::move(counts)},
                     {"weightiest", weightiest},
                     {"good_workers", optional_of(audit.good, to_json)},
                     {"claims", list_of(audit.claims, to_json)},
                     {"findings", list_of(audit.findings, to_json)},
                     {"notes", list_of(audit.notes, to_json)}};
  return file_text(json);
}

std::string to_csv(const Audit& audit) {
  std::string text = "rule,group,status,evidence,question\n";
  for (const ClaimCheck& check : audit.claims) {
    std::vector<std::string> evidence = {check.reason};
    evidence.insert(evidence.end(), check.evidence.begin(), check.evidence.end());
    text += row(check.claim.text, "claim", name_of(check.verdict), evidence, check.question);
  }
  for (const Finding& finding : audit.findings) {
    text += row(std::string(finding.rule->name), name_of(finding.rule->group),
                name_of(finding.status), finding.evidence, std::string(finding.rule->question));
  }
  return text;
}

}  // namespace kstar
