#include "cli/picture.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/try.h"
#include "cli/output.h"

namespace kstar {

namespace {

constexpr double kPointsAMillimetre = 72 / 25.4;

/// "120mm" or "120" in points.
Result<double> millimetres(const Arguments& arguments, const char* flag, const char* what) {
  std::string given = arguments.text(flag);
  if (given.ends_with("mm")) given.resize(given.size() - 2);
  const std::optional<double> value = parse_double(given);
  constexpr double kLeast = 20, kMost = 2000;
  if (value && *value >= kLeast && *value <= kMost) return *value * kPointsAMillimetre;
  return fail(usage(expected(fmt::format("--{}", flag), what, arguments.text(flag))));
}

Result<double> width_of(const Arguments& arguments) {
  const std::string given = arguments.text("width", "one");
  if (given == "one") return kOneColumn;
  if (given == "two") return kTwoColumns;
  return millimetres(arguments, "width", "one, two or 20mm to 2000mm");
}

Result<double> dots_an_inch(const Arguments& arguments) {
  constexpr double kUsual = 300, kLeast = 30, kMost = 2400;
  if (!arguments.has("dpi")) return kUsual;
  const std::optional<double> value = parse_double(arguments.text("dpi"));
  if (value && *value >= kLeast && *value <= kMost) return *value;
  return fail(usage(expected("--dpi", "a number from 30 to 2400", arguments.text("dpi"))));
}

Result<std::string> picture(const std::string& svg, PictureFormat format, double dots) {
  if (format == PictureFormat::kPdf) return to_pdf(svg);
  if (format == PictureFormat::kPng) return to_png(svg, dots);
  return svg;
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

std::optional<PictureFormat> format_by_ending(const std::string& path) {
  if (path.ends_with(".svg")) return PictureFormat::kSvg;
  if (path.ends_with(".pdf")) return PictureFormat::kPdf;
  if (path.ends_with(".png")) return PictureFormat::kPng;
  return std::nullopt;
}

}  // namespace

std::vector<Flag> picture_flags() {
  return {
      {.name = "width",
       .value = "WIDTH",
       .help = "one or two columns of a paper, or millimetres, such as 120mm (default: one)"},
      {.name = "height",
       .value = "HEIGHT",
       .help = "millimetres, such as 80mm (default: suited to the width)"},
      {.name = "dpi", .value = "N", .help = "dots per inch of a PNG (default: 300)"},
      {.name = "no-title", .help = "omit title and caption"},
  };
}

bool wants_picture(const Arguments& arguments) {
  return format_by_ending(arguments.text("output")).has_value();
}

Result<PictureFormat> picture_format(const Arguments& arguments) {
  const std::string path = arguments.text("output", "-");
  if (path == "-") return PictureFormat::kSvg;
  if (const std::optional<PictureFormat> known = format_by_ending(path)) return *known;
  return fail(usage(expected("--output", "a name that ends in .svg, .pdf or .png", path)));
}

Result<SvgStyle> picture_style(const Arguments& arguments) {
  SvgStyle style;
  KSTAR_TRY(style.width, width_of(arguments));
  if (arguments.has("height")) {
    KSTAR_TRY(style.height, millimetres(arguments, "height", "20mm to 2000mm"));
  }
  style.title = !arguments.has("no-title");
  return style;
}

Result<void> deliver_picture(const Chart& chart, const SvgStyle& style, PictureFormat format,
                             const Arguments& arguments, Console& console) {
  KSTAR_TRY(const double dots, dots_an_inch(arguments));
  const std::string svg = to_svg(chart, style);
  KSTAR_CHECK(check_height(svg, style, arguments));
  KSTAR_TRY(const std::string made, picture(svg, format, dots));
  for (const std::string& note : chart.notes) console.note(note);
  return deliver(arguments, console, made);
}

}  // namespace kstar
