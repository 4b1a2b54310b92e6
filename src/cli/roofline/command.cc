#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/roofline/commands.h"
#include "kstar/executor.h"
#include "kstar/roofline.h"
#include "kstar/roofline_program.h"
#include "kstar/roofline_report.h"

namespace kstar {

namespace {

std::atomic<bool> program_stop{false};

void stop_program(int) {
  program_stop = true;
}

constexpr int kMostRooflineThreads = 65536;

bool has_command(const Arguments& arguments) {
  return std::find(arguments.words.begin(), arguments.words.end(), "--") != arguments.words.end();
}

Result<RooflineProfile> profile_of_program(const Arguments& arguments) {
  ProgramQuestion question;
  const auto dashes = std::find(arguments.words.begin(), arguments.words.end(), "--");
  question.command.assign(dashes + 1, arguments.words.end());
  if (question.command.size() != arguments.positionals.size() || question.command.empty()) {
    return fail(
        usage({.where = arguments.path,
               .message = question.command.empty() ? "missing command behind --"
                                                   : "expected files or a command, got both"}));
  }
  constexpr int kMostRuns = 10000;
  KSTAR_TRY(question.runs, whole_of(arguments, "runs", 1, kMostRuns, question.runs));
  KSTAR_TRY(question.threads, whole_of(arguments, "threads", 1, kMostRooflineThreads, 0));
  KSTAR_TRY(question.flops, amount_of(arguments, "flops"));
  KSTAR_TRY(question.bytes, amount_of(arguments, "bytes"));
  question.precision = arguments.text("precision");
  struct sigaction action {};
  action.sa_handler = stop_program;
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
  const std::unique_ptr<Executor> executor = process_executor(program_stop);
  return run_program(*executor, question);
}

Result<RooflineProfile> profile_of_files(const Arguments& arguments) {
  for (const char* flag : {"flops", "bytes", "runs"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "is for a program behind --, not for a file"}));
  }
  std::optional<RooflineProfile> all;
  for (const std::string& path : arguments.positionals) {
    KSTAR_TRY(RooflineProfile profile, read_profile(path));
    if (all) {
      merge_profile(*all, profile);
    } else {
      all = std::move(profile);
    }
  }
  return std::move(*all);
}

std::string roofline_title(const Arguments& arguments, const RooflineProfile& profile) {
  if (has_command(arguments))
    return fmt::format("{} ({})", profile.kernels[0].name, profile.source);
  std::string title = printable(arguments.positionals[0]);
  if (arguments.positionals.size() > 1)
    title += fmt::format(" and {} more", arguments.positionals.size() - 1);
  title += fmt::format(" ({})", profile.source);
  if (!profile.device.empty()) title += ", " + profile.device;
  return title;
}

Result<Chart> drawable(Chart chart) {
  if (!chart.series.empty()) return chart;
  return fail({.where = "--output",
               .message =
                   "nothing to draw: a roofline needs ceilings of operations and of memory, or "
                   "kernels with both"});
}

RooflineView roofline_view(const Arguments& arguments, const std::string& format) {
  const bool page = format == "html";
  return {.full = page || arguments.has("full"), .chart = page || arguments.has("plot")};
}

Result<void> deliver_roofline(const Arguments& arguments, Console& console,
                              const std::string& format, const Roofline& roofline) {
  if (wants_picture(arguments)) {
    KSTAR_TRY(const SvgStyle style, picture_style(arguments));
    KSTAR_TRY(const PictureFormat kind, picture_format(arguments));
    KSTAR_TRY(const Chart chart, drawable(roofline_chart(roofline)));
    return deliver_picture(chart, style, kind, arguments, console);
  }
  const RooflineView view = roofline_view(arguments, format);
  return deliver_as(format, arguments, console, roofline, view);
}

