#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>

#include "base/bytes.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "base/worker_list.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/roofline/commands.h"
#include "kstar/executor.h"
#include "kstar/hygiene.h"
#include "kstar/roofline_measure.h"
#include "kstar/roofline_report.h"
#include "kstar/words.h"

namespace kstar {

namespace {

std::atomic<bool> roofline_stop{false};

void stop_roofline(int) {
  roofline_stop = true;
}

/// Operations of all precisions or of one; bandwidths of all levels, of the memory, or of one loop
/// over it.
void set_only(const std::string& only, CeilingOptions& options) {
  const bool precision = only.starts_with("fp");
  options.compute = precision || only == "compute";
  options.bandwidth = !options.compute;
  if (precision) options.precision = only;
  if (only == "compute" || only == "bandwidth" || precision) return;
  options.caches = false;
  if (only != "memory") options.kernel = only;
}

Result<CeilingOptions> ceiling_options(const Arguments& arguments) {
  CeilingOptions options;
  constexpr int kFewest = 2, kMost = 1000;
  KSTAR_TRY(options.repetitions,
            whole_of(arguments, "repetitions", kFewest, kMost, options.repetitions));
  if (arguments.has("threads")) {
    const auto threads = parse_worker_list(arguments.text("threads"), "--threads");
    if (!threads) return fail(usage(threads.error()));
    for (const std::int64_t one : *threads) {
      constexpr std::int64_t kMostThreads = 65536;
      options.threads.push_back(static_cast<int>(std::min(one, kMostThreads)));
    }
  }
  if (arguments.has("memory")) {
    const std::optional<double> bytes = parse_bytes(arguments.text("memory"));
    constexpr double kLeast = 1e6, kLargest = 1e12;
    if (!bytes || *bytes < kLeast || *bytes > kLargest) {
      return fail(usage(
          expected("--memory", "the size of an array from 1MB to 1TB", arguments.text("memory"))));
    }
    options.memory_bytes = *bytes;
  }
  if (arguments.has("only")) set_only(arguments.text("only"), options);
  options.stop = &roofline_stop;
  return options;
}

/// kstar-gpu-ceilings beside this program, or on the path.
std::string gpu_program() {
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  const std::filesystem::path beside = self.parent_path() / "kstar-gpu-ceilings";
  return !none && ::access(beside.c_str(), X_OK) == 0 ? beside.string() : "kstar-gpu-ceilings";
}

Result<MachineCeilings> measure_gpu(const Arguments& arguments) {
  constexpr int kFewest = 2, kMost = 1000, kUsual = 20;
  KSTAR_TRY(const int rounds, whole_of(arguments, "repetitions", kFewest, kMost, kUsual));
  const std::string program = gpu_program();
  const LaunchPlan plan{.command = {program, std::to_string(rounds)}};
  if (const Result<void> can = check_program_can_start(plan); !can) {
    return fail({.where = "--gpu",
                 .message = "kstar-gpu-ceilings was not found beside kstar or on the path",
                 .hint = "it is built where nvcc is; or build it on the GPU's machine: nvcc -O3 "
                         "ceilings.cu -lcublas (src/tools/kstar_gpu)"});
  }
  const std::unique_ptr<Executor> executor = process_executor(roofline_stop);
  KSTAR_TRY(const Outcome outcome, executor->run(plan));
  if (outcome.exit_status.value_or(1) != 0) {
    return fail({.where = "kstar-gpu-ceilings",
                 .message = printable(
                     trim(outcome.error_output.empty() ? "failed" : outcome.error_output))});
  }
  KSTAR_TRY(MachineCeilings machine, parse_gpu_ceilings(outcome.output, program));
  machine.writer = "kstar " KSTAR_VERSION;
  return machine;
}

/// What is drawn over while it measures.
class CeilingLine {
 public:
  explicit CeilingLine(const Console& console) : shown_(console.can_redraw()) {}
  void show(const CeilingProgress& progress) const {
    if (!shown_) return;
    const std::string line =
        fmt::format("\r\033[Kround {} of {}: {}", progress.round, progress.rounds, progress.what);
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;
  }
  void clear() const {
    if (shown_ && ::write(STDERR_FILENO, "\r\033[K", 4) < 0) return;
  }

