#include "analysis/causes/reported.h"
#include "kstar/estimate_words.h"

#include <fmt/format.h>

namespace kstar::causes {

namespace {

using RunFactors = std::map<std::string, double>;

/// Parallel efficiency is load balance times communication efficiency: two of them give the third.
RunFactors completed(RunFactors factors) {
  const auto balance = factors.find("load_balance");
  const auto parallel = factors.find("parallel_efficiency");
  if (balance != factors.end() && parallel != factors.end() && balance->second > 0) {
    factors.emplace("communication_efficiency", parallel->second / balance->second);
  }
  return factors;
}

std::map<int, ReportedValues> reported_by_workers(const Study& study) {
  std::map<int, ReportedValues> by_workers;
  for (const Run& run : study.runs) {
    if (!counts(run) || run.role != Role::kParallel || !run.factors) continue;
    for (const auto& [name, factor] : completed(*run.factors)) {
      if (factor > 0) by_workers[run.workers][name].push_back(factor);
    }
  }
  std::erase_if(by_workers, [](const auto& entry) {
    return !entry.second.contains("load_balance") ||
           !entry.second.contains("communication_efficiency");
  });
  return by_workers;
}

FactorPoint reported_point_of(int workers, const ReportedValues& reported, double confidence) {
  FactorPoint point;
  point.workers = workers;
  point.runs = reported.at("load_balance").size();
  point.load_balance = *factor_of(reported, "load_balance", confidence);
  point.communication = *factor_of(reported, "communication_efficiency", confidence);
  point.parallel = factor_of(reported, "parallel_efficiency", confidence)
                       .value_or(scaled(point.load_balance, point.communication.point));
  point.transfer = factor_of(reported, "transfer_efficiency", confidence);
  point.serialization = factor_of(reported, "serialization_efficiency", confidence);
  point.computation = factor_of(reported, "computation_scalability", confidence);
  return point;
}

/// Where no tool says it: efficiency is parallel efficiency times computation scaling.
void derive_computation(const ScalingTable& table, std::vector<FactorPoint>& points) {
  for (FactorPoint& point : points) {
    for (const ScalingPoint& measured : table.points) {
      if (point.computation || measured.workers != point.workers || !measured.efficiency ||
          measured.role != Role::kParallel || table.base_workers != points[0].workers) {
        continue;
      }
      point.computation =
          scaled(*measured.efficiency, points[0].parallel.point / point.parallel.point);
    }
  }
}

}  // namespace

std::optional<Estimate> factor_of(const ReportedValues& reported, std::string_view name,
                                  double confidence) {
  const auto found = reported.find(name);
  if (found == reported.end()) return std::nullopt;
  return factor_over(found->second, confidence);
}

std::string both_text(std::string_view name, const ReportedFactors& reported, const Estimate& here,
                      const Estimate& base) {
  return fmt::format("{} is {} at K = {} and {} at K = {}, according to the factors in the file",
                     name, factor_words(here), reported.here.workers, factor_words(base),
                     reported.base.workers);
}

std::optional<ReportedFactors> reported_factors(const Study& study, const ScalingTable& table,
                                                double confidence) {
  const std::map<int, ReportedValues> by_workers = reported_by_workers(study);
  if (by_workers.size() < 2) return std::nullopt;
  ReportedFactors reported;
  reported.confidence = confidence;
  reported.values = by_workers.rbegin()->second;
  for (const auto& [workers, values] : by_workers) {
    reported.points.push_back(reported_point_of(workers, values, confidence));
  }
  derive_computation(table, reported.points);
  reported.base = reported.points.front();
  reported.here = reported.points.back();
  return reported;
}

}  // namespace kstar::causes
