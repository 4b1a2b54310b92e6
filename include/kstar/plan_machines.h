#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/export.h"
#include "kstar/plan.h"
#include "kstar/result.h"

/// Up or out: the same job on each type of machine.
namespace kstar {

/// Speeds are relative to where the study was measured, or the law's times hold.
struct Machine {
  std::string name;
  double speed = 1;              ///< of one worker
  double network = 1;            ///< of communication
  std::optional<double> memory;  ///< bytes of one worker
  int node_workers = 1;
  double most_workers = std::numeric_limits<double>::infinity();
  std::optional<double> price;  ///< per worker-hour
  std::string currency = "$";
};

/// The [machine.NAME] tables of a machines.toml.
KSTAR_EXPORT Result<std::vector<Machine>> parse_machines(std::string_view text,
                                                         std::string_view name);

struct MachinePlan {
  Machine machine;
  std::optional<Plan> plan;
  std::string reason;  ///< why there is none, or why no K of it reaches the first goal
};

struct MachineComparison {
  std::string title;
  Goal goal;                          ///< the first
  std::vector<MachinePlan> machines;  ///< the best first, those that cannot last
  std::vector<std::string> notes;
};

KSTAR_EXPORT Result<MachineComparison> compare_machines(const PlanJob& job,
                                                        const PlanOptions& options,
                                                        std::span<const Machine> machines);

}  // namespace kstar
