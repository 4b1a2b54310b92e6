#pragma once

#include <optional>
#include <span>
#include <string>

#include "kstar/chart.h"
#include "kstar/document.h"
#include "kstar/export.h"
#include "kstar/prediction.h"

/// Predictions as people and programs read them: pure functions from results to text.
namespace kstar {

enum class Quantity { kTime, kSpeedup, kEfficiency, kCost, kLargestSerial, kIsoefficientWork };
enum class AxisScale { kAuto, kLinear, kLog };

struct PredictionView {
  /// One table with this quantity of every curve, instead of a table for each.
  std::optional<Quantity> side_by_side;
  bool brief = false;  ///< one screen: the answer, what would help, and one table
  bool chart = false;
  bool page = false;  ///< for a page: the brief view with its chart, then all sections, folded
  AxisScale scale = AxisScale::kAuto;  ///< logarithmic from a factor of 64 in K on
};

KSTAR_EXPORT Document to_document(std::span<const Prediction> predictions,
                                  const PredictionView& view);

/// Speedup against the ideal line, or, where a weak curve is among them, efficiency against the
/// flat line at 1: a weak curve is never drawn against the diagonal. Amdahl beside Gustafson is
/// the exception that the two laws are about: both are speedups, of different problems.
KSTAR_EXPORT Chart to_chart(std::span<const Prediction> predictions,
                            const PredictionView& view = {});

/// K,T,S,E at full precision; the parameters that vary stand before.
KSTAR_EXPORT std::string to_csv(std::span<const Prediction> predictions);

/// Everything, as schema/prediction.schema.json describes it.
KSTAR_EXPORT std::string to_json(std::span<const Prediction> predictions);

}  // namespace kstar
