#include "audit/weight.h"

#include "audit/rules.h"

namespace kstar {

namespace {

int weight_of(const Finding& finding) {
  const RuleWeight& weight =
      checked_rules()[static_cast<std::size_t>(finding.rule - audit_rules().data())].weight;
  return finding.status == FindingStatus::kContradicted ? weight.contradicted : weight.missing;
}

}  // namespace

const Finding* heaviest(const std::vector<Finding>& findings, FindingStatus status,
                        const std::function<bool(const Finding&)>& counts) {
  const Finding* heaviest = nullptr;
  for (const Finding& finding : findings) {
    if (finding.status != status || !counts(finding)) continue;
    if (heaviest == nullptr || weight_of(finding) > weight_of(*heaviest)) heaviest = &finding;
  }
  return heaviest;
}

}  // namespace kstar
