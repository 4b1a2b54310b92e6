#include "cli/command.h"

#include "cli/commands.h"

namespace kstar {

namespace {

void walk(const Command& command, const std::string& path,
          const std::function<void(const Command&, const std::string&)>& visit) {
  visit(command, path);
  for (const Command& below : command.commands) walk(below, path + " " + below.name, visit);
}

}  // namespace

const Command& program() {
  static const Command kProgram = {
      .name = "kstar",
      .summary = "how many workers a job should run on, and why not more",
      .details = {"K is the number of workers (threads, ranks, GPUs, nodes), T(K) the time on K "
                  "workers. Speedup is S = T(1)/T(K), efficiency E = S/K."},
      .flags = {{.name = "version", .help = "show the version"}},
      .commands = {predict_command(), measure_command(), import_command(), analyze_command(),
                   plan_command(), comm_command(), trace_command(), dag_command(), tail_command(),
                   roofline_command(), audit_command(), compare_command(), report_command(),
                   figure_command(), launchers_command(), merge_command(), explain_command(),
                   completions_command(), manual_command()},
      .examples = {"kstar predict amdahl --serial 0.05", "kstar explain efficiency",
                   "kstar predict step --help"}};
  return kProgram;
}

const std::vector<Flag>& common_flags() {
  static const std::vector<Flag> kFlags = {
      {.name = "help", .help = "show this help", .letter = 'h'},
      {.name = "color",
       .value = "WHEN",
       .help = "colours: auto depends on the terminal and NO_COLOR",
       .choices = {"auto", "always", "never"}},
      {.name = "ascii", .help = "draw with ASCII characters only"},
  };
  return kFlags;
}

std::vector<const Flag*> all_flags(const Command& command) {
  std::vector<const Flag*> flags;
  for (const Flag& flag : command.flags) flags.push_back(&flag);
  for (const Flag& flag : common_flags()) flags.push_back(&flag);
  return flags;
}

const Command* find_command(const Command& command, std::string_view name) {
  for (const Command& below : command.commands) {
    if (below.name == name) return &below;
  }
  return nullptr;
}

void for_each_command(const Command& command,
                      const std::function<void(const Command&, const std::string&)>& visit) {
  walk(command, command.name, visit);
}

}  // namespace kstar
