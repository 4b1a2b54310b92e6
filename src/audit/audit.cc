#include "kstar/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "audit/claim_check.h"
#include "audit/recomputed.h"
#include "audit/rules.h"
#include "base/try.h"

namespace kstar {

namespace {

const std::vector<Rule>& all_rules() {
  static const std::vector<Rule> kAll = [] {
    std::vector<Rule> all;
    for (const auto& group : {checklist_rules(), baseline_rules(), limit_rules(), problem_rules(),
                              curve_rules(), claim_rules(), hoefler_belli_rules()}) {
      all.insert(all.end(), group.begin(), group.end());
    }
    return all;
  }();
  return kAll;
}

/// The analysis with the efficiency that is good as its threshold, and what models say of claims.
Result<Analysis> analysis_of(const Study& study, const AuditOptions& options) {
  AnalysisOptions wanted;
  wanted.threshold = options.good;
  wanted.confidence = options.confidence;
  wanted.regime = options.regime;
  wanted.resamples = 100;  // the interval of the bend is not asked for
  for (const Claim& claim : options.claims) wanted.predict.push_back(claim.workers);
  return analyze(study, wanted);
}

/// Intervals that hold for all K at once (Bonferroni): a study is not to be accused because one of
/// many points strayed.
Result<ScalingTable> strict_table(const Study& study, const AuditOptions& options,
                                  std::size_t points) {
  TableOptions wanted;
  wanted.threshold = options.good;
  wanted.confidence =
      1 - (1 - options.confidence) / static_cast<double>(std::max<std::size_t>(points, 1));
  wanted.regime = options.regime;
  return scaling_table(study, wanted);
}

void add_curve(const Analysis& analysis, Evidence& evidence) {
  const ScalingTable& table = analysis.table;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) evidence.curve.push_back(&point);
  }
  evidence.base = point_at(table, table.base_role, table.base_workers);
}

GoodWorkers good_workers(const Analysis& analysis, double good) {
  GoodWorkers found{.efficiency = good,
                    .last_good = analysis.table.last_good,
                    .first_bad = analysis.table.first_bad,
                    .models = {}};
  if (analysis.models) found.models = analysis.models->bend;
  return found;
}

bool has_efficiency(const Analysis& analysis) {
  return std::any_of(analysis.table.points.begin(), analysis.table.points.end(),
                     [](const ScalingPoint& point) { return point.efficiency.has_value(); });
}

void run_rules(const Evidence& evidence, Audit& audit) {
  const std::vector<Rule>& rules = all_rules();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    Verdict verdict = rules[i].check(evidence);
    audit.findings.push_back({.rule = &audit_rules()[i],
                              .status = verdict.status,
                              .evidence = std::move(verdict.evidence)});
  }
}

}  // namespace

std::string_view name_of(FindingStatus status) {
  constexpr std::array<std::string_view, 4> kNames = {"shown", "missing", "contradicted",
                                                      "not_applicable"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view name_of(RuleGroup group) {
  constexpr std::array<std::string_view, 6> kNames = {"checklist", "baseline", "problem",
                                                      "curve",     "claims",   "hoefler_belli"};
  return kNames.at(static_cast<std::size_t>(group));
}

std::span<const AuditRule> audit_rules() {
  static const std::vector<AuditRule> kAbout = [] {
    std::vector<AuditRule> about;
    for (const Rule& rule : all_rules()) about.push_back(rule.about);
    return about;
  }();
  return kAbout;
}

std::size_t Audit::count(FindingStatus status) const {
  const auto of_rules =
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.status == status; });
  const auto of_claims = std::count_if(claims.begin(), claims.end(), [&](const ClaimCheck& check) {
    return check.status == status;
  });
  return static_cast<std::size_t>(of_rules + of_claims);
}

Result<Audit> audit(const Study& study, const AuditOptions& options) {
  Audit result;
  if (study.runs.empty()) {
    if (options.claims.empty()) {
      return fail({.where = study.name, .message = "there is neither a run nor a claim to audit"});
    }
    for (const Claim& claim : options.claims) {
      result.claims.push_back(check_claim(claim, nullptr, options.good));
    }
    return result;
  }
  Evidence evidence{.study = study, .claims = file_claims(study)};
  evidence.row_by_row = stand_row_by_row(evidence.claims);
  std::optional<Analysis> analysis;
  std::optional<ScalingTable> strict;
  if (find_note(study, "several-series") == nullptr) {
    KSTAR_TRY(Analysis found, analysis_of(study, options));
    analysis = std::move(found);
    evidence.analysis = &*analysis;
    add_curve(*analysis, evidence);
    KSTAR_TRY(ScalingTable table, strict_table(study, options, evidence.curve.size()));
    strict = std::move(table);
    evidence.strict = &*strict;
    if (!evidence.claims.empty() && evidence.base != nullptr) {
      evidence.claim_runs = ClaimRuns(study, evidence.base->workers);
    }
    find_weak_claims(evidence);
    if (has_efficiency(*analysis)) result.good = good_workers(*analysis, options.good);
  }
  run_rules(evidence, result);
  for (const Note& note : study.notes) {
    if (note.severity != Severity::kInfo) result.notes.push_back(note);
  }
  for (const Claim& claim : options.claims) {
    result.claims.push_back(check_claim(claim, &evidence, options.good));
  }
  return result;
}

}  // namespace kstar
