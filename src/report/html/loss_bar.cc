#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "kstar/words.h"
#include "report/analysis/answer.h"
#include "report/analysis/headline.h"
#include "report/analysis/loss.h"
#include "report/html/html.h"
#include "report/html/parts.h"

namespace kstar {

namespace {

/// Colours as in the charts beside it, where the first is that of E.
std::string bar_svg(const std::vector<LossPart>& parts) {
  double all = 0;
  for (const LossPart& part : parts) all += part.share;
  const double scale = 100 / std::max(all, 1.0);
  std::string rects;
  double at = 0;
  int color = 1;
  for (const LossPart& part : parts) {
    const double width = part.share * scale;
    rects += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"0\" width=\"{}\" height=\"10\"/>",
                         part.explained ? fmt::format("k-c{}", color++ % 8) : "unexplained",
                         significant(at, 4), significant(width, 4));
    at += width;
  }
  return fmt::format(
      "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
      "aria-hidden=\"true\" focusable=\"false\">{}</svg>\n",
      rects);
}

std::string bar_legend(const std::vector<LossPart>& parts) {
  std::string items;
  int color = 1;
  for (const LossPart& part : parts) {
    items += fmt::format(
        "<li><svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\" focusable=\"false\">"
        "<rect class=\"{}\" width=\"10\" height=\"10\"/></svg><b>{}</b> {}{}</li>\n",
        part.explained ? fmt::format("k-c{}", color++ % 8) : "unexplained", percent(part.share, 0),
        html(part.name),
        part.more.empty() ? "" : fmt::format(" <span>({})</span>", html(part.more)));
  }
  return fmt::format("<ul class=\"shares\">\n{}</ul>\n", items);
}

std::string loss_html(const std::string& text, const std::string& rest) {
  return fmt::format("<div class=\"loss\">\n<h3>Why not more</h3>\n<p>{}</p>\n{}</div>\n",
                     unbroken(html(text)), rest);
}

}  // namespace

std::string loss_part(const Analysis& analysis) {
  const std::optional<Loss> loss = loss_of(analysis);
  if (!loss || !std::isfinite(loss->efficiency)) return "";
  constexpr double kLittle = 0.03;
  const double lost = 1 - loss->efficiency;
  if (lost < kLittle) {
    return loss_html(
        fmt::format("{} is lost: efficiency is {} at K = {}.", lost < 0 ? "Nothing" : "Little",
                    percent(loss->efficiency, 0), loss->workers),
        "");
  }
  const std::string guess =
      analysis.verdict.by_training ? "" : guess_words(analysis.diagnosis, loss->workers);
  if (const std::string noise = noise_words(analysis, *loss); !noise.empty()) {
    return loss_html(noise, "");
  }
  return loss_html(
      fmt::format("At K = {}, {} of the efficiency is lost:", loss->workers, lost_words(*loss)),
      bar_svg(loss->parts) + bar_legend(loss->parts) +
          (guess.empty() ? "" : fmt::format("<p class=\"guess\">{}</p>\n", unbroken(html(guess)))));
}

}  // namespace kstar
