#include <fmt/format.h>

#include "base/number.h"
#include "base/try.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/output.h"
#include "cli/plan_flags.h"
#include "cli/subjects.h"
#include "kstar/svg.h"

namespace kstar {

namespace {

constexpr double kPointsAMillimetre = 72 / 25.4;

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
      {.name = "width",
       .value = "WIDTH",
       .help = "one or two columns of a paper, or millimetres, such as 120mm (default: one)"},
      {.name = "height",
       .value = "HEIGHT",
       .help = "millimetres, such as 80mm (default: suited to the width)"},
      {.name = "dpi", .value = "N", .help = "dots per inch of a PNG (default: 300)"},
      {.name = "log-x", .help = "logarithmic K axis"},
      {.name = "linear-x", .help = "linear K axis"},
      {.name = "log-y", .help = "logarithmic value axis"},
      {.name = "linear-y", .help = "linear value axis"},
      {.name = "no-title", .help = "omit title and caption"},
  };
  for (Flag& flag : subject_flags()) flags.push_back(std::move(flag));
  for (Flag& flag : cost_flags()) flags.push_back(std::move(flag));
  return flags;
}

/// "120mm" or "120" in points.
Result<double> millimetres(const Arguments& arguments, const char* flag, const char* what) {
  std::string given = arguments.text(flag);
  if (given.ends_with("mm")) given.resize(given.size() - 2);
  const std::optional<double> value = parse_double(given);
  constexpr double kLeast = 20, kMost = 2000;
  if (value && *value >= kLeast && *value <= kMost) return *value * kPointsAMillimetre;
  return fail(usage(expected(fmt::format("--{}", flag), what, arguments.text(flag))));
}

Result<std::optional<bool>> scale(const Arguments& arguments, const std::string& axis) {
  const bool log = arguments.has("log-" + axis), linear = arguments.has("linear-" + axis);
  if (log && linear) {
    return fail(usage(
        {.where = "--linear-" + axis, .message = "cannot be combined with --log-" + axis + ""}));
  }
  return log || linear ? std::optional(log) : std::optional<bool>();
}

Result<double> width_of(const Arguments& arguments) {
  const std::string given = arguments.text("width", "one");
  if (given == "one") return kOneColumn;
  if (given == "two") return kTwoColumns;
  return millimetres(arguments, "width", "one, two or 20mm to 2000mm");
}

Result<SvgStyle> style_of(const Arguments& arguments) {
  SvgStyle style;
  KSTAR_TRY(const double width, width_of(arguments));
  style.width = width;
  if (arguments.has("height")) {
    KSTAR_TRY(const double height, millimetres(arguments, "height", "20mm to 2000mm"));
    style.height = height;
  }
  KSTAR_TRY(style.log_x, scale(arguments, "x"));
  KSTAR_TRY(style.log_y, scale(arguments, "y"));
  style.title = !arguments.has("no-title");
  return style;
}

enum class Format { kSvg, kPdf, kPng };

Result<Format> format_of(const Arguments& arguments) {
  const std::string path = arguments.text("output", "-");
  if (path == "-" || path.ends_with(".svg")) return Format::kSvg;
  if (path.ends_with(".pdf")) return Format::kPdf;
  if (path.ends_with(".png")) return Format::kPng;
  return fail(usage(expected("--output", "a name that ends in .svg, .pdf or .png", path)));
}

Result<double> dots_an_inch(const Arguments& arguments) {
  constexpr double kUsual = 300, kLeast = 30, kMost = 2400;
  if (!arguments.has("dpi")) return kUsual;
  const std::optional<double> value = parse_double(arguments.text("dpi"));
  if (value && *value >= kLeast && *value <= kMost) return *value;
  return fail(usage(expected("--dpi", "a number from 30 to 2400", arguments.text("dpi"))));
}

Result<std::string> picture(const std::string& svg, Format format, double dots) {
  if (format == Format::kPdf) return to_pdf(svg);
  if (format == Format::kPng) return to_png(svg, dots);
  return svg;
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

/// A plot has a least height, and the legend and the source stand below it whole.
Result<void> check_height(const std::string& svg, const SvgStyle& style,
                          const Arguments& arguments) {
  constexpr std::string_view kBefore = " height=\"";
  const std::size_t at = svg.find(kBefore) + kBefore.size();
  const std::optional<double> drawn = parse_double(svg.substr(at, svg.find("pt", at) - at));
  constexpr double kRounding = 1;
  if (style.height <= 0 || !drawn || *drawn <= style.height + kRounding) return {};
  return fail(usage(
      expected("--height",
               fmt::format("at least {:.0f}mm for this chart", *drawn / kPointsAMillimetre + 0.5),
               arguments.text("height"))));
}

Result<ExitCode> run_figure(const Arguments& arguments, Console& console) {
  KSTAR_TRY(const SvgStyle style, style_of(arguments));
  KSTAR_TRY(const Format format, format_of(arguments));
  KSTAR_TRY(const double dots, dots_an_inch(arguments));
  KSTAR_TRY(const std::vector<Subject> subjects, read_subjects(arguments, false));
  KSTAR_TRY(const Chart chart, chart_of(kind_of(arguments, subjects), subjects));
  for (const Result<void>& checked : {check_scale(chart, "x", chart.x, style.log_x),
                                      check_scale(chart, "y", chart.y, style.log_y)}) {
    if (!checked) return fail(checked.error());
  }
  const std::string svg = to_svg(chart, style);
  KSTAR_CHECK(check_height(svg, style, arguments));
  KSTAR_TRY(const std::string made, picture(svg, format, dots));
  for (const std::string& note : chart.notes) console.note(note);
  KSTAR_CHECK(deliver(arguments, console, made));
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
