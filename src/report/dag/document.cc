#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/number.h"
#include "base/text.h"
#include "kstar/dag_report.h"
#include "kstar/words.h"
#include "report/dag/words.h"

namespace kstar {

namespace {

using dag_words::Amounts;
using dag_words::task_name;
using dag_words::task_names;
using dag_words::workers_number;

constexpr std::size_t kNameColumns = 40;

std::string worker_words(double workers) {
  return fmt::format("{} {}", workers_number(workers), workers == 1 ? "worker" : "workers");
}

std::string efficiency_text(double efficiency) {
  return fixed(efficiency, efficiency < 0.1 ? 4 : 2);
}

/// "42 tasks", "42 tasks and 3 of no time"; in a build those are names of others.
std::string counted_tasks(const DagAnalysis& analysis) {
  const std::string tasks = count_text(analysis.tasks, "task");
  if (analysis.no_time == 0 || analysis.format == "ninja") return tasks;
  return fmt::format("{} and {} of no time", tasks, analysis.no_time);
}

/// "42 tasks, work 1240 s, depth 35.8 s, parallelism 34.7".
std::string size_text(const DagAnalysis& analysis, const Amounts& amounts) {
  const std::string tasks = analysis.algorithm
                                ? fmt::format("Steps are {}s", analysis.algorithm->unit)
                                : counted_tasks(analysis);
  const std::string depth = analysis.depth_most
                                ? fmt::format("{} to {}", amounts.text(analysis.depth),
                                              amounts.text(*analysis.depth_most))
                                : amounts.text(analysis.depth);
  const std::string parallelism =
      analysis.depth_most
          ? fmt::format("{} to {}", significant(analysis.work / *analysis.depth_most, 3),
                        significant(analysis.parallelism, 3))
          : significant(analysis.parallelism, 3);
  return fmt::format("{}: work {}, depth {}, parallelism {}", tasks, amounts.text(analysis.work),
                     depth, parallelism);
}

/// "29", or "29 (28 in the best order)" where that is proved.
std::string time_text(const SchedulePoint& point, const Amounts& amounts) {
  constexpr double kLess = 1 - 1e-9;
  const std::string time = amounts.text(point.time);
  if (!point.best || *point.best >= point.time * kLess) return time;
  return fmt::format("{} ({} in the best order)", time, amounts.text(*point.best));
}

/// What twice the workers would give.
std::string more_text(const DagAnalysis& analysis, const Amounts& amounts) {
  const WorkersChoice& choice = analysis.choice;
  const double saved = choice.point.time - choice.twice.time;
  const std::string twice = workers_number(choice.twice.workers);
  constexpr double kNothing = 0.005;
  if (saved < -kNothing * choice.point.time) {
    return fmt::format("{} workers are slower: {}", twice, amounts.text(choice.twice.time));
  }
  if (saved < kNothing * choice.point.time) return fmt::format("{} workers save nothing", twice);
  return fmt::format("{} workers save {} more (E = {})", twice, amounts.text(saved),
                     efficiency_text(choice.twice.efficiency));
}

std::string range_text(const WorkersChoice& choice) {
  if (choice.low == choice.high) return "";
  return fmt::format("; K* is {} to {} in any order of starts", workers_number(choice.low),
                     workers_number(choice.high));
}

/// Why the waits are not known; a column that was not read may have them.
std::string no_order_text(const DagAnalysis& analysis) {
  if (analysis.unread.empty()) return "which task waits for which is not in the file";
  return "no column is known that says which task waits for which (call it 'after')";
}

/// "Run", under what condition.
std::string run_words(const DagAnalysis& analysis) {
  if (analysis.condition.empty()) return "Run";
  return fmt::format("{} {}, run", analysis.timed ? "If" : "The file has no times; if",
                     analysis.condition);
}

/// What is known of a build through a cache of compilations, where the log has both.
std::string cached_text(const DagAnalysis& analysis, const Amounts& amounts) {
  if (!analysis.choice_cached) return "";
  const WorkersChoice& last = *analysis.choice_cached;
  const std::string time = amounts.text(last.point.time);
  if (last.workers == analysis.choice.workers) {
    return fmt::format(" If it has as much as it had last, K* is the same: {}.", time);
  }
  return fmt::format(" If it has as much as it had last, K* is {}: {}.",
                     workers_number(last.workers), time);
}

std::string answer_text(const DagAnalysis& analysis, const Amounts& amounts) {
  const WorkersChoice& choice = analysis.choice;
  if (!analysis.undecided.empty()) {
    return fmt::format("Undecided: {}. No number of workers is recommended.", analysis.undecided);
  }
  if (analysis.choice_in_order && analysis.choice_in_order->workers == choice.workers) {
    return fmt::format(
        "Run on {}. Which task waits for which is not in the file, but K* is the same if none does "
        "({}) and if each waits for all that had ended when it started ({}).",
        worker_words(choice.workers), amounts.text(choice.point.time),
        amounts.text(analysis.choice_in_order->point.time));
  }
  if (analysis.choice_in_order) {
    return fmt::format(
        "Between {} and {}: which task waits for which is not in the file. If none does, K* is {} "
        "({}); if each waits for all that had ended when it started, K* is {} ({}).",
        workers_number(std::min(choice.workers, analysis.choice_in_order->workers)),
        worker_words(std::max(choice.workers, analysis.choice_in_order->workers)),
        workers_number(choice.workers), amounts.text(choice.point.time),
        workers_number(analysis.choice_in_order->workers),
        amounts.text(analysis.choice_in_order->point.time));
  }
  const std::string limit = significant(analysis.options.threshold, 3);
  const std::string run = run_words(analysis);
  if (!analysis.ordered) {
    return fmt::format("At most {}, as many as help if no task waits for another: {}.",
                       worker_words(choice.workers), no_order_text(analysis));
  }
  if (choice.workers == 1) {
    constexpr double kSerial = 1.005;
    if (analysis.tasks == 1) return "Run on 1 worker: there is only one task that takes time.";
    if (analysis.parallelism < kSerial) {
      return "Run on 1 worker: every task waits for the one before, and more workers save nothing.";
    }
    return fmt::format(
        "{} on 1 worker for an efficiency of {} or more{}. 2 workers take {} instead of {} (E = "
        "{}).{}",
        run, limit, range_text(choice), time_text(choice.twice, amounts),
        amounts.text(analysis.work), efficiency_text(choice.twice.efficiency),
        cached_text(analysis, amounts));
  }
  return fmt::format(
      "{} on {} for the least time with an efficiency of {} or more: {}, E = {}{}. {}.{}", run,
      worker_words(choice.workers), limit, time_text(choice.point, amounts),
      efficiency_text(choice.point.efficiency), range_text(choice), more_text(analysis, amounts),
      cached_text(analysis, amounts));
}

/// What no number of workers changes.
std::string limit_text(const DagAnalysis& analysis, const Amounts& amounts) {
  std::string text = size_text(analysis, amounts);
  if (!analysis.ordered) return text + ".";
  text += fmt::format(": no number of workers takes less than {}", amounts.text(analysis.least));
  if (analysis.pool && analysis.least > analysis.depth) {
    const PoolLimit& pool = *analysis.pool;
    text += fmt::format(", because pool {} lets {} of its {} run at a time", printable(pool.name),
                        pool.depth, count_text(pool.tasks, "task"));
  }
  const SchedulePoint& fastest = analysis.fastest;
  if (analysis.has_costs) {
    text += fmt::format("; the fastest schedule found takes {} on {}",
                        amounts.text(fastest.best.value_or(fastest.time)),
                        worker_words(fastest.workers));
  }
  return text + ".";
}

std::string algorithm_text(const AlgorithmFacts& facts) {
  return fmt::format("Work {}, depth {} ({}).", facts.work, facts.depth, facts.source);
}

std::string difference_text(double recorded, double schedule) {
  const double less = 1 - schedule / recorded;
  if (std::fabs(less) < 0.005) return "the same";
  return fmt::format("{} {}", percent(std::fabs(less), std::fabs(less) < 0.1 ? 1 : 0),
                     less > 0 ? "less" : "more");
}

/// Where the recorded run stands.
std::string recorded_text(const DagAnalysis& analysis, const Amounts& amounts) {
  const RecordedStanding& run = *analysis.recorded;
  const std::string name = run.name.empty() ? "" : fmt::format(" ({})", run.name);
  if (run.workers <= 0) {
    return fmt::format("Recorded{}: {}, {} more than the depth.", name, amounts.text(run.makespan),
                       percent(run.makespan / run.least - 1, 0));
  }
  if (!analysis.ordered || analysis.wide) {  // no promise
    return fmt::format(
        "Recorded{}: {} on {}, {} busy. A greedy schedule of the same {} on {} takes {}, assuming "
        "that {}.",
        name, amounts.text(run.makespan), worker_words(run.workers), percent(run.used, 0),
        count_text(run.tasks, "task"), workers_number(run.workers), amounts.text(run.schedule),
        !analysis.ordered && analysis.wide ? "nothing waits and each needs one core only"
        : analysis.wide                    ? "each needs one core only"
                                           : "no task waits for another");
  }
  return fmt::format(
      "Recorded{}: {} on {}, {} busy. A greedy schedule of the same {} on {} "
      "takes {} ({}), no schedule less than {}.",
      name, amounts.text(run.makespan), worker_words(run.workers), percent(run.used, 0),
      count_text(run.tasks, "task"), workers_number(run.workers), amounts.text(run.schedule),
      difference_text(run.makespan, run.schedule), amounts.text(run.least));
}

/// A run of a small part of the tasks says nothing of them all.
bool is_worth_comparing(const DagAnalysis& analysis) {
  return analysis.recorded && analysis.recorded->work >= analysis.work / 2;
}

/// What was taken off for the load, where nobody said how much.
std::string assumed_note(const DagAnalysis& analysis) {
  if (!analysis.options.assumed_cores || !analysis.recorded) return "";
  const double cores = *analysis.options.cores, workers = analysis.recorded->workers;
  if (workers <= cores) return "";
  return fmt::format(
      "up to {} tasks at a time, assumed: on the {} of this machine alone; times are those of one "
      "task, {} less than recorded (--cores {}: as recorded)",
      workers_number(workers), count_text(static_cast<std::size_t>(cores), "core"),
      percent(1 - analysis.work / analysis.work_as_recorded, 0), workers_number(workers));
}

/// Tasks that ran side by side may have waited for each other.
std::string load_note(const DagAnalysis& analysis) {
  const bool together = analysis.recorded && analysis.recorded->workers > 1;
  if (!together || analysis.options.cores || analysis.format == "wfcommons") return "";
  return fmt::format(
      "the times were taken with up to {} tasks at a time: on fewer cores each took longer than "
      "alone (--cores N takes that off)",
      workers_number(analysis.recorded->workers));
}

std::string broken_note(const DagAnalysis& analysis) {
  if (!analysis.recorded || analysis.recorded->broken == 0) return "";
  return fmt::format(
      "{} of {} edges were not kept in the recorded run: the graph may be another one",
      analysis.recorded->broken, analysis.edges);
}

/// What a reader must know first.
Items warning_items(const DagAnalysis& analysis, bool full) {
  std::vector<std::string> lines = analysis.notes;
  if (std::string note = assumed_note(analysis); !note.empty()) {
    lines.insert(lines.begin(), std::move(note));
  }
  for (std::string note : {broken_note(analysis), load_note(analysis)}) {
    if (!note.empty()) lines.push_back(std::move(note));
  }
  constexpr std::size_t kMost = 2;
  if (!full && lines.size() > kMost + 1) {
    const std::size_t more = lines.size() - kMost;
    lines.resize(kMost);
    lines.push_back(fmt::format("{} more with --full", more));
  }
  return Items{"Before relying on it", std::move(lines)};
}

std::vector<std::string> shown_facts(const DagAnalysis& analysis, bool full) {
  constexpr std::size_t kMost = 2;
  std::vector<std::string> facts = analysis.facts;
  if (!full && facts.size() > kMost) facts.resize(kMost);
  return facts;
}

/// The rows, with K* among them; of many those that are spread over all.
std::vector<SchedulePoint> shown_points(const DagAnalysis& analysis, bool full) {
  std::vector<SchedulePoint> points = analysis.points;
  constexpr std::size_t kMost = 7;
  if (!full && points.size() > kMost && analysis.options.workers.empty()) {
    std::vector<SchedulePoint> fewer;
    for (std::size_t i = 0; i < kMost; ++i) {
      fewer.push_back(points[i * (points.size() - 1) / (kMost - 1)]);
    }
    points = std::move(fewer);
  }
  const SchedulePoint& chosen = analysis.choice.point;
  const bool listed = std::any_of(points.begin(), points.end(), [&](const SchedulePoint& point) {
    return point.workers == chosen.workers;
  });
  if (!listed && analysis.undecided.empty()) {
    points.insert(
        std::find_if(points.begin(), points.end(),
                     [&](const SchedulePoint& point) { return point.workers > chosen.workers; }),
        chosen);
  }
  return points;
}

Table curve_table(const DagAnalysis& analysis, const Amounts& amounts, bool full) {
  const std::vector<SchedulePoint> points = shown_points(analysis, full);
  const bool best = std::any_of(points.begin(), points.end(), [](const SchedulePoint& point) {
    return point.best && *point.best < point.time * (1 - 1e-9);
  });
  const bool measured = std::any_of(points.begin(), points.end(), [](const SchedulePoint& point) {
    return point.measured.has_value();
  });
  const bool in_order = analysis.choice_in_order.has_value();
  Table table;
  table.columns = {{.name = "K"},
                   {.name = amounts.head(analysis.algorithm ? "by levels"
                                         : in_order         ? "if none waits"
                                                            : "greedy")},
                   {.name = "S"},
                   {.name = "E"},
                   {.name = "at least"},
                   {.name = "at most"}};
  if (in_order) table.columns.push_back({.name = "if all wait"});
  if (best) table.columns.push_back({.name = "best"});
  if (measured) {
    table.columns.push_back({.name = "measured"});
    table.columns.push_back({.name = "", .left = true, .joined = true});
    table.columns.push_back({.name = "of greedy"});
  }
  for (const SchedulePoint& point : points) {
    std::vector<std::string> row = {
        workers_number(point.workers),     amounts.cell(point.time),  significant(point.speedup, 3),
        efficiency_text(point.efficiency), amounts.cell(point.least), amounts.cell(point.most)};
    if (in_order) row.push_back(point.in_order ? amounts.cell(*point.in_order) : "");
    if (best) row.push_back(point.best ? amounts.cell(*point.best) : "-");
    if (measured) {
      const auto& time = point.measured;
      row.push_back(time ? amounts.cell(time->point) : "");
      row.push_back(time && is_bounded(*time)
                        ? fmt::format("({}..{})", amounts.cell(time->low), amounts.cell(time->high))
                        : "");
      row.push_back(time ? significant(time->point / point.time, 3) + "x" : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// The longest tasks of the path, in its order.
std::vector<PathTask> shown_path(const DagAnalysis& analysis, bool full) {
  const std::size_t most = full ? 40 : 4;
  if (analysis.path.size() <= most) return analysis.path;
  std::vector<PathTask> longest = analysis.path;
  std::nth_element(longest.begin(), longest.begin() + static_cast<std::ptrdiff_t>(most),
                   longest.end(), [](const PathTask& a, const PathTask& b) {
                     return a.time != b.time ? a.time > b.time : a.start < b.start;
                   });
  longest.resize(most);
  std::sort(longest.begin(), longest.end(),
            [](const PathTask& a, const PathTask& b) { return a.start < b.start; });
  return longest;
}

void add_path(const DagAnalysis& analysis, const Amounts& amounts, bool full, Document& document) {
  if (analysis.path.empty()) return;
  const std::vector<PathTask> shown = shown_path(analysis, full);
  const std::size_t hidden = analysis.path.size() - shown.size();
  document.blocks.emplace_back(
      Heading{.text = fmt::format("The critical path: {} in {}{}", amounts.text(analysis.depth),
                                  count_text(analysis.path.size(), "task"),
                                  hidden > 0 ? fmt::format(", the {} longest", shown.size()) : ""),
              .part = true});
  Table table;
  table.columns = {{.name = amounts.head("start")},
                   {.name = amounts.head("time")},
                   {.name = "share"},
                   {.name = "task", .left = true}};
  for (const PathTask& task : shown) {
    table.rows.push_back({amounts.cell(task.start), amounts.cell(task.time),
                          percent(task.time / analysis.depth, 0),
                          task_name(analysis.names[task.task], kNameColumns + 8)});
  }
  document.blocks.emplace_back(std::move(table));
}

std::size_t without_slack(const DagAnalysis& analysis) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < analysis.slack.size(); ++i) {
    if (analysis.times[i] > 0 && analysis.slack[i] <= 1e-9 * analysis.depth) ++count;
  }
  return count;
}

/// Whether the depth becomes less, by more than rounding: of a long chain one task is little.
bool gains(const TaskChange& change, const DagAnalysis& analysis) {
  constexpr double kRounded = 0.01;  // of the task
  return analysis.depth - change.depth_if_dropped > kRounded * change.time;
}

/// Where several longest paths run side by side, one change of one task gives nothing.
std::string no_change_text(const DagAnalysis& analysis) {
  return fmt::format(
      "No change of one task makes the depth smaller: other paths are as long. {} have no slack.",
      count_text(without_slack(analysis), "task"));
}

/// What more room in a pool gives; "" where that is nothing.
std::string pool_change_text(const DagAnalysis& analysis, const Amounts& amounts) {
  if (!analysis.pool || !analysis.pool->twice_as_deep) return "";
  const PoolLimit& pool = *analysis.pool;
  const WorkersChoice& deeper = *pool.twice_as_deep;
  constexpr double kLess = 0.995;
  if (deeper.point.time > kLess * analysis.choice.point.time) return "";
  return fmt::format("Pool {} with {} tasks at a time instead of {}: {} on {}, E = {}.",
                     printable(pool.name), 2 * pool.depth, pool.depth,
                     amounts.text(deeper.point.time), worker_words(deeper.workers),
                     efficiency_text(deeper.point.efficiency));
}

void add_changes(const DagAnalysis& analysis, const Amounts& amounts, bool full,
                 Document& document) {
  if (analysis.changes.empty() || !analysis.ordered || !analysis.undecided.empty()) return;
  document.blocks.emplace_back(Heading{
      .text = "What one change gives: the depth D and T, with the task split in two or dropped",
      .part = true});
  if (std::string text = pool_change_text(analysis, amounts); !text.empty()) {
    document.blocks.emplace_back(Paragraph{std::move(text)});
  }
  const TaskChange& first = analysis.changes.front();
  if (!gains(first, analysis)) {
    document.blocks.emplace_back(Paragraph{no_change_text(analysis)});
    return;
  }
  // Dropping a task gives at most twice what splitting it gives.
  constexpr double kShown = 1e-3;  // of four digits
  const double most_gain = 2 * (analysis.depth - first.depth_if_split);
  if (most_gain < kShown * analysis.depth) {
    document.blocks.emplace_back(
        Paragraph{fmt::format("No change of one task takes more than {} off the depth of {}.",
                              amounts.text(most_gain), amounts.text(analysis.depth))});
    return;
  }
  const std::string at = workers_number(std::max(2.0, analysis.choice.workers));
  const bool times = analysis.changes.front().time_if_split.has_value();
  Table table;
  table.columns = {{.name = "task", .left = true},
                   {.name = amounts.head("time")},
                   {.name = "D split"},
                   {.name = "dropped"}};
  if (times) {
    table.columns.push_back({.name = fmt::format("T({}) split", at), .new_group = true});
    table.columns.push_back({.name = "dropped"});
  }
  const std::size_t most = full ? 5 : 2;
  std::size_t shown = 1;
  while (shown < std::min(most, analysis.changes.size()) &&
         gains(analysis.changes[shown], analysis)) {
    ++shown;
  }
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < shown; ++i) {
    names.emplace_back(analysis.names[analysis.changes[i].task]);
  }
  const std::vector<std::string> texts = task_names(names, times ? 27 : kNameColumns);
  for (std::size_t i = 0; i < shown; ++i) {
    const TaskChange& change = analysis.changes[i];
    std::vector<std::string> row = {texts[i], amounts.cell(change.time),
                                    amounts.cell(change.depth_if_split),
                                    amounts.cell(change.depth_if_dropped)};
    if (times) {
      row.push_back(amounts.cell(*change.time_if_split));
      row.push_back(amounts.cell(*change.time_if_dropped));
    }
    table.rows.push_back(std::move(row));
  }
  document.blocks.emplace_back(std::move(table));
}

/// The longest tasks beside the path, with how much later they may start.
void add_slack(const DagAnalysis& analysis, const Amounts& amounts, Document& document) {
  if (!analysis.ordered || analysis.names.empty()) return;
  std::vector<std::uint32_t> order(analysis.names.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<bool> on_path(analysis.names.size());
  for (const PathTask& task : analysis.path) on_path[task.task] = true;
  std::erase_if(order,
                [&](std::uint32_t task) { return on_path[task] || analysis.times[task] == 0; });
  constexpr std::size_t kShown = 10;
  const std::size_t shown = std::min(kShown, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return analysis.slack[a] != analysis.slack[b]
                                 ? analysis.slack[a] < analysis.slack[b]
                                 : analysis.times[a] > analysis.times[b];
                    });
  if (shown == 0) return;
  document.blocks.emplace_back(Heading{.text = "The least slack beside the path", .part = true});
  Table table;
  table.columns = {{.name = amounts.head("slack")},
                   {.name = amounts.head("time")},
                   {.name = "task", .left = true}};
  for (std::size_t i = 0; i < shown; ++i) {
    table.rows.push_back({amounts.cell(analysis.slack[order[i]]),
                          amounts.cell(analysis.times[order[i]]),
                          task_name(analysis.names[order[i]], kNameColumns + 8)});
  }
  document.blocks.emplace_back(std::move(table));
}

Items dag_definitions(const DagAnalysis& analysis) {
  Items items{"What the numbers are", {}};
  items.items = {
      "work: the sum of all times; depth: the longest path; parallelism: work / depth",
      analysis.algorithm
          ? "by levels: the steps of one level after those of the one before"
          : fmt::format("greedy: a free worker starts the first ready task, {} first",
                        analysis.options.priority == Priority::kCriticalPath
                            ? "the longest path from it on"
                        : analysis.options.priority == Priority::kRecorded ? "as recorded"
                                                                           : "as in the file"),
      "at least: the larger of work / K and the depth; no schedule is faster",
      fmt::format(
          "at most: work / K + depth (K - 1) / K{}{}; no greedy schedule is slower (Graham, "
          "Brent)",
          analysis.has_costs ? " + the largest cost of a path" : "",
          analysis.has_pools ? " + the time of each pool" : ""),
      "split: two halves side by side; dropped: it takes no time; slack: how much later it may "
      "start",
      "times are as recorded, once: run-to-run variation is not in the intervals"};
  if (!analysis.recorded) items.items.pop_back();
  return items;
}

}  // namespace

Document to_document(const DagAnalysis& analysis, const DagView& view) {
  const Amounts amounts(analysis);
  Document document;
  std::vector<Block>& blocks = document.blocks;
  blocks.emplace_back(Heading{task_name(analysis.title, 78)});
  blocks.emplace_back(Paragraph{answer_text(analysis, amounts)});
  blocks.emplace_back(Paragraph{limit_text(analysis, amounts)});
  if (analysis.algorithm) blocks.emplace_back(Paragraph{algorithm_text(*analysis.algorithm)});
  if (is_worth_comparing(analysis)) {
    blocks.emplace_back(Paragraph{recorded_text(analysis, amounts)});
  }
  if (Items known = warning_items(analysis, view.full); !known.items.empty()) {
    blocks.emplace_back(std::move(known));
  }
  if (!analysis.facts.empty()) {
    blocks.emplace_back(Items{.title = "Found in it", .items = shown_facts(analysis, view.full)});
  }
  blocks.emplace_back(curve_table(analysis, amounts, view.full));
  if (view.all_charts) blocks.emplace_back(speedup_chart(analysis));
  if (view.chart && !analysis.widths.empty()) blocks.emplace_back(width_chart(analysis));
  if (analysis.ordered) add_path(analysis, amounts, view.full, document);
  if (view.all_charts && analysis.ordered && !analysis.path.empty()) {
    blocks.emplace_back(path_chart(analysis));
  }
  add_changes(analysis, amounts, view.full, document);
  if (!view.full) return document;
  add_slack(analysis, amounts, document);
  blocks.emplace_back(dag_definitions(analysis));
  return document;
}

}  // namespace kstar
