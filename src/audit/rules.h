#pragma once

#include <span>
#include <vector>

#include "audit/evidence.h"

/// The rules, one table a file.
namespace kstar {

/// Asked only where the ceilings of the machine are given.
inline constexpr std::string_view kMachineShareRule = "machine-share";

/// Which finding is told first: the larger number, of 0 none. What slowed T(1) weighs most among
/// contradictions, then a problem that changes, then numbers; among what is missing, the checklist.
struct RuleWeight {
  constexpr RuleWeight(int if_contradicted, int if_missing)
      : contradicted(if_contradicted), missing(if_missing) {}
  int contradicted;
  int missing;
};

struct CheckedRule {
  AuditRule about;
  RuleVerdict (*check)(const Evidence&);
  RuleWeight weight;
};

/// Those of audit_rules(), in that order.
const std::vector<CheckedRule>& checked_rules();

std::span<const CheckedRule> checklist_rules();
std::span<const CheckedRule> baseline_rules();
/// Behind all others: where they are not asked, the findings of the others keep their places.
std::span<const CheckedRule> machine_share_rules();
std::span<const CheckedRule> limit_rules();
std::span<const CheckedRule> problem_rules();
std::span<const CheckedRule> machine_rules();
std::span<const CheckedRule> curve_rules();
std::span<const CheckedRule> claim_rules();
std::span<const CheckedRule> hoefler_belli_rules();

}  // namespace kstar
