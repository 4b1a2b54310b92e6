#pragma once

#include <span>

#include "audit/evidence.h"

/// The rules, one table a file.
namespace kstar {

struct CheckedRule {
  AuditRule about;
  RuleVerdict (*check)(const Evidence&);
};

std::span<const CheckedRule> checklist_rules();
std::span<const CheckedRule> baseline_rules();
std::span<const CheckedRule> limit_rules();
std::span<const CheckedRule> problem_rules();
std::span<const CheckedRule> machine_rules();
std::span<const CheckedRule> curve_rules();
std::span<const CheckedRule> claim_rules();
std::span<const CheckedRule> hoefler_belli_rules();

}  // namespace kstar
