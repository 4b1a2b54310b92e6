#include "kstar/card.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "draw/look.h"
#include "draw/svg_writer.h"
#include "draw/text_metrics.h"
#include "kstar/svg.h"

namespace kstar {

namespace {

constexpr std::string_view kCardFonts = "Liberation Sans, Arial, Helvetica, sans-serif";
constexpr double kCardWidth = 600;
constexpr double kCardPad = 18;
constexpr double kInner = kCardWidth - 2 * kCardPad;
constexpr Face kSmallFace = {12, false};
constexpr Face kPartFace = {13, false};
constexpr Face kAnswerFace = {19, true};
constexpr Face kShortAnswerFace = {15, true};  ///< of several studies
constexpr double kBarHeight = 20;
constexpr std::string_view kCheckInk = "#85550a";

/// Writes from the top down, and knows how far it came.
class CardWriter {
 public:
  double y() const { return y_; }
  void skip(double points) { y_ += points; }

  void paragraph(std::string_view text, const Face& face, std::string_view ink, std::size_t lines) {
    for (const std::string& line : wrap_to(drawable(text), kInner, face, lines)) {
      write(kCardPad, y_ + kAscent * face.size, face, ink, line);
      y_ += kLineHeight * face.size;
    }
  }

  void write(double x, double base, const Face& face, std::string_view ink, std::string_view text) {
    out_.text("text",
              {{"x", x},
               {"y", base},
               {"font-size", face.size},
               {"font-weight", face.bold ? "bold" : ""},
               {"fill", ink}},
              text);
  }

  void box(double x, double width, double height, std::string_view ink) {
    out_.empty("rect", {{"x", x}, {"y", y_}, {"width", width}, {"height", height}, {"fill", ink}});
  }

  /// A drawing of its own, as it is.
  void inside(const std::string& svg, double height) {
    drawings_.emplace_back(y_, svg);
    y_ += height;
  }

  std::string take(const std::string& about, const Card& card) {
    const std::string height = coordinate(y_ + kCardPad);
    SvgWriter whole;
    whole.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                       {"class", "k-card"},
                       {"width", fmt::format("{}pt", kCardWidth)},
                       {"height", height + "pt"},
                       {"viewBox", fmt::format("0 0 {} {}", kCardWidth, height)},
                       {"role", "img"},
                       {"data-verdict", card.verdict},
                       {"data-workers", card.workers ? fmt::format("{}", *card.workers) : ""},
                       {"font-family", kCardFonts},
                       {"fill", kInk}});
    whole.text("title", {}, about);
    whole.empty("rect", {{"width", kCardWidth}, {"height", height}, {"fill", kPaper}});
    std::string text = whole.take() + out_.take();
    for (const auto& [top, svg] : drawings_) {
      text += fmt::format("<g transform=\"translate({} {})\">\n{}</g>\n", kCardPad, coordinate(top),
                          svg);
    }
    return text + "</svg>\n";
  }

 private:
  double y_ = kCardPad;
  SvgWriter out_;
  std::vector<std::pair<double, std::string>> drawings_;
};

/// What is not explained is grey.
std::string_view part_color(std::size_t number, const std::string& name) {
  return name == "unexplained" ? kReferenceLine : palette_ink(static_cast<int>(number) + 1);
}

void add_answer(const Card& card, CardWriter& out) {
  if (!card.title.empty()) {
    out.paragraph(card.title, kSmallFace, kFaintInk, 1);
    out.skip(4);
  }
  const Face& face = card.sentences.size() > 1 ? kShortAnswerFace : kAnswerFace;
  for (const std::string& sentence : card.sentences) {
    out.paragraph(sentence, face, kInk, card.sentences.size() > 1 ? 2 : 4);
    out.skip(3);
  }
  if (!card.sure.empty()) {
    out.paragraph(card.sure, kPartFace, kInk, 2);
    out.skip(3);
  }
  if (!card.check.empty()) out.paragraph(card.check, kPartFace, kCheckInk, 3);
}

