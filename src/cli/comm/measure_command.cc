#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

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
    constexpr double kFactorOfSizes = 4;
    for (double bytes = *first; bytes < *last; bytes *= kFactorOfSizes) sizes.push_back(bytes);
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

/// The program of nccl-tests that measures a collective: "all_reduce_perf".
std::string nccl_program(Collective collective) {
  if (collective == Collective::kAllToAll) return "alltoall_perf";
  if (collective == Collective::kPointToPoint) return "sendrecv_perf";
  std::string name(name_of(collective));
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_perf";
}

constexpr std::int64_t kNcclFactor = 4;

/// Sizes are shares of 16 bytes on every worker at every K: others are rounded down, differently
/// from version to version.
Result<std::int64_t> nccl_share(const std::vector<std::int64_t>& workers, Collective collective) {
  constexpr std::int64_t kAligned = 16, kMost = 1 << 20;
  if (bus_factor(collective, 2) == 1) return kAligned;  // every worker has all bytes
  std::int64_t all = 1;
  for (const std::int64_t k : workers) {
    all = std::lcm(all, k);
    if (all > kMost / kAligned) {
      return fail(usage(
          {.where = "--workers",
           .message = fmt::format("no size of {} is the same on all these K", name_of(collective)),
           .hint = "take K that divide each other, such as 2,4,8"}));
    }
  }
  return kAligned * all;
}

/// nccl-tests: one program and collective, whose table the loop reads.
Result<void> use_nccl_tests(const Arguments& arguments, const std::vector<double>& sizes,
                            const std::vector<std::string>& names, MeasureSpec& spec) {
  if (names.size() != 1) {
    return fail(usage({.where = "--collectives",
                       .message = "nccl-tests measures one collective in a study",
                       .hint = "measure each by itself; 'kstar comm' reads all studies together"}));
  }
  if (arguments.has("sizes") && arguments.text("sizes").find("..") == std::string::npos) {
    return fail(usage(expected("--sizes",
                               "a range such as 1KiB..1GiB, as nccl-tests steps by "
                               "factors",
                               arguments.text("sizes"))));
  }
  const Collective collective = *collective_named(names.front());
  KSTAR_TRY(const std::int64_t share, nccl_share(spec.workers, collective));
  const auto wanted = static_cast<std::int64_t>(sizes.front());
  const std::int64_t first = (wanted + share - 1) / share * share;
  std::int64_t last = first;
  while (static_cast<double>(last * kNcclFactor) <= sizes.back()) last *= kNcclFactor;
  // One process with K GPUs, or K processes with one each.
  const bool alone = spec.launcher == "local";
  spec.command = {arguments.text("probe", nccl_program(collective)),
                  "-b",
                  std::to_string(first),
                  "-e",
                  std::to_string(last),
                  "-f",
                  std::to_string(kNcclFactor),
                  "-g",
                  alone ? "{K}" : "1"};
  spec.time_pattern =
      R"(^[ \t]*\d+[ \t]+\d+[ \t]+[a-z]\w*[ \t]+[a-z]\w*[ \t]+(?:-?\d+[ \t]+)?([0-9.]+)(?:[ \t]+\S+){7}[ \t]*$)";
  spec.time_unit = "us";
  spec.same_command = !alone;
  return {};
}

void use_own_probe(const Arguments& arguments, const std::vector<double>& sizes,
                   const std::vector<std::string>& names, MeasureSpec& spec) {
  std::string list;
  for (const double bytes : sizes) {
    list += fmt::format("{}{}", list.empty() ? "" : ",", static_cast<std::int64_t>(bytes));
  }
  spec.command = {arguments.text("probe", probe_program()), "--collectives",
                  fmt::format("{}", fmt::join(names, ",")), "--sizes", list};
  spec.time_pattern = R"(: ([0-9.e+-]+) s per call)";
  spec.time_unit = "s";
  spec.same_command = true;
}

