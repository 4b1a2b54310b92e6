#include "cli/commands.h"

namespace kstar {

const Command& program() {
  static const Command kProgram = {
      .name = "kstar",
      .summary = "how many workers a job should run on, and why not more",
      .details = {"K is the number of workers (threads, ranks, GPUs, nodes), T(K) the time on K of "
                  "them. Speedup is S = T(1)/T(K), efficiency E = S/K."},
      .flags = {{.name = "version", .help = "show the version"}},
      .commands = {predict_command(), measure_command(), import_command(), analyze_command(),
                   audit_command(), compare_command(), report_command(), figure_command(),
                   launchers_command(), merge_command(), explain_command(), completions_command(),
                   manual_command()},
      .examples = {"kstar predict amdahl --serial 0.05", "kstar explain efficiency",
                   "kstar predict step --help"}};
  return kProgram;
}

}  // namespace kstar
