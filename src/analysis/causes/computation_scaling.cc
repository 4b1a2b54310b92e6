#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "base/number.h"
#include "kstar/estimate_words.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> computation_factor(const Findings& found) {
  return found.here.computation;
}

void describe_computation(const Findings& found, Cause& cause) {
  cause.evidence.push_back(fmt::format(
      "the same work takes {} times the useful time at K = {}: computation scaling is {}",
      fixed(1 / found.here.computation->point, 2), found.here.workers,
      factor_words(*found.here.computation)));
  cause.advice =
      "count instructions, cycles and memory traffic at both K (perf stat): fewer instructions per "
      "cycle mean memory bandwidth or caches, more instructions mean redundant work or small "
      "batches, fewer cycles per second mean a lower clock or shared cores";
}

std::optional<Estimate> reported_computation(const ReportedFactors& reported) {
  if (!reported.here.computation || !reported.base.computation) return std::nullopt;
  return scaled(*reported.here.computation, 1 / reported.base.computation->point);
}

/// What computation scaling is made of, and what each part means.
struct Scalability {
  const char* name;
  const char* words;
  const char* advice;
};
constexpr std::array<Scalability, 3> kScalabilities = {{
    {"ipc_scalability", "instructions per cycle",
     "fewer instructions per cycle: more workers share memory bandwidth or caches"},
    {"instruction_scalability", "instructions",
     "more instructions for the same work: find work that every worker repeats"},
    {"frequency_scalability", "clock",
     "a lower clock: use fewer cores per socket, or a higher power limit"},
}};

void describe_reported_computation(const ReportedFactors& reported, Cause& cause) {
  cause.evidence.push_back(both_text("computation scaling", reported, *reported.here.computation,
                                     *reported.base.computation));
  std::string parts;
  for (const Scalability& one : kScalabilities) {
    const std::optional<Estimate> part =
        factor_of(reported.values, one.name, reported.here.parallel.confidence);
    if (!part) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", one.words, factor_words(*part));
    if (is_relevant_loss(*part, kNegligible)) {
      cause.advice += (cause.advice.empty() ? "" : "; ") + std::string(one.advice);
    }
  }
  if (!parts.empty()) cause.evidence.push_back("its factors: " + parts);
  if (cause.advice.empty()) {
    cause.advice = "count instructions, cycles and memory traffic at both K (perf stat)";
  }
}

}  // namespace

const CauseEntry kComputationScalingCause = {
    .about = {CauseKind::kComputationScaling, "computation_scaling", "slower computation",
              "slower computation"},
    .least = kBusyMachine,
    .of_parallel = false,
    .measured = {computation_factor, describe_computation},
    .reported = {reported_computation, describe_reported_computation},
    .suggested = {.share = 3, .weak_filling = 4}};

}  // namespace kstar::causes
