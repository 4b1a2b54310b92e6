#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace kstar {

/// A coordinate: at most two decimals, no exponent, no "-0". What is not finite is 0.
std::string coordinate(double value);

/// An attribute's value is text, which is escaped, or a number. An empty text leaves it out.
struct SvgAttribute {
  SvgAttribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
  SvgAttribute(std::string_view attribute, double number)
      : name(attribute), value(coordinate(number)) {}

  std::string_view name;
  std::string value;
};
using SvgAttributes = std::initializer_list<SvgAttribute>;

/// Elements one after the other. Whatever is given to it, what it writes is well-formed.
class SvgWriter {
 public:
  void open(std::string_view element, SvgAttributes attributes);
  void close(std::string_view element);
  void empty(std::string_view element, SvgAttributes attributes);
  void text(std::string_view element, SvgAttributes attributes, std::string_view content);

  std::string take() { return std::move(out_); }

 private:
  void start(std::string_view element, SvgAttributes attributes);

  std::string out_;
};

/// The d of a path.
class SvgPath {
 public:
  SvgPath& move(double x, double y) { return add('M', x, y); }
  SvgPath& line(double x, double y) { return add('L', x, y); }
  SvgPath& across(double dx);
  SvgPath& down(double dy);
  SvgPath& shut();

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }

 private:
  SvgPath& add(char command, double x, double y);

  std::string text_;
};

}  // namespace kstar
