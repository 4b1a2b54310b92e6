#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/kept_files.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/tail/commands.h"
#include "kstar/price.h"
#include "kstar/study_file.h"
#include "kstar/tail.h"
#include "kstar/tail_report.h"

namespace kstar {

namespace {

std::string latency_format_names() {
  std::string names;
  for (const LatencyFormatInfo& one : latency_formats()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  }
  return names;
}

std::vector<Flag> tail_flags() {
  std::vector<Flag> flags = {
      {.name = "slo", .value = "SLO", .help = "what must hold, such as \"p99 < 200ms\""},
      {.name = "fan-out", .value = "K", .help = "a request waits for the slowest of K shards"},
      {.name = "rate",
       .value = "R",
       .help = "requests per second that were meant to be sent: for coordinated omission"},
      {.name = "percentiles", .value = "LIST", .help = "such as 50,95,99 (default: 50,90,99,99.9)"},
      {.name = "files",
       .value = "WHAT",
       .help = "several files are levels of load, or shards (default: levels if every file has a "
               "rate of its own)",
       .choices = {"levels", "shards"}},
      {.name = "metric",
       .value = "NAME",
       .help = "which latencies, where a file has several: ttft, itl, a tag, an endpoint"},
      {.name = "unit",
       .value = "UNIT",
       .help = "of numbers without one",
       .choices = {"s", "ms", "us", "ns"}},
      {.name = "column", .value = "NAME", .help = "of a table: the latencies"},
      {.name = "start-column", .value = "NAME", .help = "of a table: when each request started"},
      {.name = "input-format",
       .value = "NAME",
       .help = "what the files are: " + latency_format_names()},
      confidence_flag(),
      {.name = "price",
       .value = "PRICE",
       .help = "of what serves, per hour, such as 2.50: goodput per money"},
      {.name = "study",
       .value = "FILE",
       .help = "also write throughput over requests in flight as a study, for analyze and plan",
       .file = true},
      {.name = "figure",
       .value = "KIND",
       .help = "what -o draws (default: load of several levels, else percentiles)",
       .choices = {"percentiles", "load", "fan-out"}},
      {.name = "plot", .help = "draw the curves"},
      {.name = "full", .help = "all sections: fan-out, hedging, stated percentiles, assumptions"},
      force_flag(),
      format_flag(),
      {.name = "output",
       .value = "FILE",
       .help = "write to this file instead of standard output; .svg, .pdf or .png draws a figure, "
               ".html writes a page",
       .letter = 'o',
       .file = true}};
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  return flags;
}

Result<std::vector<double>> shares_of(const Arguments& arguments) {
  const std::string given = arguments.text("percentiles");  // the items are views into it
  std::vector<double> shares;
  for (const std::string_view item : split(given, ',')) {
    std::string_view text = trim(item);
    if (text.starts_with('p')) text.remove_prefix(1);
    const std::optional<double> value = parse_double(text);
    if (!value || *value <= 0 || *value >= 100) {
      return fail(
          usage(expected("--percentiles", "numbers above 0 and below 100, such as 50,99,99.9",
                         std::string(item))));
    }
    shares.push_back(*value / 100);
  }
  constexpr std::size_t kMost = 20;
  if (shares.size() > kMost) {
    return fail(usage(expected("--percentiles", "at most 20", std::to_string(shares.size()))));
  }
  return shares;
}

Result<std::optional<double>> positive_of(const Arguments& arguments, const char* flag,
                                          const char* what, double most, bool whole) {
  if (!arguments.has(flag)) return std::optional<double>();
  const std::string given = arguments.text(flag);
  const std::optional<double> value = parse_double(given);
  if (value && *value > 0 && *value <= most &&
      (!whole || *value == static_cast<double>(static_cast<std::int64_t>(*value)))) {
    return value;
  }
  return fail(usage(expected(fmt::format("--{}", flag), what, given)));
}

Result<TailOptions> tail_options(const Arguments& arguments) {
  TailOptions options;
  if (arguments.has("slo")) {
    Result<Slo> slo = parse_slo(arguments.text("slo"));
    if (!slo) return fail(usage(slo.error()));
    options.slo = *slo;
  }
  KSTAR_TRY(options.fan_out,
            positive_of(arguments, "fan-out", "a whole number from 1 to 1000000", 1e6, true));
  KSTAR_TRY(options.rate,
            positive_of(arguments, "rate", "requests per second, above 0", 1e12, false));
  if (arguments.has("percentiles")) {
    KSTAR_TRY(options.shares, shares_of(arguments));
  }
  if (arguments.has("files")) {
    options.files = arguments.text("files") == "levels" ? TailFiles::kLevels : TailFiles::kShards;
  }
  KSTAR_TRY(options.confidence, confidence_of(arguments, options.confidence));
  if (arguments.has("price")) {
    CostRates rates;
    if (Result<void> read = read_price(arguments.text("price"), "--price", rates); !read) {
      return fail(usage(read.error()));
    }
    options.price = rates.price;
    options.currency = rates.currency;
    if (!options.slo) {
      return fail(
          usage({.where = "--price", .message = "needs --slo as well: goodput is what keeps it"}));
    }
  }
  return options;
}

Result<std::vector<LatencySet>> read_sets(const Arguments& arguments) {
  LatencyOptions options;
  options.format = arguments.text("input-format");
  options.metric = arguments.text("metric");
  options.column = arguments.text("column");
  options.start_column = arguments.text("start-column");
  if (arguments.has("unit")) options.unit = seconds_in_unit(arguments.text("unit"));
  std::vector<LatencySet> sets;
  for (const std::string& path : arguments.positionals) {
    Result<LatencySet> set = read_latencies(path, options);
    if (!set) {
      Error error = set.error();
      if (error.where.starts_with("--")) error = usage(error);
      return fail(std::move(error));
    }
    for (const char* flag : {"column", "start-column"}) {
      if (!arguments.has(flag) || set->format == "csv") continue;
      return fail(usage({.where = std::string("--") + flag,
                         .message = fmt::format("{} has no columns (read as {})", printable(path),
                                                set->format)}));
    }
    sets.push_back(std::move(*set));
  }
  return sets;
}

Result<Chart> wanted_chart(const Arguments& arguments, const Tail& tail) {
  const std::string kind =
      arguments.text("figure", tail.files == TailFiles::kLevels ? "load" : "percentiles");
  if (kind == "load") {
    if (tail.files == TailFiles::kLevels) return load_chart(tail);
    return fail(
        usage({.where = "--figure", .message = "load needs files at several levels of load"}));
  }
  if (kind == "fan-out") {
    const TailLevel& level = tail.levels.front();
    if (level.omission.verdict == OmissionVerdict::kFound) {
      return fail({.where = "--figure",
                   .message = "the slowest of K shards would rest on latencies that are too good: "
                              "the client waited for late answers (coordinated omission)"});
    }
    if (level.fan_out) return fan_out_chart(tail);
    return fail(usage({.where = "--figure",
                       .message = "fan-out needs samples, and the file has percentiles alone"}));
  }
  return percentile_chart(tail);
}

Result<ExitCode> draw_tail(const Arguments& arguments, Console& console, const Tail& tail) {
  for (const char* flag : {"format", "full", "plot"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = fmt::format("cannot be combined with -o {}, which is a picture",
                                              arguments.text("output"))}));
  }
  KSTAR_TRY(const Chart chart, wanted_chart(arguments, tail));
  KSTAR_TRY(const PictureFormat format, picture_format(arguments));
  KSTAR_TRY(const SvgStyle style, picture_style(arguments));
  KSTAR_CHECK(deliver_picture(chart, style, format, arguments, console));
  return ExitCode::kDone;
}

