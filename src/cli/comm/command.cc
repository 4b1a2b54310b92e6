#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/bytes.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/comm/commands.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "kstar/comm_report.h"
#include "kstar/study_file.h"

namespace kstar {

namespace {

/// "25GB/s x8", "200Gb/s": bytes per second.
Result<double> parse_link(std::string_view text) {
  const Error wrong =
      usage(expected("--link", "a rate such as 25GB/s, 200Gb/s or '25GB/s x8'", text));
  std::string_view rate = trim(text);
  double links = 1;
  if (const std::size_t times = rate.find_last_of("xX*"); times != rate.npos) {
    const auto count = parse_double(trim(rate.substr(times + 1)));
    if (!count || !(*count >= 1) || *count > 1e6) return fail(wrong);
    links = *count;
    rate = trim(rate.substr(0, times));
  }
  if (rate.ends_with("/s"))
    rate.remove_suffix(2);
  else if (rate.ends_with("ps"))
    rate.remove_suffix(2);
  else
    return fail(wrong);  // bytes, not bytes per second
  double bits = 1;
  std::string bytes(rate);
  for (const std::string_view unit : {"bit", "b"}) {
    if (!bytes.ends_with(unit)) continue;
    bytes.replace(bytes.size() - unit.size(), unit.size(), "B");
    bits = 8;
    break;
  }
  const std::optional<double> number = parse_bytes(bytes);
  if (!number || !(*number > 0)) return fail(wrong);
  return *number / bits * links;
}

Result<std::optional<double>> whole_flag(const Arguments& arguments, const char* flag) {
  if (!arguments.has(flag)) return std::optional<double>();
  const std::string given = arguments.text(flag);
  const std::optional<std::int64_t> value = parse_integer(given);
  constexpr std::int64_t kMost = 1000000000;
  if (!value || *value < 1 || *value > kMost) {
    return fail(usage(expected(fmt::format("--{}", flag), "a whole number from 1 to 1e9", given)));
  }
  return std::optional(static_cast<double>(*value));
}

bool is_study_text(std::string_view text) {
  const std::string_view line = trim(text.substr(0, std::min(text.find('\n'), text.size())));
  return line.find("\"kstar\"") != line.npos && line.find("\"study\"") != line.npos;
}

Result<void> read_one(const std::string& path, CommData& data) {
  constexpr std::size_t kLargest = std::size_t{1} << 30U;
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    return fail({.where = printable(path),
                 .message = "is a folder",
                 .hint = fmt::format("name its files: {}/*", printable(path))});
  }
  KSTAR_TRY(const FileText text, read_file(path, kLargest));
  if (!is_study_text(text.view())) return read_collectives(text.view(), path, data);
  KSTAR_TRY(const Study study, parse_study(text.view(), path));
  if (add_measured(study, data)) return {};
  return fail({.where = printable(path),
               .message = "is a study of a program, not of collectives",
               .hint = "kstar analyze reads it"});
}

/// The K seen and four times the largest; a message has two ends on any K.
std::vector<double> seen_workers(const Network& network, Collective collective) {
  std::set<double> all;
  for (const NetworkSweep& sweep : network.sweeps) {
    if (sweep.collective == collective) all.insert(sweep.workers);
  }
  if (all.empty()) {
    for (const NetworkSweep& sweep : network.sweeps) all.insert(sweep.workers);
  }
  constexpr std::size_t kMost = 8;
  while (all.size() > kMost) all.erase(std::next(all.begin()));
  if (!all.empty() && collective != Collective::kPointToPoint) {
    const double largest = *all.rbegin();
    all.insert(2 * largest);
    all.insert(4 * largest);
  }
  return {all.begin(), all.end()};
}

Collective usual_collective(const Network& network) {
  const auto has = [&](Collective one) {
    return std::any_of(network.sweeps.begin(), network.sweeps.end(),
                       [&](const NetworkSweep& sweep) { return sweep.collective == one; });
  };
  if (network.sweeps.empty() || has(Collective::kAllReduce)) return Collective::kAllReduce;
  return network.sweeps.front().collective;
}

Result<CommFitOptions> fit_options(const Arguments& arguments) {
  CommFitOptions options;
  if (arguments.has("link")) {
    KSTAR_TRY(options.link, parse_link(arguments.text("link")));
    options.link_text = arguments.text("link");
  }
  KSTAR_TRY(options.node_workers, whole_flag(arguments, "node-workers"));
  return options;
}

Result<CommGiven> given_of(const Arguments& arguments) {
  CommGiven given;
  KSTAR_TRY(given.workers, whole_flag(arguments, "ranks"));
  KSTAR_TRY(given.nodes, whole_flag(arguments, "nodes"));
  KSTAR_TRY(given.node_workers, whole_flag(arguments, "node-workers"));
  given.in_place = arguments.has("in-place");
  return given;
}

std::string file_name(const CommSweep& sweep) {
  return printable(std::filesystem::path(sweep.source).filename().string());
}

/// What is given where the files say something else, or have nothing that it could be about.
Result<void> check_given(const CommGiven& given, const CommFitOptions& options,
                         const CommData& data) {
  if (data.sweeps.empty()) return {};
  const auto contradicts = [&](const char* flag, const std::optional<double>& value,
                               double CommSweep::*said, const char* what) -> Result<void> {
    if (!value) return {};
    const bool lacks = std::any_of(data.sweeps.begin(), data.sweeps.end(),
                                   [&](const CommSweep& sweep) { return sweep.*said == 0; });
    const auto other = std::find_if(data.sweeps.begin(), data.sweeps.end(),
                                    [&](const CommSweep& sweep) { return sweep.*said != *value; });
    if (lacks || other == data.sweeps.end()) return {};
    const CommSweep& first = *other;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = fmt::format("is for files that do not say it, and {} says {} {}",
                                              file_name(first), shortest(first.*said), what)}));
  };
  KSTAR_CHECK(contradicts("ranks", given.workers, &CommSweep::workers, "workers"));
  KSTAR_CHECK(contradicts("nodes", given.nodes, &CommSweep::nodes, "nodes"));
  const bool in_place = std::any_of(data.sweeps.begin(), data.sweeps.end(),
                                    [](const CommSweep& one) { return !one.in_place.empty(); });
  if (given.in_place && !in_place) {
    return fail(usage({.where = "--in-place",
                       .message = "the files have no in-place times",
                       .hint = "nccl-tests and rccl-tests print them"}));
  }
  for (const CommSweep& sweep : data.sweeps) {
    const double nodes = sweep.nodes > 0 ? sweep.nodes : given.nodes.value_or(0);
    const double workers = sweep.workers > 0 ? sweep.workers : given.workers.value_or(0);
    if (nodes > workers && workers > 0) {
      return fail(usage(
          expected("--nodes",
                   fmt::format("at most the {} workers of {}", shortest(workers), file_name(sweep)),
                   shortest(nodes))));
    }
    if (!options.node_workers || nodes == 0 || workers <= nodes * *options.node_workers) continue;
    return fail(usage(expected(
        "--node-workers",
        fmt::format("{} or more, as {} has {} workers on {}", shortest(std::ceil(workers / nodes)),
                    file_name(sweep), shortest(workers),
                    count_text(static_cast<std::size_t>(nodes), "node")),
        shortest(*options.node_workers))));
  }
  return {};
}

