#include "kstar/causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/causes/one_core.h"
#include "analysis/causes/registry.h"
#include "analysis/causes/shape.h"
#include "base/number.h"

namespace kstar {

namespace {

using causes::CauseEntry;
using causes::CpuFacts;
using causes::Findings;
using causes::ReportedFactors;
using causes::Witness;

/// A cause with its factor of efficiency.
struct CauseFactor {
  const CauseEntry* cause = nullptr;
  Estimate factor;
  bool named = false;
};
using CauseFactors = std::vector<CauseFactor>;

template <typename Facts>
CauseFactors parts_of(const Facts& evidence, Witness<Facts> CauseEntry::*witness) {
  CauseFactors parts;
  for (const CauseEntry* cause : causes::kCauses) {
    const auto factor = (cause->*witness).factor;
    const std::optional<Estimate> found = factor ? factor(evidence) : std::nullopt;
    if (!found) continue;
    parts.push_back(
        {cause, *found, cause->tested || causes::is_relevant_loss(*found, cause->least)});
  }
  return parts;
}

/// Factors of efficiency multiply; their logarithms add up to the loss, and each has its share.
double loss(double factor) {
  return factor > 0 ? std::max(0.0, -std::log(factor)) : 0;
}

/// Of the whole loss, with the other losses as they are.
Estimate share_of(const Estimate& factor, double whole) {
  const double others = std::max(0.0, whole - loss(factor.point));
  const auto share = [others](double one) { return one > 0 ? one / (one + others) : 0.0; };
  Estimate estimate = factor;
  estimate.point = share(loss(factor.point));
  if (!is_bounded(factor)) return estimate;
  estimate.low = share(loss(factor.high));
  estimate.high = factor.low > 0 ? share(loss(factor.low)) : 1;
  estimate.standard_error = factor.standard_error / factor.point / whole;
  return estimate;
}

/// All losses, those of no part among them.
double whole_loss(const CauseFactors& parts, const Findings& found) {
  double sum = 0, apart = 0;
  for (const CauseFactor& part : parts) {
    sum += loss(part.factor.point);
    if (part.cause->of_parallel) apart += loss(part.factor.point);
  }
  const double parallel = loss(found.here.parallel.point / found.base.parallel.point);
  return sum + std::max(0.0, parallel - apart);
}

/// Here the parts of parallel efficiency are it.
double whole_loss(const CauseFactors& parts, const ReportedFactors& reported) {
  double whole = loss(reported.here.parallel.point / reported.base.parallel.point);
  for (const CauseFactor& part : parts) {
    if (!part.cause->of_parallel) whole += loss(part.factor.point);
  }
  return whole;
}

/// Its factors are all there is of E.
double whole_loss(const CauseFactors& parts, const CpuFacts&) {
  double sum = 0;
  for (const CauseFactor& part : parts) sum += loss(part.factor.point);
  return sum;
}

template <typename Facts>
std::vector<Cause> causes_of(const Facts& evidence, Witness<Facts> CauseEntry::*witness,
                             Confidence confidence) {
  std::vector<Cause> ranked;
  const auto add = [&](const CauseEntry& entry, const Estimate& share, const Estimate& factor) {
    Cause cause;
    cause.kind = entry.about.kind;
    cause.share = share;
    cause.factor = factor;
    cause.confidence = confidence;
    (entry.*witness).tell(evidence, cause);
    ranked.push_back(std::move(cause));
  };
  const CauseFactors parts = parts_of(evidence, witness);
  const double whole = whole_loss(parts, evidence);
  for (const CauseFactor& part : parts) {
    if (part.named && whole > 0) add(*part.cause, share_of(part.factor, whole), part.factor);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Cause& a, const Cause& b) { return a.share.point > b.share.point; });
  const Estimate one = causes::exactly_one(evidence.confidence, evidence.here.runs);
  if (ranked.empty()) add(causes::kNoCause, one, one);
  return ranked;
}

/// At the K that the evidence is about.
template <typename Facts>
Diagnosis diagnose_by(const Facts& evidence, Witness<Facts> CauseEntry::*witness,
                      Confidence confidence, const ScalingTable& table) {
  Diagnosis diagnosis;
  diagnosis.workers = evidence.here.workers;
  const ScalingPoint* point = point_at(table, Role::kParallel, diagnosis.workers);
  if (point != nullptr) diagnosis.efficiency = point->efficiency;
  diagnosis.causes = causes_of(evidence, witness, confidence);
  return diagnosis;
}

/// Measurements that would tell more.
std::vector<std::string> next_measurements(const Findings& found,
                                           const std::vector<Cause>& causes) {
  std::vector<std::string> next;
  const auto seen = [&](CauseKind kind) {
    return std::any_of(causes.begin(), causes.end(),
                       [kind](const Cause& cause) { return cause.kind == kind; });
  };
  if (!found.work_recorded) {
    next.push_back(
        "mark the work of each worker (kstar_mark_work): without it, a slow worker and one with "
        "more work look the same");
  }
  if (!found.transfer || !found.has_wait) {
    next.push_back(
        "mark waiting separately from communication (a barrier before the collective), or use "
        "kstar measure --inside for an MPI program");
  }
  const std::optional<Estimate>& computation = found.here.computation;
  constexpr double kWide = 0.1;
  if (computation && !seen(CauseKind::kComputationScaling) &&
      computation->point < 1 - causes::kNegligible &&
      (!is_bounded(*computation) || computation->high - computation->low > kWide)) {
    next.push_back(fmt::format(
        "more runs at K = {}: whether computation is slower depends on them, and they vary by {}",
        found.base.workers, percent(found.noise.deviation, 0)));
  }
  if (found.here.runs < 3) {
    next.push_back(
        fmt::format("at least three runs at K = {}: intervals need them", found.here.workers));
  }
  return next;
}

bool is_cpu_wait(const Cause& cause) {
  return cause.kind == CauseKind::kCpuWait;
}

/// Other jobs took a large part of the machine: that is all that these runs tell.
void withhold_causes(const CpuFacts& facts, std::vector<Cause>& causes) {
  const Cause first = causes.front();
  std::erase_if(causes, [](const Cause& cause) { return !is_cpu_wait(cause); });
  if (causes.empty()) {
    Cause none;
    none.confidence = Confidence::kShape;
    none.share = first.share;
    none.factor = first.factor;
    causes.push_back(std::move(none));
  }
  causes.front().evidence.push_back(fmt::format(
      "{}ther jobs used {} of {} CPUs: no other cause can be determined from these runs",
      is_cpu_wait(causes.front()) ? "o" : "O",  // the answer itself, or a part of it
      significant(std::max(facts.here.others, facts.base.others), 2),
      significant(facts.machine_cpus, 3)));
  if (!is_cpu_wait(causes.front()))
    std::swap(causes[0].evidence.front(), causes[0].evidence.back());
  causes.front().advice = "stop the other jobs, or wait for them, and measure again";
}

bool has_cached_work(const Study& study) {
  return std::any_of(study.notes.begin(), study.notes.end(),
                     [](const Note& note) { return note.what == "cached-work"; });
}

/// The base takes hardly longer than starting a process.
bool only_starts(const Study& study, const ScalingTable& table) {
  constexpr double kShort = 0.005;  // seconds
  const ScalingPoint* base = point_at(table, Role::kParallel, table.base_workers);
  return base != nullptr && base->time.point < kShort &&
         std::any_of(study.notes.begin(), study.notes.end(),
                     [](const Note& note) { return note.what == "short-runs"; });
}

Cause start_of_process(const Cause& first) {
  Cause none;
  none.confidence = Confidence::kShape;
  none.share = first.share;
  none.factor = first.factor;
  none.evidence.emplace_back("The runs hardly do more than start a process: they show no cause");
  none.advice = "give it more work: runs of a tenth of a second or more";
  return none;
}

/// Of runs that found the work of the first one done.
Cause nothing_left_to_do(const Cause& first) {
  Cause none;
  none.confidence = Confidence::kShape;
  none.share = first.share;
  none.factor = first.factor;
  none.evidence.emplace_back(
      "Later runs found the work of the first one done, and measured nothing of it");
  none.advice = "undo the work before every run: kstar measure --prepare 'make clean'";
  return none;
}

/// Time without a CPU looks like slower computation, and like waiting, in the times of workers.
void add_cpu_wait(const CpuFacts& facts, std::vector<Cause>& causes) {
  for (Cause& cause : causes_of(facts, &CauseEntry::counted, Confidence::kCounted)) {
    if (!is_cpu_wait(cause)) continue;
    std::erase_if(causes, [&](const Cause& other) {
      return other.kind == CauseKind::kNone ||
             (other.kind == CauseKind::kComputationScaling &&
              !causes::is_relevant_loss(scaled(other.factor, 1 / cause.factor.point),
                                        causes::kBusyMachine));
    });
    causes.insert(causes.begin(), std::move(cause));
    return;
  }
}

std::string partly_text(std::size_t runs) {
  return fmt::format(
      "marks from every worker: {} excluded because only some of {} workers have marks",
      runs == 1 ? "1 run was" : fmt::format("{} runs were", runs), runs == 1 ? "its" : "their");
}

}  // namespace

