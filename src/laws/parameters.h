#pragma once

#include "kstar/law.h"

/// The parameters that laws share, each said once.
namespace kstar {

LawParameter serial_parameter();
LawParameter scaled_serial_parameter();
LawParameter communication_parameter();
LawParameter straggler_parameter();
LawParameter imbalance_parameter();
LawParameter hide_parameter();
LawParameter contention_parameter();
LawParameter coherency_parameter();
LawParameter rate_parameter();
LawParameter compute_parameter();
LawParameter exchange_parameter();
LawParameter at_parameter();
LawParameter growth_parameter();
LawParameter compress_parameter();
LawParameter sync_every_parameter();

}  // namespace kstar
