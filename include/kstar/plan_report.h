#pragma once

#include <string>

#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/plan.h"
#include "kstar/plan_check.h"
#include "kstar/plan_fleet.h"
#include "kstar/plan_machines.h"

/// Plans as people and programs read them: pure functions from results to text.
namespace kstar {

struct PlanView {
  bool full = false;   ///< all sections; else one screen
  bool chart = false;  ///< time against cost
};

KSTAR_EXPORT Document to_document(const Plan& plan, const PlanView& view);

/// The rows: K, time, cost, efficiency and what the next doubling buys.
KSTAR_EXPORT std::string to_csv(const Plan& plan);

/// Everything, as schema/plan.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Plan& plan);

/// The same job on each machine.
KSTAR_EXPORT Document to_document(const MachineComparison& all, const PlanView& view);
KSTAR_EXPORT std::string to_csv(const MachineComparison& all);
KSTAR_EXPORT std::string to_json(const MachineComparison& all);

KSTAR_EXPORT Document to_document(const Fleet& fleet, const PlanView& view);
KSTAR_EXPORT std::string to_csv(const Fleet& fleet);
KSTAR_EXPORT std::string to_json(const Fleet& fleet);

KSTAR_EXPORT Document to_document(const ProposalCheck& check, const PlanView& view);
KSTAR_EXPORT std::string to_csv(const ProposalCheck& check);
KSTAR_EXPORT std::string to_json(const ProposalCheck& check);

}  // namespace kstar
