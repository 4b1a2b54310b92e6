#include "analysis/causes/registry.h"

namespace kstar::causes {

// No time of a worker shows it apart from slower computation and waiting: only the shape suggests
// it.
const CauseEntry kContentionCause = {
    .about = {CauseKind::kContention, "contention", "contention (locks or bandwidth)",
              "contention"},
    .suggested = {.constant = 4, .growing = 2, .limit = 1, .weak_growing = 2, .weak_filling = 1}};

}  // namespace kstar::causes
