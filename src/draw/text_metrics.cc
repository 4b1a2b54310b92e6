#include "draw/text_metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/text.h"

namespace kstar {

namespace {

struct WidthRun {
  char32_t first, last;
  std::uint16_t regular, bold;
};

constexpr WidthRun kWidths[] = {
#include "draw/text_widths.inc"
};
constexpr double kUnits = 2048;

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct CodeRange {
  char32_t first, last;
};

template <std::size_t N>
bool is_in(const std::array<CodeRange, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(), [code](const CodeRange& range) {
    return code >= range.first && code <= range.last;
  });
}

/// Marks that stand on the letter before them, and joiners.
bool is_combining(char32_t code) {
  constexpr std::array<CodeRange, 7> kRanges = {{{0x300, 0x36F},
                                                 {0x483, 0x489},
                                                 {0x591, 0x5BD},
                                                 {0x64B, 0x65F},
                                                 {0x200B, 0x200D},
                                                 {0x20D0, 0x20F0},
                                                 {0xFE00, 0xFE0F}}};
  return is_in(kRanges, code);
}

/// Letters as wide as they are high, in every font (Unicode's East Asian width W and F, roughly).
bool is_wide(char32_t code) {
  constexpr std::array<CodeRange, 5> kRanges = {
      {{0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F}}};
  return is_in(kRanges, code) || (code >= 0xFF00 && code <= 0xFF60) || code == kReplacement ||
         (code >= 0x20000 && code <= 0x3FFFD);
}

/// Of letters that Liberation Sans has not: some other font will draw them, rather narrower.
double estimated_width(char32_t code) {
  if (is_combining(code)) return 0;
  if (is_wide(code)) return 1.05;
  return code >= 0x1F000 ? 1.3 : 0.85;
}

double letter_width(char32_t code, bool bold) {
  const auto* const run = std::lower_bound(
      std::begin(kWidths), std::end(kWidths), code,
      [](const WidthRun& candidate, char32_t wanted) { return candidate.last < wanted; });
  if (run == std::end(kWidths) || code < run->first) return estimated_width(code);
  return (bold ? run->bold : run->regular) / kUnits;
}

char32_t decode(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead;
  char32_t code = lead & (0xFFU >> (sequence.size() + 1));
  for (const char c : sequence.substr(1))
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  return code;
}

/// Takes the first letter off; not well-formed text gives one U+FFFD a byte.
struct Letter {
  std::string_view text;
  char32_t code = kReplacement;
};
Letter take_letter(std::string_view& text) {
  const std::size_t length = utf8_length(text);
  Letter letter;
  letter.text = text.substr(0, std::max<std::size_t>(length, 1));
  if (length > 0) letter.code = decode(letter.text);
  text.remove_prefix(letter.text.size());
  return letter;
}

/// What XML has no place for, and what reorders the text around it.
bool is_undrawable(char32_t code) {
  constexpr std::array<CodeRange, 7> kRanges = {{{0x00, 0x1F},
                                                 {0x7F, 0x9F},
                                                 {0x200E, 0x200F},
                                                 {0x2028, 0x202E},
                                                 {0x2066, 0x2069},
                                                 {0xFDD0, 0xFDEF},
                                                 {0xFEFF, 0xFEFF}}};
  return is_in(kRanges, code) || (code & 0xFFFEU) == 0xFFFEU;
}

/// How much of the text fits, in bytes, and not less than one letter.
std::size_t fitting(std::string_view text, double width, const Face& face) {
  std::string_view rest = text;
  double used = 0;
  std::size_t end = 0;
  while (!rest.empty()) {
    used += letter_width(take_letter(rest).code, face.bold) * face.size;
    if (used > width && end > 0) break;
    end = text.size() - rest.size();
  }
  return end;
}

std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

double text_width(std::string_view text, const Face& face) {
  double width = 0;
  while (!text.empty()) width += letter_width(take_letter(text).code, face.bold);
  return width * face.size;
}

std::string drawable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = take_letter(text);
    if (letter.code == '\n' || letter.code == '\t' || letter.code == '\r') {
      clean += ' ';
    } else {
      clean += letter.code == kReplacement || is_undrawable(letter.code) ? kReplacementText
                                                                         : letter.text;
    }
  }
  return std::string(trim(clean));
}

std::string shorten_to(std::string_view text, double width, const Face& face) {
  if (text_width(text, face) <= width) return std::string(text);
  const double room = width - text_width(kEllipsis, face);
  const std::string_view kept = text.substr(0, fitting(text, room, face));
  return std::string(without_trailing_blanks(kept)) + std::string(kEllipsis);
}

std::string shorten_within(std::string_view text, double width, const Face& face) {
  if (text_width(text, face) <= width) return std::string(text);
  const double room = width - text_width(kEllipsis, face);
  const std::string_view head = text.substr(0, fitting(text, 0.4 * room, face));
  std::string_view tail = text.substr(head.size());
  while (!tail.empty() && text_width(tail, face) > room - text_width(head, face)) take_letter(tail);
  return std::string(without_trailing_blanks(head)) + std::string(kEllipsis) +
         std::string(trim(tail));
}

std::vector<std::string> wrap_to(std::string_view text, double width, const Face& face,
                                 std::size_t lines) {
  std::vector<std::string> wrapped;
  text = trim(text);
  while (!text.empty()) {
    if (wrapped.size() + 1 >= lines) {
      wrapped.push_back(shorten_to(text, width, face));
      return wrapped;
    }
    std::size_t end = fitting(text, width, face);
    if (end < text.size() && text[end] != ' ') {
      const std::size_t blank = text.rfind(' ', end);
      if (blank != std::string_view::npos && blank > 0) end = blank;
    }
    wrapped.emplace_back(without_trailing_blanks(text.substr(0, end)));
    text = trim(text.substr(end));
  }
  return wrapped;
}

}  // namespace kstar
