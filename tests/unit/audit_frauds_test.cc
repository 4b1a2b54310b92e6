// Every fraud that its data can show is found, and no honest study is called contradicted.
#include <gtest/gtest.h>

#include <filesystem>

#include "kstar/audit.h"
#include "kstar/import.h"
#include "support/audited_studies.h"

namespace kstar {

namespace {

Audit audited_of(const Study& study) {
  Result<Audit> found = audit(study);
  EXPECT_TRUE(found) << (found ? "" : found.error().message);
  return found ? std::move(*found) : Audit{};
}

const Finding* find_finding(const Audit& audit, std::string_view rule) {
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

/// A series of a file.
struct Series {
  const char* file;
  const char* part;
};

void expect_no_contradiction(const std::string& folder, const Series& series) {
  const Result<Study> study =
      import_file(folder + series.file, {.select = series.part, .claims = true});
  ASSERT_TRUE(study) << series.file << ": " << study.error().message;
  for (const Finding& finding : audited_of(*study).findings) {
    EXPECT_NE(finding.status, FindingStatus::kContradicted)
        << series.file << ", " << series.part << ": " << finding.rule->name << ": "
        << finding.evidence.front();
  }
}

TEST(AuditFrauds, NoMeasurementOfOursIsContradicted) {
  for (const Series& series : {Series{"/import/ddp_gloo_steps.jsonl.gz", "strong"},
                               {"/import/ddp_gloo_steps.jsonl.gz", "weak"},
                               {"/import/ddp_gloo_steps.jsonl.gz", "strong_straggler"},
                               {"/import/threads_16core.csv", "triad"},
                               {"/import/threads_16core.csv", "amdahl"}}) {
    expect_no_contradiction(KSTAR_TEST_DATA, series);
  }
}

TEST(AuditFrauds, NoMeasurementOfOthersIsContradicted) {
  const std::string folder = std::string(KSTAR_SHARED_DATA) + "/public/hpc";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no " << folder;
  for (const Series& series :
       {Series{"/ctf_issue121_weak.csv", ""},
        {"/fds_mpi_scaling.csv", "kind=strong,date=2016-12-28,commit=7f83373f7b"},
        {"/fds_mpi_scaling.csv", "kind=weak,date=2016-12-28,commit=7f83373f7b"},
        {"/usl_cisco.csv", ""},
        {"/usl_raytracer.csv", ""}}) {
    expect_no_contradiction(folder, series);
  }
}

TEST(AuditFrauds, EveryDoctoredStudyIsFoundByTheRuleThatIsAboutIt) {
  const auto studies = audited::doctored_studies(KSTAR_EXAMPLES);
  ASSERT_GE(studies.size(), 20U);
  for (const auto& [name, rule, study] : studies) {
    const Audit found = audited_of(study);
    const Finding* finding = find_finding(found, rule);
    ASSERT_NE(finding, nullptr) << rule;
    EXPECT_EQ(finding->status, FindingStatus::kContradicted)
        << name << ": " << rule << ": " << finding->evidence.front();
  }
}

}  // namespace

}  // namespace kstar
