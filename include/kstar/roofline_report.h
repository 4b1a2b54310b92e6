#pragma once

#include <string>

#include "kstar/chart.h"
#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/machine.h"
#include "kstar/roofline.h"

/// Rooflines and machines as people and programs read them: pure functions from results to text.
namespace kstar {

struct RooflineView {
  bool full = false;   ///< every kernel and level; else one screen
  bool chart = false;  ///< the roofline
};

KSTAR_EXPORT Document to_document(const Roofline& roofline, const RooflineView& view);
/// One row per kernel.
KSTAR_EXPORT std::string to_csv(const Roofline& roofline);
/// Everything, as schema/roofline.schema.json describes it.
KSTAR_EXPORT std::string to_json(const Roofline& roofline);

KSTAR_EXPORT Document to_document(const MachineCeilings& machine, const RooflineView& view);
/// One row per ceiling.
KSTAR_EXPORT std::string to_csv(const MachineCeilings& machine);
/// As schema/machine.schema.json describes it.
KSTAR_EXPORT std::string to_json(const MachineCeilings& machine);

/// FLOP/s against FLOP per byte, with the ceilings on so many threads (0: the most).
KSTAR_EXPORT Chart roofline_chart(const Roofline& roofline);
KSTAR_EXPORT Chart machine_chart(const MachineCeilings& machine);

/// "50.9 TFLOP/s", "4.28 TB/s": with the prefix that leaves one to three digits.
KSTAR_EXPORT std::string rate_text(double rate, std::string_view unit);

}  // namespace kstar
