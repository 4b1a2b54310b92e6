#include "draw/svg_writer.h"

#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "draw/text_metrics.h"

namespace kstar {

namespace {

std::string escaped(std::string_view text) {
  return markup_escaped(drawable(text));
}

/// A tip's lines and tabs are its own; all else in it is text.
std::string escaped_tip(std::string_view tip) {
  std::string text;
  for (const std::string_view line : split(tip, '\n')) {
    if (!text.empty()) text += "&#10;";
    bool first = true;
    for (const std::string_view cell : split(line, '\t')) {
      if (!first) text += "&#9;";
      text += escaped(cell);
      first = false;
    }
  }
  return text;
}

}  // namespace

std::string coordinate(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fixed(value, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text.empty() || text == "-" ? "0" : text;
}

void SvgWriter::start(std::string_view element, SvgAttributes attributes) {
  out_ += '<';
  out_ += element;
  for (const SvgAttribute& attribute : attributes) {
    if (attribute.value.empty()) continue;
    out_ += ' ';
    out_ += attribute.name;
    out_ +=
        "=\"" +
        (attribute.name == "data-tip" ? escaped_tip(attribute.value) : escaped(attribute.value)) +
        '"';
  }
}

void SvgWriter::open(std::string_view element, SvgAttributes attributes) {
  start(element, attributes);
  out_ += ">\n";
}

void SvgWriter::close(std::string_view element) {
  out_ += "</";
  out_ += element;
  out_ += ">\n";
}

void SvgWriter::empty(std::string_view element, SvgAttributes attributes) {
  start(element, attributes);
  out_ += "/>\n";
}

void SvgWriter::text(std::string_view element, SvgAttributes attributes, std::string_view content) {
  start(element, attributes);
  out_ += '>' + escaped(content);
  close(element);
}

SvgPath& SvgPath::add(char command, double x, double y) {
  text_ += command + coordinate(x) + ' ' + coordinate(y);
  return *this;
}

SvgPath& SvgPath::across(double dx) {
  text_ += 'h' + coordinate(dx);
  return *this;
}

SvgPath& SvgPath::down(double dy) {
  text_ += 'v' + coordinate(dy);
  return *this;
}

SvgPath& SvgPath::shut() {
  text_ += 'Z';
  return *this;
}

}  // namespace kstar
