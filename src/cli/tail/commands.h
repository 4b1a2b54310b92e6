#pragma once

#include "cli/command.h"

/// The commands below tail.
namespace kstar {

Command tail_measure_command();

}  // namespace kstar
