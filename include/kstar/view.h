#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/chart.h"
#include "kstar/examine.h"
#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/study.h"

/// What is shown of studies, whatever shows it: the page, the figure and the print draw the charts
/// that are made here. One file per kind of chart, and a registry of them.
namespace kstar {

struct Plan;  // kstar/plan.h

/// A kind of chart describes itself.
struct ChartKind {
  std::string_view name;   ///< speedup, efficiency, waterfall, split, samples ...
  std::string_view help;   ///< one line
  std::string_view needs;  ///< what a study must have for it, where not every one has it

  /// Over K, which stands for different problems in different regimes: subjects share one of these
  /// only where they share the regime.
  bool one_regime = true;

  /// Among the charts of a text, where lines and marks can show it; the others are tables there.
  std::optional<int> place_in_text{};

  /// Of one subject or more.
  Result<Chart> (*make)(std::span<const Subject> subjects) = nullptr;
};
KSTAR_EXPORT std::span<const ChartKind> chart_kinds();

/// The kinds that have a place in a text, in that order.
KSTAR_EXPORT std::vector<ChartKind> text_chart_kinds();

/// The kind that shows how a study scales: S where its work is fixed, E where it grows with K.
KSTAR_EXPORT const ChartKind& natural_kind(const ScalingTable& table);

/// One chart of that kind over all subjects. Fails where none of them has what it needs: the error
/// says what, and how to get it.
KSTAR_EXPORT Result<Chart> chart_of(std::string_view kind, std::span<const Subject> subjects);

/// Every chart that these subjects have, in the order of chart_kinds().
KSTAR_EXPORT std::vector<Chart> charts_of(std::span<const Subject> subjects);

/// The waterfall of efficiency at every K where causes have shares, by K: Chart::at_workers. Empty
/// where they have none at any.
KSTAR_EXPORT std::vector<Chart> waterfalls_of(const Subject& subject);

/// Fails where that K was not measured, or nothing is known of the causes there.
KSTAR_EXPORT Result<Chart> waterfall_at(const Subject& subject, int workers);

/// Speedup against the ideal line or, where the work grows with K, efficiency against the flat line
/// at 1: the points that were measured, and the fitted curve through them. For a terminal.
KSTAR_EXPORT Chart to_chart(const Analysis& analysis);

/// Time against cost, from K to K, with the K of every goal marked.
KSTAR_EXPORT Chart to_chart(const Plan& plan);

}  // namespace kstar
