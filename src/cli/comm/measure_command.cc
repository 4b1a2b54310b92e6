#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "base/bytes.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/comm/commands.h"
#include "cli/measure/flags.h"
#include "cli/measure/run.h"
#include "kstar/network.h"

namespace kstar {

namespace {

constexpr double kLargestProbed = 2e9;

std::optional<double> one_size(std::string_view text) {
  std::optional<double> bytes = parse_bytes(trim(text));
  if (!bytes) bytes = parse_double(trim(text));
  if (!bytes || *bytes < 1 || *bytes > kLargestProbed || *bytes != std::floor(*bytes)) return {};
  return bytes;
}

/// "8..4MiB" (factors of 4) or "8,1KiB,64KiB".
Result<std::vector<double>> sizes_of(const std::string& text) {
  std::vector<double> sizes;
  const Error wrong =
      usage(expected("--sizes", "sizes from 1 B to 2 GB, such as 8..4MiB or 8,1KiB,64KiB", text));
  if (const std::size_t dots = text.find(".."); dots != text.npos) {
    const auto first = one_size(std::string_view(text).substr(0, dots));
    const auto last = one_size(std::string_view(text).substr(dots + 2));
    if (!first || !last || *last < *first) return fail(wrong);
    constexpr double kFactor = 4;
    for (double bytes = *first; bytes < *last; bytes *= kFactor) sizes.push_back(bytes);
    sizes.push_back(*last);
    return sizes;
  }
  for (const std::string_view item : split(text, ',')) {
    const auto bytes = one_size(item);
    if (!bytes || (!sizes.empty() && *bytes <= sizes.back())) return fail(wrong);
    sizes.push_back(*bytes);
  }
  return sizes;
}

Result<std::vector<std::string>> collectives_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string_view item : split(text, ',')) {
    const auto one = collective_named(trim(item));
    if (!one || *one == Collective::kReduce) {
      return fail(usage(expected("--collectives",
                                 "some of all-reduce, reduce-scatter, all-gather, broadcast, "
                                 "all-to-all, point-to-point",
                                 item)));
    }
    names.emplace_back(name_of(*one));
  }
  return names;
}

/// Beside this program, where it is; otherwise the shell's path is searched.
std::string probe_program() {
  std::error_code none;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", none);
  const auto beside = own.parent_path() / "kstar-comm-mpi";
  return !none && std::filesystem::exists(beside, none) ? beside.string() : "kstar-comm-mpi";
}

Result<ExitCode> run_comm_measure(const Arguments& arguments, Console& console) {
  KSTAR_CHECK(check_measure_flags(arguments));
  KSTAR_TRY(const std::vector<double> sizes, sizes_of(arguments.text("sizes", "8..4MiB")));
  KSTAR_TRY(const std::vector<std::string> names,
            collectives_of(arguments.text("collectives", "all-reduce,point-to-point")));
  KSTAR_TRY(SpecFile file, measure_spec_of(arguments));
  MeasureSpec& spec = file.spec;
  if (!spec.command.empty()) {
    return fail(usage({.where = arguments.path,
                       .message = "runs the probe, not a command of yours",
                       .hint = "'kstar measure -- COMMAND' measures a program"}));
  }
  std::string list;
  for (const double bytes : sizes) {
    list += fmt::format("{}{}", list.empty() ? "" : ",", static_cast<std::int64_t>(bytes));
  }
  spec.command = {arguments.text("probe", probe_program()), "--collectives",
                  fmt::format("{}", fmt::join(names, ",")), "--sizes", list};
  if (!arguments.has("launcher")) spec.launcher = "mpi";
  if (spec.title.empty()) spec.title = "collectives";
  for (const std::int64_t k : spec.workers) {
    if (k >= 2) continue;
    return fail(
        usage(expected("--workers", "2 workers or more: one sends nothing", std::to_string(k))));
  }
  if (spec.workers.empty()) spec.workers = {2};
  spec.time_from = TimeFrom::kPattern;
  spec.time_pattern = R"(: ([0-9.e+-]+) s per call)";
  spec.time_unit = "s";
  spec.warm_up_steps = 0;
  spec.same_command = true;
  return measure_study(arguments, console, std::move(file));
}

}  // namespace

Command comm_measure_command() {
  std::vector<Flag> flags = {
      {.name = "collectives",
       .value = "LIST",
       .help = "of all-reduce, reduce-scatter, all-gather, broadcast, all-to-all and "
               "point-to-point (default: all-reduce,point-to-point)"},
      {.name = "sizes",
       .value = "LIST",
       .help = "bytes: 8..4MiB (factors of 4; default) or 8,1KiB,64KiB"},
      {.name = "probe",
       .value = "PROGRAM",
       .help = "instead of the kstar-comm-mpi beside kstar",
       .file = true}};
  static constexpr std::string_view kNotOfAProbe[] = {
      "print-spec",    "spec",          "size",        "size-growth",  "unit",
      "batch",         "strong",        "weak",        "throughput",   "time",
      "time-pattern",  "time-key",      "time-unit",   "time-work",    "rate",
      "check-pattern", "check-command", "check-value", "against",      "parameter",
      "baseline",      "inside",        "shell",       "same-command", "check-tolerance",
      "gpus",          "warm-up-steps", "title"};
  for (Flag& flag : measure_flags()) {
    const bool left_out = std::find(std::begin(kNotOfAProbe), std::end(kNotOfAProbe), flag.name) !=
                          std::end(kNotOfAProbe);
    if (!left_out) flags.push_back(std::move(flag));
  }
  return {.name = "measure",
          .summary = "time collectives and messages here, by MPI, with any launcher",
          .details = {"A run starts the probe on K ranks, which times every collective at every "
                      "size as a batch of calls divided by their number. Runs of all K are "
                      "interleaved and repeated as by 'kstar measure', into one study: 'kstar comm "
                      "STUDY' fits it again."},
          .flags = std::move(flags),
          .examples = {"kstar comm measure --workers 2,4 --runs 5 -o comm.jsonl",
                       "kstar comm measure --workers 2..64 --launcher slurm --collectives "
                       "all-reduce,all-gather -o comm.jsonl"},
          .run = run_comm_measure};
}

}  // namespace kstar
