#include <fmt/format.h>

#include "analysis/causes/registry.h"
#include "analysis/causes/words.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

std::optional<Estimate> computation_factor(const Findings& found) {
  return found.here.computation;
}

void tell_computation(const Findings& found, Cause& cause) {
  cause.evidence.push_back(fmt::format(
      "the same work takes {} times the useful time at K = {}: computation scaling is {}",
      fixed(1 / found.here.computation->point, 2), found.here.workers,
      factor_text(*found.here.computation)));
  cause.advice =
      "count instructions, cycles and memory traffic at both K (perf stat): fewer instructions a "
      "cycle mean memory bandwidth or caches, more instructions mean redundant work or thin "
      "batches, fewer cycles a second mean the clock or cores that are shared";
}

std::optional<Estimate> said_computation(const SaidFactors& said) {
  if (!said.here.computation || !said.base.computation) return std::nullopt;
  return scaled(*said.here.computation, 1 / said.base.computation->point);
}

/// What computation scaling is made of, and what each part means.
struct Scalability {
  const char* name;
  const char* words;
  const char* advice;
};
constexpr std::array<Scalability, 3> kScalabilities = {{
    {"ipc_scalability", "instructions a cycle",
     "fewer instructions a cycle: memory bandwidth or caches are shared by more workers"},
    {"instruction_scalability", "instructions",
     "more instructions for the same work: look for work that every worker repeats"},
    {"frequency_scalability", "clock",
     "a slower clock: fewer busy cores a socket, or another power limit"},
}};

void tell_said_computation(const SaidFactors& said, Cause& cause) {
  cause.evidence.push_back(
      both_text("computation scaling", said, *said.here.computation, *said.base.computation));
  std::string parts;
  for (const Scalability& one : kScalabilities) {
    const std::optional<Estimate> part =
        factor_of(said.values, one.name, said.here.parallel.confidence);
    if (!part) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", one.words, factor_text(*part));
    if (takes_much(*part, kNegligible)) {
      cause.advice += (cause.advice.empty() ? "" : "; ") + std::string(one.advice);
    }
  }
  if (!parts.empty()) cause.evidence.push_back("made of: " + parts);
  if (cause.advice.empty()) {
    cause.advice = "count instructions, cycles and memory traffic at both K (perf stat)";
  }
}

}  // namespace

const CauseEntry kComputationScalingCause = {
    .about = {CauseKind::kComputationScaling, "computation_scaling",
              "computation that itself slows", "slower computing"},
    .least = kBusyMachine,
    .of_parallel = false,
    .measured = {computation_factor, tell_computation},
    .said = {said_computation, tell_said_computation},
    .suggested = {.share = 3, .constant = 4, .growing = 2, .weak_share = 3, .weak_growing = 2}};

}  // namespace kstar::causes
