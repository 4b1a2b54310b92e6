#pragma once

#include "draw/svg_drawing.h"

namespace kstar {

void draw_bands(const SvgDrawing& drawing);

/// Lines, marks and stacks, with the names at line ends.
void draw_series(const SvgDrawing& drawing);

/// Of marks beside letters of 8 points; small ones; dots.
inline constexpr double kMarkRadius = 2.3;
inline constexpr double kSmallRadius = 1.5;
inline constexpr double kDotRadius = 1.1;

/// Whether its marks have a shape: where small ones are very many they are dots.
bool has_shapes(const Chart& chart, const ChartSeries& series);

/// How much of its colour a part of a stack has: neighbours differ, in grey, too.
double stack_strength(const Look& look);

}  // namespace kstar
