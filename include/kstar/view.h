#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/audit.h"
#include "kstar/chart.h"
#include "kstar/export.h"
#include "kstar/result.h"
#include "kstar/study.h"
#include "kstar/thresholds.h"

/// What is shown of studies, whatever shows it: the page, the figure and the print draw the charts
/// that are made here. One file per kind of chart, and a registry of them.
namespace kstar {

struct Plan;         // kstar/plan.h
struct PlanOptions;  // likewise

/// A study with what was found in it. Several in one picture are overlaid.
struct Subject {
  std::string name;  ///< short: of the series in a legend
  Study study;
  Analysis analysis;
  std::optional<Audit> audit;
  std::shared_ptr<const Plan> plan;  ///< ExamineOptions::plan
  bool plan_asked = true;            ///< else it is for drawing alone
  /// ExamineOptions::thresholds, by threshold; empty where there is no other answer.
  std::vector<ThresholdAnswer> thresholds{};
};

struct ExamineOptions {
  std::string name;
  AnalysisOptions analysis;  ///< with nothing to predict: chart_workers()
  bool audit = true;
  double good = 0.85;                 ///< AuditOptions::good
  const PlanOptions* plan = nullptr;  ///< a plan is made as well
  bool plan_asked = true;             ///< else it is for drawing, and may fail: then there is none
  std::vector<double> thresholds{};   ///< answers at these are computed as well
};

/// The study analysed, with what is needed for drawing, and audited. Fails where analyze() does.
KSTAR_EXPORT Result<Subject> examine(Study study, const ExamineOptions& options);

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

/// The K to predict for drawing, up to four times the largest one: AnalysisOptions::predict of a
/// Subject, for without predictions the models are drawn over the K measured only.
KSTAR_EXPORT std::vector<double> chart_workers(const Study& study);

/// The same of one study among several, with those of the others as far as they lie between its
/// smallest K and four times its largest: who asks for one K hears of every study that can tell.
KSTAR_EXPORT std::vector<double> chart_workers(const Study& study, std::span<const Study> all);

/// Speedup against the ideal line or, where the work grows with K, efficiency against the flat line
/// at 1: the points that were measured, and the fitted curve through them. For a terminal.
KSTAR_EXPORT Chart to_chart(const Analysis& analysis);

/// Time against cost, from K to K, with the K of every goal marked.
KSTAR_EXPORT Chart to_chart(const Plan& plan);

}  // namespace kstar
