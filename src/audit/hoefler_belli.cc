// T. Hoefler and R. Belli, Scientific Benchmarking of Parallel Computing Systems: twelve ways to
// tell the masses when reporting performance results. SC'15, 2015. A file of data can show eleven
// of the twelve rules, or not; the twelfth is about plots.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/recomputed.h"
#include "audit/rules.h"
#include "base/number.h"

namespace kstar {

namespace {

constexpr std::size_t kEnough = 3;

/// Every K, the base included, has runs to make an interval from.
bool repeated(const Evidence& evidence) {
  const auto enough = [](const ScalingPoint* point) { return point->times.n >= kEnough; };
  return summary_kind(evidence.study).empty() && !evidence.curve.empty() &&
         std::all_of(evidence.curve.begin(), evidence.curve.end(), enough);
}

RuleVerdict rule_1(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (evidence.base == nullptr) return missing("there is no base case");
  if (is_relative(evidence.study)) return missing("no absolute time of the base case is given");
  const std::string time = seconds_text(evidence.study, evidence.base->time);
  if (!evidence.study.header.baseline.kind) {
    return missing(
        fmt::format("the base takes {}; whether it is a single parallel process or the best serial "
                    "one is not stated",
                    time));
  }
  const bool own = *evidence.study.header.baseline.kind == BaselineKind::kFastestSingle;
  return shown(
      fmt::format("{}, {}", own ? "the best serial execution" : "a single parallel process", time));
}

RuleVerdict rule_2(const Evidence& evidence) {
  const auto& hosts = evidence.study.header.environment.hosts;
  int most = 0;
  for (const Run& run : evidence.study.runs) most = std::max(most, run.workers);
  int cores = 0;
  bool known = !hosts.empty();
  for (const Host& host : hosts) {
    known = known && host.cores;
    cores += host.cores.value_or(0);
  }
  if (!known) return missing("the resources of the system are not stated");
  if (most < cores) {
    return missing(
        fmt::format("at most {} of {} cores are used; why not all is not stated", most, cores));
  }
  return shown(fmt::format("up to {} workers on {} cores", most, cores));
}

bool claims_means_of_ratios(const Evidence& evidence) {
  constexpr double kSame = 0.003;
  return std::any_of(evidence.claims.begin(), evidence.claims.end(), [&](const FileClaim& claim) {
    const auto again = recompute(evidence, claim);
    return again && again->mean_ratios && !follows(claim, *again) &&
           std::fabs(claimed_speedup(claim, again->base_workers) / *again->mean_ratios - 1) <=
               kSame;
  });
}

RuleVerdict rule_3(const Evidence& evidence) {
  const std::string kind = summary_kind(evidence.study);
  const bool rates = evidence.study.header.time == TimeKind::kRate;
  const bool mean = kind == "mean" || kind == "average" || kind == "avg";
  if (rates && mean)
    return missing("a mean of rates; whether it is the harmonic mean is not stated");
  if (!kind.empty() && !mean) return missing(fmt::format("the values are a {} of runs", kind));
  if (is_relative(evidence.study)) return missing("neither costs nor rates are in the file");
  if (!repeated(evidence))
    return missing("whether the values are means, and of what, is not stated");
  return shown(rates ? "rates, run by run: averaged as times (harmonic mean)"
                     : "costs (seconds): averaged with the arithmetic mean");
}

RuleVerdict rule_4(const Evidence& evidence) {
  if (claims_means_of_ratios(evidence)) return contradicted("a claim is a mean of ratios");
  if (is_relative(evidence.study)) return missing("the file has only ratios, not their costs");
  return shown("the costs or rates behind the ratios are in the file");
}

RuleVerdict rule_5(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (!repeated(evidence)) return missing("some K has too few runs for a confidence interval");
  double widest = 0;
  for (const ScalingPoint* point : evidence.curve) {
    const Estimate& time = point->time;
    if (is_bounded(time)) widest = std::max(widest, (time.high - time.low) / 2 / time.point);
  }
  return shown(fmt::format("T(K) has intervals of at most +-{}", percent(widest, 1)));
}

/// Skewness of the relative deviations within K, over its standard error.
RuleVerdict rule_6(const Evidence& evidence) {
  constexpr std::size_t kFew = 20;
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  double squares = 0, cubes = 0;
  std::size_t n = 0;
  for (const ScalingPoint* point : evidence.curve) {
    const double mean = point->times.mean, deviation = point->times.standard_deviation;
    if (point->times.n < kEnough || !(deviation > 0)) continue;
    for (const Run* run : runs_at(evidence.study, point->workers)) {
      const double z = (*steady_time(*run) - mean) / mean;
      squares += z * z;
      cubes += z * z * z;
      ++n;
    }
  }
  if (n < kFew) {
    return missing(fmt::format("{} runs are too few to check a distribution", n));
  }
  const auto count = static_cast<double>(n);
  const double skewness = cubes / count / std::pow(squares / count, 1.5);
  const double error = std::sqrt(6 / count);
  return shown(fmt::format("checked here: skewness {} within K, {} standard errors; {}",
                           significant(skewness, 2), significant(std::fabs(skewness) / error, 2),
                           std::fabs(skewness) > 3 * error
                               ? "not normal: also use the medians"
                               : "nothing contradicts a normal distribution"));
}

RuleVerdict rule_7(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (!repeated(evidence)) return missing("without repeats no difference can be tested");
  const bool blocks = std::all_of(evidence.study.runs.begin(), evidence.study.runs.end(),
                                  [](const Run& run) { return run.block.has_value(); });
  return shown(blocks ? "repeats in blocks: ratios are compared within blocks"
                      : "repeats at each K: ratios have intervals");
}

RuleVerdict rule_8(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (!repeated(evidence)) return missing("one value at a K has neither mean nor median");
  double apart = 0;
  for (const ScalingPoint* point : evidence.curve) {
    apart = std::max(apart, std::fabs(point->times.mean / point->times.median - 1));
  }
  return shown(fmt::format("mean and median differ by {} at most", percent(apart, 1)));
}

RuleVerdict rule_9(const Evidence& evidence) {
  const StudyHeader& header = evidence.study.header;
  std::string without;
  const auto need = [&](bool there, const char* what) {
    if (!there) without += (without.empty() ? "" : ", ") + std::string(what);
  };
  const auto& hosts = header.environment.hosts;
  need(!header.command.empty(), "command");
  need(!hosts.empty() && !hosts[0].cpu.empty(), "processor");
  need(!hosts.empty() && hosts[0].memory.has_value(), "memory");
  need(!header.environment.versions.empty(), "versions");
  need(!header.workload.empty() && !is_inverse(evidence.study), "workload");
  if (!without.empty()) return missing("not stated: " + without);
  return shown("command, workload, processor, memory and versions are given");
}

RuleVerdict rule_10(const Evidence& evidence) {
  const Protocol& protocol = evidence.study.header.protocol;
  std::string without;
  const auto need = [&](bool there, const char* what) {
    if (!there) without += (without.empty() ? "" : ", ") + std::string(what);
  };
  need(!protocol.setup_method.empty() || !protocol.setup.empty(), "what is timed");
  need(!protocol.order.empty(), "the order of runs");
  need(!protocol.stopping.empty(), "when repeating stops");
  need(summary_kind(evidence.study).empty() && !is_relative(evidence.study), "single runs");
  if (!without.empty()) return missing("not stated: " + without);
  return shown(fmt::format("order: {}; stopping: {}", protocol.order, protocol.stopping));
}

RuleVerdict rule_11(const Evidence& evidence) {
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (evidence.base == nullptr || evidence.base->workers != 1) {
    return missing("without T(1) the ideal line is unknown");
  }
  if (!has_regime(evidence)) return missing("without a regime the ideal line is unknown");
  const bool weak = evidence.analysis->table.regime == Regime::kWeak;
  return shown(weak ? "the ideal, T(K) = T(1), follows from the data"
                    : "the ideal, T(1)/K, follows from the data");
}

RuleVerdict rule_12(const Evidence&) {
  return not_applicable("a file of data has no plot");
}

constexpr CheckedRule kHoeflerBelliRules[] = {
    {{"hoefler-belli-1", RuleGroup::kHoeflerBelli, "Rule 1: what the base case is, and its time",
      "A speedup has no meaning without its base.",
      "Is the base a single parallel process or the best serial execution, and how long does it "
      "take?"},
     &rule_1,
     {0, 0}},
    {{"hoefler-belli-2", RuleGroup::kHoeflerBelli,
      "Rule 2: why only some of the benchmarks or of the system",
      "What was omitted may be what did not work.",
      "Why were not all benchmarks, or not all resources of the system, used?"},
     &rule_2,
     {0, 0}},
    {{"hoefler-belli-3", RuleGroup::kHoeflerBelli,
      "Rule 3: arithmetic means of costs, harmonic means of rates",
      "An arithmetic mean of rates is too large.", "How were rates averaged?"},
     &rule_3,
     {0, 0}},
    {{"hoefler-belli-4", RuleGroup::kHoeflerBelli, "Rule 4: no summary of ratios",
      "Costs can be summarized; ratios depend on their base.",
      "Which costs or rates are behind the ratios?"},
     &rule_4,
     {0, 0}},
    {{"hoefler-belli-5", RuleGroup::kHoeflerBelli,
      "Rule 5: confidence intervals of what is not deterministic",
      "Without them you do not know what a second measurement would give.",
      "What is the confidence interval of each T(K)?"},
     &rule_5,
     {0, 0}},
    {{"hoefler-belli-6", RuleGroup::kHoeflerBelli, "Rule 6: no normality without a check",
      "Run times have long tails.", "Was the distribution of the times checked?"},
     &rule_6,
     {0, 0}},
    {{"hoefler-belli-7", RuleGroup::kHoeflerBelli, "Rule 7: sound comparisons",
      "Two means differ even where two programs do not.", "By which test do two points differ?"},
     &rule_7,
     {0, 0}},
    {{"hoefler-belli-8", RuleGroup::kHoeflerBelli,
      "Rule 8: is the mean, or the median, the right question?",
      "Some problems are decided by their worst case.", "What are the median and the percentiles?"},
     &rule_8,
     {0, 0}},
    {{"hoefler-belli-9", RuleGroup::kHoeflerBelli, "Rule 9: factors and setup documented",
      "What is not documented cannot be reproduced.",
      "Which hardware, software, settings and input were used?"},
     &rule_9,
     {0, 0}},
    {{"hoefler-belli-10", RuleGroup::kHoeflerBelli,
      "Rule 10: how it was timed, synchronized and summarized",
      "What is measured depends on where the timer starts.",
      "What is timed, in which order, how often, and how are runs summarized?"},
     &rule_10,
     {0, 0}},
    {{"hoefler-belli-11", RuleGroup::kHoeflerBelli, "Rule 11: upper bounds of performance",
      "A bound shows how much is left.", "What is the best performance that could be reached?"},
     &rule_11,
     {0, 0}},
    {{"hoefler-belli-12", RuleGroup::kHoeflerBelli,
      "Rule 12: plots with the information that they need",
      "A line between points claims what was not measured.",
      "Is every line between points backed by a trend?"},
     &rule_12,
     {0, 0}},
};

}  // namespace

std::span<const CheckedRule> hoefler_belli_rules() {
  return kHoeflerBelliRules;
}

}  // namespace kstar
