#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/try.h"
#include "base/worker_list.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/data_flags.h"
#include "cli/network_flags.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "kstar/prediction.h"
#include "kstar/prediction_report.h"
#include "kstar/simulation.h"

namespace kstar {

namespace {

/// In the order of Quantity.
constexpr std::string_view kQuantities[] = {"time", "speedup", "efficiency",
                                            "cost", "serial",  "work"};

/// From the base on, where there is one: below it a profile says little.
std::string default_workers(double base) {
  return base > 1 ? fmt::format("{0}..{1}", base, 64 * base) : "1..512";
}

/// The laws that can stand beside this one: it takes all that they need.
std::vector<std::string> comparable_laws(const Law& law) {
  const auto takes = [&](const LawParameter& needed) {
    return !needed.required ||
           std::any_of(law.parameters.begin(), law.parameters.end(),
                       [&](const LawParameter& own) { return own.name == needed.name; });
  };
  std::vector<std::string> names;
  for (const Law& other : laws()) {
    const auto& needs = other.parameters;
    if (&other != &law && std::all_of(needs.begin(), needs.end(), takes)) {
      names.emplace_back(other.name);
    }
  }
  return names;
}

std::vector<Flag> shared_flags() {
  return {
      {.name = "workers",
       .value = "LIST",
       .help = "worker counts: 1,2,4 or 1..512 (doubling; default) or 1..16:1 (steps of 1)"},
      {.name = "side-by-side",
       .value = "WHAT",
       .help = "one column of this quantity for every curve; cost is K T(K) per work, serial the "
               "largest serial fraction and work the least work per worker that hold --floor",
       .choices = {std::begin(kQuantities), std::end(kQuantities)}},
      threshold_flag(),
      {.name = "floor",
       .value = "E",
       .help = "the efficiency to hold, for serial fractions and iso-efficiency (default: 0.80)"},
      {.name = "share", .value = "P", .help = "the share of the ceiling to reach (default: 0.90)"},
      {.name = "plot", .help = "draw the curves"},
      {.name = "axes",
       .value = "SCALE",
       .help = "scale of the plot; auto is log if K spans a factor of 64 or more",
       .choices = {"auto", "linear", "log"}},
      {.name = "simulate",
       .value = "SPEC",
       .help = "write a study of noisy samples instead: runs=5,noise=0.02,seed=1, and "
               "straggler=1.5 to slow the slowest run at each K by up to that factor"},
      force_flag(),
      {.name = "brief", .help = "the answer, what would help and one table (the default)"},
      {.name = "full", .help = "all sections: parts, questions, changes, assumptions"},
      format_flag(),
      {.name = "output",
       .value = "FILE",
       .help = "write to this file instead of standard output; .svg, .pdf or .png draws the "
               "curves, .html is a page",
       .letter = 'o',
       .file = true},
  };
}

std::vector<std::string> list_of(const std::string& text) {
  std::vector<std::string> values;
  for (const std::string_view item : split(text, ',')) values.emplace_back(trim(item));
  return values;
}

std::vector<ParameterList> given_parameters(const Law& law, const Arguments& arguments) {
  std::vector<ParameterList> lists;
  for (const LawParameter& parameter : law.parameters) {
    const std::string name(parameter.name);
    if (arguments.has(name)) lists.push_back({name, list_of(arguments.text(name))});
  }
  return lists;
}

/// The parameters that `law` shares with the one they were given for.
std::vector<ParameterList> shared_with(const Law& law, const std::vector<ParameterList>& lists) {
  std::vector<ParameterList> shared;
  for (const ParameterList& list : lists) {
    const auto known =
        std::find_if(law.parameters.begin(), law.parameters.end(),
                     [&](const LawParameter& parameter) { return parameter.name == list.name; });
    if (known != law.parameters.end()) shared.push_back(list);
  }
  return shared;
}

Result<PredictionOptions> options_of(const Arguments& arguments, const LawInstance& first) {
  PredictionOptions options;
  Result<std::vector<std::int64_t>> workers =
      parse_worker_list(arguments.text("workers", default_workers(first.model.base_workers)));
  if (!workers) return fail(usage(workers.error()));
  options.workers = std::move(*workers);
  const Result<double> threshold = arguments.share("threshold", options.threshold);
  const Result<double> floor = arguments.share("floor", options.floor);
  const Result<double> share = arguments.share("share", options.share);
  for (const Result<double>* read : {&threshold, &floor, &share}) {
    if (!*read) return fail(read->error());
  }
  options.threshold = *threshold;
  options.floor = *floor;
  options.share = *share;
  return options;
}

PredictionView view_of(const Arguments& arguments) {
  PredictionView view;
  const std::string quantity = arguments.text("side-by-side");
  const auto known = std::find(std::begin(kQuantities), std::end(kQuantities), quantity);
  if (known != std::end(kQuantities)) {
    view.side_by_side = static_cast<Quantity>(known - std::begin(kQuantities));
  }
  const std::string axes = arguments.text("axes", "auto");
  view.scale = axes == "log"      ? AxisScale::kLog
               : axes == "linear" ? AxisScale::kLinear
                                  : AxisScale::kAuto;
  view.chart = arguments.has("plot");
  view.brief = !arguments.has("full");
  return view;
}

Result<std::vector<LawInstance>> instances_for(const Law& law, const Arguments& arguments,
                                               const std::optional<NetworkUse>& network,
                                               const Console& console) {
  std::vector<ParameterList> lists = given_parameters(law, arguments);
  if (network) KSTAR_CHECK(add_network(*network, arguments, lists));
  Result<std::vector<LawInstance>> instances = instances_of(law, lists);
  if (!instances) return fail(usage(instances.error()));
  if (network) KSTAR_CHECK(apply_network(*network, console, *instances));
  const Law* other = find_law(arguments.text("with"));
  if (other == nullptr) return instances;
  const std::vector<ParameterList> shared = shared_with(*other, lists);
  for (const ParameterList& list : lists) {
    const bool kept = std::any_of(shared.begin(), shared.end(),
                                  [&](const ParameterList& one) { return one.name == list.name; });
    if (!kept)
      console.note(fmt::format("{} has no --{}: it is ignored there", other->name, list.name));
  }
  const Result<std::vector<LawInstance>> more = instances_of(*other, shared);
  if (!more) return fail(usage(more.error()));
  instances->insert(instances->end(), more->begin(), more->end());
  return instances;
}

/// The job that is simulated: the law and its parameters. How it is sampled is the protocol's.
std::vector<std::string> command_of(const Law& law, const Arguments& arguments) {
  std::vector<std::string> words = {"kstar", "predict", std::string(law.name)};
  for (const ParameterList& list : given_parameters(law, arguments)) {
    words.push_back("--" + list.name);
    words.push_back(arguments.text(list.name));
  }
  return words;
}

Result<ExitCode> run_simulation(const std::vector<LawInstance>& instances,
                                const PredictionOptions& options, const Arguments& arguments,
                                Console& console) {
  if (instances.size() > 1) {
    return fail(usage({.where = "--simulate",
                       .message = fmt::format("makes a study of one curve, but {} were requested",
                                              instances.size()),
                       .hint = "give every parameter one value, and no --with"}));
  }
  for (const char* flag : {"plot", "brief", "full", "format", "side-by-side", "axes", "width",
                           "height", "dpi", "no-title"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "cannot be combined with --simulate, which writes a study"}));
  }
  const Result<SimulationOptions> simulation = parse_simulation(arguments.text("simulate"));
  if (!simulation) return fail(usage(simulation.error()));
  const Result<Study> study = simulate(instances[0], options.workers, *simulation,
                                       command_of(*instances[0].law, arguments));
  if (!study) return fail(usage(study.error()));
  KSTAR_CHECK(deliver_study(arguments, console, *study));
  return ExitCode::kDone;
}

