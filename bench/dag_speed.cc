// How long a graph of ten million edges takes, from its table to its answer, and how much memory:
// bench_dag_speed [EDGES [TASKS [NAMES [FILE]]]]. NAMES are `stems` (t17), `numbers` (17), `paths`
// (src/7b/unit_9f31c2.o, which have no numeral), `costs` (stems, and a cost for each edge) or
// `all`. With FILE the table stays there, for bench/dag_networkx.py; one that is there is read as
// it is.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/random.h"
#include "dag/levels.h"
#include "kstar/dag.h"
#include "kstar/dag_read.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Of all threads: what other jobs do on the machine is not in it.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

std::string name_of_task(std::string_view kind, std::uint64_t task) {
  if (kind == "numbers") return fmt::format("{}", task);
  if (kind != "paths") return fmt::format("t{}", task);
  const std::uint64_t mixed = task * 0x9E3779B97F4A7C15U;
  return fmt::format("src/{:02x}/unit_{:x}.o", task % 256, mixed);
}

/// Every edge leads on by a distance that is exponential, a twentieth of the tasks in the mean.
void write_random_table(const std::string& path, std::string_view kind, std::uint64_t edges,
                        std::uint64_t tasks) {
  kstar::Random random(7);
  const bool costs = kind == "costs";
  std::ofstream file(path);
  file << (costs ? "from,to,cost\n" : "from,to\n");
  const double mean = static_cast<double>(tasks) / 20;
  std::string text;
  for (std::uint64_t i = 0; i < edges; ++i) {
    const std::uint64_t from = random.below(tasks - 1);
    const auto on = static_cast<std::uint64_t>(1 - mean * std::log(1 - random.uniform()));
    const std::uint64_t to = std::min(tasks - 1, from + on);
    text += name_of_task(kind, from) + "," + name_of_task(kind, to);
    text += costs ? fmt::format(",0.{}\n", random.below(10)) : "\n";
    constexpr std::size_t kPiece = std::size_t{1} << 20U;
    if (text.size() < kPiece && i + 1 < edges) continue;
    file << text;
    text.clear();
  }
}

/// The longest path alone, as networkx has it. Returns what it took.
double print_longest_path(const kstar::TaskGraph& graph) {
  const double cpu = cpu_seconds();
  const auto order = kstar::dag::topological_order(graph);
  if (!order) return 0;
  const kstar::dag::Levels levels = kstar::dag::levels_of(graph, *order);
  const auto path = kstar::dag::critical_path(graph, levels);
  const double spent = cpu_seconds() - cpu;
  fmt::print("longest path {} in {} tasks: {:.4f} s CPU\n", levels.depth, path.size(), spent);
  return spent;
}

/// From the table to its answer.
bool print_times(const std::string& path) {
  const double cpu = cpu_seconds();
  const Clock::time_point start = Clock::now();
  const auto graph = kstar::read_graph(std::span(&path, 1));
  if (!graph) {
    fmt::print("{}\n", graph.error().message);
    return false;
  }
  const double reading = seconds_since(start), reading_cpu = cpu_seconds() - cpu;
  const double path_cpu = print_longest_path(*graph);  // not in what kstar dag takes
  const Clock::time_point between = Clock::now();
  const auto analysis = kstar::analyze_graph(*graph);
  if (!analysis) return false;
  const double wall = reading + seconds_since(between);
  const double all_cpu = cpu_seconds() - cpu - path_cpu;
  fmt::print("wall: {:.2f} s to read, {:.2f} s in total; CPU: {:.3f} s and {:.2f} s; {:.0f} MiB\n",
             reading, wall, reading_cpu, all_cpu, peak_mebibytes());
  fmt::print("work {}, depth {}, K* {}, {} schedules shown\n", analysis->work, analysis->depth,
             analysis->choice.workers, analysis->points.size());
  return true;
}

}  // namespace

int main(int count, char** words) {
  const double edges = count > 1 ? std::strtod(words[1], nullptr) : 1e7;
  const double tasks = count > 2 ? std::strtod(words[2], nullptr) : edges / 10;
  const std::string_view names = count > 3 ? words[3] : "all";
  const std::string path = count > 4 ? words[4] : "/tmp/kstar_dag_speed.csv";
  for (const std::string_view kind : {"stems", "numbers", "paths", "costs"}) {
    if (names != kind && names != "all") continue;
    if (count <= 4 || !std::filesystem::exists(path)) {
      write_random_table(path, kind, static_cast<std::uint64_t>(edges),
                         static_cast<std::uint64_t>(tasks));
    }
    fmt::print("{}: {} edges, {} tasks\n", kind, edges, tasks);
    if (!print_times(path)) return 1;
  }
  if (count <= 4) std::remove(path.c_str());
  return 0;
}
