#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "dag/graph_builder.h"
#include "dag/levels.h"
#include "dag/read/ninja_found.h"
#include "dag/read/ninja_log.h"
#include "dag/read/ninja_manifest.h"
#include "dag/read/sessions.h"

namespace kstar::dag {

namespace {

constexpr std::size_t kLargestFile = std::size_t{2} << 30U;

/// "2 lines of the log could not be read, the first is line 7".
std::string skipped_text(const NinjaLog& log) {
  return fmt::format("{} of the log could not be read{} line {}", count_text(log.skipped, "line"),
                     log.skipped == 1 ? ":" : ", the first is", log.first_skipped);
}

/// Only pools that can hold something up: those of more commands than may run at a time.
void set_pools(const NinjaManifest& manifest, TaskGraph& graph) {
  std::map<std::string_view, int> commands;
  for (std::size_t step = 0; step < graph.size(); ++step) {
    if (graph.times[step] > 0) ++commands[manifest.steps[step].pool];
  }
  std::map<std::string_view, std::uint16_t> numbers;
  for (std::size_t step = 0; step < graph.size(); ++step) {
    const auto pool = manifest.pools.find(manifest.steps[step].pool);
    if (graph.times[step] == 0 || pool == manifest.pools.end() || pool->second == 0 ||
        commands[pool->first] <= pool->second) {
      continue;
    }
    const auto [place, is_new] = numbers.try_emplace(pool->first, graph.pools.size() + 1);
    if (is_new) graph.pools.push_back({pool->first, pool->second});
    if (graph.pool_of.empty()) graph.pool_of.resize(graph.size(), 0);
    graph.pool_of[step] = place->second;
  }
}

struct WantedCommands {
  std::size_t all = 0;
  std::size_t not_run = 0;
  std::vector<bool> is_wanted;
};

/// The commands of a whole build, which are those that the default targets need (without any,
/// all), and those that what was run needs.
WantedCommands wanted_commands(const NinjaManifest& manifest, const TaskGraph& graph,
                               const std::vector<bool>& ran,
                               const std::vector<std::uint32_t>& order) {
  std::vector<bool> wanted_path(manifest.paths.size());
  for (const std::uint32_t path : manifest.defaults) wanted_path[path] = true;
  std::vector<bool> needed(graph.size());
  WantedCommands wanted;
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    const NinjaStep& step = manifest.steps[*task];
    bool is_needed = manifest.defaults.empty() || ran[*task];
    for (const std::uint32_t output : step.outputs) is_needed = is_needed || wanted_path[output];
    for (std::uint32_t e = graph.first[*task]; e < graph.first[*task + 1]; ++e) {
      is_needed = is_needed || needed[graph.next[e]];
    }
    needed[*task] = is_needed;
    if (!is_needed || step.phony || step.generator) continue;
    ++wanted.all;
    if (!ran[*task]) ++wanted.not_run;
  }
  wanted.is_wanted = std::move(needed);
  return wanted;
}

/// Whether what ran is the whole build of some target: nothing that it needs is missing, and it
/// ends in one command or in such as no other command waits for (to install comes after all).
bool is_whole_build(const NinjaManifest& manifest, const TaskGraph& graph,
                    const WantedCommands& wanted, const std::vector<bool>& ran,
                    const std::vector<std::uint32_t>& order) {
  std::vector<bool> needed(graph.size()), waited_for(graph.size());
  std::size_t ends = 0, cut = 0;
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (std::uint32_t e = graph.first[*task]; e < graph.first[*task + 1]; ++e) {
      const std::uint32_t next = graph.next[e];
      needed[*task] = needed[*task] || needed[next] || ran[next];
      waited_for[*task] = waited_for[*task] || waited_for[next] ||
                          (wanted.is_wanted[next] && !manifest.steps[next].phony);
    }
    const NinjaStep& step = manifest.steps[*task];
    if (needed[*task] && !ran[*task] && !step.phony && !step.generator) return false;
    if (needed[*task] || !ran[*task]) continue;
    ++ends;
    if (waited_for[*task]) ++cut;
  }
  return std::count(ran.begin(), ran.end(), true) > 1 && (ends == 1 || cut == 0);
}