 private:
  bool shown_;
};

/// Other load makes every ceiling too low: said in the file and on the screen.
void add_hygiene(int threads, MachineCeilings& machine) {
  for (const Note& note : check_hygiene({.workers = threads})) {
    if (note.severity != Severity::kWarning) continue;
    machine.notes.push_back(printable(note_sentence(note)));
  }
}

Result<MachineCeilings> measure_cpu(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const CeilingOptions options, ceiling_options(arguments));
  const CeilingLine line(console);
  Result<MachineCeilings> machine =
      measure_ceilings(options, [&](const CeilingProgress& progress) { line.show(progress); });
  line.clear();
  if (!machine) {
    if (machine.error().where.starts_with("--")) return fail(usage(machine.error()));
    return machine;
  }
  add_hygiene(thread_counts(*machine).back(), *machine);
  return machine;
}

Result<ExitCode> run_roofline_measure(const Arguments& arguments, Console& console) {
  const std::string path = arguments.text("output");
  const bool toml = path.ends_with(".toml");
  const bool picture = wants_picture(arguments);
  std::string format = "toml";
  if (!toml && !picture) {
    KSTAR_TRY(format, wanted_format(arguments, ".toml, .svg, .pdf, .png, "));
  }
  struct sigaction action {};
  action.sa_handler = stop_roofline;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  KSTAR_TRY(MachineCeilings machine,
            arguments.has("gpu") ? measure_gpu(arguments) : measure_cpu(arguments, console));
  const bool page = format == "html";
  const RooflineView view{.full = page || arguments.has("full"),
                          .chart = page || arguments.has("plot")};
  if (picture) {
    KSTAR_TRY(const SvgStyle style, picture_style(arguments));
    KSTAR_TRY(const PictureFormat kind, picture_format(arguments));
    KSTAR_CHECK(deliver_picture(machine_chart(machine), style, kind, arguments, console));
    return ExitCode::kDone;
  }
  if (!toml) {
    KSTAR_CHECK(deliver_as(format, arguments, console, machine, view));
    return ExitCode::kDone;
  }
  KSTAR_CHECK(deliver(arguments, console, to_toml(machine)));
  console.print(to_terminal(to_document(machine, view), console.style()));
  return ExitCode::kDone;
}

}  // namespace

Command roofline_measure_command() {
  std::vector<Flag> flags = {
      {.name = "threads",
       .value = "LIST",
       .help = "thread counts, such as 1,2,4 or 1..16 (default: 1, 2, 3, 4, 6, 8, 12 ... all)"},
      {.name = "repetitions", .value = "N", .help = "of every ceiling (default: 10; of a GPU 20)"},
      {.name = "memory",
       .value = "SIZE",
       .help = "of each array for the memory (default: 4 times the last cache, 128MB to 1.5GB)"},
      {.name = "only",
       .value = "WHAT",
       .help = "measure only operations (of one precision), only bandwidths, only that of the "
               "memory, or one loop over it",
       .choices = {"compute", "fp64", "fp32", "bandwidth", "memory", "read", "copy", "copy_nt",
                   "triad", "triad_nt", "update"}},
      {.name = "gpu", .help = "the first NVIDIA GPU instead, with kstar-gpu-ceilings"},
      {.name = "plot", .help = "draw the roofline"},
      {.name = "full", .help = "bandwidth at every thread count, too"},
      format_flag(),
      output_flag()};
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  return {.name = "measure",
          .summary = "measure the ceilings of this machine, and write its machine.toml",
          .details = {"Operations per second by register width and precision, and the bandwidth of "
                      "L1, L2, L3 and memory, on one thread to all of them, bound to cores. Each "
                      "is measured once in every round, in a shuffled order.",
                      "-o machine.toml writes the file that --machine of other commands reads."},
          .flags = with_page(std::move(flags)),
          .examples = {"kstar roofline measure -o machine.toml",
                       "kstar roofline measure --threads 1,2,4 --repetitions 20 -o machine.toml",
                       "kstar roofline measure --gpu -o h200.toml"},
          .run = run_roofline_measure};
}

}  // namespace kstar