Result<void> write_study(const Arguments& arguments, Console& console, const Tail& tail) {
  if (!arguments.has("study")) return {};
  const std::string path = arguments.text("study");
  KSTAR_TRY(const Study study, to_study(tail));
  std::error_code ignored;
  if (!arguments.has("force") && std::filesystem::exists(path, ignored)) {
    return fail(already_there(path));
  }
  KSTAR_CHECK(save_study(study, path));
  console.note(fmt::format("wrote {}: {}", printable(path), count_text(study.runs.size(), "run")));
  return {};
}

/// All sections, with the charts.
Result<ExitCode> write_page(const Arguments& arguments, Console& console, const Tail& tail) {
  const Document document = to_document(tail, {.full = true, .chart = true});
  const LatencySet& first = tail.levels.front().set;
  const std::string title = tail.levels.size() == 1 ? "kstar tail: " + first.name : "kstar tail";
  KSTAR_CHECK(deliver(arguments, console, document_page(document, title)));
  return ExitCode::kDone;
}

Result<ExitCode> run_tail(const Arguments& arguments, Console& console) {
  if (arguments.positionals.empty()) {
    return fail(usage({.where = arguments.path,
                       .message = "expected a file of latencies",
                       .hint = "for example 'kstar tail latencies.txt --unit ms'; - is standard "
                               "input"}));
  }
  const bool picture = wants_picture(arguments);
  const bool page = arguments.text("output").ends_with(".html") && !arguments.has("format");
  std::string format = "text";
  if (!picture && !page) {
    KSTAR_TRY(format, wanted_format(arguments, ".svg, .pdf, .png, .html, "));
  }
  KSTAR_TRY(const TailOptions options, tail_options(arguments));
  KSTAR_TRY(std::vector<LatencySet> sets, read_sets(arguments));
  Result<Tail> found = analyze_tail(std::move(sets), options);
  if (!found) {
    return fail(found.error().where.starts_with("--") ? usage(found.error()) : found.error());
  }
  const Tail& tail = *found;
  KSTAR_CHECK(write_study(arguments, console, tail));
  if (picture) return draw_tail(arguments, console, tail);
  if (page) return write_page(arguments, console, tail);
  const TailView view = {.full = arguments.has("full"), .chart = arguments.has("plot")};
  KSTAR_CHECK(deliver_as(format, arguments, console, tail, view));
  return ExitCode::kDone;
}

}  // namespace

Command tail_command() {
  Command command = {
      .name = "tail",
      .summary = "what the slowest requests cost: percentiles that hold, fan-out, SLO, capacity",
      .details = {"Percentiles with intervals that hold on correlated latencies, coordinated "
                  "omission, the slowest of K shards, hedged requests, and of several files the "
                  "largest load that keeps an SLO.",
                  "FILE has one latency per line, a column of them, or is what a load generator "
                  "wrote: wrk, wrk2, hey, ghz, ab, vegeta, k6, Locust, JMeter, HdrHistogram, vLLM, "
                  "llmperf. Its name has a dot or a slash."},
      .flags = tail_flags(),
      .positionals = {{.name = "FILE",
                       .help = "latencies; - is standard input",
                       .repeats = true,
                       .file = true}},
      .examples = {"kstar tail latencies.hlog --fan-out 100 --slo 'p99 < 200ms'",
                   "kstar tail load-100.json load-200.json load-400.json --slo 'p99 < 50ms'",
                   "kstar tail measure --rate 200 --http http://127.0.0.1:8080/ --time 30s"},
      .run = run_tail};
  command.commands = {tail_measure_command()};
  return command;
}

}  // namespace kstar
