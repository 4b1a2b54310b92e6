#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "base/worker_list.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "kstar/analysis.h"
#include "kstar/dag.h"
#include "kstar/dag_algorithms.h"
#include "kstar/dag_read.h"
#include "kstar/dag_report.h"

namespace kstar {

namespace {

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const DagAlgorithm& algorithm : algorithms()) names.emplace_back(algorithm.name);
  return names;
}

std::string algorithm_help() {
  std::string help = "work and depth by formula instead of a file";
  for (const DagAlgorithm& algorithm : algorithms()) {
    help += fmt::format("; {}: {}", algorithm.name, algorithm.help);
  }
  return help;
}

std::vector<std::string> graph_format_names() {
  std::vector<std::string> names;
  for (const GraphFormat& format : graph_formats()) names.emplace_back(format.name);
  return names;
}

std::string format_help() {
  std::string help = "read as this format (default: known by its beginning)";
  for (const GraphFormat& format : graph_formats()) {
    help += fmt::format("; {}: {}", format.name, format.help);
  }
  return help;
}

std::vector<Flag> dag_flags() {
  std::vector<Flag> flags = {
      {.name = "workers",
       .value = "LIST",
       .help =
           "the K of the table: 1,2,4 or 1..64 (doubling) or 1..16:1; default: doubling, as far "
           "as more workers gain something"},
      threshold_flag(),
      {.name = "priority",
       .value = "ORDER",
       .help = "which ready task starts first (default: critical-path)",
       .choices = {"critical-path", "recorded", "file"}},
      {.name = "edge-cost",
       .value = "TIME",
       .help = "what every edge costs between two workers, such as 5ms; 0 for none (default: the "
               "file's own)"},
      {.name = "cores",
       .value = "N",
       .help = "the recorded run was on so many cores: takes off what tasks waited for each other "
               "(default: the cores of this machine, for a build that was made on it)"},
      {.name = "measured",
       .value = "STUDY",
       .help = "measured times to compare with, such as those of 'kstar measure -- ninja -j{K}'",
       .file = true},
      {.name = "algorithm",
       .value = "NAME",
       .help = algorithm_help(),
       .choices = algorithm_names()},
      {.name = "n", .value = "N", .help = "the size of the algorithm's problem, such as 1e6"},
      {.name = "as", .value = "FORMAT", .help = format_help(), .choices = graph_format_names()},
      {.name = "log", .value = "FILE", .help = "the .ninja_log of a build.ninja", .file = true},
      {.name = "times",
       .value = "FILE",
       .help = "a table of tasks and seconds, for a graph without times",
       .file = true},
      {.name = "chart",
       .value = "KIND",
       .help = "what a picture of -o shows (default: width, the tasks at a time)",
       .choices = {"width", "speedup", "path"}},
      {.name = "plot", .help = "draw the tasks at a time"},
      {.name = "tasks",
       .value = "FILE",
       .help = "write every task with its time, earliest start and slack to this CSV file",
       .file = true},
      {.name = "schedule",
       .value = "FILE",
       .help = "write the greedy schedule at K* (or the only K of --workers) to this CSV file",
       .file = true},
      {.name = "full", .help = "all sections"}};
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  flags.push_back(force_flag());
  flags.push_back(format_flag());
  flags.push_back(output_flag());
  return with_page(std::move(flags));
}

Priority priority_named(const std::string& name) {
  return name == "recorded" ? Priority::kRecorded
         : name == "file"   ? Priority::kFile
                            : Priority::kCriticalPath;
}

Result<DagOptions> dag_options(const Arguments& arguments) {
  DagOptions options;
  KSTAR_TRY(options.threshold, arguments.share("threshold", options.threshold));
  if (arguments.has("workers")) {
    Result<std::vector<std::int64_t>> workers = parse_worker_list(arguments.text("workers"));
    if (!workers) return fail(usage(workers.error()));
    options.workers = std::move(*workers);
  }
  options.every_worker = arguments.text("output").ends_with(".jsonl");
  options.priority = priority_named(arguments.text("priority"));
  if (arguments.has("edge-cost")) {
    options.edge_cost = parse_duration(arguments.text("edge-cost"));
    if (!options.edge_cost) {
      return fail(usage(expected("--edge-cost", "a time of 0 or more, such as 5ms or 0.2",
                                 arguments.text("edge-cost"))));
    }
  }
  if (arguments.has("cores")) {
    options.cores = parse_double(arguments.text("cores"));
    if (!options.cores || *options.cores <= 0) {
      return fail(usage(expected("--cores", "a number above 0", arguments.text("cores"))));
    }
  }
  return options;
}

