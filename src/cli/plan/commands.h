#pragma once

#include "cli/command.h"

/// The commands below plan that are not laws.
namespace kstar {

Command plan_fleet_command();
Command plan_check_command();

}  // namespace kstar
