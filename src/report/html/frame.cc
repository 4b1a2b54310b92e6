#include "report/html/frame.h"

#include <fmt/format.h>

#include <map>
#include <span>

#include "base/embedded.h"
#include "report/html/html.h"

namespace kstar {

/// web/report.html, then the styles, then the scripts, in this order (src/report/CMakeLists.txt).
std::span<const EmbeddedText> page_texts();

namespace {

const EmbeddedText& page_template() {
  return page_texts()[0];
}
std::span<const EmbeddedText> styles() {
  constexpr std::size_t kCount = 2;
  return page_texts().subspan(1, kCount);
}
std::span<const EmbeddedText> scripts() {
  return page_texts().subspan(1 + styles().size());
}

/// " 'sha256-...'" of each.
std::string trusted(std::span<const EmbeddedText> texts) {
  std::string text;
  for (const EmbeddedText& one : texts) text += fmt::format(" 'sha256-{}'", one.sha256);
  return text;
}

/// Nothing but these styles and scripts; pictures only from the page itself, to save them.
std::string policy() {
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; img-src data: blob:; base-uri 'none'; "
      "form-action 'none'",
      trusted(scripts()), trusted(styles()));
}

std::string elements(const char* tag, std::span<const EmbeddedText> texts) {
  std::string text;
  for (const EmbeddedText& one : texts) {
    text += fmt::format("{0}<{1}>{2}</{1}>", text.empty() ? "" : "\n", tag, one.text);
  }
  return text;
}

/// Replaces every {{name}} of the template.
std::string filled(std::string_view text, const std::map<std::string_view, std::string>& values) {
  std::string page;
  while (true) {
    const std::size_t open = text.find("{{");
    page += text.substr(0, open);
    if (open == std::string_view::npos) return page;
    const std::size_t close = text.find("}}", open);
    page += values.at(text.substr(open + 2, close - open - 2));
    text.remove_prefix(close + 2);
  }
}

}  // namespace

std::string framed(const PageFrame& frame) {
  const std::string subtitle =
      frame.subtitle.empty() ? ""
                             : fmt::format("<p class=\"subtitle\">{}</p>\n", html(frame.subtitle));
  return filled(page_template().text, {{"policy", policy()},
                                       {"version", KSTAR_VERSION},
                                       {"live", frame.head},
                                       {"kind", html(frame.kind)},
                                       {"title", html(frame.title)},
                                       {"subtitle", subtitle},
                                       {"reload", frame.reload},
                                       {"footer", html(frame.footer)},
                                       {"styles", elements("style", styles())},
                                       {"scripts", elements("script", scripts())},
                                       {"body", frame.body}});
}

}  // namespace kstar
