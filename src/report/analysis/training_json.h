#pragma once

#include "kstar/time_to_train.h"
#include "report/json_parts.h"

namespace kstar {

/// What time to train is made of, as schema/analysis.schema.json describes it.
json_parts::Json to_json(const TimeToTrain& train);

}  // namespace kstar