/// What a sweep lacks that cannot be used.
std::string missing_hint(const CommAnalysis& analysis) {
  const bool known = std::all_of(analysis.fits.begin(), analysis.fits.end(),
                                 [](const CommFit& fit) { return fit.workers >= 2; });
  return known ? "measure three sizes or more" : "--ranks N says on how many workers it ran";
}

Result<void> write_network(const CommAnalysis& analysis, const Arguments& arguments,
                           Console& console) {
  if (analysis.network.sweeps.empty()) {
    return fail({.where = arguments.text("output"),
                 .message = "there is nothing to write: no sweep has three sizes and a known K",
                 .hint = missing_hint(analysis)});
  }
  KSTAR_CHECK(deliver(arguments, console, to_toml(analysis.network)));
  console.note(fmt::format(
      "{}: 'kstar predict step --network', 'kstar plan step --network' and 'kstar comm predict' "
      "read it",
      count_text(analysis.network.sweeps.size(), "sweep")));
  return {};
}

Result<void> draw_comm(const CommReport& report, const Arguments& arguments, Console& console) {
  for (const char* flag : {"format", "full", "plot"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = fmt::format("cannot be combined with -o {}, which is a picture",
                                              printable(arguments.text("output")))}));
  }
  KSTAR_TRY(const PictureFormat format, picture_format(arguments));
  KSTAR_TRY(const SvgStyle style, picture_style(arguments));
  const auto kind =
      arguments.text("chart") == "bandwidth" ? CommChartKind::kBandwidth : CommChartKind::kTime;
  return deliver_picture(to_chart(report.analysis, kind), style, format, arguments, console);
}

