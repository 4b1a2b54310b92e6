#include <fmt/format.h>

#include <climits>

#include "base/number.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/picture.h"
#include "cli/plan/flags.h"
#include "cli/subjects.h"

namespace kstar {

namespace {

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const ChartKind& kind : chart_kinds()) names.emplace_back(kind.name);
  return names;
}

std::string kind_help() {
  std::string help = "what to draw (default: S if the work is fixed, E if it grows)";
  for (const ChartKind& kind : chart_kinds()) {
    help += fmt::format("; {}: {}", kind.name, kind.help);
  }
  return help;
}

std::vector<Flag> figure_flags() {
  std::vector<Flag> flags = {
      {.name = "kind", .value = "KIND", .help = kind_help(), .choices = kind_names()},
      {.name = "output",
       .value = "FILE",
       .help = "write to this file; the extension is the format: .svg, .pdf or .png (default: SVG "
               "to standard output)",
       .letter = 'o',
       .file = true},
      {.name = "at",
       .value = "K",
       .help = "the K of a waterfall (default: the K that the causes are about)"},
      {.name = "log-x", .help = "logarithmic K axis"},
      {.name = "linear-x", .help = "linear K axis"},
      {.name = "log-y", .help = "logarithmic value axis"},
      {.name = "linear-y", .help = "linear value axis"},
  };
  for (Flag& flag : picture_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : subject_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : cost_flags()) flags.push_back(std::move(flag));
  return flags;
}

Result<std::optional<bool>> scale(const Arguments& arguments, const std::string& axis) {
  const bool log = arguments.has("log-" + axis), linear = arguments.has("linear-" + axis);
  if (log && linear) {
    return fail(usage(
        {.where = "--linear-" + axis, .message = "cannot be combined with --log-" + axis + ""}));
  }
  return log || linear ? std::optional(log) : std::optional<bool>();
}

Result<SvgStyle> style_of(const Arguments& arguments) {
  KSTAR_TRY(SvgStyle style, picture_style(arguments));
  KSTAR_TRY(style.log_x, scale(arguments, "x"));
  KSTAR_TRY(style.log_y, scale(arguments, "y"));
  return style;
}

std::string kind_of(const Arguments& arguments, const std::vector<Subject>& subjects) {
  return arguments.text("kind", natural_kind(subjects[0].analysis.table).name);
}

/// Where the chart has no such axis, nothing is drawn instead of something else.
Result<void> check_scale(const Chart& chart, const char* name, const ChartAxis& axis,
                         const std::optional<bool>& wanted) {
  if (!wanted || *wanted == axis.log || axis.either) return {};
  return fail(usage({.where = fmt::format("--{}-{}", *wanted ? "log" : "linear", name),
                     .message = fmt::format("the {} axis of the {} chart has no other scale", name,
                                            chart.kind)}));
}

/// Of one K, where a kind has one for each.
Result<Chart> chosen_chart(const Arguments& arguments, const std::vector<Subject>& subjects) {
  const std::string kind = kind_of(arguments, subjects);
  if (!arguments.has("at")) return chart_of(kind, subjects);
  if (kind != "waterfall" || subjects.size() > 1) {
    return fail(usage({.where = "--at", .message = "needs --kind waterfall and one study"}));
  }
  const std::optional<std::int64_t> workers = parse_integer(arguments.text("at"));
  if (!workers || *workers < 1 || *workers > INT_MAX) {
    return fail(usage(expected("--at", "a number of workers, 1 or more", arguments.text("at"))));
  }
  return waterfall_at(subjects[0], static_cast<int>(*workers));
}

Result<ExitCode> run_figure(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const SvgStyle style, style_of(arguments));
  KSTAR_TRY(const PictureFormat format, picture_format(arguments));
  KSTAR_TRY(const std::vector<Subject> subjects, read_subjects(arguments, SubjectUse::kFigure));
  KSTAR_TRY(const Chart chart, chosen_chart(arguments, subjects));
  for (const Result<void>& checked : {check_scale(chart, "x", chart.x, style.log_x),
                                      check_scale(chart, "y", chart.y, style.log_y)}) {
    if (!checked) return fail(checked.error());
  }
  KSTAR_CHECK(deliver_picture(chart, style, format, arguments, console));
  return ExitCode::kDone;
}

}  // namespace

Command figure_command() {
  return {.name = "figure",
          .summary = "one chart of studies as SVG, PDF or PNG, for a paper",
          .details = {"Sizes fit one or two columns of a paper; colours are safe for colour-blind "
                      "readers and in grey. The same data give the same bytes.",
                      "Several studies are overlaid. Strong and weak scaling never share a chart "
                      "of S or E: their K mean different problems."},
          .flags = figure_flags(),
          .positionals = {subjects_positional()},
          .examples = {"kstar figure study.jsonl -o speedup.svg",
                       "kstar figure study.jsonl --kind samples --width two -o samples.pdf",
                       "kstar figure monday.jsonl tuesday.jsonl --kind efficiency -o both.png"},
          .run = run_figure};
}

}  // namespace kstar
