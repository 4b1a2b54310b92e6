#include "analysis/causes/said.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "analysis/causes/cause_shares.h"
#include "analysis/causes/factors.h"
#include "analysis/causes/findings.h"
#include "analysis/causes/words.h"
#include "base/number.h"

namespace kstar::causes {

namespace {

/// The values of every run at one K, by the factor's name.
using SaidFactors = std::map<std::string, std::vector<double>, std::less<>>;

void take(const Run& run, SaidFactors& said) {
  simdjson::dom::parser parser;
  simdjson::dom::object factors;
  if (parser.parse(run.extra)["pop"].get(factors) != simdjson::SUCCESS) return;
  for (const auto [name, value] : factors) {
    double factor = 0;
    if (value.get(factor) == simdjson::SUCCESS && factor > 0) {
      said[std::string(name)].push_back(factor);
    }
  }
}

std::map<int, SaidFactors> said_by_workers(const Study& study) {
  std::map<int, SaidFactors> by_workers;
  for (const Run& run : study.runs) {
    if (counts(run) && run.role == Role::kParallel && !run.extra.empty()) {
      take(run, by_workers[run.workers]);
    }
  }
  std::erase_if(by_workers, [](const auto& entry) {
    return !entry.second.contains("load_balance") ||
           !entry.second.contains("communication_efficiency");
  });
  return by_workers;
}

std::optional<Estimate> factor_of(const SaidFactors& said, std::string_view name,
                                  double confidence) {
  const auto found = said.find(name);
  if (found == said.end()) return std::nullopt;
  return factor_over(found->second, confidence);
}

FactorPoint point_of(int workers, const SaidFactors& said, double confidence) {
  FactorPoint point;
  point.workers = workers;
  point.runs = said.at("load_balance").size();
  point.load_balance = *factor_of(said, "load_balance", confidence);
  point.communication = *factor_of(said, "communication_efficiency", confidence);
  point.parallel = factor_of(said, "parallel_efficiency", confidence)
                       .value_or(scaled(point.load_balance, point.communication.point));
  point.transfer = factor_of(said, "transfer_efficiency", confidence);
  point.serialization = factor_of(said, "serialization_efficiency", confidence);
  point.computation = factor_of(said, "computation_scalability", confidence);
  return point;
}

/// Where no tool says it: efficiency is parallel efficiency times computation scaling.
void derive_computation(const Result<ScalingTable>& table, std::vector<FactorPoint>& points) {
  if (!table) return;
  for (FactorPoint& point : points) {
    for (const ScalingPoint& measured : table->points) {
      if (point.computation || measured.workers != point.workers || !measured.efficiency ||
          measured.role != Role::kParallel || table->base_workers != points[0].workers) {
        continue;
      }
      point.computation =
          scaled(*measured.efficiency, points[0].parallel.point / point.parallel.point);
    }
  }
}

/// The K looked at, and what it is compared with.
struct Pair {
  const FactorPoint& here;
  const FactorPoint& base;
  const SaidFactors& said;  ///< here
};

std::string both_text(std::string_view name, const Pair& pair, const Estimate& here,
                      const Estimate& base) {
  return fmt::format("{} is {} at K = {} and {} at K = {}, by the factors in the file", name,
                     factor_text(here), pair.here.workers, factor_text(base), pair.base.workers);
}

void tell_communication(const Pair& pair, Cause& cause) {
  cause.evidence.push_back(both_text("communication efficiency", pair, pair.here.communication,
                                     pair.base.communication));
  if (pair.here.transfer && pair.here.serialization) {
    cause.evidence.push_back(fmt::format(
        "of it, moving data leaves {} (transfer) and waiting for each other {} (serialization)",
        factor_text(*pair.here.transfer), factor_text(*pair.here.serialization)));
  } else {
    cause.or_else = {CauseKind::kSerial};
  }
  cause.advice =
      "where transfer is the smaller: fewer and larger messages, or communication behind "
      "computation; where serialization is: find who is waited for (kstar measure --inside)";
}

void tell_balance(const Pair& pair, Cause& cause) {
  cause.evidence.push_back(
      both_text("load balance", pair, pair.here.load_balance, pair.base.load_balance));
  cause.or_else = {CauseKind::kStraggler};
  cause.advice =
      "measure single workers (kstar measure --time marks, or --inside): whether the slow ones "
      "have more work";
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

void tell_computation(const Pair& pair, Cause& cause) {
  cause.evidence.push_back(
      both_text("computation scaling", pair, *pair.here.computation, *pair.base.computation));
  std::string parts;
  for (const Scalability& one : kScalabilities) {
    const std::optional<Estimate> factor =
        factor_of(pair.said, one.name, pair.here.parallel.confidence);
    if (!factor) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", one.words, factor_text(*factor));
    if (takes_much(*factor, kNegligible)) {
      cause.advice += (cause.advice.empty() ? "" : "; ") + std::string(one.advice);
    }
  }
  if (!parts.empty()) cause.evidence.push_back("made of: " + parts);
  if (cause.advice.empty()) {
    cause.advice = "count instructions, cycles and memory traffic at both K (perf stat)";
  }
}

struct Part {
  CauseKind kind;
  std::optional<Estimate> factor;  ///< against the base
  double least;
  void (*tell)(const Pair&, Cause&);
};

std::array<Part, 3> parts_of(const Pair& pair) {
  const auto over = [](const Estimate& here, const Estimate& base) {
    return std::optional(scaled(here, 1 / base.point));
  };
  const bool both = pair.here.computation && pair.base.computation;
  return {{{CauseKind::kCommunication, over(pair.here.communication, pair.base.communication),
            kNegligible, tell_communication},
           {CauseKind::kLoadImbalance, over(pair.here.load_balance, pair.base.load_balance),
            kNegligible, tell_balance},
           {CauseKind::kComputationScaling,
            both ? over(*pair.here.computation, *pair.base.computation) : std::nullopt,
            kBusyMachine, tell_computation}}};
}

Cause nothing(const Pair& pair, const DiagnosisOptions& options) {
  Cause none;
  none.confidence = Confidence::kSaid;
  none.share = none.factor = exactly_one(options.confidence, pair.here.runs);
  none.evidence.push_back(fmt::format(
      "by the factors in the file nothing takes more than {} of the efficiency at K = {}",
      percent(kNegligible, 0), pair.here.workers));
  return none;
}

std::vector<Cause> causes_of(const Pair& pair, const DiagnosisOptions& options) {
  const std::array<Part, 3> parts = parts_of(pair);
  double whole = loss(pair.here.parallel.point / pair.base.parallel.point);
  if (parts[2].factor) whole += loss(parts[2].factor->point);
  std::vector<Cause> ranked;
  for (const Part& part : parts) {
    if (!part.factor || !takes_much(*part.factor, part.least) || !(whole > 0)) continue;
    Cause cause;
    cause.kind = part.kind;
    cause.confidence = Confidence::kSaid;
    cause.factor = *part.factor;
    cause.share = share_of(*part.factor, whole);
    part.tell(pair, cause);
    ranked.push_back(std::move(cause));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Cause& a, const Cause& b) { return a.share.point > b.share.point; });
  if (ranked.empty()) ranked.push_back(nothing(pair, options));
  return ranked;
}

}  // namespace

std::optional<Diagnosis> diagnose_said(const Study& study, const Result<ScalingTable>& table,
                                       const DiagnosisOptions& options) {
  const std::map<int, SaidFactors> by_workers = said_by_workers(study);
  if (by_workers.size() < 2) return std::nullopt;
  Diagnosis diagnosis;
  for (const auto& [workers, said] : by_workers) {
    diagnosis.factors.push_back(point_of(workers, said, options.confidence));
  }
  derive_computation(table, diagnosis.factors);
  const Pair pair{diagnosis.factors.back(), diagnosis.factors.front(), by_workers.rbegin()->second};
  diagnosis.workers = pair.here.workers;
  diagnosis.causes = causes_of(pair, options);
  return diagnosis;
}

}  // namespace kstar::causes
