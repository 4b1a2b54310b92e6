#include <fmt/format.h>

#include "base/bytes.h"
#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/comm/commands.h"
#include "cli/output.h"
#include "kstar/comm_report.h"

namespace kstar {

namespace {

std::vector<double> network_workers(const Network& network) {
  std::vector<double> all;
  for (const NetworkSweep& sweep : network.sweeps) {
    if (all.empty() || all.back() < sweep.workers) all.push_back(sweep.workers);
  }
  all.push_back(4 * all.back());
  return all;
}

/// 10us and 1GB/s, or 1ns for a byte.
Result<Wire> wire_flags(const Arguments& arguments) {
  Wire wire;
  const std::string latency = arguments.text("latency"), rate = arguments.text("bandwidth");
  const std::optional<double> seconds = time_with_unit(latency);
  if (!seconds || !(*seconds >= 0)) {
    return fail(usage(expected("--latency", "a time with its unit, such as 10us", latency)));
  }
  wire.latency = *seconds;
  std::string_view bytes = rate;
  const bool rated = bytes.ends_with("/s");
  if (rated) bytes.remove_suffix(2);
  const std::optional<double> per_second = rated ? parse_bytes(bytes) : std::nullopt;
  if (!per_second || !(*per_second > 0)) {
    return fail(usage(expected("--bandwidth", "a rate such as 1GB/s", rate)));
  }
  wire.per_byte = 1 / *per_second;
  return wire;
}

Result<ExitCode> run_formulas(const Arguments& arguments, Console& console,
                              const std::string& format) {
  if (!arguments.has("latency") || !arguments.has("bandwidth")) {
    return fail(usage({.where = arguments.path,
                       .message = "expected a NETWORK file, or --latency and --bandwidth",
                       .hint = "kstar comm FILE -o network.toml writes one"}));
  }
  KSTAR_TRY(const Wire wire, wire_flags(arguments));
  KSTAR_TRY(const auto question, comm_question(arguments, {8}));
  if (!question) {
    return fail(usage({.where = arguments.path, .message = "expected --bytes or --gradient"}));
  }
  const AlgorithmTable table =
      algorithm_table(question->collective, wire, question->bytes, question->workers);
  KSTAR_CHECK(deliver_as(format, arguments, console, table, CommView{}));
  return ExitCode::kDone;
}

Result<ExitCode> run_comm_predict(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  if (arguments.positionals.empty()) return run_formulas(arguments, console, format);
  for (const char* flag : {"latency", "bandwidth"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "cannot be combined with a network file, which says it"}));
  }
  KSTAR_TRY(const Network network, load_network(arguments.positionals[0]));
  KSTAR_TRY(const auto question, comm_question(arguments, network_workers(network)));
  if (!question) {
    return fail(usage({.where = arguments.path, .message = "expected --bytes or --gradient"}));
  }
  KSTAR_TRY(const CommPrediction prediction, predict_comm(network, *question));
  KSTAR_CHECK(
      deliver_as(format, arguments, console, prediction, CommView{.full = arguments.has("full")}));
  return ExitCode::kDone;
}

}  // namespace

Command comm_predict_command() {
  std::vector<Flag> flags = comm_question_flags();
  flags.push_back(
      {.name = "latency", .value = "TIME", .help = "of a message, for the formulas alone: 10us"});
  flags.push_back({.name = "bandwidth", .value = "RATE", .help = "of a link, likewise: 1GB/s"});
  flags.push_back({.name = "full", .help = "also with half the latency and twice the bandwidth"});
  flags.push_back(format_flag());
  flags.push_back(output_flag());
  return {.name = "predict",
          .summary = "the time of a collective from a network file, or by the formulas",
          .details = {"With --latency and --bandwidth: every algorithm by its formula (Thakur, "
                      "Rabenseifner, Gropp 2005), the cheapest by size and where they cross."},
          .flags = std::move(flags),
          .positionals = {{.name = "NETWORK", .help = "a network.toml", .file = true}},
          .examples = {"kstar comm predict network.toml --gradient 7e9:bf16 --workers 16..256",
                       "kstar comm predict --latency 10us --bandwidth 1GB/s --bytes 1MiB "
                       "--workers 8"},
          .run = run_comm_predict};
}

}  // namespace kstar
