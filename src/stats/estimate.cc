#include "kstar/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "stats/distributions.h"
#include "stats/interval.h"

namespace kstar {

namespace {

constexpr std::array<std::pair<IntervalMethod, std::string_view>, 13> kMethodNames = {{
    {IntervalMethod::kNone, "none"},
    {IntervalMethod::kStudentT, "student_t"},
    {IntervalMethod::kNormal, "normal"},
    {IntervalMethod::kEffectiveSample, "effective_sample"},
    {IntervalMethod::kPooled, "pooled"},
    {IntervalMethod::kOrderStatistic, "order_statistic"},
    {IntervalMethod::kWelchLog, "welch_log"},
    {IntervalMethod::kWelchLogEffective, "welch_log_effective"},
    {IntervalMethod::kFieller, "fieller"},
    {IntervalMethod::kPaired, "paired"},
    {IntervalMethod::kPairedEffective, "paired_effective"},
    {IntervalMethod::kBootstrap, "bootstrap"},
    {IntervalMethod::kPosterior, "posterior"},
}};

}  // namespace

std::string_view to_string(IntervalMethod method) {
  for (const auto& [value, name] : kMethodNames) {
    if (value == method) return name;
  }
  return "none";
}

std::string_view to_string(Scope scope) {
  return scope == Scope::kOneSession ? "one_session" : "several_sessions";
}

Result<IntervalMethod> parse_interval_method(std::string_view name) {
  if (name == "student") return IntervalMethod::kStudentT;
  std::string choices;
  for (const auto& [value, known] : kMethodNames) {
    if (known == name) return value;
    choices.append(choices.empty() ? "" : ", ").append(known);
  }
  return fail(expected("interval method", "one of " + choices, name));
}

bool is_bounded(const Estimate& estimate) {
  return std::isfinite(estimate.low) && std::isfinite(estimate.high);
}

Estimate scaled(const Estimate& estimate, double factor) {
  Estimate result = estimate;
  result.point *= factor;
  result.standard_error *= std::fabs(factor);
  result.low *= factor;
  result.high *= factor;
  if (factor < 0) std::swap(result.low, result.high);
  return result;
}

namespace stats {

Estimate no_interval(double point, std::size_t n, double confidence, Scope scope) {
  return {.point = point,
          .standard_error = std::numeric_limits<double>::quiet_NaN(),
          .low = -std::numeric_limits<double>::infinity(),
          .high = std::numeric_limits<double>::infinity(),
          .confidence = confidence,
          .n = n,
          .method = IntervalMethod::kNone,
          .scope = scope};
}

Estimate log_interval(double point, double log_error, double degrees, double confidence) {
  const double critical = student_t_critical(confidence, degrees);
  Estimate result;
  result.degrees = degrees;
  result.point = point;
  result.standard_error = point * log_error;
  result.low = point * std::exp(-critical * log_error);
  result.high = point * std::exp(critical * log_error);
  return result;
}

}  // namespace stats

}  // namespace kstar
