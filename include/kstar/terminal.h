#pragma once

#include <string>

#include "kstar/chart.h"
#include "kstar/export.h"

namespace kstar {

/// What the screen can show.
struct TerminalStyle {
  int width = 80;
  bool color = false;
  bool unicode = true;
};

/// Lines and marks alone: a terminal has no room for the rest.
KSTAR_EXPORT std::string to_terminal(const Chart& chart, const TerminalStyle& style);

}  // namespace kstar
