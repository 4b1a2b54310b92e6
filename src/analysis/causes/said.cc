#include "analysis/causes/said.h"

#include <fmt/format.h>
#include <simdjson.h>

#include "analysis/causes/words.h"

namespace kstar::causes {

namespace {

void take(const Run& run, SaidValues& said) {
  simdjson::dom::parser parser;
  simdjson::dom::object factors;
  if (parser.parse(run.extra.str())["pop"].get(factors) != simdjson::SUCCESS) return;
  for (const auto [name, value] : factors) {
    double factor = 0;
    if (value.get(factor) == simdjson::SUCCESS && factor > 0) {
      said[std::string(name)].push_back(factor);
    }
  }
}

std::map<int, SaidValues> said_by_workers(const Study& study) {
  std::map<int, SaidValues> by_workers;
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

FactorPoint said_point_of(int workers, const SaidValues& said, double confidence) {
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

}  // namespace

std::optional<Estimate> factor_of(const SaidValues& said, std::string_view name,
                                  double confidence) {
  const auto found = said.find(name);
  if (found == said.end()) return std::nullopt;
  return factor_over(found->second, confidence);
}

std::string both_text(std::string_view name, const SaidFactors& said, const Estimate& here,
                      const Estimate& base) {
  return fmt::format("{} is {} at K = {} and {} at K = {}, by the factors in the file", name,
                     factor_text(here), said.here.workers, factor_text(base), said.base.workers);
}

std::optional<SaidFactors> said_factors(const Study& study, const Result<ScalingTable>& table,
                                        double confidence) {
  const std::map<int, SaidValues> by_workers = said_by_workers(study);
  if (by_workers.size() < 2) return std::nullopt;
  SaidFactors said;
  said.confidence = confidence;
  said.values = by_workers.rbegin()->second;
  for (const auto& [workers, values] : by_workers) {
    said.points.push_back(said_point_of(workers, values, confidence));
  }
  derive_computation(table, said.points);
  said.base = said.points.front();
  said.here = said.points.back();
  return said;
}

}  // namespace kstar::causes