Result<ExitCode> run_comm_measure(const Arguments& arguments, Console& console) {
  KSTAR_CHECK(check_measure_flags(arguments));
  const bool nccl = arguments.text("tool") == "nccl-tests";
  KSTAR_TRY(const std::vector<double> sizes,
            sizes_of(arguments.text("sizes", nccl ? "1KiB..1GiB" : "8..4MiB")));
  KSTAR_TRY(const std::vector<std::string> names,
            collectives_of(
                arguments.text("collectives", nccl ? "all-reduce" : "all-reduce,point-to-point")));
  KSTAR_TRY(SpecFile file, measure_spec_of(arguments));
  MeasureSpec& spec = file.spec;
  if (!spec.command.empty()) {
    return fail(usage({.where = arguments.path,
                       .message = "runs the probe, not a command of yours",
                       .hint = "'kstar measure -- COMMAND' measures a program"}));
  }
  if (!nccl && arguments.has("gpus")) {
    return fail(usage({.where = "--gpus",
                       .message = "the MPI probe sends from memory, not from GPUs",
                       .hint = "--tool nccl-tests measures between GPUs"}));
  }
  if (!arguments.has("launcher")) spec.launcher = "mpi";
  if (!nccl && (spec.launcher == "local" || spec.launcher == "torchrun")) {
    return fail(usage({.where = "--launcher",
                       .message = fmt::format("the MPI probe needs ranks of MPI, which '{}' does "
                                              "not start",
                                              spec.launcher),
                       .hint = "--launcher mpi (default) or slurm; --tool nccl-tests --launcher "
                               "local for the GPUs of this machine"}));
  }
  if (spec.title.empty()) spec.title = "collectives";
  for (const std::int64_t k : spec.workers) {
    if (k >= 2) continue;
    return fail(
        usage(expected("--workers", "2 workers or more: one sends nothing", std::to_string(k))));
  }
  if (spec.workers.empty()) spec.workers = {2};
  spec.time_from = TimeFrom::kPattern;
  spec.warm_up_steps = 0;
  if (nccl) {
    KSTAR_CHECK(use_nccl_tests(arguments, sizes, names, spec));
  } else {
    use_own_probe(arguments, sizes, names, spec);
  }
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
      {.name = "tool",
       .value = "TOOL",
       .help = "what measures: mpi, the probe of kstar (default), or nccl-tests, between GPUs, "
               "where it is installed",
       .choices = {"mpi", "nccl-tests"}},
      {.name = "probe",
       .value = "PROGRAM",
       .help = "its program: instead of the kstar-comm-mpi beside kstar, or of all_reduce_perf on "
               "the PATH",
       .file = true}};
  static constexpr std::string_view kNotOfAProbe[] = {
      "print-spec",    "spec",          "size",        "size-growth",  "unit",
      "batch",         "strong",        "weak",        "throughput",   "time",
      "time-pattern",  "time-key",      "time-unit",   "time-work",    "rate",
      "check-pattern", "check-command", "check-value", "against",      "parameter",
      "baseline",      "inside",        "shell",       "same-command", "check-tolerance",
      "warm-up-steps", "title"};
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
                      "STUDY' fits it again.",
                      "--tool nccl-tests runs all_reduce_perf, all_gather_perf ... of an installed "
                      "nccl-tests or rccl-tests instead, one collective in a study: on K processes "
                      "with a GPU each (built with MPI=1), or with --launcher local as one process "
                      "with K GPUs."},
          .flags = std::move(flags),
          .examples = {"kstar comm measure --workers 2,4 --runs 5 -o comm.jsonl",
                       "kstar comm measure --workers 2..64 --launcher slurm --collectives "
                       "all-reduce,all-gather -o comm.jsonl",
                       "kstar comm measure --tool nccl-tests --launcher local --workers 2,4,8 -o "
                       "gpus.jsonl"},
          .run = run_comm_measure};
}

}  // namespace kstar
