#include "kstar/causes.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/causes/cause_shares.h"
#include "analysis/causes/findings.h"
#include "analysis/causes/said.h"
#include "analysis/causes/shape.h"
#include "analysis/causes/words.h"
#include "kstar/scaling_table.h"

namespace kstar {

namespace {

using causes::Findings;
using causes::loss;
using causes::share_of;

/// A factor of efficiency, and who tells about it.
struct Part {
  CauseKind kind = CauseKind::kNone;
  Estimate factor;
  bool named = false;
  void (*tell)(const Findings&, Cause&) = nullptr;
};

void add(const std::optional<Estimate>& factor, CauseKind kind,
         void (*tell)(const Findings&, Cause&), std::vector<Part>& parts) {
  const double least =
      kind == CauseKind::kComputationScaling ? causes::kBusyMachine : causes::kNegligible;
  if (factor) parts.push_back({kind, *factor, causes::takes_much(*factor, least), tell});
}

std::vector<Part> parts_of(const Findings& found) {
  std::vector<Part> parts;
  add(found.transfer ? *found.transfer : found.here.communication, CauseKind::kCommunication,
      causes::tell_communication, parts);
  add(causes::straggler_factor(found), CauseKind::kStraggler, causes::tell_straggler, parts);
  add(found.imbalance, CauseKind::kLoadImbalance, causes::tell_imbalance, parts);
  add(found.here.computation, CauseKind::kComputationScaling, causes::tell_computation, parts);
  if (found.serial) {
    add(causes::serial_factor(found), CauseKind::kSerial, causes::tell_serial, parts);
  }
  // These are found only where they take much, each by a test of its own.
  for (Part& part : parts) {
    const bool found_as_such =
        part.kind == CauseKind::kStraggler || part.kind == CauseKind::kSerial;
    part.named = part.named || found_as_such;
  }
  return parts;
}

/// All losses, those of no part among them.
double whole_loss(const std::vector<Part>& parts, const Findings& found) {
  double sum = 0, apart = 0;
  for (const Part& part : parts) {
    sum += loss(part.factor.point);
    if (part.kind != CauseKind::kComputationScaling) apart += loss(part.factor.point);
  }
  const double parallel = loss(found.here.parallel.point / found.base.parallel.point);
  return sum + std::max(0.0, parallel - apart);
}

std::vector<Cause> causes_of(const Findings& found) {
  const std::vector<Part> parts = parts_of(found);
  const double whole = whole_loss(parts, found);
  std::vector<Cause> ranked;
  for (const Part& part : parts) {
    if (!part.named || !(whole > 0)) continue;
    Cause cause;
    cause.kind = part.kind;
    cause.factor = part.factor;
    cause.share = share_of(part.factor, whole);
    part.tell(found, cause);
    ranked.push_back(std::move(cause));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Cause& a, const Cause& b) { return a.share.point > b.share.point; });
  if (ranked.empty()) {
    Cause none;
    none.share = causes::exactly_one(found.confidence, found.runs);
    none.factor = causes::exactly_one(found.confidence, found.runs);
    causes::tell_none(found, none);
    ranked.push_back(std::move(none));
  }
  return ranked;
}

const ScalingPoint* point_at(const Result<ScalingTable>& table, int workers) {
  if (!table) return nullptr;
  for (const ScalingPoint& point : table->points) {
    if (point.workers == workers && point.role == Role::kParallel) return &point;
  }
  return nullptr;
}

}  // namespace

std::string_view name_of(CauseKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {
      "communication", "straggler", "load_imbalance", "computation_scaling", "serial", "none"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(Confidence confidence) {
  constexpr std::array<std::string_view, 3> kNames = {"workers", "factors", "shape"};
  return kNames.at(static_cast<std::size_t>(confidence));
}

Diagnosis diagnose(const Study& study, const DiagnosisOptions& options) {
  const Result<ScalingTable> table =
      scaling_table(study, {.threshold = options.threshold, .confidence = options.confidence});
  const std::optional<Regime> regime = table ? table->regime : study.header.regime;
  const causes::WorkerStudy workers = causes::worker_study(study);
  const std::optional<Findings> found = causes::find_causes(workers, regime, options.confidence);
  if (!found) {
    std::optional<Diagnosis> said = causes::diagnose_said(study, table, options);
    if (!said) return causes::diagnose_shape(study, table, options);
    if (const ScalingPoint* point = point_at(table, said->workers)) {
      said->efficiency = point->efficiency;
    }
    return *std::move(said);
  }
  Diagnosis diagnosis;
  diagnosis.workers = found->workers;
  if (const ScalingPoint* point = point_at(table, found->workers)) {
    diagnosis.efficiency = point->efficiency;
  }
  diagnosis.factors = causes::factor_points(workers, regime, options.confidence);
  diagnosis.causes = causes_of(*found);
  diagnosis.next = causes::next_measurements(*found, diagnosis.causes);
  if (workers.partly > 0) {
    diagnosis.next.push_back(causes::partly_text(workers.partly));
  }
  return diagnosis;
}

}  // namespace kstar
