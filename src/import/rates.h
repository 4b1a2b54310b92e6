#pragma once

#include <string>

#include "kstar/import.h"

/// A Study keeps seconds. X units of work a second are 1/X seconds for one; where the work grows
/// with K, K/X for K of them.
namespace kstar {

inline bool is_weak(const ImportOptions& options) {
  return options.regime == Regime::kWeak;
}

double seconds_of_rate(double rate, int workers, bool weak);

/// Says in the header what the seconds of rates are of: one unit of work, or one on each worker.
void say_work_of_rates(Study& study, bool weak, const std::string& unit);

}  // namespace kstar
