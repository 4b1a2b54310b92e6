#pragma once

#include "comm/tables.h"

namespace kstar::comm {

/// The JSON of nccl-tests (-J) and of rccl-tests (a list of rows). False where it is neither.
bool read_json(std::string_view text, LogContext& context);

}  // namespace kstar::comm
