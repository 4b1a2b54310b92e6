#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "base/worker_list.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/trace_output.h"
#include "kstar/import.h"
#include "kstar/limits.h"
#include "kstar/study_file.h"
#include "kstar/trace_report.h"
#include "kstar/trace_totals.h"

namespace kstar {

namespace {

Result<int> whole_flag(const Arguments& arguments, const char* flag, std::int64_t most) {
  const std::string text = arguments.text(flag);
  const auto value = parse_integer(text);
  if (value && *value >= 1 && *value <= most) return static_cast<int>(*value);
  return fail(usage(
      expected(fmt::format("--{}", flag), fmt::format("a whole number from 1 to {}", most), text)));
}

/// "3/16".
Result<void> read_part(const Arguments& arguments, TraceOptions& options) {
  if (!arguments.has("part")) return {};
  const std::string text = arguments.text("part");
  const std::vector<std::string_view> sides = split(text, '/');
  constexpr std::int64_t kMost = 1'000'000;
  const std::int64_t part = parse_integer(sides.front()).value_or(0);
  const std::int64_t parts = sides.size() == 2 ? parse_integer(sides[1]).value_or(0) : 0;
  if (parts < 1 || parts > kMost || part < 1 || part > parts) {
    return fail(usage(expected("--part", "PART/PARTS, such as 3/16", text)));
  }
  options.part = static_cast<int>(part);
  options.parts = static_cast<int>(parts);
  return {};
}

/// K and how much is done per second, of a table or a study.
Result<std::vector<TraceRate>> read_rates(const std::string& path) {
  const std::vector<std::string> paths = {path};
  KSTAR_TRY(const Study study, import_files(paths, {}));
  const bool weak = study.header.regime == Regime::kWeak;
  std::vector<TraceRate> rates;
  for (const Run& run : study.runs) {
    const auto time = counts(run) ? steady_time(run) : std::nullopt;
    if (!time || *time <= 0) continue;
    rates.push_back({run.workers, (weak ? static_cast<double>(run.workers) : 1.0) / *time});
  }
  if (rates.empty()) {
    return fail({.where = printable(path), .message = "expected K and rates, found none"});
  }
  return rates;
}

Result<TraceView> trace_view(const Arguments& arguments, const std::vector<TraceAnalysis>& analyses,
                             const TraceOptions& options) {
  TraceView view;
  view.full = arguments.has("full");
  view.unclassified = arguments.has("unclassified");
  if (arguments.has("ideal")) {
    const std::vector<std::string> paths = {arguments.text("ideal")};
    KSTAR_TRY(const std::vector<TraceAnalysis> ideal, analyze_traces(paths, options));
    KSTAR_TRY(view.slowdown, compare_with_ideal(analyses.front(), ideal.front()));
  }
  return view;
}

/// True where the file is the table of key_averages(), and was shown.
Result<bool> show_totals(const Arguments& arguments, Console& console) {
  if (arguments.positionals.size() != 1) return false;
  const std::string& path = arguments.positionals.front();
  KSTAR_TRY(const auto totals, load_trace_totals(path, arguments.text("rules")));
  if (!totals) return false;
  for (const char* flag : {"predict", "step", "rates", "network", "ideal", "hta", "workers"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage(
        {.where = fmt::format("--{}", flag),
         .message = fmt::format("needs a trace, and {} is a table of totals", printable(path))}));
  }
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  KSTAR_CHECK(deliver_as(format, arguments, console, *totals));
  return true;
}

Result<ExitCode> run_trace(const Arguments& arguments, Console& console) {
  if (arguments.has("list-rules")) {
    console.print(trace_rules());
    return ExitCode::kDone;
  }
  if (arguments.positionals.empty()) {
    return fail(usage({.where = "kstar trace",
                       .message = "expected traces: files, or a folder of them",
                       .hint = "torch.profiler writes them: on_trace_ready="
                               "tensorboard_trace_handler(\"traces\")"}));
  }
  KSTAR_TRY(TraceOptions options, trace_options(arguments));
  KSTAR_CHECK(read_part(arguments, options));
  if (arguments.has("threads")) {
    KSTAR_TRY(options.threads, whole_flag(arguments, "threads", 1024));
  }
  if (arguments.has("part")) {
    KSTAR_TRY(const std::string part, trace_part(arguments.positionals, options));
    KSTAR_CHECK(deliver(arguments, console, part));
    return ExitCode::kDone;
  }
  KSTAR_TRY(const bool shown, show_totals(arguments, console));
  if (shown) return ExitCode::kDone;
  KSTAR_TRY(std::vector<TraceAnalysis> analyses, analyze_traces(arguments.positionals, options));
  if (arguments.has("rates")) {
    KSTAR_TRY(const std::vector<TraceRate> rates, read_rates(arguments.text("rates")));
    for (TraceAnalysis& analysis : analyses) explain_rates(analysis, rates);
  }
  KSTAR_TRY(const TraceView view, trace_view(arguments, analyses, options));
  return deliver_traces(arguments, console, analyses, view);
}

/// Of the largest K.
Result<Chart> chosen_trace_chart(const Arguments& arguments,
                                 const std::vector<TraceAnalysis>& analyses) {
  const std::string kind = arguments.text("chart", "breakdown");
  if (kind == "breakdown") return breakdown_chart(analyses.back());
  const bool waiting = kind == "waiting";
  const auto chart = waiting ? wait_chart(analyses.back()) : lane_chart(analyses.back());
  if (chart) return *chart;
  return fail({.where = "--chart " + kind,
               .message = waiting ? "there is nothing to draw: waiting needs the traces of 2 to 64 "
                                    "ranks, with collectives that match"
                                  : "there is nothing to draw: no step is shown on all ranks"});
}

std::vector<Flag> trace_flags() {
  std::vector<Flag> flags = {
      {.name = "predict",
       .value = "LIST",
       .help = "worker counts of the curve: 8..512 (default: doublings of K)"},
      {.name = "workers",
       .value = "K",
       .help = "how many workers there were, where the traces do not say it"},
      {.name = "step",
       .value = "NAME",
       .help = "the annotation that marks a step (default: ProfilerStep, or what repeats)"},
      {.name = "rules",
       .value = "FILE",
       .help = "rules for what is communication, before the built-in ones",
       .file = true},
      {.name = "list-rules", .help = "print the built-in rules"},
      {.name = "rates",
       .value = "FILE",
       .help = "a table of K and rates: how much of the missing speed is explained",
       .file = true},
      {.name = "network",
       .value = "FILE",
       .help = "a network.toml of 'kstar comm': transfer grows with K as it says",
       .file = true},
      {.name = "ideal",
       .value = "FILE",
       .help = "a trace of the ideal: how many times as long a step takes",
       .file = true},
      {.name = "threshold",
       .value = "E",
       .help = fmt::format("K* is the last K with this efficiency (default: {:.2f})", kThreshold)},
      {.name = "hta", .help = "the quantities of HolisticTraceAnalysis instead"},
      {.name = "unclassified", .help = "list the names that no rule knows"},
      {.name = "part", .value = "I/N", .help = "read only part I of N of the files"},
      {.name = "threads", .value = "N", .help = "files read at a time (default: cores)"},
      {.name = "chart",
       .value = "KIND",
       .help = "what a picture of -o shows (default: breakdown, a step's time per rank)",
       .choices = {"breakdown", "waiting", "lanes"}},
      {.name = "full", .help = "all sections"}};
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  flags.push_back(format_flag());
  flags.push_back(output_flag());
  flags.push_back(force_flag());
  return with_page(std::move(flags));
}

}  // namespace

Result<TraceOptions> trace_options(const Arguments& arguments) {
  TraceOptions options;
  options.step = arguments.text("step");
  options.rules = arguments.text("rules");
  if (arguments.has("workers")) {
    KSTAR_TRY(options.workers, whole_flag(arguments, "workers", kMostWorkers));
  }
  if (arguments.has("predict")) {
    Result<std::vector<std::int64_t>> list =
        parse_worker_list(arguments.text("predict"), "--predict");
    if (!list) return fail(usage(std::move(list.error())));
    options.predict = std::move(*list);
  }
  if (arguments.has("network")) {
    KSTAR_TRY(options.network, load_network(arguments.text("network")));
  }
  KSTAR_TRY(options.threshold, arguments.share("threshold", options.threshold));
  return options;
}

Result<ExitCode> deliver_traces(const Arguments& arguments, Console& console,
                                const std::vector<TraceAnalysis>& analyses, TraceView view) {
  const std::string path = arguments.text("output");
  if (path.ends_with(".jsonl") || path.ends_with(".jsonl.gz")) {
    KSTAR_CHECK(deliver_study(arguments, console, to_study(analyses)));
    view.study = path;
    const Document document =
        arguments.has("hta") ? hta_document(analyses) : to_document(analyses, view);
    console.print(document_text(document, "text", console.style()));
    return ExitCode::kDone;
  }
  if (wants_picture(arguments)) {
    KSTAR_TRY(const Chart chart, chosen_trace_chart(arguments, analyses));
    KSTAR_TRY(const SvgStyle style, picture_style(arguments));
    KSTAR_TRY(const PictureFormat format, picture_format(arguments));
    KSTAR_CHECK(deliver_picture(chart, style, format, arguments, console));
    return ExitCode::kDone;
  }
  KSTAR_TRY(const std::string format, wanted_format(arguments, ".jsonl, .svg, .pdf, .png, "));
  if (!arguments.has("hta")) {
    view.full = view.full || format == "html";
    view.chart = format == "html";
    KSTAR_CHECK(deliver_as(format, arguments, console, analyses, view));
    return ExitCode::kDone;
  }
  std::string text;
  if (format == "csv") text = hta_csv(analyses);
  if (format == "json") text = hta_json(analyses);
  if (text.empty()) {
    text = document_text(hta_document(analyses), format, output_style(arguments, console));
  }
  KSTAR_CHECK(deliver(arguments, console, text));
  return ExitCode::kDone;
}

Command trace_command() {
  return {
      .name = "trace",
      .summary = "the serial fraction read off a profile: torch.profiler traces",
      .details = {"Compute, exposed and hidden communication, waiting for late ranks, the critical "
                  "path and what more workers would give, from traces of torch.profiler (Kineto, "
                  "Chrome JSON; plain, gzip or zstd), of one rank or of all.",
                  "-o study.jsonl writes a study for 'kstar analyze'. For thousands of ranks, "
                  "--part I/N reads a part of the files; 'kstar merge' of all parts gives what one "
                  "run gives.",
                  "A file with the table of key_averages() gives bounds of s: totals only."},
      .flags = trace_flags(),
      .positionals = {{.name = "TRACE",
                       .help = "files, or folders of files: one for each rank",
                       .repeats = true,
                       .file = true}},
      .examples = {"kstar trace traces/ --predict 8..512", "kstar trace traces/ -o traces.jsonl",
                   "kstar trace rank0.json.gz --hta", "kstar trace traces/ -o breakdown.svg",
                   "kstar trace traces/ --part 3/16 -o part3.kst"},
      .run = run_trace};
}

}  // namespace kstar
