#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/plan_report.h"
#include "kstar/view.h"
#include "kstar/words.h"
#include "report/plan/words.h"
#include "report/sections.h"

namespace kstar {

namespace {

using planning::goal_text;
using planning::PlanUnits;
using planning::span_text;
using planning::workers_range;
using planning::workers_text;

std::string efficiency_cell(const Plan& plan, double efficiency) {
  return plan.has_efficiency ? fixed(efficiency, efficiency < 0.1 ? 4 : 3) : "-";
}

/// What was asked: "90000 runs at 2.5 $ per worker-hour (your price)".
std::string question(const Plan& plan, const PlanUnits& units) {
  const CostRates& rates = plan.options.rates;
  std::string text;
  if (plan.grows) {
    text = plan.work == 1
               ? "the work of one run at the smallest K"
               : fmt::format("{} times the work of the smallest K", significant(plan.work, 4));
  } else {
    text = plan.work == 1 ? "one run" : fmt::format("{} times T", significant(plan.work, 7));
  }
  if (rates.price) {
    text += fmt::format(", {} {} per worker-hour (your price)", significant(*rates.price, 4),
                        rates.currency);
  } else if (plan.seconds) {
    text += fmt::format(", costs in {} (no --price)", units.cost_name());
  } else {
    text += ", times and costs relative to T on one worker";
  }
  if (rates.interruptions.every > 0) {
    text += fmt::format(", times are means over interruptions{}",
                        plan.law ? ", and so is a limit that is kept" : "");
  }
  if (rates.node_workers > 1) {
    text += fmt::format(", billed by nodes of {} workers", rates.node_workers);
  }
  return text;
}

std::string goal_words(const Goal& goal, const PlanUnits& units) {
  switch (goal.kind) {
    case GoalKind::kFastest:
      return "the least time";
    case GoalKind::kCheapest:
      return "the least cost";
    case GoalKind::kEfficiency:
      return fmt::format("the least time with an efficiency of {} or more",
                         significant(goal.limit, 4));
    case GoalKind::kDeadline:
      return fmt::format("the least cost within {}", units.time(goal.limit));
    case GoalKind::kBudget:
      return fmt::format("the least time within {}", units.cost(goal.limit));
    case GoalKind::kKnee:
      break;
  }
  return "the most speed for the money";
}

/// A law may gain for ever.
bool is_endless(const Plan& plan, const PlanAnswer& answer) {
  constexpr double kLargest = 1e6;
  return plan.law && answer.open && answer.best && answer.best->workers >= kLargest;
}

/// "K = 25 might (10.2 s), never measured: measure it first."
std::string untried_text(const PlanAnswer& answer, const PlanUnits& units) {
  if (!answer.untried) return "";
  return fmt::format(" K = {} might{} ({}, {}), never measured: measure it first.",
                     workers_text(answer.untried->workers), answer.best ? " be better" : "",
                     units.time(answer.untried->time), units.cost(answer.untried->cost));
}

/// The best that there is: "the least time is 19 s, on 8 workers".
std::string nearest_text(const PlanAnswer& answer, const PlanUnits& units) {
  const PlanPoint& nearest = *answer.nearest;
  const std::string sure = answer.probability.value_or(0) > 0
                               ? fmt::format(" ({} sure)", chance_words(*answer.probability))
                               : "";
  const std::string value =
      answer.goal.kind == GoalKind::kEfficiency
          ? "largest efficiency is " + significant(nearest.efficiency, 3)
          : (answer.goal.kind == GoalKind::kBudget ? "least cost is " + units.cost(nearest.cost)
                                                   : "least time is " + units.time(nearest.time));
  return fmt::format("the {}, on {} {}{}", value, workers_text(nearest.workers),
                     nearest.workers == 1 ? "worker" : "workers", sure);
}

/// Why no K beyond those measured is spoken of.
std::string doubt_text(const Plan& plan, const PlanAnswer& answer) {
  if (leaves_open(plan.verdict, answer.goal.kind)) {
    return verdict_words(*plan.verdict) + " If the curve is as fitted: ";
  }
  if (plan.doubt.empty()) return "";
  if (plan.law) return fmt::format("Only if {}: ", plan.doubt);
  const bool computed = plan.verdict && plan.verdict->computed;
  return fmt::format("Only {} are recommended{}: {}. ", computed ? "K of the study" : "measured K",
                     computed ? ", none as sure" : "", plan.doubt);
}

std::string no_answer(const Plan& plan, const PlanAnswer& answer, const PlanUnits& units) {
  if (plan.law) {
    return fmt::format("No K does it: {} is out of reach; {}.", goal_text(answer.goal, units),
                       nearest_text(answer, units));
  }
  if (!answer.nearest) {
    return fmt::format("{}No K is recommended: none of those that may be used was measured.{}",
                       doubt_text(plan, answer), untried_text(answer, units));
  }
  const bool sure = answer.goal.limit > 0 && answer.probability.value_or(0) > 0;
  return fmt::format("{}No K up to {} keeps {}{}: {}.{}", doubt_text(plan, answer),
                     workers_text(std::min(plan.most_workers, plan.largest_measured)),
                     goal_text(answer.goal, units),
                     sure ? fmt::format(" with {}", percent(plan.options.sure, 0)) : "",
                     nearest_text(answer, units), untried_text(answer, units));
}

/// What a K between two measured ones rests on.
std::string smoothness(const Plan& plan, double workers) {
  const auto above = std::lower_bound(plan.measured.begin(), plan.measured.end(), workers);
  if (above == plan.measured.begin() || above == plan.measured.end() || *above == workers)
    return "";
  return fmt::format(", if T has no step between K = {} and {}", workers_text(*(above - 1)),
                     workers_text(*above));
}

std::string sureness(const Plan& plan, const PlanAnswer& answer) {
  if (!answer.probability) return "";
  const bool limit = answer.goal.limit > 0;
  const std::string range = workers_range(answer);
  std::string text =
      fmt::format(" It is {} sure{}", chance_words(*answer.probability),
                  answer.by_verdict ? ""
                  : limit           ? " to hold"
                          : fmt::format(": in so many curves no other K up to {} is 5% better",
                                        workers_text(plan.largest_measured)));
  text += smoothness(plan, answer.best->workers);
  if (!range.empty()) {
    const auto ends = range.find("..");
    text += fmt::format(
        "; K* is {} at {}",
        ends == range.npos ? range : range.substr(0, ends) + " to " + range.substr(ends + 2),
        percent(plan.options.confidence, 0));
  }
  return text + ".";
}

/// "16 workers would save 1.3 h for 45 $ more": why not more.
std::string why_not_more(const Plan& plan, const PlanAnswer& answer, const PlanUnits& units) {
  const bool known = plan.law || 2 * answer.best->workers <= plan.largest_measured;
  if (!answer.next || !known) return "";
  const std::string twice = workers_text(2 * answer.best->workers);
  const Doubling& next = *answer.next;
  if (next.kind == DoublingKind::kSlower) return fmt::format(" {} workers are slower.", twice);
  if (next.kind == DoublingKind::kNothing) {
    return fmt::format(" {} workers buy nothing: less than 1% faster.", twice);
  }
  return fmt::format(" {} workers would save {} for {} {}.", twice, units.time(next.saved),
                     units.cost(std::fabs(next.cost)), next.cost < 0 ? "less" : "more");
}

std::string no_gain_text(const Plan& plan, const PlanAnswer& answer, const std::string& what) {
  const double most = plan.law ? plan.most_workers : plan.largest_measured;
  const std::string doubt = doubt_text(plan, answer);
  return fmt::format("{}{} workers do not help: no K up to {} is {} faster than K = {} ({}).{}",
                     doubt, doubt.ends_with(": ") ? "more" : "More", workers_text(most),
                     plan.law ? "1%" : "5%", workers_text(answer.best->workers), what,
                     answer.probability
                         ? fmt::format(" That is {} sure.", chance_words(*answer.probability))
                         : "");
}

std::string answer_text(const Plan& plan, const PlanAnswer& answer, const PlanUnits& units) {
  if (!answer.best) return no_answer(plan, answer, units);
  const PlanPoint& best = *answer.best;
  const std::string what =
      fmt::format("{}, {}{}", units.time(best.time), units.cost(best.cost),
                  plan.has_efficiency ? ", E = " + efficiency_cell(plan, best.efficiency) : "");
  if (answer.no_gain) return no_gain_text(plan, answer, what);
  if (is_endless(plan, answer)) {
    return fmt::format("{}: every further worker helps, ever less ({} at K = 1e6).",
                       answer.goal.kind == GoalKind::kFastest
                           ? std::string("No K is fastest")
                           : "No limit below 1e6 for " + goal_words(answer.goal, units),
                       what);
  }
  const std::string rest = sureness(plan, answer) + untried_text(answer, units) +
                           (answer.untried ? "" : why_not_more(plan, answer, units));
  const VerdictState state = answer.by_verdict ? plan.verdict->state : VerdictState::kRun;
  if (state == VerdictState::kBetween) {
    return fmt::format("{} On {}: {}.{}", verdict_words(*plan.verdict), workers_text(best.workers),
                       what, rest);
  }
  const std::string doubt = doubt_text(plan, answer);
  return fmt::format("{}{} on {}{} {}{} for {}: {}.{}", doubt,
                     doubt.ends_with(": ") ? "run" : "Run",
                     state == VerdictState::kAbout ? "about " : "", workers_text(best.workers),
                     best.workers == 1 ? "worker" : "workers",
                     state == VerdictState::kOrMore ? ", perhaps more," : "",
                     goal_words(answer.goal, units), what, rest);
}

/// Of a K* where more might be better.
std::string mark_of(const PlanAnswer& answer) {
  return answer.open ? "+" : "";
}

Table answer_table(const Plan& plan, const PlanUnits& units) {
  Table table;
  table.columns = {{.name = "goal", .left = true},
                   {.name = "K*"},
                   {.name = "", .left = true, .joined = true},
                   {.name = units.time_head()},
                   {.name = units.cost_head()},
                   {.name = "E"},
                   {.name = "idle"}};
  if (!plan.law) table.columns.push_back({.name = "sure"});
  if (plan.law) table.columns.erase(table.columns.begin() + 2);
  for (const PlanAnswer& answer : plan.answers) {
    std::vector<std::string> row = {goal_text(answer.goal, units)};
    const auto& best = answer.best;
    const bool never = is_endless(plan, answer);
    row.push_back(!best   ? "none"
                  : never ? "no limit"
                          : workers_text(best->workers) + mark_of(answer));
    if (!plan.law) {
      const std::string range = workers_range(answer);
      row.push_back(range.empty() ? "" : fmt::format("({})", range));
    }
    row.push_back(best ? units.time(best->time) : "-");
    row.push_back(best && !never ? units.cost_cell(best->cost) : "-");
    row.push_back(best && !never ? efficiency_cell(plan, best->efficiency) : "-");
    row.push_back(best && !never && plan.has_efficiency ? significant(best->idle, 3) : "-");
    if (!plan.law) {
      row.push_back(best && answer.probability ? chance_words(*answer.probability) : "-");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string doubling_cell(const Doubling& next, const PlanUnits& units) {
  if (next.kind == DoublingKind::kSlower) {
    return next.slower_from
               ? fmt::format("nothing: slower from K = {}", workers_text(*next.slower_from))
               : "nothing: slower";
  }
  if (next.kind == DoublingKind::kNothing) return "nothing: less than 1% of the time";
  if (next.cost <= 0) {
    return fmt::format("{} and {}", units.time(next.saved), units.cost_cell(-next.cost));
  }
  return fmt::format(
      "{} for {}{}", units.time(next.saved), units.cost_cell(next.cost),
      units.counts_hours() ? fmt::format(" ({}/h)", units.cost_cell(*next.per_hour)) : "");
}

Table row_table(const Plan& plan, const PlanUnits& units, bool full) {
  const bool memory = std::any_of(plan.rows.begin(), plan.rows.end(),
                                  [](const PlanRow& row) { return row.point.memory.has_value(); });
  const bool energy = full && plan.options.rates.power.busy > 0;
  Table table;
  table.columns = {{.name = "K"}, {.name = units.time_head()}};
  if (full && !plan.law) table.columns.push_back({.name = "", .left = true, .joined = true});
  table.columns.push_back({.name = units.cost_head()});
  table.columns.push_back({.name = "E"});
  if (memory && (full || plan.options.memory)) table.columns.push_back({.name = "memory"});
  if (energy) table.columns.push_back({.name = "kWh"});
  table.columns.push_back({.name = "the next doubling saves", .left = true});
  for (const PlanRow& row : plan.rows) {
    const PlanPoint& point = row.point;
    std::vector<std::string> cells = {
        fmt::format("{}{}", workers_text(point.workers), point.beyond ? "*" : ""),
        units.time(point.time)};
    if (full && !plan.law) {
      cells.push_back(
          fmt::format("({}..{})", units.time(point.time_low), units.time(point.time_high)));
    }
    cells.push_back(units.cost_cell(point.cost));
    cells.push_back(efficiency_cell(plan, point.efficiency));
    if (memory && (full || plan.options.memory)) {
      cells.push_back(!point.memory ? "-"
                                    : fmt::format("{}{}", planning::bytes_text(*point.memory),
                                                  point.fits ? "" : " (no)"));
    }
    if (energy) cells.push_back(significant(point.energy, 3));
    cells.push_back(row.next ? doubling_cell(*row.next, units) : "");
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::string many_text(const Plan& plan, const PlanUnits& units) {
  const ManyJobs& many = *plan.many;
  return fmt::format(
      "{} such jobs on {} workers: {} at a time on {} each take {}; one after another on {}, {}.",
      significant(many.jobs, 7), workers_text(many.pool), significant(many.side_by_side, 7),
      workers_text(many.workers), units.time(many.time), workers_text(many.wide_workers),
      units.time(many.wide_time));
}

std::string larger_text(const Plan& plan, const PlanUnits& units) {
  const LargerProblem& most = plan.larger.back();
  return fmt::format(
      "Same time, larger problem: in {} {} workers do {}x the work (E = {}), if your problem may "
      "grow.",
      units.time(most.time), workers_text(most.workers), significant(most.size, 3),
      fixed(most.efficiency, 2));
}

std::string result_text(const Plan& plan, const PlanUnits& units) {
  const PlanPoint& best = *plan.answers.front().best;
  return fmt::format("Per {}: {} at K = {}; {} per {}.", plan.options.result,
                     units.cost(best.result_cost), workers_text(best.workers),
                     significant(1 / best.result_cost, 3),
                     plan.options.rates.price ? plan.options.rates.currency
                     : plan.seconds           ? "worker-hour"
                                              : "T(1)");
}

std::string energy_text(const Plan& plan) {
  const PlanPoint& best = *plan.answers.front().best;
  const double grams = plan.options.rates.power.grams;
  return fmt::format(
      "Energy at K = {}: {} kWh{}.", workers_text(best.workers), significant(best.energy, 3),
      grams > 0 ? fmt::format(", {} kg of CO2", significant(best.energy * grams / 1000, 3)) : "");
}

std::string checkpoint_text(const Checkpoints& all, bool written) {
  const std::string first =
      fmt::format("Interruptions every {} at K = {}: {} more time on average",
                  span_text(all.between), workers_text(all.workers), percent(all.overhead, 1));
  if (!written) return first + ", as all work is lost (no --checkpoint).";
  return fmt::format("{}, with a checkpoint every {} (Daly; Young: {}).", first,
                     span_text(all.daly), span_text(all.young));
}

/// Of the goals behind the first: "K = 32 for fastest (11.1 s)".
std::string other_untried(const Plan& plan, const PlanUnits& units) {
  std::string text;
  for (std::size_t i = 1; i < plan.answers.size(); ++i) {
    const PlanAnswer& answer = plan.answers[i];
    if (!answer.untried) continue;
    text += fmt::format("{}K = {} for {} ({})", text.empty() ? "" : ", ",
                        workers_text(answer.untried->workers), goal_text(answer.goal, units),
                        units.time(answer.untried->time));
  }
  return text.empty() ? "" : fmt::format("Might be better, never measured: {}.", text);
}

/// What is said below the tables, one line each.
std::vector<std::string> further(const Plan& plan, const PlanUnits& units) {
  std::vector<std::string> lines;
  const bool answered = plan.answers.front().best.has_value();
  if (plan.options.result_work > 0 && answered) lines.push_back(result_text(plan, units));
  if (plan.options.rates.power.busy > 0 && answered) lines.push_back(energy_text(plan));
  if (plan.checkpoints) {
    lines.push_back(
        checkpoint_text(*plan.checkpoints, plan.options.rates.interruptions.checkpoint > 0));
  }
  if (std::string text = other_untried(plan, units); !text.empty()) lines.push_back(text);
  if (plan.many) lines.push_back(many_text(plan, units));
  if (!plan.larger.empty() && plan.larger.back().size > 1) {
    lines.push_back(larger_text(plan, units));
  }
  return lines;
}

/// What a reader must know before the tables; the gravest first.
Items warnings(const Plan& plan, bool all) {
  std::vector<std::string> lines;
  for (const PlanAnswer& answer : plan.answers) {
    if (!answer.limited_by_memory) continue;
    lines.push_back(fmt::format("fewer than {} workers do not have the memory that the job needs",
                                workers_text(*answer.limited_by_memory)));
    break;
  }
  lines.insert(lines.end(), plan.notes.begin(), plan.notes.end());
  constexpr std::size_t kMost = 3;
  if (!all && lines.size() > kMost) {
    const std::size_t more = lines.size() - kMost;
    lines.resize(kMost);
    lines.push_back(fmt::format("{} more with --full", more));
  }
  return Items{"Before relying on it", std::move(lines)};
}

/// What the marks of K mean, as far as there are some.
std::string marks_text(const Plan& plan) {
  bool star = false, plus = false;
  for (const PlanRow& row : plan.rows) star = star || row.point.beyond;
  for (const PlanAnswer& answer : plan.answers) {
    plus = plus || (answer.open && !is_endless(plan, answer));
  }
  std::string text = star ? "* beyond the largest measured K" : "";
  if (plus) text += fmt::format("{}+ more may be better still", star ? "; " : "");
  return text;
}

Table larger_table(const Plan& plan, const PlanUnits& units) {
  Table table{.columns = {{.name = "K"}, {.name = "time"}, {.name = "work"}, {.name = "E"}},
              .rows = {}};
  for (const LargerProblem& larger : plan.larger) {
    table.rows.push_back({workers_text(larger.workers), units.time(larger.time),
                          significant(larger.size, 3) + "x", fixed(larger.efficiency, 3)});
  }
  return table;
}

Items definitions(const Plan& plan) {
  Items items{"How the goals are chosen", {}};
  items.folded = true;
  items.items = {
      "efficiency, deadline, budget: the best K among those that keep the limit" +
          (plan.law ? std::string()
                    : fmt::format(" with a probability of {} or more (--sure)",
                                  percent(plan.options.sure, 0))),
      "knee: the least time x cost; with a price per worker-hour alone that is the largest E S",
      "idle: K (1 - E), the workers that do nothing useful, on average"};
  if (!plan.law) {
    items.items.emplace_back(
        "sure: the share of the curves that the measurements allow; of deadline and budget, of "
        "single runs, with interruptions at random");
  }
  if (!plan.larger.empty() && !plan.grows) {
    items.items.emplace_back(
        "larger problem: only the work that is divided among workers grows; all else stays");
  }
  return items;
}

}  // namespace

void add_plan(const Plan& plan, Document& document) {
  const PlanUnits units(plan);
  document.blocks.emplace_back(Heading{.text = "Time and cost", .part = true});
  document.blocks.emplace_back(Paragraph{answer_text(plan, plan.answers.front(), units)});
  document.blocks.emplace_back(Paragraph{fmt::format("Asked: {}.", question(plan, units))});
  document.blocks.emplace_back(answer_table(plan, units));
  document.blocks.emplace_back(row_table(plan, units, false));
}

Document to_document(const Plan& plan, const PlanView& view) {
  const PlanUnits units(plan);
  Document document;
  std::vector<Block>& blocks = document.blocks;
  blocks.emplace_back(Heading{plan.title.empty() ? "Plan" : plan.title});
  blocks.emplace_back(Paragraph{answer_text(plan, plan.answers.front(), units)});
  if (leaves_open(plan.verdict, plan.answers.front().goal.kind)) {
    if (const std::string next = next_step_words(*plan.verdict); !next.empty()) {
      blocks.emplace_back(Paragraph{fmt::format("{} {}", next, plan.verdict->next.command)});
    }
  }
  blocks.emplace_back(Paragraph{fmt::format("Asked: {}.", question(plan, units))});
  if (Items known = warnings(plan, view.full); !known.items.empty()) {
    blocks.emplace_back(std::move(known));
  }
  blocks.emplace_back(answer_table(plan, units));
  blocks.emplace_back(row_table(plan, units, view.full));
  if (const std::string marks = marks_text(plan); !marks.empty()) {
    blocks.emplace_back(Paragraph{marks});
  }
  if (view.chart) blocks.emplace_back(to_chart(plan));
  if (Items more{"Also", further(plan, units)}; !more.items.empty()) {
    blocks.emplace_back(std::move(more));
  }
  if (!view.full) return document;
  if (!plan.larger.empty()) {
    blocks.emplace_back(
        Heading{.text = "The same time, a larger problem", .part = true, .folded = true});
    blocks.emplace_back(larger_table(plan, units));
  }
  blocks.emplace_back(definitions(plan));
  return document;
}

}  // namespace kstar
