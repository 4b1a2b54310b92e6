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

Json to_json(const ClaimCheck& check) {
  return {{"claim", check.claim.text},
          {"workers", check.claim.workers},
          {"speedup", check.claim.speedup},
          {"efficiency", check.claim.efficiency},
          {"idle_workers", check.idle_workers},
          {"serial_fraction", check.serial_fraction},
          {"status", name_of(check.status)},
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

std::string row(const std::string& rule, const std::string& group, FindingStatus status,
                const std::vector<std::string>& evidence, const std::string& question) {
  return fmt::format("{},{},{},{},{}\n", csv_cell(rule), csv_cell(group), name_of(status),
                     csv_cell(evidence_text(evidence)), csv_cell(question));
}

}  // namespace

std::string to_json(const Audit& audit) {
  Json counts;
  for (const FindingStatus status : {FindingStatus::kShown, FindingStatus::kMissing,
                                     FindingStatus::kContradicted, FindingStatus::kNotApplicable}) {
    counts[name_of(status)] = audit.count(status);
  }
  const Json json = {{"kstar", "audit"},
                     {"schema", kSchemaVersion},
                     {"counts", std::move(counts)},
                     {"good_workers", optional_of(audit.good, to_json)},
                     {"claims", list_of(audit.claims, to_json)},
                     {"findings", list_of(audit.findings, to_json)},
                     {"notes", list_of(audit.notes, to_json)}};
  return file_text(json);
}

std::string to_csv(const Audit& audit) {
  std::string text = "rule,group,status,evidence,question\n";
  for (const ClaimCheck& check : audit.claims) {
    text += row(check.claim.text, "claim", check.status, check.evidence, "");
  }
  for (const Finding& finding : audit.findings) {
    text += row(std::string(finding.rule->name), std::string(name_of(finding.rule->group)),
                finding.status, finding.evidence, std::string(finding.rule->question));
  }
  return text;
}

}  // namespace kstar
