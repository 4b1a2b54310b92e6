#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/causes/factors.h"
#include "kstar/causes.h"
#include "kstar/scaling_table.h"

/// What another tool found inside the runs: the factors of TALP and POP tables, which importing
/// keeps under "pop".
namespace kstar::causes {

/// The values of every run at one K, by the factor's name.
using ReportedValues = std::map<std::string, std::vector<double>, std::less<>>;

struct ReportedFactors {
  double confidence = kConfidence;
  std::vector<FactorPoint> points;  ///< by K
  FactorPoint base;                 ///< the first of them
  FactorPoint here;                 ///< the last of them
  ReportedValues values;            ///< here
};

/// None where fewer than two K have load balance and communication efficiency.
std::optional<ReportedFactors> reported_factors(const Study& study, const ScalingTable& table,
                                                double confidence);

/// The geometric mean over runs; none where no run has it.
std::optional<Estimate> factor_of(const ReportedValues& reported, std::string_view name,
                                  double confidence);

/// "load balance is 0.7 at K = 8 and 0.9 at K = 1, by the factors in the file".
std::string both_text(std::string_view name, const ReportedFactors& reported, const Estimate& here,
                      const Estimate& base);

}  // namespace kstar::causes