/// What the commands that are not in the log mean for the answer.
void judge_missing(const NinjaManifest& manifest, const std::vector<bool>& ran,
                   const std::vector<std::uint32_t>& order, TaskGraph& graph) {
  const WantedCommands wanted = wanted_commands(manifest, graph, ran, order);
  if (wanted.not_run == 0) return;
  if (is_whole_build(manifest, graph, wanted, ran, order)) {
    graph.notes.push_back(
        fmt::format("{} of {} commands are not in the log, and no command that ran needs them: "
                    "the answer is for those that ran",
                    wanted.not_run, wanted.all));
    return;
  }
  graph.notes.push_back(fmt::format("{} of {} commands are not in the log: they count 0",
                                    wanted.not_run, wanted.all));
  doubt_missing_times(graph, wanted.not_run, wanted.all);
}

/// What of the log is not known.
void note_log(const NinjaLog& log, TaskGraph& graph) {
  if (log.skipped > 0) {
    graph.notes.push_back(skipped_text(log));
    doubt_missing_times(graph, log.skipped, log.skipped + log.entries.size());
  }
  if (log.is_known()) return;
  graph.notes.push_back(fmt::format(
      "the log is of version {}, which kstar does not know: read as version 7", log.version));
}

void add_notes(const NinjaManifest& manifest, TaskGraph& graph) {
  if (!manifest.missing.empty()) {
    graph.notes.push_back(fmt::format("{} is missing: what it says is not known",
                                      printable(manifest.missing.front())));
  }
  graph.notes.insert(graph.notes.end(), manifest.notes.begin(), manifest.notes.end());
}

/// Every command counts 1.
void count_commands(const NinjaManifest& manifest, TaskGraph& graph) {
  for (std::size_t step = 0; step < graph.size(); ++step) {
    graph.times[step] = manifest.steps[step].phony || manifest.steps[step].generator ? 0 : 1;
  }
  graph.timed = graph.seconds = false;
  graph.notes.emplace_back("there is no .ninja_log: every command counts 1");
}

/// Whether a cache had the result cannot be seen in a time, but that an earlier time of the command
/// was several times as long: that is nearer to what it takes with nothing in the cache.
void take_cached(const NinjaManifest& manifest, const std::vector<double>& longest,
                 TaskGraph& graph) {
  constexpr double kLonger = 4;  // times
  std::size_t shorter = 0;
  const std::vector<double> last = graph.times;
  for (std::size_t step = 0; step < graph.size(); ++step) {
    if (!manifest.steps[step].cached) continue;
    graph.cached = true;
    if (longest[step] <= kLonger * last[step]) continue;
    graph.times[step] = longest[step];
    ++shorter;
  }
  if (shorter == 0) return;
  graph.last_times = last;
  graph.notes.push_back(fmt::format(
      "{} through ccache took less than a quarter of an earlier time in the log, which counts here",
      count_text(shorter, "command")));
}

/// Returns which commands are in the log.
Result<std::vector<bool>> set_times(const NinjaManifest& manifest, const NinjaLog& log,
                                    TaskGraph& graph) {
  std::vector<bool> ran(graph.size());
  std::vector<std::uint32_t> made_by(manifest.paths.size(), NameTable::kNone);
  for (std::uint32_t step = 0; step < manifest.steps.size(); ++step) {
    if (manifest.steps[step].generator) continue;  // ninja starts again after it
    for (const std::uint32_t output : manifest.steps[step].outputs) made_by[output] = step;
  }
  std::vector<TimedTask> timed;
  std::vector<Origin> origins;
  std::set<std::pair<std::uint32_t, std::pair<double, double>>> seen;  // one line for each output
  std::size_t unknown = 0;
  double all_work = 0, unknown_work = 0;
  std::vector<double> longest(graph.size(), 0);  // of the last command line
  std::vector<std::string_view> command(graph.size());
  for (const NinjaLogEntry& entry : log.entries) {
    const std::uint32_t path = manifest.paths.find(canonical_path(entry.output));
    const std::uint32_t step = path == NameTable::kNone ? path : made_by[path];
    all_work += entry.end - entry.start;
    if (step == NameTable::kNone) {
      ++unknown;
      unknown_work += entry.end - entry.start;
      continue;
    }
    if (!seen.insert({step, {entry.start, entry.end}}).second) continue;
    timed.push_back({step, entry.start, entry.end});
    origins.push_back(origin_of(entry));
    graph.times[step] = entry.end - entry.start;
    if (std::exchange(command[step], entry.command) != entry.command) longest[step] = 0;
    longest[step] = std::max(longest[step], graph.times[step]);
    ran[step] = true;
  }
  take_cached(manifest, longest, graph);
  if (timed.empty()) {
    return fail({.where = printable(graph.name),
                 .message = fmt::format("none of its {} is in the log, which has {}",
                                        count_text(graph.size(), "command"),
                                        count_text(log.entries.size(), "line")),
                 .hint = "the log may be of another build"});
  }
  set_record(graph, timed, log_sessions(timed, origins), "build");
  if (unknown > 0) {
    const std::string_view belong = unknown == 1 ? "belongs" : "belong";
    graph.notes.push_back(fmt::format("{} of {} log entries {} to no command of build.ninja",
                                      unknown, log.entries.size(), belong));
    if (2 * unknown > log.entries.size() || 2 * unknown_work > all_work) {
      graph.undecided = fmt::format(
          "{} of {} log entries, with {} of the time, {} to no command of build.ninja", unknown,
          log.entries.size(), percent(all_work > 0 ? unknown_work / all_work : 0, 0), belong);
    }
  }
  note_log(log, graph);
  return ran;
}

