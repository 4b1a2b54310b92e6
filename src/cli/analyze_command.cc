#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/duration.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "base/worker_list.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/network_flags.h"
#include "cli/output.h"
#include "cli/roofline/commands.h"
#include "kstar/analysis.h"
#include "kstar/analysis_report.h"
#include "kstar/comm.h"
#include "kstar/words.h"

namespace kstar {

namespace {

constexpr const char* kMessage =
    "message";  ///< the size of a collective: --bytes is what memory moves

std::vector<std::string> form_names() {
  std::vector<std::string> names;
  for (const ModelForm& form : model_forms()) names.emplace_back(form.name);
  return names;
}

std::vector<Flag> analyze_flags() {
  std::vector<Flag> flags = {
      pairs_flag(),
      threshold_flag(),
      confidence_flag(),
      {.name = "statistic",
       .value = "NAME",
       .help = "what T is of the runs at each K: the mean (default) or the median",
       .choices = {"mean", "median"}},
      {.name = "baseline-time",
       .value = "TIME",
       .help = "another T(1), such as 12.5s, and how it moves the bend"},
      {.name = "predict",
       .value = "LIST",
       .help = "T, S and E at these worker counts: 128,256 or 32..512"},
      {.name = "model",
       .value = "MODEL",
       .help = "fit only this model instead of the average of all",
       .choices = form_names()},
      {.name = "passive",
       .value = "STUDY",
       .help = "the same runs with threads that sleep while they wait (OMP_WAIT_POLICY=passive): "
               "tells spinning from work"},
      {.name = "next", .help = "the measurement that would narrow the answer most, and its cost"},
      {.name = "resamples",
       .value = "N",
       .help = "number of resamples for the interval of the bend (default: 10000)"},
      {.name = "seed", .value = "N", .help = "random seed of the resamples (default: 1)"},
      {.name = "plot", .help = "plot the measured points and the fitted curve"},
      {.name = "brief", .help = "the answer and the table (the default)"},
      {.name = "full", .help = "all sections: causes, models, steps, the spread of the runs"},
  };
  for (Flag& flag : machine_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : network_flags(kMessage)) flags.push_back(std::move(flag));
  return with_data_flags(std::move(flags));
}

/// The data: a file, or numbers on the command line.
Result<Study> read_study(const Arguments& arguments) {
  const bool in_place = arguments.has("data");
  if (in_place == !arguments.positionals.empty()) {
    return fail(usage({.where = arguments.path,
                       .message = in_place ? "expected a FILE or --data, got both"
                                           : "expected a FILE, or --data with numbers",
                       .hint = "for example 'kstar analyze --data 1:100,2:52,4:29,8:19'"}));
  }
  if (in_place) return read_pairs(arguments);
  KSTAR_TRY(const ImportOptions options, import_options(arguments));
  return read_data(arguments.positionals[0], options);
}

Result<std::optional<double>> baseline_time(const Arguments& arguments) {
  if (!arguments.has("baseline-time")) return std::optional<double>();
  const std::string given = arguments.text("baseline-time");
  const std::optional<double> seconds = parse_duration(given);
  if (seconds && *seconds > 0) return seconds;
  return fail(
      usage(expected("--baseline-time", "a time above 0, such as 12.5s, 250ms or 2m", given)));
}

Result<std::int64_t> whole(const Arguments& arguments, const char* flag, std::int64_t least,
                           std::int64_t most, std::int64_t otherwise) {
  if (!arguments.has(flag)) return otherwise;
  const std::string given = arguments.text(flag);
  const std::optional<std::int64_t> value = parse_integer(given);
  if (value && *value >= least && *value <= most) return *value;
  return fail(
      usage(expected(fmt::format("--{}", flag),
                     most == INT64_MAX ? fmt::format("a whole number of at least {}", least)
                                       : fmt::format("a whole number from {} to {}", least, most),
                     given)));
}

Result<void> read_numbers(const Arguments& arguments, AnalysisOptions& options) {
  KSTAR_TRY(const double threshold, arguments.share("threshold", options.threshold));
  KSTAR_TRY(const double asked, confidence_of(arguments, options.confidence));
  KSTAR_TRY(const std::optional<double> baseline, baseline_time(arguments));
  constexpr std::int64_t kFewest = 100, kMost = 1000000;
  KSTAR_TRY(const std::int64_t resamples, whole(arguments, "resamples", kFewest, kMost,
                                                static_cast<std::int64_t>(options.resamples)));
  KSTAR_TRY(const std::int64_t seed,
            whole(arguments, "seed", 0, INT64_MAX, static_cast<std::int64_t>(options.seed)));
  options.threshold = threshold;
  options.confidence = asked;
  options.baseline_time = baseline;
  options.resamples = static_cast<std::size_t>(resamples);
  options.seed = static_cast<std::uint64_t>(seed);
  return {};
}

/// Of a study whose runs know their processor time.
Result<CpuByWorkers> passive_cpu(const std::string& path, const Study& of) {
  KSTAR_TRY(const Study study, read_data(path, {}));
  if (study.header.command != of.header.command || of.header.command.empty()) {
    return fail(expected("--passive", "a study of the same command as the study itself",
                         fmt::format("{}: {}", path, fmt::join(study.header.command, " "))));
  }
  CpuByWorkers cpu = cpu_by_workers(study);
  if (cpu.size() < 2) {
    return fail(expected("--passive", "a study of kstar measure with two K or more", path));
  }
  return cpu;
}

Result<AnalysisOptions> analysis_options(const Arguments& arguments) {
  AnalysisOptions options;
  KSTAR_CHECK(read_numbers(arguments, options));
  if (arguments.has("regime")) options.regime = regime_named(arguments.text("regime"));
  options.model = arguments.text("model");
  KSTAR_TRY(options.machine, machine_of(arguments));
  KSTAR_TRY(options.flops, amount_of(arguments, "flops"));
  KSTAR_TRY(options.bytes, amount_of(arguments, "bytes"));
  if (arguments.text("statistic") == "median") options.statistic = Statistic::kMedian;
  if (arguments.has("predict")) {
    const Result<std::vector<std::int64_t>> workers =
        parse_worker_list(arguments.text("predict"), "--predict");
    if (!workers) return fail(usage(workers.error()));
    for (const std::int64_t k : *workers) options.predict.push_back(static_cast<double>(k));
  }
  return options;
}

/// Several studies of one system in one view.
Result<ExitCode> run_together(const Arguments& arguments, const AnalysisOptions& options,
                              const std::string& format, Console& console) {
  if (arguments.has("data")) {
    return fail(usage({.where = arguments.path, .message = "expected FILES or --data, got both"}));
  }
  if (std::count(arguments.positionals.begin(), arguments.positionals.end(), "-") > 1) {
    return fail(usage({.where = arguments.path,
                       .message = "expected at most one -: standard input is read once"}));
  }
  KSTAR_TRY(const ImportOptions import, import_options(arguments));
  std::vector<NamedAnalysis> all;
  for (const std::string& path : arguments.positionals) {
    KSTAR_TRY(const Study study, read_data(path, import));
    KSTAR_TRY(Analysis analysis, analyze(study, options));
    all.push_back({path == "-" ? "standard input" : path, std::move(analysis)});
  }
  const AnalysisView view = {.title = fmt::format("{} studies of one system", all.size()),
                             .chart = arguments.has("plot")};
  KSTAR_CHECK(deliver_as(format, arguments, console, std::span<const NamedAnalysis>(all), view));
  return ExitCode::kDone;
}

Result<ExitCode> run_analyze(const Arguments& arguments, Console& console) {
  if (arguments.has("brief") && arguments.has("full")) {
    return fail(
        usage({.where = arguments.path, .message = "expected --brief or --full, got both"}));
  }
  KSTAR_TRY(AnalysisOptions options, analysis_options(arguments));
  KSTAR_TRY(const std::string format, wanted_format(arguments));
  if (arguments.positionals.size() > 1) return run_together(arguments, options, format, console);
  KSTAR_TRY(const Study study, read_study(arguments));
  if (is_collective_study(study.header)) {
    return fail({.where = printable(study.name),
                 .message = "has times of collectives by size, and no T(K) of a program",
                 .hint = fmt::format("kstar comm {}", printable(study.name))});
  }
  if (arguments.has("passive")) {
    KSTAR_TRY(options.passive_cpu, passive_cpu(arguments.text("passive"), study));
  }
  KSTAR_TRY(Analysis analysis, analyze(study, options));
  KSTAR_TRY(const std::optional<NetworkUse> network, network_use(arguments, kMessage));
  if (network) {
    KSTAR_TRY(analysis.network,
              against_network(analysis, network->network, network->collective, network->bytes));
  }
  const AnalysisView view = {.title = title_of(study, arguments),
                             .brief = !arguments.has("full"),
                             .notes = true,
                             .next = arguments.has("next"),
                             .chart = arguments.has("plot")};
  if (analysis.network && format == "csv") console.note(network_words(*analysis.network));
  KSTAR_CHECK(deliver_as(format, arguments, console, analysis, view));
  return ExitCode::kDone;
}

}  // namespace

Command analyze_command() {
  return {.name = "analyze",
          .summary = "find where scaling bends, why, and what more workers would give",
          .details =
              {"Computes T, S and E with their intervals, the bend, the cause, the models and "
               "how many workers to use, from the runs of a study, a table of numbers, or "
               "numbers on the command line.",
               "FILE is a study of kstar measure, or anything that kstar can import, plain or "
               "gzipped; - is standard input. Several files, such as a strong and a weak study of "
               "one system, are shown in one view: what each answers."},
          .flags = analyze_flags(),
          .positionals = {{.name = "FILE",
                           .help = "a study, or a table of times",
                           .repeats = true,
                           .file = true}},
          .examples = {"kstar analyze --data 1:100,2:52,4:29,8:19",
                       "kstar analyze --data 1:100,2:52,4:29,8:19 --predict 16,64 --next",
                       "kstar analyze study.jsonl --confidence 0.90 --format json",
                       "kstar analyze times.csv --regime weak --plot",
                       "kstar analyze strong.jsonl weak.jsonl"},
          .run = run_analyze};
}

}  // namespace kstar
