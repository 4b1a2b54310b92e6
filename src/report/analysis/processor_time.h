#pragma once

#include "base/json.h"
#include "kstar/cpu_accounts.h"
#include "kstar/document.h"

/// Where the efficiency went, by what the kernel counted.
namespace kstar {

void add_processor_time(const CpuAccounts& accounts, Document& document);

Json processor_time_json(const CpuAccounts& accounts);

}  // namespace kstar
