// Ratios that only arithmetic gives. Each test counts how likely honest numbers are to do the same:
// two numbers with relative rounding t and a spread s of what they may be agree by chance with
// 2 t / s. Four digits and a spread of 5% give 1 in 250; three digits would agree in 4% of tables.
#include "audit/exact_ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/written.h"
#include "base/number.h"

namespace kstar {

namespace {

/// Arithmetic with doubles does not return all digits.
constexpr double kArithmetic = 1e-9;

/// How far v may be off for the digits it is written with, as a share of it.
double rounding_share(double value, const WrittenSteps& steps) {
  return 0.5 * steps.at(value) / value + kArithmetic;
}

/// "T(1) is 2 T(2)" of times, "the rate at 2 is 2 times that at 1" of rates.
std::string ratio_of_two(const Evidence& evidence, const Written& a, const Written& b,
                         double ratio) {
  if (!is_inverse(evidence.study)) {
    return fmt::format("T({}) is exactly {} T({})", a.workers, significant(ratio, 6), b.workers);
  }
  return fmt::format("the number at K = {} is exactly {} times that at K = {}", b.workers,
                     significant(ratio, 6), a.workers);
}

/// The larger number over the smaller, as K has it: T(a) / T(b), or X(b) / X(a).
double ratio_between(const Evidence& evidence, double a, double b) {
  return is_inverse(evidence.study) ? b / a : a / b;
}

/// The runs of one K are those of another, times a constant.
std::string runs_computed(const Evidence& evidence, const Written& a, const Written& b,
                          const WrittenSteps& steps) {
  constexpr double kImprobable = 1e-4;
  const std::size_t n = a.values.size();
  if (n < 2 || n != b.values.size() || !(a.variance > 0) || !(b.variance > 0)) return "";
  const double by_workers = static_cast<double>(b.workers) / a.workers;
  const double mean = ratio_between(evidence, a.mean, b.mean);
  const bool of_workers = std::fabs(mean / by_workers - 1) <=
                          rounding_share(a.mean, steps) + rounding_share(b.mean, steps);
  if (n < 3 && !of_workers) return "";
  double chance = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const double open = rounding_share(a.values[i], steps) + rounding_share(b.values[i], steps);
    const double off = ratio_between(evidence, a.values[i], b.values[i]) / mean - 1;
    if (std::fabs(off) > open) return "";
    const double noise = std::sqrt(a.variance) / a.mean + std::sqrt(b.variance) / b.mean;
    // The mean is fitted: one run is free, unless the ratio is that of the K.
    if (i > 0 || of_workers) chance *= std::min(1.0, 2 * open / noise);
  }
  if (chance > kImprobable) return "";
  return ratio_of_two(evidence, a, b, of_workers ? by_workers : mean) + ", run by run";
}

std::string any_runs_computed(const Evidence& evidence, const std::vector<Written>& all,
                              const WrittenSteps& steps) {
  for (const bool sorted : {false, true}) {
    std::vector<Written> values = all;
    for (Written& each : values) {
      if (sorted) std::sort(each.values.begin(), each.values.end());
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = i + 1; j < values.size(); ++j) {
        std::string found = runs_computed(evidence, values[i], values[j], steps);
        if (!found.empty()) return found;
      }
    }
  }
  return "";
}

bool are_single(const std::vector<Written>& all) {
  return std::all_of(all.begin(), all.end(),
                     [](const Written& each) { return each.values.size() == 1; });
}

/// One number is that of the base, times their K, where the other K lose something.
std::string value_computed(const Evidence& evidence, const std::vector<Written>& all,
                           const WrittenSteps& steps) {
  constexpr double kImprobable = 0.005, kFourDigits = 1e-3;
  const Written& base = all.front();
  const auto loss = [&](const Written& each) {
    const double workers = static_cast<double>(each.workers) / base.workers;
    return std::log(ratio_between(evidence, base.mean, each.mean) / workers);
  };
  double spread = 0;
  for (const Written& each : all) spread = std::max(spread, std::fabs(loss(each)));
  for (const Written& each : all) {
    if (&each == &base) continue;
    const bool digits = steps.at(base.mean) <= kFourDigits * base.mean &&
                        steps.at(each.mean) <= kFourDigits * each.mean;
    const double open = rounding_share(base.mean, steps) + rounding_share(each.mean, steps);
    if (!digits || std::fabs(loss(each)) > open) continue;
    const double chance = static_cast<double>(all.size() - 1) * 2 * open / spread;
    if (chance > kImprobable) continue;
    return ratio_of_two(evidence, base, each, static_cast<double>(each.workers) / base.workers) +
           ", to the last digit";
  }
  return "";
}

/// All numbers are the base times a speedup with one or two decimals.
std::string from_rounded_speedups(const Evidence& evidence, const std::vector<Written>& all,
                                  const WrittenSteps& steps) {
  constexpr double kImprobable = 1e-3;
  const Written& base = all.front();
  for (const double grid : {0.1, 0.01}) {
    double chance = 1;
    bool holds = true;
    for (const Written& each : all) {
      if (&each == &base) continue;
      const double ratio = ratio_between(evidence, base.mean, each.mean);
      const double open =
          ratio * (rounding_share(base.mean, steps) + rounding_share(each.mean, steps));
      holds = holds && std::fabs(ratio - std::round(ratio / grid) * grid) <= open;
      chance *= std::min(1.0, 2 * open / grid);
    }
    if (!holds || chance > kImprobable) continue;
    return fmt::format("every number is that of K = {} and a speedup with {} {}: {}", base.workers,
                       grid < 0.05 ? "two" : "one", grid < 0.05 ? "decimals" : "decimal",
                       "by chance that happens once in " + significant(1 / chance, 2) + " tables");
  }
  return "";
}

}  // namespace

RuleVerdict exact_ratios(const Evidence& evidence) {
  constexpr std::size_t kFewPoints = 3;
  if (evidence.analysis == nullptr) return not_applicable(kSeveralSeries);
  if (is_relative(evidence.study)) return not_applicable("the file has ratios alone");
  const std::vector<Written> all = written_values(evidence);
  const bool enough = all.size() >= kFewPoints && std::all_of(all.begin(), all.end(), [](auto& at) {
                        return !at.values.empty();
                      });
  if (!enough) return missing("at least three K are needed");
  const WrittenSteps steps(all);
  if (const std::string found = any_runs_computed(evidence, all, steps); !found.empty()) {
    return contradicted(found);
  }
  if (are_single(all)) {
    for (const auto& test : {value_computed, from_rounded_speedups}) {
      if (const std::string found = test(evidence, all, steps); !found.empty()) {
        return contradicted(found);
      }
    }
  }
  return shown("no number follows from another");
}

}  // namespace kstar