Result<TaskGraph> graph_of(const NinjaManifest& manifest, const NinjaLog* log,
                           const std::string& name) {
  TaskGraph graph = steps_graph(manifest);
  graph.name = name;
  if (graph.size() == 0) {
    return fail({.where = printable(name), .message = "there is no build statement in it"});
  }
  if (log == nullptr) {
    count_commands(manifest, graph);
  } else {
    KSTAR_TRY(const std::vector<bool> ran, set_times(manifest, *log, graph));
    KSTAR_TRY(const std::vector<std::uint32_t> order, topological_order(graph));
    judge_missing(manifest, ran, order, graph);
  }
  set_pools(manifest, graph);
  add_notes(manifest, graph);
  return graph;
}

/// A log alone: the tasks and when they ran, but not which waited for which.
Result<TaskGraph> log_graph(const NinjaLog& log, const std::string& name) {
  GraphBuilder builder;
  std::vector<TimedTask> timed;
  std::vector<Origin> origins;
  for (const NinjaLogEntry& entry : log.entries) {
    timed.push_back({builder.task(entry.output), entry.start, entry.end});
    origins.push_back(origin_of(entry));
  }
  TaskGraph graph = builder.finish(0);
  graph.name = name;
  graph.ordered = false;
  for (const TimedTask& task : timed) graph.times[task.task] = task.end - task.start;
  set_record(graph, timed, log_sessions(timed, origins), "build");
  if (graph.size() == 0) {
    return fail({.where = printable(name),
                 .message = log.skipped > 0 ? "there is no entry in the log: " + skipped_text(log)
                                            : "there is no entry in the log"});
  }
  graph.notes.emplace_back("there is no build.ninja beside the log");
  note_log(log, graph);
  return graph;
}

}  // namespace

Result<TaskGraph> read_ninja_folder(const std::string& manifest_path, const std::string& log_path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (manifest_path.empty()) {
    KSTAR_TRY(const FileText text, read_regular_file(log_path, kLargestFile));
    KSTAR_TRY(const NinjaLog log, parse_ninja_log({text.view(), log_path}));
    return log_graph(log, log_path);
  }
  KSTAR_TRY(const FileText text, read_regular_file(manifest_path, kLargestFile));
  const std::string folder = fs::path(manifest_path).parent_path().string();
  KSTAR_TRY(NinjaManifest manifest,
            parse_manifest({text.view(), manifest_path}, folder.empty() ? "." : folder));
  KSTAR_CHECK(add_dyndeps(folder, manifest));
  add_ninja_deps((fs::path(folder) / manifest.build_folder / ".ninja_deps").string(), manifest);
  std::string log_file = log_path;
  if (log_file.empty()) {
    log_file = (fs::path(folder) / manifest.build_folder / ".ninja_log").string();
    if (!fs::exists(log_file, ignored)) return graph_of(manifest, nullptr, manifest_path);
  }
  KSTAR_TRY(const FileText log_text, read_regular_file(log_file, kLargestFile));
  KSTAR_TRY(const NinjaLog log, parse_ninja_log({log_text.view(), log_file}));
  KSTAR_TRY(TaskGraph graph, graph_of(manifest, &log, manifest_path));
  graph.record.here = is_made_here(log, (fs::path(folder) / manifest.build_folder).string());
  return graph;
}

Result<TaskGraph> read_ninja_text(const Source& source, const GraphReadOptions&) {
  KSTAR_TRY(NinjaManifest manifest, parse_manifest(source, ""));
  KSTAR_CHECK(add_dyndeps("", manifest));
  return graph_of(manifest, nullptr, std::string(source.name));
}

Result<TaskGraph> read_ninja_log_text(const Source& source, const GraphReadOptions&) {
  KSTAR_TRY(const NinjaLog log, parse_ninja_log(source));
  return log_graph(log, std::string(source.name));
}

}  // namespace kstar::dag
