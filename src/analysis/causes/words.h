#pragma once

#include <string>
#include <vector>

#include "analysis/causes/findings.h"
#include "kstar/causes.h"

/// Findings in words that an engineer can act on.
namespace kstar::causes {

/// 0.83 (0.79..0.87); without an interval: 0.83.
std::string factor_text(const Estimate& factor);

/// 12% (9%..15%).
std::string share_text(const Estimate& share);

/// 1.25 ms.
std::string seconds_text(double seconds);

/// Evidence and advice of one cause; worker, host and what cannot be told from it.
void tell_communication(const Findings& found, Cause& cause);
void tell_serial(const Findings& found, Cause& cause);
void tell_straggler(const Findings& found, Cause& cause);
void tell_imbalance(const Findings& found, Cause& cause);
void tell_computation(const Findings& found, Cause& cause);

/// Why nothing is named, and what the loss is made of instead.
void tell_none(const Findings& found, Cause& cause);

/// Measurements that would tell more.
std::vector<std::string> next_measurements(const Findings& found, const std::vector<Cause>& causes);

}  // namespace kstar::causes