/// Measured times beside those of the schedules of the same K.
Result<void> add_measured(const Arguments& arguments, DagAnalysis& analysis) {
  if (!arguments.has("measured")) return {};
  KSTAR_TRY(const Study study, read_data(arguments.text("measured"), {}));
  KSTAR_TRY(const ScalingTable table, scaling_table(study));
  bool any = false;
  for (SchedulePoint& point : analysis.points) {
    for (const ScalingPoint& measured : table.points) {
      if (measured.role != Role::kParallel || measured.workers != point.workers) continue;
      point.measured = measured.time;
      any = true;
    }
  }
  if (any) return {};
  return fail(usage({.where = "--measured",
                     .message = "the study has none of the K of the table",
                     .hint = "name its K with --workers"}));
}

Result<DagAnalysis> analyze_named_algorithm(const Arguments& arguments, const DagOptions& options) {
  for (const char* flag :
       {"edge-cost", "cores", "priority", "tasks", "schedule", "log", "times", "as"}) {
    if (arguments.has(flag)) {
      return fail(usage(
          {.where = fmt::format("--{}", flag), .message = "cannot be combined with --algorithm"}));
    }
  }
  if (!arguments.positionals.empty()) {
    return fail(usage({.where = "--algorithm", .message = "cannot be combined with a file"}));
  }
  const DagAlgorithm& algorithm = *find_algorithm(arguments.text("algorithm"));
  const std::optional<double> n = parse_double(arguments.text("n"));
  if (!n || *n < 2 || *n > algorithm.largest || *n != std::floor(*n)) {
    const std::string given = arguments.text("n");
    return fail(usage(expected(
        "--n", fmt::format("a whole number from 2 to {}", significant(algorithm.largest, 2)),
        given.empty() ? "nothing" : given,
        fmt::format("for example --n {}", significant(std::min(1e6, algorithm.largest), 2)))));
  }
  return analyze_algorithm(algorithm, *n, options);
}

Result<TaskGraph> read_given(const Arguments& arguments) {
  if (arguments.positionals.empty()) {
    return fail(
        usage({.where = arguments.path,
               .message = "expected a FILE or folder, or --algorithm",
               .hint = "for example 'kstar dag build/' or 'kstar dag --algorithm scan --n 1e6'"}));
  }
  if (arguments.has("n")) {
    return fail(usage({.where = "--n", .message = "needs --algorithm"}));
  }
  return read_graph(arguments.positionals, {.format = arguments.text("as"),
                                            .log = arguments.text("log"),
                                            .times = arguments.text("times")});
}

Result<void> write_extra(const Arguments& arguments, Console& console, const TaskGraph& graph,
                         const DagAnalysis& analysis) {
  if (arguments.has("tasks")) {
    KSTAR_CHECK(deliver_to("tasks", arguments.text("tasks"), console, tasks_csv(analysis)));
  }
  if (!arguments.has("schedule")) return {};
  const double workers = analysis.options.workers.size() == 1
                             ? static_cast<double>(analysis.options.workers[0])
                             : analysis.choice.workers;
  KSTAR_TRY(const std::vector<TaskPlacement> placed,
            greedy_schedule(graph, workers, analysis.options));
  return deliver_to("schedule", arguments.text("schedule"), console, schedule_csv(graph, placed));
}

Chart chosen_chart_of(const Arguments& arguments, const DagAnalysis& analysis) {
  const std::string kind = arguments.text("chart", "width");
  return kind == "speedup" ? speedup_chart(analysis)
         : kind == "path"  ? path_chart(analysis)
                           : width_chart(analysis);
}