Result<ExitCode> draw(const std::vector<Prediction>& predictions, const Arguments& arguments,
                      Console& console) {
  for (const char* flag : {"format", "full", "plot"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = fmt::format("cannot be combined with -o {}, which is a picture",
                                              arguments.text("output"))}));
  }
  KSTAR_TRY(const PictureFormat format, picture_format(arguments));
  KSTAR_TRY(const SvgStyle style, picture_style(arguments));
  KSTAR_CHECK(deliver_picture(to_chart(predictions, view_of(arguments)), style, format, arguments,
                              console));
  return ExitCode::kDone;
}

/// Of K* or, where it has no limit, of the largest K that is shown.
void add_caveats(const NetworkUse& network, std::vector<Prediction>& predictions) {
  for (Prediction& prediction : predictions) {
    const double most = prediction.points.back().workers, best = prediction.recommendation.workers;
    const double advised = best <= kLargestAnswer ? best : most;
    prediction.caveat = network_caveat(network, advised);
    prediction.at_most = is_lower_bound(network, advised);
  }
}

Result<ExitCode> run_predict(const Law& law, const Arguments& arguments, Console& console) {
  if (arguments.has("brief") && arguments.has("full")) {
    return fail(
        usage({.where = arguments.path, .message = "expected --brief or --full, got both"}));
  }
  std::optional<NetworkUse> network;
  if (law.profiled) {
    KSTAR_TRY(network, network_use(arguments));
  }
  KSTAR_TRY(const std::vector<LawInstance> instances,
            instances_for(law, arguments, network, console));
  KSTAR_TRY(const PredictionOptions options, options_of(arguments, instances.front()));
  if (arguments.has("simulate")) return run_simulation(instances, options, arguments, console);
  std::vector<Prediction> predictions;
  for (const LawInstance& instance : instances) predictions.push_back(predict(instance, options));
  if (network) add_caveats(*network, predictions);
  if (wants_picture(arguments)) return draw(predictions, arguments, console);
  for (const char* flag : {"width", "height", "dpi", "no-title"}) {
    if (!arguments.has(flag)) continue;
    return fail(usage({.where = fmt::format("--{}", flag),
                       .message = "is for pictures: -o FILE.svg, .pdf or .png"}));
  }
  KSTAR_TRY(const std::string format, wanted_format(arguments, ".svg, .pdf, .png, "));
  PredictionView view = view_of(arguments);
  view.page = format == "html";
  KSTAR_CHECK(deliver_as(format, arguments, console, predictions, view));
  return ExitCode::kDone;
}