/// A machine.toml by itself: what it says.
Result<ExitCode> show_machine(const Arguments& arguments, Console& console,
                              const std::string& format, const MachineCeilings& machine) {
  if (wants_picture(arguments)) {
    KSTAR_TRY(const SvgStyle style, picture_style(arguments));
    KSTAR_TRY(const PictureFormat kind, picture_format(arguments));
    KSTAR_TRY(const Chart chart, drawable(machine_chart(machine)));
    KSTAR_CHECK(deliver_picture(chart, style, kind, arguments, console));
    return ExitCode::kDone;
  }
  if (format == "toml") {
    KSTAR_CHECK(deliver(arguments, console, to_toml(machine)));
    return ExitCode::kDone;
  }
  const RooflineView view = roofline_view(arguments, format);
  KSTAR_CHECK(deliver_as(format, arguments, console, machine, view));
  return ExitCode::kDone;
}

/// A machine stands alone: what would place something under it has nothing to place.
Result<void> check_machine_alone(const Arguments& arguments) {
  for (const char* flag : {"machine", "precision", "threads", "flops", "bytes", "runs"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = fmt::format("{} has the ceilings of a machine, and no kernel to "
                                              "place under them",
                                              printable(arguments.positionals[0]))}));
  }
  return {};
}

/// A precision must be one that is known, and must have something to act on.
Result<std::string> precision_of(const Arguments& arguments,
                                 const std::optional<MachineCeilings>& machine) {
  if (!arguments.has("precision")) return std::string();
  const std::string given = arguments.text("precision");
  static const std::vector<std::string> kKnown = {"fp64", "fp32", "tf32", "bf16",
                                                  "fp16", "fp8",  "int8"};
  const std::vector<std::string> choices = machine ? precisions_of(*machine) : kKnown;
  if (choices.empty()) {
    return fail(usage(
        {.where = "--precision", .message = "the machine file has no ceiling of operations"}));
  }
  if (std::find(choices.begin(), choices.end(), given) == choices.end()) {
    return fail(usage(expected(
        "--precision",
        fmt::format("one of {}{}", fmt::join(choices, ", "), machine ? " of the machine file" : ""),
        given)));
  }
  if (!machine && !has_command(arguments)) {
    return fail(usage(
        {.where = "--precision", .message = "needs the ceilings of a machine: --machine FILE"}));
  }
  return given;
}

Result<void> check_precision_acts(const Arguments& arguments, const RooflineProfile& profile) {
  const auto says = [](const RooflineKernel& one) { return !one.precision.empty(); };
  const bool all = std::all_of(profile.kernels.begin(), profile.kernels.end(), says);
  if (!arguments.has("precision") || has_command(arguments) || !all) return {};
  return fail(usage(
      {.where = "--precision",
       .message = fmt::format("the input says its own: {}", profile.kernels.front().precision)}));
}

/// At most as many as the machine has ceilings for.
Result<int> compared_threads(const Arguments& arguments,
                             const std::optional<MachineCeilings>& machine) {
  const std::vector<int> counts = machine ? thread_counts(*machine) : std::vector<int>();
  if (arguments.has("threads") && !counts.empty() && counts.back() == 0) {
    return fail(usage({.where = "--threads",
                       .message = "the machine file does not say on how many threads it was "
                                  "measured"}));
  }
  const int most = counts.empty() ? kMostRooflineThreads : counts.back();
  return whole_of(arguments, "threads", 1, most, 0);
}

