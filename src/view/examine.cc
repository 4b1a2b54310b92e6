#include "kstar/view.h"

namespace kstar {

namespace {

/// The largest K must be known before it is known what lies beyond it.
Result<AnalysisOptions> with_workers(const Study& study, AnalysisOptions options) {
  if (!options.predict.empty()) return options;
  const Result<ScalingTable> table = scaling_table(
      study,
      {.threshold = options.threshold, .confidence = options.confidence, .regime = options.regime});
  if (!table) return fail(table.error());
  options.predict = chart_workers(*table);
  return options;
}

}  // namespace

Result<Subject> examine(Study study, const ExamineOptions& options) {
  const Result<AnalysisOptions> chosen = with_workers(study, options.analysis);
  if (!chosen) return fail(chosen.error());
  Result<Analysis> analysis = analyze(study, *chosen);
  if (!analysis) return fail(analysis.error());
  Subject subject{.name = options.name,
                  .study = std::move(study),
                  .analysis = std::move(*analysis),
                  .audit = {}};
  if (!options.audit) return subject;
  Result<Audit> checked = audit(subject.study, {.good = options.good,
                                                .confidence = options.analysis.confidence,
                                                .regime = options.analysis.regime,
                                                .claims = {}});
  if (!checked) return fail(checked.error());
  subject.audit = std::move(*checked);
  return subject;
}

}  // namespace kstar
