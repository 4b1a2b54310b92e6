#pragma once

#include <string>

#include "kstar/terminal.h"

namespace kstar {

/// The cells of a chart as rows of characters, with what each character means below them. Cells
/// that have no room of their own are put together: the one farthest from the middle is shown.
std::string terminal_map(const Chart& chart, const TerminalStyle& style);

}  // namespace kstar
