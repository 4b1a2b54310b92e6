#include "kstar/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "audit/claim_check.h"
#include "audit/recomputed.h"
#include "audit/rules.h"
#include "audit/weight.h"
#include "audit/work.h"
#include "base/try.h"

namespace kstar {

namespace {

/// The analysis with the efficiency that is good as its threshold, and what models say of claims.
Result<Analysis> analysis_of(const Study& study, const AuditOptions& options) {
  AnalysisOptions wanted;
  wanted.threshold = options.good;
  wanted.confidence = options.confidence;
  wanted.regime = options.regime;
  wanted.machine = options.machine;
  wanted.flops = options.flops;
  wanted.bytes = options.bytes;
  wanted.resamples = 100;  // the interval of the bend is not asked for
  for (const Claim& claim : options.claims) wanted.predict.push_back(claim.workers);
  return analyze(study, wanted);
}

GoodWorkers good_workers(const Evidence& evidence, double good) {
  GoodWorkers found{.efficiency = good, .last_good = {}, .first_bad = {}, .models = {}};
  for (const ScalingPoint* point : evidence.curve) {
    if (!point->efficiency || found.first_bad) continue;
    (point->efficiency->point < good ? found.first_bad : found.last_good) = point->workers;
  }
  const Analysis& analysis = *evidence.analysis;
  if (analysis.models && analysis.options.threshold == good) found.models = analysis.models->bend;
  return found;
}

void run_rules(const Evidence& evidence, Audit& audit) {
  const std::vector<CheckedRule>& rules = checked_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool has_machine =
        evidence.analysis != nullptr && evidence.analysis->options.machine.has_value();
    if (rules[i].about.name == kMachineShareRule && !has_machine) continue;
    RuleVerdict verdict = rules[i].check(evidence);
    audit.findings.push_back({.rule = &audit_rules()[i],
                              .status = verdict.status,
                              .evidence = std::move(verdict.evidence)});
  }
}

std::optional<std::size_t> find_weightiest(const std::vector<Finding>& findings) {
  const auto any = [](const Finding&) { return true; };
  const Finding* found = heaviest(findings, FindingStatus::kContradicted, any);
  if (found == nullptr) found = heaviest(findings, FindingStatus::kMissing, any);
  if (found == nullptr) return {};
  return static_cast<std::size_t>(found - findings.data());
}

/// Their rows are no one curve.
bool several_series(const Study& study) {
  return find_note(study, "several-series") != nullptr;
}

Audit audit_of(Evidence evidence, const AuditOptions& options) {
  Audit result;
  const Study& study = evidence.study;
  evidence.claims = file_claims(study);
  evidence.row_by_row = stand_row_by_row(evidence.claims);
  if (evidence.analysis != nullptr) {
    add_curve(evidence);
    if (!evidence.claims.empty() && evidence.base != nullptr) {
      evidence.claim_runs = ClaimRuns(study, evidence.base->workers);
    }
    find_weak_claims(evidence);
    if (!evidence.claims_weak) find_claimed_base(evidence);
    if (has_efficiency(evidence.analysis->table) && perhaps_whole_jobs(evidence).empty())
      result.good = good_workers(evidence, options.good);
  }
  run_rules(evidence, result);
  result.weightiest = find_weightiest(result.findings);
  for (const Note& note : study.notes) {
    if (note.severity != Severity::kInfo) result.notes.push_back(note);
  }
  for (const Claim& claim : options.claims) {
    result.claims.push_back(check_claim(
        claim, {.evidence = &evidence, .findings = &result.findings, .options = &options}));
  }
  return result;
}

FindingStatus status_of(ClaimVerdict verdict) {
  if (verdict == ClaimVerdict::kShown) return FindingStatus::kShown;
  return verdict == ClaimVerdict::kContradicted ? FindingStatus::kContradicted
                                                : FindingStatus::kMissing;
}

}  // namespace

const std::vector<CheckedRule>& checked_rules() {
  static const std::vector<CheckedRule> kAll = [] {
    std::vector<CheckedRule> all;
    for (const auto& group :
         {checklist_rules(), baseline_rules(), limit_rules(), problem_rules(), machine_rules(),
          curve_rules(), claim_rules(), hoefler_belli_rules(), machine_share_rules()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return kAll;
}

std::string_view name_of(FindingStatus status) {
  constexpr std::array<std::string_view, 4> kNames = {"shown", "missing", "contradicted",
                                                      "not_applicable"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view name_of(ClaimVerdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"shown", "contradicted", "not_shown",
                                                      "cannot_be_told"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

std::string_view name_of(RuleGroup group) {
  constexpr std::array<std::string_view, 6> kNames = {"checklist", "baseline", "problem",
                                                      "curve",     "claims",   "hoefler_belli"};
  return kNames.at(static_cast<std::size_t>(group));
}

std::span<const AuditRule> audit_rules() {
  static const std::vector<AuditRule> kAbout = [] {
    std::vector<AuditRule> about;
    for (const CheckedRule& rule : checked_rules()) about.push_back(rule.about);
    return about;
  }();
  return kAbout;
}

std::size_t Audit::count(FindingStatus status) const {
  const auto of_rules =
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.status == status; });
  const auto of_claims = std::count_if(claims.begin(), claims.end(), [&](const ClaimCheck& check) {
    return status_of(check.verdict) == status;
  });
  return static_cast<std::size_t>(of_rules + of_claims);
}

Result<Audit> audit(const Study& study, const AuditOptions& options) {
  if (study.runs.empty() && options.claims.empty()) {
    return fail({.where = study.name, .message = "there is neither a run nor a claim to audit"});
  }
  if (study.runs.empty()) {
    Audit result;
    for (const Claim& claim : options.claims) {
      result.claims.push_back(check_claim(claim, {.options = &options}));
    }
    return result;
  }
  if (several_series(study)) return audit_of({.study = study}, options);
  KSTAR_TRY(const Analysis analysis, analysis_of(study, options));
  return audit(study, analysis, options);
}

Result<Audit> audit(const Study& study, const Analysis& analysis, const AuditOptions& options) {
  return audit_of({.study = study, .analysis = several_series(study) ? nullptr : &analysis},
                  options);
}

}  // namespace kstar
