#pragma once

#include "draw/svg_drawing.h"

/// Names of series and rules above the plot and in the legend; those at line ends stand with their
/// series.
namespace kstar {

void draw_flags(const SvgDrawing& drawing);
void draw_legend(const SvgDrawing& drawing);
void draw_end_label(const SvgDrawing& drawing, const SvgEndLabel& label);

}  // namespace kstar
