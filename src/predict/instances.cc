#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "kstar/prediction.h"

namespace kstar {

namespace {

const LawParameter* find_parameter(const Law& law, std::string_view name) {
  for (const LawParameter& parameter : law.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

/// One more value for every instance so far.
Result<std::vector<LawInstance>> extend(const std::vector<LawInstance>& instances,
                                        const LawParameter& parameter, const ParameterList& list) {
  std::vector<LawInstance> extended;
  for (const LawInstance& instance : instances) {
    std::string prefix;
    for (const std::string& value : list.values) {
      const std::size_t colon = value.find_last_of(':');
      const std::string text = colon == std::string::npos ? prefix + value : value;
      if (colon != std::string::npos) prefix = value.substr(0, colon + 1);
      LawInstance& next = extended.emplace_back(instance);
      KSTAR_CHECK(parameter.read(next.settings, text));
      next.parameters.push_back(
          {.name = list.name, .symbol = std::string(parameter.symbol), .text = text});
    }
  }
  return extended;
}

constexpr std::size_t kMostCurves = 1000;

Result<void> check_count(std::span<const ParameterList> lists) {
  std::size_t curves = 1;
  for (const ParameterList& list : lists) {
    curves *= std::max<std::size_t>(1, list.values.size());
    if (curves > kMostCurves) {
      return fail(
          {.where = fmt::format("--{}", list.name),
           .message = fmt::format("expected lists of at most {} combinations, got {} or more",
                                  kMostCurves, curves),
           .code = ExitCode::kUsage});
    }
  }
  return {};
}

Result<void> check_names(const Law& law, std::span<const ParameterList> lists) {
  for (const LawParameter& parameter : law.parameters) {
    const bool given = std::any_of(lists.begin(), lists.end(), [&](const ParameterList& list) {
      return list.name == parameter.name && !list.values.empty();
    });
    if (parameter.required && !given) {
      return fail({.where = fmt::format("--{}", parameter.name),
                   .message = fmt::format("{} needs it: {}", law.name, parameter.help),
                   .code = ExitCode::kUsage});
    }
  }
  for (const ParameterList& list : lists) {
    if (find_parameter(law, list.name) == nullptr) {
      return fail({.where = fmt::format("--{}", list.name),
                   .message = fmt::format("{} has no such parameter", law.name),
                   .hint = fmt::format("'kstar predict {} --help' lists them", law.name),
                   .code = ExitCode::kUsage});
    }
  }
  return {};
}

}  // namespace

std::string LawInstance::label() const {
  std::string text;
  for (const ParameterValue& value : parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", value.symbol, value.text);
  }
  return text;
}

Result<std::vector<LawInstance>> instances_of(const Law& law,
                                              std::span<const ParameterList> lists) {
  Result<void> checked = check_names(law, lists);
  if (checked) checked = check_count(lists);
  if (!checked) return fail(checked.error());
  std::vector<LawInstance> instances(1);
  instances[0].law = &law;
  for (const LawParameter& parameter : law.parameters) {
    for (const ParameterList& list : lists) {
      if (list.name != parameter.name || list.values.empty()) continue;
      Result<std::vector<LawInstance>> extended = extend(instances, parameter, list);
      if (!extended) return extended;
      instances = std::move(*extended);
    }
  }
  for (LawInstance& instance : instances) {
    KSTAR_TRY(CostModel model, law.model(instance.settings));
    instance.model = std::move(model);
  }
  return instances;
}

}  // namespace kstar
