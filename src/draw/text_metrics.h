#pragma once

#include <string>
#include <string_view>
#include <vector>

/// How much room a text takes in a drawing, by the widths of Liberation Sans (and so of Arial and
/// Helvetica) that kstar ships: a drawing is laid out without any font at hand.
namespace kstar {

/// Above the base line and below it, as shares of the size.
inline constexpr double kAscent = 0.74;
inline constexpr double kDescent = 0.22;
/// From one base line to the next.
inline constexpr double kLineHeight = 1.25;

struct Face {
  double size = 8;
  bool bold = false;
};

double text_width(std::string_view text, const Face& face);

/// Text from outside as one line that can be drawn: what is no character, and what would reorder
/// its surroundings, is replaced by U+FFFD, line breaks and tabs by blanks.
std::string drawable(std::string_view text);

/// Cut at the end with an ellipsis where it is wider. Takes drawable text.
std::string shorten_to(std::string_view text, double width, const Face& face);

/// Cut in the middle: names of one family differ at their ends.
std::string shorten_within(std::string_view text, double width, const Face& face);

/// At most `lines` lines no wider than this, broken at blanks where there are any; what is left
/// over is cut with an ellipsis. Takes drawable text; an empty one has no lines.
std::vector<std::string> wrap_to(std::string_view text, double width, const Face& face,
                                 std::size_t lines);

}  // namespace kstar
