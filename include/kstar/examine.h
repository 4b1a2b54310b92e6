#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kstar/analysis.h"
#include "kstar/audit.h"
#include "kstar/export.h"
#include "kstar/network.h"
#include "kstar/result.h"
#include "kstar/study.h"
#include "kstar/thresholds.h"

/// A study with everything that is found in it: what charts, pages and texts are made of.
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

/// Whether the network is what the job waits for: what `collective` of so many bytes should take,
/// and what the study spends on communication. Fails where either does not say it.
KSTAR_EXPORT Result<NetworkVerdict> against_network(const Analysis& analysis,
                                                    const Network& network, Collective collective,
                                                    double bytes);

/// The K to predict for drawing, up to four times the largest one: AnalysisOptions::predict of a
/// Subject, for without predictions the models are drawn over the K measured only.
KSTAR_EXPORT std::vector<double> chart_workers(const Study& study);

/// The same of one study among several, with those of the others as far as they lie between its
/// smallest K and four times its largest: who asks for one K hears of every study that can tell.
KSTAR_EXPORT std::vector<double> chart_workers(const Study& study, std::span<const Study> all);

}  // namespace kstar
