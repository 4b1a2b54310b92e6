#include "audit/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/work.h"
#include "audit/written.h"
#include "base/number.h"

namespace kstar {

void add_curve(Evidence& evidence) {
  const ScalingTable& table = evidence.analysis->table;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) evidence.curve.push_back(&point);
  }
  evidence.base = point_at(table, table.base_role, table.base_workers);
  evidence.open = open_times(evidence);
}

OpenRatio open_ratio(const Evidence& evidence, int workers, bool of_one_run) {
  if (evidence.base == nullptr || evidence.base->workers == workers) return {};
  const auto share_at = [&](int k) {
    const auto found = evidence.open.find(k);
    if (found == evidence.open.end() || (found->second.in_noise && !of_one_run)) return 0.0;
    return found->second.share;
  };
  // The first of ratios is 1, with all of its digits.
  const double base = is_relative(evidence.study) ? 0 : share_at(evidence.base->workers);
  const double here = share_at(workers);
  return {(1 - base) / (1 + here), here < 1 ? (1 + base) / (1 - here) : INFINITY};
}

std::vector<const Run*> runs_at(const Study& study, int workers) {
  std::vector<const Run*> runs;
  for (const Run& run : study.runs) {
    if (run.role == Role::kParallel && run.workers == workers && counts(run)) runs.push_back(&run);
  }
  return runs;
}

const ScalingTable& strict_table(const Evidence& evidence) {
  if (evidence.strict) return *evidence.strict;
  const AnalysisOptions& options = evidence.analysis->options;
  const auto points = static_cast<double>(std::max<std::size_t>(evidence.curve.size(), 1));
  const Result<ScalingTable> table =
      scaling_table(evidence.study, {.threshold = options.threshold,
                                     .confidence = 1 - (1 - options.confidence) / points,
                                     .regime = options.regime});
  evidence.strict = table ? *table : evidence.analysis->table;
  return *evidence.strict;
}

const Note* find_note(const Study& study, std::string_view what) {
  const auto found = std::find_if(study.notes.begin(), study.notes.end(),
                                  [&](const Note& note) { return note.what == what; });
  return found == study.notes.end() ? nullptr : &*found;
}

const Note* find_note(const Evidence& evidence, std::string_view what) {
  if (const Note* note = find_note(evidence.study, what)) return note;
  if (evidence.analysis == nullptr) return nullptr;
  for (const Note& note : evidence.analysis->table.notes) {
    if (note.what == what) return &note;
  }
  return nullptr;
}

bool is_relative(const Study& study) {
  return is_relative(study.header.time);
}

bool is_inverse(const Study& study) {
  return study.header.time == TimeKind::kRate || is_relative(study);
}

bool has_regime(const Evidence& evidence) {
  if (evidence.study.header.regime) return true;
  const WorkWay way = work_way(evidence);
  return way == WorkWay::kSame || way == WorkWay::kGrows;
}

std::string seconds_text(const Study& study, const Estimate& time) {
  const std::string text = with_interval(time, 4, " s");
  return study.header.time == TimeKind::kRate ? text + " for one unit of work" : text;
}

std::string summary_kind(const Study& study) {
  return study.header.source.summary;
}

std::string author_title(const Study& study) {
  const bool of_import = study.header.source.kind == SourceKind::kImported;
  return of_import ? std::string() : study.header.title;
}

RuleVerdict shown(std::string evidence) {
  return {FindingStatus::kShown, {std::move(evidence)}};
}
RuleVerdict missing(std::string evidence) {
  return {FindingStatus::kMissing, {std::move(evidence)}};
}
RuleVerdict contradicted(std::string evidence) {
  return {FindingStatus::kContradicted, {std::move(evidence)}};
}
RuleVerdict not_applicable(std::string evidence) {
  return {FindingStatus::kNotApplicable, {std::move(evidence)}};
}

std::string change_text(const ChangedSetting& change) {
  return fmt::format("'{}' changes with K: {}{}", change.name, fmt::join(change.values, ", "),
                     change.count ? fmt::format(" ... ({} in total)", *change.count) : "");
}

std::string listed(const std::vector<int>& workers) {
  constexpr std::size_t kMost = 12;
  std::string text = "K = ";
  for (std::size_t i = 0; i < std::min(workers.size(), kMost); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", workers[i]);
  }
  return workers.size() > kMost ? text + " ..." : text;
}

}  // namespace kstar