std::vector<Flag> comm_flags() {
  std::vector<Flag> flags = comm_question_flags();
  for (Flag& flag : comm_file_flags()) flags.push_back(std::move(flag));
  flags.push_back({.name = "chart",
                   .value = "KIND",
                   .help = "what -o FILE.svg draws by size (default: time)",
                   .choices = {"time", "bandwidth"}});
  flags.push_back({.name = "plot", .help = "draw time by size"});
  flags.push_back({.name = "full", .help = "every piece of every sweep, and how to read it"});
  flags.push_back(format_flag());
  flags.push_back({.name = "output",
                   .value = "FILE",
                   .help = "write to this file; .toml is the network file, .svg, .pdf or .png a "
                           "picture, .html a page",
                   .letter = 'o',
                   .file = true});
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  return with_page(std::move(flags));
}

Result<ExitCode> run_comm(const Arguments& arguments, Console& console) {
  return show_comm(arguments, console, arguments.positionals);
}

}  // namespace

std::vector<Flag> comm_file_flags() {
  return {{.name = "link",
           .value = "RATE",
           .help = "the stated rate, to compare with: 25GB/s, 200Gb/s or '25GB/s x8'"},
          {.name = "ranks",
           .value = "N",
           .help = "on how many workers it ran, where the file does not say"},
          {.name = "nodes", .value = "N", .help = "on how many nodes, likewise"},
          {.name = "node-workers",
           .value = "N",
           .help = "workers of one node: nodes where the file does not say"},
          {.name = "in-place", .help = "the in-place times of nccl-tests"}};
}

std::string comm_title(const CommAnalysis& analysis) {
  std::set<std::string> sources;
  for (const CommFit& fit : analysis.fits) sources.insert(fit.sources.begin(), fit.sources.end());
  const std::string sweeps = count_text(analysis.fits.size(), "sweep");
  if (sources.size() == 1) {
    return fmt::format("{}: {}", std::filesystem::path(*sources.begin()).filename().string(),
                       sweeps);
  }
  return fmt::format("{} of {}", sweeps, count_text(sources.size(), "file"));
}

Result<CommData> read_comm_files(const std::vector<std::string>& paths,
                                 std::optional<Collective> unnamed) {
  CommData data;
  data.unnamed = unnamed;
  std::optional<Error> first;
  for (const std::string& path : paths) {
    const Result<void> read = read_one(path, data);
    if (read) continue;
    if (paths.size() == 1) return fail(read.error());
    if (!first) first = read.error();
    data.notes.push_back(fmt::format("{}: {}", read.error().where, read.error().message));
  }
  if (data.sweeps.empty() && data.skipped.empty() && first) return fail(*first);
  return data;
}

