#include <fmt/format.h>

#include "kstar/audit_report.h"
#include "report/csv.h"

namespace kstar {

namespace {

std::string row(const std::string& rule, const std::string& group, FindingStatus status,
                const std::vector<std::string>& evidence, const std::string& question) {
  return fmt::format("{},{},{},{},{}\n", csv_cell(rule), csv_cell(group), name_of(status),
                     csv_cell(fmt::format("{}", fmt::join(evidence, "; "))), csv_cell(question));
}

}  // namespace

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
