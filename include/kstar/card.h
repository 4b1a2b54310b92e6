#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kstar/chart.h"
#include "kstar/export.h"

/// One picture of an answer, for a chat or a pull request, and a badge for a README. Both are SVG;
/// kstar/svg.h makes a PNG of it.
namespace kstar {

/// A part of what was lost; all of them are at most 1.
struct CardPart {
  std::string name;
  double share = 0;
};

struct Card {
  std::string verdict;         ///< its state, of one study: for who reads the drawing by program
  std::optional<int> workers;  ///< likewise
  std::string title;           ///< small, above
  std::vector<std::string> sentences;  ///< the answer: one for each study
  std::string sure;                    ///< how sure that is; "": it is not said
  std::string check;                   ///< what to know before relying on it; "": nothing
  std::optional<Chart> chart;
  std::string loss;             ///< what the parts are of: "Lost at K = 16: 32%"
  std::vector<CardPart> parts;  ///< none: `loss` stands alone
  std::string source;           ///< small, below
};

/// 600 points wide; letters are at least 12 points large, so that it can be read at 600 pixels.
KSTAR_EXPORT std::string to_svg(const Card& card);

enum class BadgeColor { kGood, kOpen };

/// Two fields, 20 pixels high: what it is about, and what is said of it.
KSTAR_EXPORT std::string badge_svg(std::string_view about, std::string_view said, BadgeColor color);

}  // namespace kstar
