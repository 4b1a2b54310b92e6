#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "kstar/chart_parts.h"
#include "kstar/plan.h"
#include "view/kinds.h"
#include "view/words.h"

namespace kstar::view {

namespace {

/// The unit that a plan's times are drawn in.
struct DrawnUnit {
  double size = 1;
  std::string name;
};

DrawnUnit drawn_unit(const Plan& plan) {
  constexpr double kMinute = 60, kHour = 3600;
  if (!plan.seconds) return {1, "T/T(1)"};
  const double longest = plan.curve.front().time;
  if (longest >= 2 * kHour) return {kHour, "h"};
  return longest >= 2 * kMinute ? DrawnUnit{kMinute, "min"} : DrawnUnit{1, "s"};
}

std::string cost_unit(const Plan& plan) {
  const CostRates& rates = plan.options.rates;
  if (rates.price) return rates.currency;
  return plan.seconds ? "worker-hours" : "x T(1)";
}

std::string point_tip(const PlanPoint& point, const DrawnUnit& unit, const std::string& money) {
  return fmt::format("K = {}: {} {}, {} {}", significant(point.workers, 7),
                     significant(point.time / unit.size, 3), unit.name, significant(point.cost, 4),
                     money);
}

ChartMark cost_mark(const PlanPoint& point, const DrawnUnit& unit, const std::string& money) {
  ChartMark mark{.x = point.cost, .y = point.time / unit.size};
  mark.tip = TipLines(fmt::format("K = {}", significant(point.workers, 7)))
                 .add("time", fmt::format("{} {}", significant(mark.y, 3), unit.name))
                 .add("cost", fmt::format("{} {}", significant(point.cost, 4), money))
                 .take();
  return mark;
}

/// The curve up to the largest measured K, and beyond it.
void add_curve(const Plan& plan, const DrawnUnit& unit, Chart& chart) {
  ChartSeries known{.name = "every K, from few to many"};
  ChartSeries beyond{.name = "beyond the largest measured K", .role = SeriesRole::kPredicted};
  beyond.color = known.color = 0;
  for (const PlanPoint& point : plan.curve) {
    if (!std::isfinite(point.cost) || !std::isfinite(point.time)) continue;
    if (point.beyond && beyond.line.empty() && !known.line.empty()) {
      beyond.line.push_back(known.line.back());
    }
    (point.beyond ? beyond : known).line.push_back({point.cost, point.time / unit.size});
  }
  for (const PlanRow& row : plan.rows) {
    if (!std::isfinite(row.point.cost)) continue;  // interrupted for ever
    ChartSeries& series = row.point.beyond ? beyond : known;
    series.marks.push_back(cost_mark(row.point, unit, cost_unit(plan)));
  }
  chart.series.push_back(std::move(known));
  if (!beyond.line.empty()) chart.series.push_back(std::move(beyond));
}

/// Goals that choose the same K are one mark.
void add_goals(const Plan& plan, const DrawnUnit& unit, Chart& chart) {
  std::vector<std::pair<const PlanPoint*, std::string>> chosen;
  for (const PlanAnswer& answer : plan.answers) {
    if (!answer.best || (answer.open && plan.law)) continue;
    if (leaves_open(plan.verdict, answer.goal.kind)) continue;
    const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const auto& one) {
      return one.first->workers == answer.best->workers;
    });
    const std::string name(name_of(answer.goal.kind));
    if (same != chosen.end()) {
      same->second += ", " + name;
    } else {
      chosen.emplace_back(&*answer.best, name);
    }
  }
  for (const auto& [point, names] : chosen) {
    ChartSeries series{.name = fmt::format("{}: K = {}", names, significant(point->workers, 7))};
    series.marks.push_back(cost_mark(*point, unit, cost_unit(plan)));
    chart.series.push_back(std::move(series));
  }
}

void add_limits(const Plan& plan, const DrawnUnit& unit, Chart& chart) {
  for (const PlanAnswer& answer : plan.answers) {
    if (answer.goal.kind == GoalKind::kDeadline) {
      chart.rules.push_back(
          {.name = "deadline", .on_x = false, .at = answer.goal.limit / unit.size});
    }
    if (answer.goal.kind == GoalKind::kBudget) {
      chart.rules.push_back({.name = "budget", .at = answer.goal.limit});
    }
  }
}

void set_cost_axes(const Plan& plan, const DrawnUnit& unit, Chart& chart) {
  double low = INFINITY, high = 0;
  for (const ChartSeries& series : chart.series) {
    for (const ChartPoint& point : series.line) {
      low = std::min(low, point.x);
      high = std::max(high, point.x);
    }
  }
  constexpr double kMargin = 1.05;
  chart.x = {.label = fmt::format("cost ({})", cost_unit(plan)),
             .log = high > kLogFrom * low,
             .low = low / kMargin,
             .high = high * kMargin,
             .either = true};
  const double least = lowest(chart), most = highest(chart);
  chart.y = {.label = plan.seconds ? fmt::format("time ({})", unit.name) : unit.name,
             .log = most > kLogFrom * least,
             .low = 0,
             .high = most * kMargin,
             .either = true};
  if (chart.y.log) chart.y.low = least / kMargin;
}

Result<Chart> cost_chart(std::span<const Subject> subjects) {
  if (subjects.size() > 1 || !subjects[0].plan) {
    return fail(
        {.where = subjects[0].name,
         .message = subjects.size() > 1 ? "a chart of costs shows one study" : "no plan was made",
         .hint = {}});
  }
  Chart chart = to_chart(*subjects[0].plan);
  chart.title = "Time against cost";
  chart.caption = caption_of(subjects, chart, "Left and down is better.");
  const Plan& plan = *subjects[0].plan;
  const auto goal =
      std::find_if(plan.answers.begin(), plan.answers.end(), [](const PlanAnswer& answer) {
        return answer.goal.kind == GoalKind::kEfficiency && answer.best;
      });
  if (goal != plan.answers.end() && plan.verdict && plan.verdict->is_decided() &&
      goal->best->workers != plan.verdict->workers) {
    chart.notes.push_back(fmt::format(
        "A goal may take any K, measured or not, and keeps its limit with {}: K* is a measured K.",
        percent(plan.options.sure, 0)));
  }
  return chart;
}

}  // namespace

const ChartKind kCostChart = {.name = "cost",
                              .help = "time against cost, the goals marked",
                              .needs = "one study, and a plan (figure and --price make one)",
                              .one_regime = false,
                              .make = cost_chart};

}  // namespace kstar::view

namespace kstar {

Chart to_chart(const Plan& plan) {
  const view::DrawnUnit unit = view::drawn_unit(plan);
  Chart chart;
  chart.kind = "cost";
  chart.title = "Time against cost. Left and down is better.";
  view::add_curve(plan, unit, chart);
  view::add_goals(plan, unit, chart);
  view::set_cost_axes(plan, unit, chart);
  view::add_limits(plan, unit, chart);
  const auto& best = plan.answers.front().best;
  const PlanAnswer& first = plan.answers.front();
  const bool open = leaves_open(plan.verdict, first.goal.kind);
  chart.summary = open   ? verdict_words(*plan.verdict)
                  : best ? fmt::format("{}: {}.", name_of(plan.answers.front().goal.kind),
                                       view::point_tip(*best, unit, view::cost_unit(plan)))
                         : "No K reaches the first goal.";
  chart.title += chart.y.log ? " (log axes)" : chart.x.log ? " (log cost)" : "";
  return chart;
}

}  // namespace kstar
