#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "kstar/prediction.h"

/// Laws with parameters that are known to be right, for tests.
namespace kstar {

inline std::vector<LawInstance> instances(std::string_view law,
                                          const std::vector<ParameterList>& lists) {
  return instances_of(*find_law(law), lists).value();
}

inline std::vector<Prediction> predictions(std::string_view law,
                                           const std::vector<ParameterList>& lists,
                                           std::vector<std::int64_t> workers) {
  PredictionOptions options;
  options.workers = std::move(workers);
  std::vector<Prediction> list;
  const std::vector<LawInstance> curves = instances(law, lists);
  for (const LawInstance& instance : curves) list.push_back(predict(instance, options));
  return list;
}

/// The only, or the first curve.
inline Prediction prediction(std::string_view law, const std::vector<ParameterList>& lists,
                             std::vector<std::int64_t> workers) {
  return predictions(law, lists, std::move(workers)).front();
}

}  // namespace kstar
