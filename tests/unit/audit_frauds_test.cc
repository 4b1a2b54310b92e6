// Every fraud that its data can show is found, and no honest study is called contradicted.
#include <gtest/gtest.h>

#include "kstar/audit.h"
#include "support/audited_studies.h"

namespace kstar {

namespace {

Audit audited_of(const Study& study) {
  Result<Audit> found = audit(study);
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  return found ? std::move(*found) : Audit{};
}

const Finding* finding_of(const Audit& audit, std::string_view rule) {
  for (const Finding& finding : audit.findings) {
    if (finding.rule->name == rule) return &finding;
  }
  return nullptr;
}

TEST(AuditFrauds, NoHonestStudyIsContradicted) {
  const auto studies = audited::honest_studies(KSTAR_EXAMPLES);
  ASSERT_GE(studies.size(), 20U);
  for (const auto& [name, study] : studies) {
    for (const Finding& finding : audited_of(study).findings) {
      EXPECT_NE(finding.status, FindingStatus::kContradicted)
          << name << ": " << finding.rule->name << ": " << finding.evidence.front();
    }
  }
}

TEST(AuditFrauds, EveryDoctoredStudyIsFoundByTheRuleThatIsAboutIt) {
  const auto studies = audited::doctored_studies(KSTAR_EXAMPLES);
  ASSERT_GE(studies.size(), 20U);
  for (const auto& [name, rule, study] : studies) {
    const Audit found = audited_of(study);
    const Finding* finding = finding_of(found, rule);
    ASSERT_NE(finding, nullptr) << rule;
    EXPECT_EQ(finding->status, FindingStatus::kContradicted)
        << name << ": " << rule << ": " << finding->evidence.front();
  }
}

}  // namespace

}  // namespace kstar
