#pragma once

#include <string>

#include "kstar/chart.h"
#include "kstar/svg.h"

/// A chart as a figure of a page: its drawing, what the script needs to bring it to life, and its
/// values as a table.
namespace kstar {

/// Of the `number`-th chart of a page.
std::string figure_id(const Chart& chart, std::size_t number);

/// The look of a drawing in a page, whose own ids start with `id`.
SvgStyle page_style(const std::string& id);

/// The drawing on every scale that its axes allow, the names of its series, and the slider of the
/// values that are looked at one by one.
std::string drawn_html(const Chart& chart, const std::string& id);

/// The figure around what is drawn: title, buttons, caption.
std::string figure_html(const Chart& chart, const std::string& id, const std::string& drawn);

/// What a slider of a page has: its name, how many places, the place it starts at, and for its
/// script what it says of each of them.
struct Slider {
  const char* kind;
  std::string id;
  std::string label;  ///< HTML
  std::size_t places = 1;
  std::size_t first = 0;
  std::string words;  ///< of the first place
  std::string json;   ///< of all
};

std::string to_html(const Slider& slider);

}  // namespace kstar
