#include "support/svg_texts.h"

#include <cstdlib>
#include <utility>

#include "draw/text_metrics.h"

namespace kstar {

namespace {

std::string unescaped(std::string text) {
  const std::pair<std::string, std::string> entities[] = {
      {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&amp;", "&"}};
  for (const auto& [from, to] : entities) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

double number(const std::string& element, const std::string& name, double otherwise) {
  const std::string value = svg_attribute(element, name);
  return value.empty() ? otherwise : std::strtod(value.c_str(), nullptr);
}

SvgTextBox box_of(const std::string& element, std::string text, double usual_size) {
  const Face face{number(element, "font-size", usual_size),
                  svg_attribute(element, "font-weight") == "bold"};
  const double x = number(element, "x", 0), y = number(element, "y", 0);
  const double width = text_width(text, face);
  const std::string anchor = svg_attribute(element, "text-anchor");
  const double before = anchor == "middle" ? width / 2 : anchor == "end" ? width : 0;
  const double up = kAscent * face.size, down = kDescent * face.size;
  if (svg_attribute(element, "transform").empty()) {
    return {std::move(text), x - before, y - up, x - before + width, y + down};
  }
  return {std::move(text), x - up, y + before - width, x + down, y + before};
}

/// The places behind the commands M and L of a path.
void add_places(const std::string& path, std::vector<SvgPlace>& places) {
  const char* at = path.c_str();
  while (*at != '\0') {
    if (*at++ != 'M' && at[-1] != 'L') continue;
    char* end = nullptr;
    const double x = std::strtod(at, &end);
    places.push_back({x, std::strtod(end, &end)});
    at = end;
  }
}

}  // namespace

std::string svg_attribute(const std::string& svg, const std::string& name) {
  const std::string start = " " + name + "=\"";
  const std::size_t at = svg.find(start);
  if (at == std::string::npos) return "";
  const std::size_t from = at + start.size();
  return svg.substr(from, svg.find('"', from) - from);
}

std::vector<SvgTextBox> svg_texts(const std::string& svg) {
  const double usual_size = number(svg, "font-size", 8);
  std::vector<SvgTextBox> boxes;
  for (std::size_t at = svg.find("<text "); at != std::string::npos;
       at = svg.find("<text ", at + 1)) {
    const std::size_t open = svg.find('>', at), close = svg.find("</text>", at);
    boxes.push_back(box_of(svg.substr(at, open - at + 1),
                           unescaped(svg.substr(open + 1, close - open - 1)), usual_size));
  }
  return boxes;
}

std::vector<SvgPlace> svg_places(const std::string& svg) {
  std::vector<SvgPlace> places;
  std::size_t at = svg.find("k-paper");
  for (at = svg.find('<', at); at != std::string::npos; at = svg.find('<', at + 1)) {
    const std::string element = svg.substr(at, svg.find('>', at) - at + 1);
    if (element.starts_with("<path")) add_places(svg_attribute(element, "d"), places);
    if (element.starts_with("<circle")) {
      places.push_back({number(element, "cx", 0), number(element, "cy", 0)});
    }
    if (!element.starts_with("<rect")) continue;
    const double x = number(element, "x", 0), y = number(element, "y", 0);
    places.push_back({x, y});
    places.push_back({x + number(element, "width", 0), y + number(element, "height", 0)});
  }
  return places;
}

}  // namespace kstar
