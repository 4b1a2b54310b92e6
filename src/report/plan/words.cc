#include "report/plan/words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/number.h"

namespace kstar::planning {

namespace {

struct SpanUnit {
  double seconds;
  const char* name;
};

SpanUnit span_unit(double seconds) {
  constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
  if (seconds < 1e-3) return {1e-6, "us"};
  if (seconds < 1) return {1e-3, "ms"};
  if (seconds < 2 * kMinute) return {1, "s"};
  if (seconds < 2 * kHour) return {kMinute, "min"};
  return seconds < 10 * kDay ? SpanUnit{kHour, "h"} : SpanUnit{kDay, "d"};
}

}  // namespace

std::string span_text(double seconds, double like) {
  if (!std::isfinite(seconds)) return "never";
  constexpr double kLeast = 0.1;
  SpanUnit unit = span_unit(like);
  if (seconds < kLeast * unit.seconds) unit = span_unit(seconds);
  return fmt::format("{} {}", significant(seconds / unit.seconds, 3), unit.name);
}

std::string span_text(double seconds) {
  return span_text(seconds, seconds);
}

std::string bytes_text(double bytes) {
  constexpr double kMega = 1e6, kGiga = 1e9;
  return bytes < kGiga ? significant(bytes / kMega, 3) + " MB"
                       : significant(bytes / kGiga, 3) + " GB";
}

PlanUnits::PlanUnits(const Plan& plan)
    : seconds_(plan.seconds),
      priced_(plan.options.rates.price.has_value()),
      currency_(plan.options.rates.currency) {
  if (!plan.curve.empty()) longest_ = plan.curve.front().time;
}

std::string PlanUnits::time(double value) const {
  return seconds_ ? span_text(value, longest_) : significant(value, 4);
}

std::string PlanUnits::cost_cell(double value) const {
  if (!std::isfinite(value)) return "no end";
  const std::string text = significant(value, seconds_ && value < 1000 ? 3 : 4);
  return priced_ ? fmt::format("{} {}", text, currency_) : text;
}

std::string PlanUnits::cost_name() const {
  if (priced_) return currency_;
  return seconds_ ? "worker-hours" : "x T(1)";
}

std::string PlanUnits::cost(double value) const {
  return priced_ ? cost_cell(value) : fmt::format("{} {}", cost_cell(value), cost_name());
}

std::string PlanUnits::cost_head() const {
  if (priced_) return "cost";
  return seconds_ ? "worker-h" : "cost/T(1)";
}

std::string PlanUnits::time_head() const {
  return seconds_ ? "time" : "T/T(1)";
}

std::string goal_text(const Goal& goal, const PlanUnits& units) {
  const std::string name(name_of(goal.kind));
  switch (goal.kind) {
    case GoalKind::kEfficiency:
      return fmt::format("{} {}", name, significant(goal.limit, 4));
    case GoalKind::kDeadline:
      return fmt::format("{} {}", name,
                         goal.in_seconds ? span_text(goal.limit) : units.time(goal.limit));
    case GoalKind::kBudget:
      return fmt::format("{} {}", name, units.cost(goal.limit));
    case GoalKind::kFastest:
    case GoalKind::kCheapest:
    case GoalKind::kKnee:
      break;
  }
  return name;
}

std::string workers_text(double workers) {
  return fmt::format("{:.0f}", workers);
}

std::string workers_range(const PlanAnswer& answer) {
  if (!answer.best || !answer.probability) return "";
  if (std::isinf(answer.low) || answer.low == answer.high) return "";
  if (std::isinf(answer.high)) return fmt::format("{} or more", workers_text(answer.low));
  return fmt::format("{}..{}", workers_text(answer.low), workers_text(answer.high));
}

}  // namespace kstar::planning