/// A drawing inside another has the units of that one: points there would be others in a browser.
std::string without_units(std::string svg) {
  const std::size_t end = svg.find('>');
  for (std::size_t at = svg.find("pt\""); at < end; at = svg.find("pt\"", at)) svg.erase(at, 2);
  return svg;
}

void add_chart(const Card& card, CardWriter& out) {
  if (!card.chart) return;
  constexpr double kHeight = 250;
  SvgStyle style{.width = kInner, .height = kHeight, .font = 12, .title = false};
  out.skip(8);
  out.inside(without_units(to_svg(*card.chart, style)), kHeight);
}

/// One bar with its parts side by side, and their names below, in as many rows as they take.
void add_parts(const Card& card, CardWriter& out) {
  if (card.loss.empty()) return;
  out.skip(10);
  out.paragraph(card.loss, kPartFace, kInk, 2);
  if (card.parts.empty()) return;
  out.skip(4);
  double x = kCardPad;
  for (std::size_t i = 0; i < card.parts.size(); ++i) {
    const double width = kInner * std::clamp(card.parts[i].share, 0.0, 1.0);
    out.box(x, std::max(0.5, width - 1.5), kBarHeight, part_color(i, card.parts[i].name));
    x += width;
  }
  out.skip(kBarHeight + 6);
  x = kCardPad;
  constexpr double kSwatch = 11, kGap = 18;
  for (std::size_t i = 0; i < card.parts.size(); ++i) {
    const CardPart& part = card.parts[i];
    const std::string text = shorten_to(
        drawable(fmt::format("{} {}", part.name, percent(part.share, 0))), kInner / 2, kPartFace);
    const double width = kSwatch + 5 + text_width(text, kPartFace);
    if (x > kCardPad && x + width > kCardWidth - kCardPad) {
      x = kCardPad;
      out.skip(kLineHeight * kPartFace.size);
    }
    out.box(x, kSwatch, kSwatch, part_color(i, part.name));
    out.write(x + kSwatch + 5, out.y() + 10, kPartFace, kInk, text);
    x += width + kGap;
  }
  out.skip(kLineHeight * kPartFace.size);
}

}  // namespace

std::string to_svg(const Card& card) {
  CardWriter out;
  add_answer(card, out);
  add_chart(card, out);
  add_parts(card, out);
  if (!card.source.empty()) {
    out.skip(6);
    out.paragraph(card.source, kSmallFace, kFaintInk, 2);
  }
  std::string about = card.title;
  for (const std::string& sentence : card.sentences) about += (about.empty() ? "" : " ") + sentence;
  return out.take(about, card);
}

std::string badge_svg(std::string_view about, std::string_view said, BadgeColor color) {
  constexpr Face kFace = {11, false};
  constexpr double kHeight = 20, kSide = 6;
  const std::string left = drawable(about), right = drawable(said);
  const double first = std::ceil(text_width(left, kFace)) + 2 * kSide;
  const double second = std::ceil(text_width(right, kFace)) + 2 * kSide;
  const std::string width = coordinate(first + second);
  SvgWriter out;
  out.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "k-badge"},
                   {"width", width},
                   {"height", kHeight},
                   {"viewBox", fmt::format("0 0 {} {}", width, kHeight)},
                   {"role", "img"},
                   {"font-family", kCardFonts},
                   {"font-size", kFace.size}});
  out.text("title", {}, left + ": " + right);
  out.empty("rect", {{"width", width}, {"height", kHeight}, {"rx", 3}, {"fill", "#444"}});
  out.empty("path", {{"d", fmt::format("M{} 0h{}a3 3 0 0 1 3 3v14a3 3 0 0 1 -3 3h-{}Z", first,
                                       second - 3, second - 3)},
                     {"fill", color == BadgeColor::kGood ? "#0a6a9f" : "#7a5c00"}});
  out.text("text", {{"x", kSide}, {"y", 14}, {"fill", "#fff"}}, left);
  out.text("text", {{"x", first + kSide}, {"y", 14}, {"fill", "#fff"}}, right);
  out.close("svg");
  return out.take();
}

}  // namespace kstar
