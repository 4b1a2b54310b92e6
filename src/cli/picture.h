#pragma once

#include <vector>

#include "cli/arguments.h"
#include "cli/console.h"
#include "kstar/chart.h"
#include "kstar/svg.h"

/// A chart as the picture file of -o, the same for every command that draws.
namespace kstar {

/// --width, --height, --dpi and --no-title.
std::vector<Flag> picture_flags();

enum class PictureFormat { kSvg, kPdf, kPng };

/// Whether -o names a picture.
bool wants_picture(const Arguments& arguments);

/// By the ending of -o; SVG for standard output.
Result<PictureFormat> picture_format(const Arguments& arguments);

/// Its size, and whether it has a title.
Result<SvgStyle> picture_style(const Arguments& arguments);

Result<void> deliver_picture(const Chart& chart, const SvgStyle& style, PictureFormat format,
                             const Arguments& arguments, Console& console);

}  // namespace kstar