Result<ExitCode> run_roofline(const Arguments& arguments, Console& console) {
  if (arguments.positionals.empty() && !has_command(arguments)) {
    return fail(
        usage({.where = arguments.path,
               .message = "expected FILEs of a profiler, a machine.toml, or a command behind --",
               .hint = "'kstar roofline measure -o machine.toml' measures this machine"}));
  }
  std::string format = "text";
  const bool toml = arguments.text("output").ends_with(".toml");
  if (toml) format = "toml";
  if (!wants_picture(arguments) && !toml) {
    KSTAR_TRY(format, wanted_format(arguments, ".toml (of ceilings), .svg, .pdf, .png, "));
  }
  if (!has_command(arguments) && arguments.positionals.size() == 1 &&
      arguments.positionals[0].ends_with(".toml")) {
    KSTAR_CHECK(check_machine_alone(arguments));
    KSTAR_TRY(const MachineCeilings machine, load_machine(arguments.positionals[0]));
    return show_machine(arguments, console, format, machine);
  }
  KSTAR_TRY(const std::optional<MachineCeilings> machine, machine_of(arguments));
  RooflineOptions options;
  KSTAR_TRY(options.precision, precision_of(arguments, machine));
  KSTAR_TRY(options.threads, compared_threads(arguments, machine));
  KSTAR_TRY(const RooflineProfile profile,
            has_command(arguments) ? profile_of_program(arguments) : profile_of_files(arguments));
  if (profile.kernels.empty() && profile.ceilings) {
    KSTAR_CHECK(check_machine_alone(arguments));
    return show_machine(arguments, console, format, *profile.ceilings);
  }
  if (toml) {
    return fail(
        usage({.where = "--output",
               .message = "a .toml has the ceilings of a machine, and the input has none"}));
  }
  KSTAR_CHECK(check_precision_acts(arguments, profile));
  Roofline roofline = place_kernels(profile, machine, options);
  roofline.title = roofline_title(arguments, profile);
  KSTAR_CHECK(deliver_roofline(arguments, console, format, roofline));
  return ExitCode::kDone;
}

std::vector<Flag> roofline_flags() {
  std::vector<Flag> flags = {
      {.name = "machine",
       .value = "FILE",
       .help =
           "ceilings: a machine.toml, or the output of STREAM, BabelStream, HPCC, likwid-bench, "
           "kstar-gpu-ceilings or rocprof-compute's roofline.csv",
       .file = true},
      {.name = "flops",
       .value = "N",
       .help = "operations of the program per step (where it marks steps) or per run: 2.5e9, 2.5G"},
      {.name = "bytes", .value = "N", .help = "bytes that it moves to and from memory, likewise"},
      {.name = "precision",
       .value = "NAME",
       .help = "of its operations: fp64, fp32, bf16 ... (default: what the input says, else the "
               "fastest)"},
      {.name = "threads",
       .value = "N",
       .help = "compare with the ceilings on N threads (default: as many as it keeps busy)"},
      {.name = "runs", .value = "N", .help = "of the program (default: 5)"},
      {.name = "plot", .help = "draw the roofline"},
      {.name = "full", .help = "every kernel and level"},
      format_flag(),
      output_flag()};
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  return with_page(std::move(flags));
}

}  // namespace

Command roofline_command() {
  Command command = {
      .name = "roofline",
      .summary = "starved for compute or for bandwidth, and how far from the machine's ceilings?",
      .details =
          {"Places kernels and programs under the ceilings of their machine: what bounds each, how "
           "much there is to gain, and which to fix first.",
           "FILE is the output of Nsight Compute (CSV, details or raw page, or as printed), "
           "pmc_perf.csv of "
           "rocprof-compute, the output of likwid-perfctr, likwid-bench, perf stat, STREAM or "
           "BabelStream, or a machine.toml. Several files of the same kernels are put together. A "
           "program behind -- "
           "is run; its operations and bytes come from --flops and --bytes, from its marks, or "
           "from hardware counters where they are permitted."},
      .flags = roofline_flags(),
      .positionals = {{.name = "FILE",
                       .help = "output of a profiler, or a machine.toml",
                       .repeats = true,
                       .file = true}},
      .examples = {"kstar roofline measure -o machine.toml",
                   "kstar roofline ncu.csv --machine h200.toml",
                   "kstar roofline ncu.csv --machine h200.toml -o roofline.html",
                   "kstar roofline --machine machine.toml --flops 2G --bytes 24G -- ./triad"},
      .run = run_roofline};
  command.commands = {roofline_measure_command()};
  return command;
}

}  // namespace kstar