Result<void> show_dag(const Arguments& arguments, Console& console, const DagAnalysis& analysis) {
  if (arguments.text("output").ends_with(".jsonl")) {
    if (!analysis.undecided.empty()) {
      return fail({.where = printable(analysis.title),
                   .message = fmt::format("{}: there is no curve to write", analysis.undecided)});
    }
    if (!analysis.ordered) {
      return fail({.where = printable(analysis.title),
                   .message = "which task waits for which is not in the file: T(K) is a range, and "
                              "there is no curve to write"});
    }
    std::vector<std::string> command = {"kstar"};
    command.insert(command.end(), arguments.words.begin(), arguments.words.end());
    return deliver_study(arguments, console, greedy_study(analysis, std::move(command)));
  }
  if (wants_picture(arguments)) {
    KSTAR_TRY(const SvgStyle style, picture_style(arguments));
    KSTAR_TRY(const PictureFormat format, picture_format(arguments));
    return deliver_picture(chosen_chart_of(arguments, analysis), style, format, arguments, console);
  }
  KSTAR_TRY(const std::string format, wanted_format(arguments, ".jsonl, .svg, .pdf, .png, "));
  const bool page = format == "html";
  const DagView view = {.full = page || arguments.has("full"),
                        .chart = page || arguments.has("plot"),
                        .all_charts = page};
  return deliver_as(format, arguments, console, analysis, view);
}

/// A build whose outputs are still there was made on this machine, unless somebody says otherwise.
void assume_cores(const TaskGraph& graph, DagOptions& options) {
  const unsigned int cores = std::thread::hardware_concurrency();
  if (options.cores || !graph.record.here || cores == 0) return;
  options.cores = cores;
  options.assumed_cores = true;
}

/// A cost in milliseconds says nothing beside times that have no unit.
Result<void> check_unit(const Arguments& arguments, const TaskGraph& graph) {
  const std::string cost = arguments.text("edge-cost");
  if (graph.seconds || cost.empty() || is_digit(cost.back()) || cost.back() == '.') return {};
  return fail(usage(expected("--edge-cost", "a number, for the times of the file have no unit",
                             cost, graph.timed ? "" : "without times every task counts 1")));
}

Result<ExitCode> run_dag(const Arguments& arguments, Console& console) {
  KSTAR_TRY(DagOptions options, dag_options(arguments));
  if (arguments.has("algorithm")) {
    KSTAR_TRY(DagAnalysis analysis, analyze_named_algorithm(arguments, options));
    KSTAR_CHECK(add_measured(arguments, analysis));
    KSTAR_CHECK(show_dag(arguments, console, analysis));
    return ExitCode::kDone;
  }
  KSTAR_TRY(const TaskGraph graph, read_given(arguments));
  KSTAR_CHECK(check_unit(arguments, graph));
  assume_cores(graph, options);
  KSTAR_TRY(DagAnalysis analysis, analyze_graph(graph, options));
  KSTAR_CHECK(add_measured(arguments, analysis));
  KSTAR_CHECK(write_extra(arguments, console, graph, analysis));
  KSTAR_CHECK(show_dag(arguments, console, analysis));
  return ExitCode::kDone;
}

}  // namespace

Command dag_command() {
  return {
      .name = "dag",
      .summary = "how much parallelism a build, workflow or task graph has",
      .details = {"Work, depth and the critical path of a graph of tasks, T(K) of greedy "
                  "schedules between its bounds, K*, where the recorded run stands, and which "
                  "task to split.",
                  "FILE is a folder of ninja or Snakemake, or a file in one of the formats of "
                  "--as. With -o NAME.jsonl the greedy curve is a study, for analyze and plan."},
      .flags = dag_flags(),
      .positionals = {{.name = "FILE",
                       .help = "a folder or file with tasks; several of clang's time traces",
                       .repeats = true,
                       .file = true}},
      .examples = {"kstar dag build/", "kstar dag graph.dot --workers 1..8:1 --edge-cost 0",
                   "kstar dag build/ --chart width -o width.svg",
                   "kstar dag build/ -o greedy.jsonl", "kstar dag --algorithm scan --n 1e6"},
      .run = run_dag};
}

}  // namespace kstar
