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
    out_ += "=\"" + escaped(attribute.value) + '"';
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
