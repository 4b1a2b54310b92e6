#pragma once

#include <string>
#include <vector>

namespace kstar {

/// A text of a drawing, and the room it takes by the widths that kstar ships.
struct SvgTextBox {
  std::string text;
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// Every <text> of an SVG as to_svg() writes it.
std::vector<SvgTextBox> svg_texts(const std::string& svg);

/// Every place that a shape of it names absolutely, as x and y.
struct SvgPlace {
  double x = 0, y = 0;
};
std::vector<SvgPlace> svg_places(const std::string& svg);

/// The value of an attribute in the first element that has it; "" where none has.
std::string svg_attribute(const std::string& svg, const std::string& name);

}  // namespace kstar