Command law_command(const Law& law) {
  std::vector<Flag> flags = parameter_flags(law);
  if (law.profiled) {
    for (Flag& flag : network_flags()) flags.push_back(std::move(flag));
  }
  if (std::vector<std::string> beside = comparable_laws(law); !beside.empty()) {
    flags.push_back({.name = "with",
                     .value = "LAW",
                     .help = "also show this law with the same parameters",
                     .choices = std::move(beside)});
  }
  for (Flag& flag : shared_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  return {.name = std::string(law.name),
          .summary = std::string(law.help),
          .details = {std::string(law.formula),
                      "Parameters may be lists, such as 0.01,0.05,0.2: one curve per combination."},
          .flags = with_page(std::move(flags)),
          .examples = {law.examples.begin(), law.examples.end()},
          .run = [&law](const Arguments& arguments, Console& console) {
            return run_predict(law, arguments, console);
          }};
}

}  // namespace

Command predict_command() {
  Command command = {
      .name = "predict",
      .summary = "predict scaling from the laws, before renting anything",
      .details = {"A law and its parameters give a table over K and the answers: the ceiling, the "
                  "bend, the K of least time, what would help most."},
      .examples = {"kstar predict amdahl --serial 0.05"}};
  for (const Law& law : laws()) command.commands.push_back(law_command(law));
  return command;
}

}  // namespace kstar
