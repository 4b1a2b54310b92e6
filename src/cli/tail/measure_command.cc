#include <fmt/format.h>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/tail/commands.h"
#include "kstar/load.h"
#include "kstar/tail.h"
#include "kstar/tail_report.h"

namespace kstar {

namespace {

Result<double> time_of(const Arguments& arguments, const char* flag, double otherwise,
                       double most) {
  if (!arguments.has(flag)) return otherwise;
  const std::string given = arguments.text(flag);
  const std::optional<double> value = parse_duration(given);
  if (value && *value > 0 && *value <= most) return *value;
  return fail(usage(expected(
      fmt::format("--{}", flag),
      fmt::format("a time above 0 and at most {}, such as 30s", duration_text(most)), given)));
}

Result<std::uint64_t> count_of(const Arguments& arguments, const char* flag,
                               std::uint64_t otherwise, std::uint64_t most) {
  if (!arguments.has(flag)) return otherwise;
  const std::string given = arguments.text(flag);
  const std::optional<std::int64_t> value = parse_integer(given);
  if (value && *value >= 1 && static_cast<std::uint64_t>(*value) <= most) {
    return static_cast<std::uint64_t>(*value);
  }
  return fail(usage(expected(fmt::format("--{}", flag),
                             fmt::format("a whole number from 1 to {}", most), given)));
}

Result<LoadSpec> load_spec(const Arguments& arguments) {
  LoadSpec spec;
  const std::string rate = arguments.text("rate");
  const std::optional<double> asked = parse_double(rate);
  if (!asked || *asked <= 0 || *asked > kMostLoadRate) {
    return fail(usage(expected("--rate", "requests per second, above 0 and at most 100000",
                               arguments.has("rate") ? rate : "nothing")));
  }
  spec.rate = *asked;
  spec.poisson = arguments.text("arrivals") == "poisson";
  KSTAR_TRY(spec.seed, count_of(arguments, "seed", 1, std::uint64_t{1} << 53U));
  constexpr double kUsualTime = 10, kLongestTimeout = 3600;
  KSTAR_TRY(spec.time, time_of(arguments, "time", kUsualTime, kMostLoadTime));
  KSTAR_TRY(spec.timeout, time_of(arguments, "timeout", kUsualTime, kLongestTimeout));
  KSTAR_TRY(spec.most, count_of(arguments, "count", kMostLoadRequests, kMostLoadRequests));
  KSTAR_TRY(const std::uint64_t most,
            count_of(arguments, "most-in-flight", arguments.has("http") ? 1000 : 64, 20000));
  spec.most_in_flight = most;
  if (arguments.has("http") == !arguments.positionals.empty()) {
    return fail(
        usage({.where = arguments.path,
               .message = arguments.has("http") ? "expected --http URL or -- COMMAND, got both"
                                                : "expected --http URL or -- COMMAND",
               .hint = "for example 'kstar tail measure --rate 200 --http "
                       "http://127.0.0.1:8080/'"}));
  }
  spec.url = arguments.text("http");
  spec.headers = arguments.list("header");
  spec.body = arguments.text("body");
  spec.command = arguments.positionals;
  spec.log = arguments.text("output", "tail.jsonl");
  spec.replace = arguments.has("force");
  if (spec.rate * spec.time > static_cast<double>(kMostLoadRequests) && !arguments.has("count")) {
    return fail(usage(expected("--time", "at most 10 million requests in all",
                               significant(spec.rate * spec.time, 6))));
  }
  return spec;
}

void note_result(const LoadSpec& spec, const LoadResult& result, const Console& console) {
  console.note(fmt::format("wrote {}: {} sent in {}", printable(spec.log),
                           count_text(result.sent, "request"), time_text(result.duration)));
  if (result.waited_here > 0) {
    console.note(fmt::format(
        "{} waited here, because {} were in flight (--most-in-flight); their latency includes it",
        count_text(result.waited_here, "request"), spec.most_in_flight));
  }
}

Result<ExitCode> run_measure_tail(const Arguments& arguments, Console& console) {
  TailOptions options;
  if (arguments.has("slo")) {
    const Result<Slo> slo = parse_slo(arguments.text("slo"));
    if (!slo) return fail(usage(slo.error()));
    options.slo = *slo;
  }
  KSTAR_TRY(const LoadSpec spec, load_spec(arguments));
  const Result<LoadResult> result = generate_load(spec);
  if (!result) {
    Error error = result.error();
    return fail(error.where.starts_with("--") ? usage(error) : error);
  }
  note_result(spec, *result, console);
  const ExitCode code = result->interrupted ? ExitCode::kInterrupted : ExitCode::kDone;
  if (result->sent == 0) return code;
  if (result->failed == result->sent) {
    return fail(
        {.where =
             spec.url.empty() ? printable(spec.command[0]) : printable(without_password(spec.url)),
         .message = fmt::format("every one of {} failed", count_text(result->sent, "request")),
         .hint = fmt::format("the reasons are in {}", printable(spec.log))});
  }
  KSTAR_TRY(LatencySet set, read_latencies(spec.log));
  std::vector<LatencySet> sets;
  sets.push_back(std::move(set));
  KSTAR_TRY(const Tail tail, analyze_tail(std::move(sets), options));
  console.print(to_terminal(to_document(tail, {.full = arguments.has("full")}), console.style()));
  return code;
}

}  // namespace

Command tail_measure_command() {
  return {
      .name = "measure",
      .summary =
          "send requests at a fixed rate, and measure their latencies from when each was due",
      .details =
          {"An open loop: requests are sent at their times whatever becomes of those before, "
           "so that a server that stalls is seen by all of them (no coordinated omission). "
           "Never more than rate x time + 1 are sent; it stops by itself.",
           "Every request is written to the log as it ends; 'kstar tail LOG' reads it, also "
           "when the measurement was killed."},
      .flags =
          {{.name = "rate", .value = "R", .help = "requests per second (required)"},
           {.name = "http", .value = "URL", .help = "send GET requests to this address"},
           {.name = "arrivals",
            .value = "HOW",
            .help = "at equal intervals (default), or at random ones",
            .choices = {"constant", "poisson"}},
           {.name = "time", .value = "TIME", .help = "how long to send (default: 10s)"},
           {.name = "count", .value = "N", .help = "requests at most (at most 10 million)"},
           {.name = "timeout",
            .value = "TIME",
            .help = "after which a request has failed (default: 10s)"},
           {.name = "most-in-flight",
            .value = "N",
            .help = "more wait here, and their latency counts on (default: 1000; of commands "
                    "64)"},
           {.name = "header", .value = "TEXT", .help = "of HTTP: 'Name: value'", .repeats = true},
           {.name = "body", .value = "TEXT", .help = "of HTTP: send a POST with it"},
           {.name = "seed", .value = "N", .help = "of random intervals (default: 1)"},
           {.name = "slo", .value = "SLO", .help = "what must hold, such as \"p99 < 200ms\""},
           {.name = "full", .help = "all sections of the answer"},
           {.name = "force", .help = "replace the log of -o if it exists"},
           {.name = "output",
            .value = "FILE",
            .help = "the log (default: tail.jsonl)",
            .letter = 'o',
            .file = true}},
      .positionals = {{.name = "COMMAND",
                       .help = "a process per request, instead of --http",
                       .repeats = true,
                       .behind_dashes = true}},
      .examples = {"kstar tail measure --rate 200 --http http://127.0.0.1:8080/ --time 30s",
                   "kstar tail measure --rate 5 --count 100 -- ./query --once"},
      .run = run_measure_tail};
}

}  // namespace kstar
