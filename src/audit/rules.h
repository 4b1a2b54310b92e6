#pragma once

#include <span>

#include "audit/evidence.h"

/// The rules, one table a file.
namespace kstar {

/// Asked only where the ceilings of the machine are given.
inline constexpr std::string_view kMachineShareRule = "machine-share";

struct CheckedRule {
  AuditRule about;
  RuleVerdict (*check)(const Evidence&);
};

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
