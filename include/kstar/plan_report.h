#pragma once

#include <string>

#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/plan.h"

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

}  // namespace kstar