Result<ExitCode> show_comm(const Arguments& arguments, Console& console,
                           const std::vector<std::string>& paths) {
  if (paths.empty()) {
    return fail(usage({.where = arguments.path,
                       .message = "expected at least one FILE",
                       .hint = "the output of nccl-tests, OSU or Intel MPI benchmarks; 'kstar comm "
                               "measure' makes one here"}));
  }
  const bool picture = wants_picture(arguments);
  const bool network = arguments.text("output").ends_with(".toml");
  std::string format = "text";
  if (!picture && !network) {
    KSTAR_TRY(format, wanted_format(arguments, ".toml, .svg, .pdf, .png, "));
  }
  KSTAR_TRY(const CommFitOptions options, fit_options(arguments));
  KSTAR_TRY(const CommGiven given, given_of(arguments));
  KSTAR_TRY(CommData data, read_comm_files(paths, collective_named(arguments.text("collective"))));
  KSTAR_CHECK(check_given(given, options, data));
  apply_given(given, data);
  CommReport report;
  KSTAR_TRY(report.analysis, analyze_comm(data, options));
  report.title = comm_title(report.analysis);
  report.analysis.network.title = report.title;
  const Network& fitted = report.analysis.network;
  KSTAR_TRY(std::optional<CommQuestion> question,
            comm_question(arguments, seen_workers(fitted, usual_collective(fitted))));
  if (question) {
    if (!arguments.has("collective")) question->collective = usual_collective(fitted);
    if (question->gradient && !arguments.has("collective")) {
      question->collective = Collective::kAllReduce;
    }
    if (fitted.sweeps.empty()) {
      return fail({.where = arguments.path,
                   .message = "nothing can be predicted: no sweep has three sizes and a known K",
                   .hint = missing_hint(report.analysis)});
    }
    KSTAR_TRY(report.prediction, predict_comm(fitted, *question));
  }
  if (picture) {
    KSTAR_CHECK(draw_comm(report, arguments, console));
    return ExitCode::kDone;
  }
  if (network) {
    KSTAR_CHECK(write_network(report.analysis, arguments, console));
    return ExitCode::kDone;
  }
  const bool page = format == "html";  // has room for all
  const CommView view = {.full = page || arguments.has("full"),
                         .chart = page || arguments.has("plot")};
  KSTAR_CHECK(deliver_as(format, arguments, console, report, view));
  return ExitCode::kDone;
}

Command comm_command() {
  Command fit = {.name = "fit",
                 .summary = "alpha and beta of the collectives in benchmark outputs",
                 .details = {"The same as 'kstar comm FILE' without a prediction; -o network.toml "
                             "writes the network file."},
                 .flags = comm_flags(),
                 .positionals = {{.name = "FILE",
                                  .help = "output of nccl-tests, rccl-tests, OSU or IMB",
                                  .required = true,
                                  .repeats = true,
                                  .file = true}},
                 .examples = {"kstar comm fit sweep.txt -o network.toml"},
                 .run = run_comm};
  return {.name = "comm",
          .summary = "what a collective costs, and whether the network is good",
          .details = {"FILE is the output of nccl-tests or rccl-tests (text or JSON), of OSU or of "
                      "Intel MPI benchmarks, with whatever else a log has, or a study of 'kstar "
                      "comm measure'. Times are fitted as alpha + beta x bytes in pieces.",
                      "--gradient or --bytes predicts a collective on other K; -o network.toml "
                      "keeps the network for 'predict step --network' and 'plan step --network'."},
          .flags = comm_flags(),
          .positionals = {{.name = "FILE",
                           .help = "output of nccl-tests, rccl-tests, OSU or IMB",
                           .repeats = true,
                           .file = true}},
          .commands = {comm_measure_command(), fit, comm_predict_command()},
          .examples = {"kstar comm sweep.txt --link '25GB/s x8'",
                       "kstar comm sweep.txt --gradient 7e9:bf16 --workers 16..256",
                       "kstar comm logs/*.txt -o network.toml"},
          .run = run_comm};
}

}  // namespace kstar
