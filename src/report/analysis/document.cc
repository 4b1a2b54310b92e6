#include "report/analysis/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/duration.h"
#include "base/number.h"
#include "kstar/analysis_report.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/costs.h"
#include "report/analysis/explanation.h"
#include "report/analysis/point_columns.h"
#include "report/scaling_blocks.h"

namespace kstar {

namespace {

/// A part of the base's time has no unit.
std::string relative_text(double part) {
  return significant(part, 4);
}

/// K, its runs, and T with its interval, which one run has not.
std::vector<PointColumn> time_columns(const ScalingTable& table) {
  const auto text = table.relative_times ? relative_text : time_text;
  std::vector<PointColumn> columns = {{"K", point_name}, {"runs", [](const ScalingPoint& p) {
                                                            return fmt::format("{}", p.times.n);
                                                          }}};
  if (table.regime == Regime::kThroughput && !table.relative_times) {
    columns.push_back({"X(K)", [work = table.rate_work](const ScalingPoint& p) {
                         return significant(work / p.time.point, 4) + "/s";
                       }});
  }
  columns.push_back({table.relative_times ? "T(K)/T(1)" : "T(K)",
                     [text](const ScalingPoint& p) { return text(p.time.point); }});
  if (has_repeats(table)) {
    columns.push_back(
        {"+-", [](const ScalingPoint& p) { return half_width(p.time); }, false, true});
  }
  return columns;
}

Table time_table(const ScalingTable& table) {
  const auto text = table.relative_times ? relative_text : time_text;
  std::vector<PointColumn> columns = time_columns(table);
  if (has_repeats(table)) {
    columns.push_back({"std", [](const ScalingPoint& p) {
                         const double share = p.times.standard_deviation / p.times.mean;
                         return std::isfinite(share) ? percent(share, 1) : "?";
                       }});
    columns.push_back(
        {"median", [text](const ScalingPoint& p) { return text(p.times.median); }, true});
    columns.push_back({"min", [text](const ScalingPoint& p) { return text(p.times.min); }});
    columns.push_back({"max", [text](const ScalingPoint& p) { return text(p.times.max); }});
  }
  Table rows = table_of(table, columns);
  add_shapes(table, rows);
  return rows;
}

/// As many as keep five digits, or fewer; of a small one, two digits.
int speedup_decimals(const Estimate& speedup) {
  if (speedup.point < 0.1) return efficiency_decimals(speedup);
  return speedup.point < 100 ? 2 : speedup.point < 1000 ? 1 : 0;
}

/// The cell of a quantity that not every point has.
using OptionalEstimate = std::optional<Estimate> ScalingPoint::*;

std::function<std::string(const ScalingPoint&)> cell_of(
    OptionalEstimate quantity, std::function<std::string(const Estimate&)> text) {
  return [quantity, text = std::move(text)](const ScalingPoint& point) {
    const std::optional<Estimate>& estimate = point.*quantity;
    return estimate ? text(*estimate) : std::string();
  };
}

bool has_interval(const ScalingTable& table, OptionalEstimate quantity) {
  return any_point(table, [&](const ScalingPoint& point) {
    // That of the base over itself says nothing.
    return point.*quantity && is_bounded(*(point.*quantity)) &&
           (point.workers != table.base_workers || point.role != table.base_role);
  });
}

/// Half the interval, in the unit of the number itself.
std::string absolute_half_width(const Estimate& estimate, int decimals) {
  return is_bounded(estimate) ? fixed((estimate.high - estimate.low) / 2, decimals) : "?";
}

void add_quantity(const ScalingTable& table, const std::string& name, OptionalEstimate quantity,
                  int (*decimals)(const Estimate&), std::vector<PointColumn>& columns) {
  columns.push_back(
      {name, cell_of(quantity, [=](const Estimate& e) { return fixed(e.point, decimals(e)); }),
       true});
  if (!has_interval(table, quantity)) return;
  columns.push_back(
      {"interval",
       cell_of(quantity, [=](const Estimate& e) { return interval_cell(e, decimals(e)); }), false,
       true});
}

void add_karp_flatt(const ScalingTable& table, std::vector<PointColumn>& columns) {
  constexpr int kDecimals = 4;
  if (!any_point(table, [](const ScalingPoint& p) { return p.karp_flatt.has_value(); })) return;
  const OptionalEstimate quantity = &ScalingPoint::karp_flatt;
  columns.push_back({"Karp-Flatt",
                     cell_of(quantity, [](const Estimate& e) { return fixed(e.point, kDecimals); }),
                     true});
  if (!has_interval(table, quantity)) return;
  columns.push_back(
      {"+-", cell_of(quantity, [](const Estimate& e) { return absolute_half_width(e, kDecimals); }),
       false, true});
}

std::string verdict_cell(const ScalingPoint& point) {
  return point.efficiency && point.role == Role::kParallel ? verdict(point) : "";
}

Table efficiency_table(const ScalingTable& table) {
  std::vector<PointColumn> columns = {{"K", point_name}};
  const bool weak = table.regime == Regime::kWeak;
  add_quantity(table, weak ? "scaled S" : "S(K)", &ScalingPoint::speedup, speedup_decimals,
               columns);
  add_quantity(table, "E(K)", &ScalingPoint::efficiency, efficiency_decimals, columns);
  add_karp_flatt(table, columns);
  columns.push_back({"verdict", verdict_cell});
  return table_of(table, columns);
}

/// What the intervals speak about.
std::string intervals_text(const ScalingTable& table) {
  if (!has_repeats(table)) return " One run per K: no intervals; verdicts assume an error.";
  return fmt::format(" Intervals are {}%, {}", fixed(table.confidence * 100, 0),
                     table.points[0].time.scope == Scope::kOneSession
                         ? "from one session: they do not cover another day or machine."
                         : "over several sessions.");
}

bool any_borderline(const ScalingTable& table) {
  return any_point(table, [](const ScalingPoint& point) {
    return point.efficiency && point.role == Role::kParallel && !point.clear;
  });
}

/// Of very many K: those evenly spread over their logarithms, the last good, the first bad, and the
/// ends. The others are behind --full.
ScalingTable shortened(const ScalingTable& table) {
  constexpr std::size_t kMost = 20;
  if (table.points.size() <= kMost) return table;
  ScalingTable some = table;
  double next = 0;
  const double step =
      std::log(static_cast<double>(table.points.back().workers) / table.base_workers) / kMost;
  std::erase_if(some.points, [&](const ScalingPoint& point) {
    const bool told = point.role == Role::kBaseline || point.workers == table.last_good ||
                      point.workers == table.first_bad ||
                      point.workers == table.points.back().workers;
    const double at = std::log(static_cast<double>(point.workers) / table.base_workers);
    if (at < next) return !told;
    next = at + step;
    return false;
  });
  return some;
}

/// T, S and E in one table.
Table curve_table(const ScalingTable& table) {
  std::vector<PointColumn> columns = time_columns(table);
  if (!has_efficiency(table)) return table_of(table, columns);
  // Its interval is that of E, K times as wide.
  columns.push_back({table.regime == Regime::kWeak ? "scaled S" : "S(K)",
                     cell_of(&ScalingPoint::speedup, [](const Estimate& e) {
                       return fixed(e.point, speedup_decimals(e));
                     })});
  const std::size_t efficiency = columns.size();
  add_quantity(table, "E(K)", &ScalingPoint::efficiency, efficiency_decimals, columns);
  columns[efficiency].new_group = false;  // room for what the runs cost
  columns.push_back({"verdict", verdict_cell});
  Table rows = table_of(table, columns);
  add_shapes(table, rows);
  add_costs(table, columns, rows);
  return rows;
}

/// What the numbers are relative to, and what they mean.
std::string basis(const ScalingTable& table) {
  std::string text = fmt::format(
      "S and E are relative to {0}{1}; an E below {2} is low{3}.", base_text(table),
      table.regime == Regime::kWeak         ? "; the scaled speedup is K E"
      : table.regime == Regime::kThroughput ? "; X(K) = work/T(K) is work per second"
                                            : "",
      significant(table.threshold, 3),
      any_borderline(table)
          ? fmt::format("; borderline: its interval includes {}", significant(table.threshold, 3))
          : "");
  if (table.relative_times) {
    text += " The study has no times: seconds are relative to T at the base.";
  }
  text += intervals_text(table);
  if (any_point(table, [](const ScalingPoint& p) { return p.karp_flatt.has_value(); })) {
    text +=
        " Karp-Flatt is the serial fraction that Amdahl's law would need for that S: if it grows "
        "with K, so does an overhead.";
  }
  return text;
}

/// The same in one line: terms are explained by kstar explain.
std::string short_basis(const ScalingTable& table, std::size_t rows) {
  std::string text;
  if (rows < table.points.size()) {
    text += fmt::format("{} of {} K. ", rows, table.points.size());
  }
  const bool plain = table.base_workers == 1 && table.base_role == Role::kParallel;
  if (!plain && has_efficiency(table))
    text += fmt::format("S and E are relative to {}. ", base_text(table));
  if (table.relative_times) text += "The study has no times. ";
  if (table.regime == Regime::kThroughput && !table.rate_unit.empty()) {
    text += fmt::format("X(K): {} per second. ", table.rate_unit);
  }
  if (has_repeats(table)) {
    text += fmt::format(
        "Intervals: {}, {}. ", percent(table.confidence, 0),
        table.points[0].time.scope == Scope::kOneSession ? "one session" : "several sessions");
  }
  if (any_borderline(table)) {
    text += fmt::format("Borderline: the interval includes {}. ", significant(table.threshold, 3));
  }
  return text + fmt::format("--full shows {}causes, models and the spread of the runs.",
                            rows < table.points.size() ? "all K, " : "");
}

Table other_baseline_table(const ScalingTable& table, const OtherBaseline& other) {
  Table rows;
  rows.columns = {{.name = "K"},
                  {.name = "E above", .new_group = true},
                  {.name = fmt::format("E by {}", time_text(other.time)), .new_group = true},
                  {.name = "interval", .joined = true}};
  for (std::size_t i = 0; i < table.points.size() && i < other.efficiency.size(); ++i) {
    const ScalingPoint& point = table.points[i];
    if (point.role == Role::kBaseline) continue;
    const int decimals = efficiency_decimals(other.efficiency[i]);
    rows.rows.push_back(
        {point_name(point),
         point.efficiency ? fixed(point.efficiency->point, efficiency_decimals(*point.efficiency))
                          : "",
         fixed(other.efficiency[i].point, decimals), interval_cell(other.efficiency[i], decimals)});
  }
  return rows;
}

/// What the baseline program hides: how the parallel program scales by itself.
void add_own_baseline(const Analysis& analysis, Document& document) {
  if (!analysis.own_baseline) return;
  const OtherBaseline& own = *analysis.own_baseline;
  document.blocks.emplace_back(Heading{"Relative to the program's own smallest K"});
  document.blocks.emplace_back(Paragraph{
      fmt::format("Relative to its own {} instead of the baseline program it bends at {}; relative "
                  "to the baseline program at {}. Karp-Flatt and the models use its own.",
                  time_text(own.time), bend_words(own.bend), bend_words(analysis.bend))});
  document.blocks.emplace_back(other_baseline_table(analysis.table, own));
}

void add_other_baseline(const Analysis& analysis, Document& document) {
  if (!analysis.other_baseline) return;
  const OtherBaseline& other = *analysis.other_baseline;
  document.blocks.emplace_back(Heading{"Another baseline"});
  document.blocks.emplace_back(Paragraph{
      fmt::format("With T(1) = {} instead of the measured one the bend is at {}; with {} at {}.",
                  time_text(other.time), bend_words(other.bend), base_text(analysis.table),
                  bend_words(analysis.bend))});
  document.blocks.emplace_back(other_baseline_table(analysis.table, other));
}

void add_steps(const std::vector<StepStability>& steps, Document& document) {
  if (steps.empty()) return;
  Table rows;
  rows.columns = {{.name = "K"},       {.name = "runs"},  {.name = "variation"},
                  {.name = "slowest"}, {.name = "drift"}, {.name = "interval", .joined = true}};
  for (const StepStability& step : steps) {
    rows.rows.push_back({fmt::format("{}", step.workers), fmt::format("{}", step.runs),
                         percent(step.variation, 1), fixed(step.slowest, 2) + "x",
                         step.drift ? fixed(step.drift->point, 3) : "?",
                         step.drift ? interval_cell(*step.drift, 3) : "?"});
  }
  document.blocks.emplace_back(Heading{"Steps inside a run"});
  document.blocks.emplace_back(
      Paragraph{"How much they vary (standard deviation / mean), the slowest / the median, and the "
                "last third / the first third: a drift means that the state is not steady yet."});
  document.blocks.emplace_back(std::move(rows));
}

}  // namespace

void add_tables(const ScalingTable& table, Document& document) {
  document.blocks.emplace_back(time_table(table));
  if (has_efficiency(table)) {
    document.blocks.emplace_back(efficiency_table(table));
    document.blocks.emplace_back(Paragraph{basis(table)});
  }
  if (Table usage = usage_table(table); !usage.rows.empty()) {
    document.blocks.emplace_back(std::move(usage));
  }
  if (Items items = growth_items(table); !items.items.empty()) {
    document.blocks.emplace_back(std::move(items));
  }
}

void add_headline(const Analysis& analysis, std::string answer, Document& document) {
  const auto add_doubts = [&] {
    std::vector<std::string> doubts = doubts_of(analysis.verdict);
    if (!doubts.empty()) document.blocks.emplace_back(Items{"Check this first", std::move(doubts)});
  };
  if (analysis.verdict.reading_in_question) add_doubts();
  document.blocks.emplace_back(Paragraph{std::move(answer)});
  if (!analysis.verdict.reading_in_question) add_doubts();
}

void add_questions(const Analysis& analysis, Document& document) {
  add_own_baseline(analysis, document);
  add_other_baseline(analysis, document);
  add_steps(analysis.steps, document);
  if (Table setup = setup_table(analysis.table); !setup.rows.empty()) {
    document.blocks.emplace_back(Heading{"Setup, not part of T(K)"});
    document.blocks.emplace_back(std::move(setup));
  }
}

void add_notes(const Analysis& analysis, Document& document) {
  Items items{"Notes", uncounted_runs(analysis.table)};
  for (const Note& note : all_notes(analysis)) {
    // What S and E are relative to stands below the table.
    if (note.what == "models" || note.what == "base-workers" || is_doubt(note)) continue;
    items.items.push_back(note_text(note));
  }
  items.items = said_once(items.items);
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

void add_next(const Analysis& analysis, bool priced, Document& document) {
  Items items{"What to measure next", {}};
  if (analysis.models && priced) {
    constexpr std::size_t kMost = 3;
    for (const NextMeasurement& next : analysis.models->next) {
      if (items.items.size() == kMost) break;
      items.items.push_back(fmt::format("K = {}, {} worker-seconds per run: {}",
                                        significant(next.workers, 9),
                                        significant(next.worker_seconds, 3), next.why));
    }
  }
  if (analysis.diagnosis.efficiency || !analysis.time_to_train) {
    for (const std::string& next : analysis.diagnosis.next) items.items.push_back(next);
  }
  if (items.items.empty() && priced) items.items.emplace_back("no suggestion");
  if (!items.items.empty()) document.blocks.emplace_back(std::move(items));
}

std::vector<Note> all_notes(const Analysis& analysis) {
  std::vector<Note> all;
  const auto add = [&](const Note& note) {
    if (std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
  };
  for (const Note& note : analysis.notes) add(note);
  for (const Note& note : analysis.table.notes) add(note);
  if (!analysis.models) return all;
  for (const std::string& text : analysis.models->notes) {
    add({.severity = Severity::kInfo, .what = "models", .values = {{"said", text}}});
  }
  return all;
}

namespace {

/// One screen: what was asked for by a flag is in it.
void add_short(const Analysis& analysis, const AnalysisView& view, Document& document) {
  const ScalingTable table = shortened(analysis.table);
  document.blocks.emplace_back(curve_table(table));
  document.blocks.emplace_back(Paragraph{short_basis(analysis.table, table.points.size())});
  if (Items items = growth_items(table); !items.items.empty()) {
    document.blocks.emplace_back(std::move(items));
  }
  if (view.chart) document.blocks.emplace_back(to_chart(analysis));
  add_training_factors(analysis, document);
  if (analysis.options.baseline_time) add_other_baseline(analysis, document);
  if (!analysis.options.model.empty()) {
    add_models(analysis, document);
  } else {
    add_prediction_table(analysis, document);
  }
  if (view.next) add_next(analysis, view.next, document);
  if (view.notes) add_notes(analysis, document);
}

void add_all(const Analysis& analysis, const AnalysisView& view, Document& document) {
  add_tables(analysis.table, document);
  if (view.chart) document.blocks.emplace_back(to_chart(analysis));
  add_training(analysis, document);
  add_questions(analysis, document);
  add_causes(analysis, document);
  add_phases(analysis, document);
  add_models(analysis, document);
  add_next(analysis, view.next, document);
  add_notes(analysis, document);
}

}  // namespace

Document to_document(const Analysis& analysis, const AnalysisView& view) {
  Document document;
  if (!view.title.empty()) document.blocks.emplace_back(Heading{view.title});
  add_headline(analysis, answer_text(analysis), document);
  (view.brief ? add_short : add_all)(analysis, view, document);
  if (analysis.network) {
    document.blocks.emplace_back(Heading{.text = "Communication and the network", .part = true});
    document.blocks.emplace_back(Paragraph{network_words(*analysis.network)});
  }
  return document;
}

}  // namespace kstar
