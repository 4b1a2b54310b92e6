#include "view/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/number.h"
#include "base/text.h"
#include "kstar/chart_parts.h"
#include "kstar/words.h"
#include "view/words.h"

namespace kstar::view {

namespace {

/// A baseline program of its own is the base, and no point of the curve.
std::vector<const ScalingPoint*> points_of(const ScalingTable& table) {
  std::vector<const ScalingPoint*> points;
  for (const ScalingPoint& point : table.points) {
    if (point.role == Role::kParallel) points.push_back(&point);
  }
  return points;
}

std::string tip_of(const Shown& shown, const ScalingPoint& point, Drawn drawn) {
  TipLines tip(fmt::format("{}K = {}", owner(shown.name), point.workers));
  tip.add(drawn_name(drawn), drawn_value(*drawn_at(point, drawn), drawn));
  if (drawn == Drawn::kSpeedup && point.efficiency) {
    tip.add("E", drawn_value(*point.efficiency, Drawn::kEfficiency));
  }
  if (drawn != Drawn::kTime && !shown.analysis->table.relative_times) {
    tip.add("T", drawn_value(point.time, Drawn::kTime));
  }
  tip.note(count_text(point.times.n, "run") +
           (point.failed > 0 ? fmt::format(", {} failed", point.failed) : ""));
  return tip.take();
}

/// The smallest and the largest K drawn.
void span_workers(Chart& chart) {
  double first = std::numeric_limits<double>::infinity(), last = 1;
  for (const ChartSeries& series : chart.series) {
    const auto take = [&](double k) {
      first = std::min(first, k);
      last = std::max(last, k);
    };
    for (const ChartPoint& point : series.line) take(point.x);
    for (const ChartMark& mark : series.marks) take(mark.x);
  }
  first = std::min(first, last);
  chart.x = worker_axis(first, last, last / first >= kLogFrom);
  chart.x.either = true;
}

std::string regime_text(const ScalingTable& table) {
  return table.regime ? fmt::format(", {} scaling", name_of(*table.regime)) : "";
}

void finish_speedup(std::span<const Shown> shown, Chart& chart) {
  std::set<double> bases;
  for (const Shown& one : shown) bases.insert(one.analysis->table.base_workers);
  chart.title = "Speedup against workers" + regime_text(shown[0].analysis->table);
  chart.y = speedup_axis(chart, *bases.begin());
  chart.y.either = true;
  for (const double base : bases) chart.series.push_back(ideal_speedup(chart, base));
}

void finish_efficiency(std::span<const Shown> shown, Chart& chart) {
  chart.title = "Efficiency against workers" + regime_text(shown[0].analysis->table);
  chart.y = {.label = "efficiency E(K)",
             .log = false,
             .whole = false,
             .low = 0,
             .high = std::max(1.0, highest(chart)),
             .either = true,
             .names = {}};
  add_ideal_efficiency(shown[0].analysis->table.threshold, chart);
}

/// Times of one job over K: where they span decades, the small ones are seen on a log axis alone.
void finish_time(Chart& chart) {
  constexpr double kDecade = 10;
  const double least = lowest(chart);
  const bool wide = least > 0 && highest(chart) / least >= kDecade;
  if (chart.x.low > 0 && chart.x.high / chart.x.low >= kDecade) chart.x.log = true;
  chart.title = "Time against workers";
  chart.y = {.label = "time T(K), seconds",
             .log = wide,
             .whole = false,
             .low = wide ? least : 0,
             .high = highest(chart),
             .either = true,
             .names = {}};
}

/// A bar that leaves the picture has an arrow; a band has none. One that is hardly cut needs no
/// word.
void note_cut_bands(Chart& chart) {
  constexpr double kMuch = 1.05;
  for (const ChartSeries& series : chart.series) {
    const ChartSpan* most = nullptr;
    for (const ChartSpan& span : series.band) {
      if (span.high > kMuch * chart.y.high && (most == nullptr || span.high > most->high))
        most = &span;
    }
    if (most == nullptr) continue;
    chart.notes.push_back(
        fmt::format("Prediction band of {} clipped: at K = {} it extends to {}.", series.name,
                    significant(most->x, 4),
                    std::isfinite(most->high) ? significant(most->high, 3) : "infinity"));
  }
}

/// With the K that were asked for as marks.
ChartSeries predicted_curve(const Shown& shown, Drawn drawn) {
  ChartSeries series = fitted_series(shown, drawn);
  const double factor = base_factor(shown.analysis->table, drawn);
  for (const PredictedWorkers& at : shown.analysis->models->predictions) {
    const double y = drawn_at(at, drawn, factor).point;
    series.line.push_back({at.workers, y});
    series.marks.push_back({at.workers, y});
  }
  if (!series.marks.empty()) series.name = "fitted, and predicted";
  std::sort(series.line.begin(), series.line.end(),
            [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
  return series;
}

/// What stands above a picture that has no caption.
std::string sentence_of(const ScalingTable& table, Drawn drawn) {
  if (drawn == Drawn::kTime) return "Time against workers.";
  if (drawn == Drawn::kEfficiency)
    return "Efficiency against workers. Ideal is the flat line at 1.";
  return table.base_workers > 1 ? "Further speedup against workers. Ideal is S = K/K0."
                                : "Speedup against workers. Ideal is the line S = K.";
}

}  // namespace

std::vector<Shown> shown_of(std::span<const Subject> subjects) {
  std::vector<Shown> shown;
  for (const Subject& subject : subjects) {
    shown.push_back({&subject.analysis, subjects.size() > 1 ? subject.name : "",
                     static_cast<int>(shown.size())});
  }
  return shown;
}

Drawn natural(const ScalingTable& table) {
  const bool any = std::any_of(table.points.begin(), table.points.end(),
                               [](const ScalingPoint& point) { return point.speedup.has_value(); });
  if (!any) return Drawn::kTime;
  return table.regime == Regime::kWeak ? Drawn::kEfficiency : Drawn::kSpeedup;
}

const Estimate* drawn_at(const ScalingPoint& point, Drawn drawn) {
  if (drawn == Drawn::kTime) return &point.time;
  const std::optional<Estimate>& value =
      drawn == Drawn::kSpeedup ? point.speedup : point.efficiency;
  return value ? &*value : nullptr;
}

Estimate drawn_at(const PredictedWorkers& at, Drawn drawn, double factor) {
  if (drawn == Drawn::kTime) return at.time;
  return scaled(drawn == Drawn::kSpeedup ? at.speedup : at.efficiency, factor);
}

Estimate curve_at(const ScalingTable& table, const PredictedWorkers& at, Drawn drawn) {
  if (drawn == Drawn::kTime) return at.time;
  double base = 1;
  for (const ScalingPoint& point : table.points) {
    if (point.role == table.base_role && point.workers == table.base_workers) {
      base = point.time.point;
      break;
    }
  }
  const double growth = at.workers / table.base_workers;
  const bool weak = table.regime == Regime::kWeak;
  if (drawn == Drawn::kSpeedup && weak) base *= growth;
  if (drawn == Drawn::kEfficiency && !weak) base /= growth;
  Estimate value = at.time;
  value.point = base / at.time.point;
  value.low = base / at.time.high;
  value.high = at.time.low > 0 ? base / at.time.low : std::numeric_limits<double>::infinity();
  value.standard_error = value.point * at.time.standard_error / at.time.point;
  return value;
}

double base_factor(const ScalingTable& table, Drawn drawn) {
  for (const ScalingPoint* point : points_of(table)) {
    if (drawn == Drawn::kTime || !point->speedup) continue;
    return drawn_at(*point, drawn)->point;
  }
  return 1;
}

std::string drawn_text(const Estimate& estimate, Drawn drawn) {
  return fmt::format("{} = {}", drawn_name(drawn), drawn_value(estimate, drawn));
}

std::string_view drawn_name(Drawn drawn) {
  return drawn == Drawn::kTime ? "T" : drawn == Drawn::kSpeedup ? "S" : "E";
}

std::string drawn_value(const Estimate& estimate, Drawn drawn) {
  return drawn == Drawn::kTime ? time_value_text(estimate) : value_text(estimate);
}

ChartSeries measured_series(const Shown& shown, Drawn drawn) {
  ChartSeries series;
  const auto& notes = shown.analysis->notes;
  const bool computed = std::any_of(notes.begin(), notes.end(), [](const Note& note) {
    return note.what == "scheduled";  // by kstar dag
  });
  series.name = !shown.name.empty() ? shown.name : computed ? "computed" : "measured";
  series.color = shown.color;
  for (const ScalingPoint* point : points_of(shown.analysis->table)) {
    const Estimate* value = drawn_at(*point, drawn);
    if (value == nullptr) continue;
    series.marks.push_back({static_cast<double>(point->workers), value->point, mark_low(*value),
                            mark_high(*value), tip_of(shown, *point, drawn)});
  }
  return series;
}

ChartSeries fitted_series(const Shown& shown, Drawn drawn) {
  ChartSeries series;
  series.name = "fitted";
  series.color = shown.color;
  if (!shown.analysis->models) return series;
  for (const PredictedWorkers& at : shown.analysis->models->fitted) {
    const Estimate value = curve_at(shown.analysis->table, at, drawn);
    series.line.push_back({at.workers, value.point});
    series.band.push_back({at.workers, value.low, value.high,
                           fmt::format("{}fitted at K = {}: {}", owner(shown.name),
                                       significant(at.workers, 4), drawn_text(value, drawn))});
  }
  return series;
}

void add_curves(std::span<const Shown> shown, Drawn drawn, Chart& chart) {
  for (const Shown& one : shown) {
    ChartSeries measured = measured_series(one, drawn);
    ChartSeries fitted = fitted_series(one, drawn);
    if (shown.size() > 1) {
      measured.line = std::move(fitted.line);
      measured.band = std::move(fitted.band);
      fitted = {};
    }
    chart.series.push_back(std::move(measured));
    if (!fitted.line.empty()) chart.series.push_back(std::move(fitted));
  }
}

void finish(std::span<const Shown> shown, Drawn drawn, Chart& chart) {
  span_workers(chart);
  if (drawn == Drawn::kSpeedup) finish_speedup(shown, chart);
  if (drawn == Drawn::kEfficiency) finish_efficiency(shown, chart);
  if (drawn == Drawn::kTime) finish_time(chart);
  note_cut_bands(chart);
}

namespace {

/// Lines of more studies could not be told apart.
constexpr std::size_t kMostPlaced = 3;

/// A place of one study, named and coloured as its series where there are several.
ChartRule place_of(const Shown& one, const char* what, const char* key, bool alone) {
  ChartRule rule;
  rule.name = alone ? what : fmt::format("{} of {}", what, one.name);
  rule.color = alone ? -1 : one.color;
  rule.key = fmt::format("{} {}", key, one.color + 1);
  return rule;
}

/// K* with its interval; of a verdict that names none, what it might be: a place without a mark.
void add_advice(const Shown& one, bool alone, Chart& chart) {
  const Verdict& verdict = one.analysis->verdict;
  if (!verdict.low) return;
  constexpr double kBeyond = std::numeric_limits<double>::infinity();
  const double high = verdict.high ? *verdict.high : kBeyond;
  const std::string range = verdict.high ? fmt::format("{} to {}", *verdict.low, *verdict.high)
                                         : fmt::format("{} or more", *verdict.low);
  if (!verdict.is_decided()) {
    if (*verdict.low >= high) return;
    ChartRule rule = place_of(one, "undecided K*", "kstar", alone);
    rule.at = std::numeric_limits<double>::quiet_NaN();
    rule.low = *verdict.low;
    rule.high = high;
    TipLines tip(owner(one.name) + "K* is undecided");
    tip.add("interval", range);
    tip.note(verdict_words(verdict));
    rule.tip = tip.take();
    chart.rules.push_back(std::move(rule));
    return;
  }
  ChartRule rule = place_of(one, "K*", "kstar", alone);
  rule.at = *verdict.workers;
  rule.low = *verdict.low;
  rule.high = high;
  const std::string threshold = significant(verdict.threshold, 4);
  TipLines tip(fmt::format("{}K* = {}{}", owner(one.name), *verdict.workers,
                           verdict.high ? "" : " or more"));
  tip.add("interval", range);
  tip.note(verdict.high ? fmt::format("the last measured K before E falls below {}", threshold)
                        : fmt::format("E is {} or more at every measured K", threshold));
  rule.tip = tip.take();
  chart.rules.push_back(std::move(rule));
}

void add_bend(const Shown& one, bool alone, Chart& chart) {
  const std::optional<Bend>& bend = one.analysis->bend;
  if (!bend || one.analysis->verdict.state == VerdictState::kUndecided) return;
  ChartRule rule = place_of(one, "bend", "bend", alone);
  rule.dashed = true;
  rule.at = bend->first_bad;
  const bool known = std::isfinite(bend->agreement) || bend->continuous;
  if (known) {
    rule.low = bend->low;
    rule.high = bend->high ? *bend->high : std::numeric_limits<double>::infinity();
  }
  rule.tip = TipLines(fmt::format("{}bend", owner(one.name)))
                 .note(fmt::format("E falls below {} at {}",
                                   significant(one.analysis->table.threshold, 4), bend_words(bend)))
                 .take();
  chart.rules.push_back(std::move(rule));
}

}  // namespace

void add_places(std::span<const Shown> shown, Chart& chart) {
  if (shown.size() > kMostPlaced) {
    chart.notes.emplace_back("K* and bends of so many studies are in the table.");
    return;
  }
  for (const Shown& one : shown) {
    add_advice(one, shown.size() == 1, chart);
    add_bend(one, shown.size() == 1, chart);
  }
}

Result<void> check_curves(std::span<const Subject> subjects) {
  const bool any = std::any_of(subjects.begin(), subjects.end(), [](const Subject& subject) {
    return points_of(subject.analysis.table).size() > 1;
  });
  if (any) return {};
  const std::vector<const ScalingPoint*> points = points_of(subjects[0].analysis.table);
  return fail({.where = subjects[0].name,
               .message = points.empty()
                              ? "no run has a usable time"
                              : fmt::format("only K = {} was measured: there is no curve to draw",
                                            points[0]->workers),
               .hint = "measure another K"});
}

std::string workers_text(const ScalingTable& table) {
  const std::vector<const ScalingPoint*> points = points_of(table);
  if (points.empty()) return "no K";
  if (points.size() == 1) return fmt::format("K = {}", points[0]->workers);
  return fmt::format("K = {} to {}", points.front()->workers, points.back()->workers);
}

}  // namespace kstar::view

namespace kstar {

Chart to_chart(const Analysis& analysis) {
  const view::Shown shown{&analysis, "", -1};
  const view::Drawn drawn = view::natural(analysis.table);
  Chart chart;
  chart.series.push_back(view::measured_series(shown, drawn));
  if (analysis.models) chart.series.push_back(view::predicted_curve(shown, drawn));
  view::finish({&shown, 1}, drawn, chart);
  view::add_places({&shown, 1}, chart);
  chart.title = view::sentence_of(analysis.table, drawn);
  name_axes(chart);
  return chart;
}

}  // namespace kstar
