#pragma once

#include <span>

#include "kstar/view.h"

/// One function a kind of chart, one file each; registry.cc names them. Subjects are never none.
namespace kstar::view {

Result<Chart> speedup_chart(std::span<const Subject> subjects);
Result<Chart> efficiency_chart(std::span<const Subject> subjects);
Result<Chart> samples_chart(std::span<const Subject> subjects);
Result<Chart> breakdown_chart(std::span<const Subject> subjects);
Result<Chart> workers_chart(std::span<const Subject> subjects);
Result<Chart> models_chart(std::span<const Subject> subjects);

}  // namespace kstar::view