const CauseAbout& about(CauseKind kind) {
  const auto* const found =
      std::find_if(causes::kCauses.begin(), causes::kCauses.end(),
                   [&](const CauseEntry* cause) { return cause->about.kind == kind; });
  return found != causes::kCauses.end() ? (*found)->about : causes::kNoCause.about;
}

std::string_view name_of(CauseKind kind) {
  return about(kind).name;
}

std::string_view name_of(Confidence confidence) {
  constexpr std::array<std::string_view, 4> kNames = {"workers", "factors", "processor", "shape"};
  return kNames.at(static_cast<std::size_t>(confidence));
}

namespace {

/// From the best evidence there is; the processor time is added to it behind.
Diagnosis diagnose_best(const Study& study, const ScalingTable& table,
                        const std::optional<CpuFacts>& facts, double confidence,
                        const ModelFit* models) {
  const causes::WorkerStudy workers = causes::worker_study(study);
  if (const auto found = causes::find_causes(workers, table.regime, confidence)) {
    Diagnosis diagnosis = diagnose_by(*found, &CauseEntry::measured, Confidence::kMeasured, table);
    diagnosis.factors = causes::factor_points(workers, table.regime, confidence);
    diagnosis.next = next_measurements(*found, diagnosis.causes);
    if (workers.partly > 0) diagnosis.next.push_back(partly_text(workers.partly));
    return diagnosis;
  }
  if (const auto reported = causes::reported_factors(study, table, confidence)) {
    Diagnosis diagnosis =
        diagnose_by(*reported, &CauseEntry::reported, Confidence::kReported, table);
    diagnosis.factors = reported->points;
    return diagnosis;
  }
  if (facts) {
    Diagnosis diagnosis = diagnose_by(*facts, &CauseEntry::counted, Confidence::kCounted, table);
    // What varies together in T and in c cancels in a factor: it may be certain where E is not.
    const bool loses =
        diagnosis.efficiency && diagnosis.efficiency->point < 1 - causes::kCountedLoss;
    if (loses && diagnosis.causes.front().kind != CauseKind::kNone) return diagnosis;
  }
  if (const auto alone = causes::one_core(study, table, confidence)) {
    Diagnosis diagnosis = causes::diagnose_shape(study, table, confidence, models);
    diagnosis.causes = {*alone};
    return diagnosis;
  }
  return causes::diagnose_shape(study, table, confidence, models);
}

}  // namespace

Diagnosis diagnose(const Study& study, const ScalingTable& table, double confidence,
                   const ModelFit* models, const CpuByWorkers& passive) {
  std::optional<CpuAccounts> accounts = cpu_accounts(study, table, passive, confidence);
  const std::optional<CpuFacts> facts =
      accounts ? causes::cpu_facts_of(study, table, *accounts, confidence) : std::nullopt;
  Diagnosis diagnosis = diagnose_best(study, table, facts, confidence, models);
  diagnosis.cpu = std::move(accounts);
  std::vector<Cause>& causes = diagnosis.causes;
  if (facts && causes.front().confidence == Confidence::kMeasured) add_cpu_wait(*facts, causes);
  if (facts && causes::is_machine_taken(*facts)) withhold_causes(*facts, causes);
  if (only_starts(study, table)) causes = {start_of_process(causes.front())};
  if (has_cached_work(study)) causes = {nothing_left_to_do(causes.front())};
  return diagnosis;
}

bool is_guess(const Cause& cause) {
  return cause.confidence == Confidence::kShape &&
         !(is_bounded(cause.share) && std::isfinite(cause.share.standard_error));
}

}  // namespace kstar
