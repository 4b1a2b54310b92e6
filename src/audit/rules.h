#pragma once

#include <span>

#include "audit/evidence.h"

/// The rules, one table a file.
namespace kstar {

struct Rule {
  AuditRule about;
  RuleVerdict (*check)(const Evidence&);
};

std::span<const Rule> checklist_rules();
std::span<const Rule> baseline_rules();
std::span<const Rule> limit_rules();
std::span<const Rule> problem_rules();
std::span<const Rule> curve_rules();
std::span<const Rule> claim_rules();
std::span<const Rule> hoefler_belli_rules();

}  // namespace kstar
